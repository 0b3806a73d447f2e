"""The least loss: short searches, whose groups are recombined by integer programmes."""

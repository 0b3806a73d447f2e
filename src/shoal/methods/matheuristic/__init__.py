"""Matheuristics: short searches whose groups are recombined by integer programmes."""

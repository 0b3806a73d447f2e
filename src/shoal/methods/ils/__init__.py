"""Search: from a grouping to a better one, for as long as one likes."""

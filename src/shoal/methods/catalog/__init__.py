"""Entries of all methods: their parts, cost and citation, a file a kind."""

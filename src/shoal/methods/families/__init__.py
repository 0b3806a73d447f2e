"""Families of methods, a file each: how a Problem becomes a call of the code that solves it."""

"""Readers of the judge: its own, or other libraries than those that write, and cells by value."""

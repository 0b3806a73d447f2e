"""Dialects of text: signs, encodings, notations of numbers and dates, and what proposes them."""

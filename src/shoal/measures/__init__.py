"""Measures of utility and risk: pure functions of data and partition."""

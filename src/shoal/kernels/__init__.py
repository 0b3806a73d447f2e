"""Arithmetic on plain arrays, compiled by Numba. A kernel knows no table and no column name.

Kernel files hold loops only; the compiler's flags stand once, in `jit.py`. Arrays are float64 or
int64, C-contiguous; a kernel's arguments are marked IN, OUT or IN/OUT. Points are stored one
attribute after the other (d rows of n numbers), so that the loop over records is the inner one:
the compiler turns it into vector instructions without reordering any sum, and the same input
gives the same bits everywhere.
"""

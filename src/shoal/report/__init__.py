"""The report of a release: figures of chunks, combined and finalized by one builder.

Every figure is declared once, as an `Aggregation`: what a chunk gives, how two chunks combine, what
all of them mean. In memory a release is one chunk; out of core it is as many as there are regions,
on any machine, whose partial results travel as plain values. Chunks hold whole groups.

It takes two passes. The first gives the ranges of all columns (`figures/ranges.py`), by which the
second scales numbers, cuts bins, and centers sums, so that these add up without cancellation.
`build.py` joins the figures with how the release was made and what is said of it.
"""

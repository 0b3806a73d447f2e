"""Lower bounds on the loss: column generation, integer programming, and pairs of records.

A grouping is a choice of groups that cover every record once: a set-partitioning problem with one
column for every group of k to 2k - 1 records (larger ones can be split at no loss). Its linear
programme is solved by generating columns; the dual values (what a record costs, at the least) give
a bound at any time. Aloise, Hansen and Liberti 2012, Mathematical Programming 131; Aloise and
Araújo 2015, Pattern Recognition Letters 51; subset-row cuts: Jepsen, Petersen, Spoorendonk and
Pisinger 2008, Operations Research 56(2); with more records and other shares: see `wide_cuts.py`.

Where groups are large there are too many of them to be priced. There the pairs of records that
share a group are what is chosen: by a linear programme and a semidefinite one above it
(`large_groups.py`). Any prices of records or pairs prove a bound, which other code can check.
"""

"""Lower bounds on the loss by column generation and integer programming.

A grouping is a choice of groups that cover every record once: a set-partitioning problem with one
column for every group of k to 2k - 1 records (larger ones can be split at no loss). Its linear
programme is solved by generating columns; the dual values (what a record costs, at the least) give
a bound at any time. Aloise, Hansen and Liberti 2012, Mathematical Programming 131; Aloise and
Araújo 2015, Pattern Recognition Letters 51; subset-row cuts: Jepsen, Petersen, Spoorendonk and
Pisinger 2008, Operations Research 56(2).
"""

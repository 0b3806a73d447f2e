"""Tables larger than memory: a run that keeps what it has done in files.

Records are read piece by piece and parted into regions, by cuts that a sample of them showed; a
region fits in memory and is grouped there, block by block (`shoal.blocks`). Whole groups then move
to other regions, cut across other directions, where the groups that a border kept apart meet and
are mended. Each region is released on its own, its rows are strewn over buckets at random, and
bucket after bucket is written. Every step leaves files, whole or not at all, so a run that was
killed goes on where it was; what comes out depends on the file, the request and the limit of
memory.

`work` keeps the files, `shuffle` their one form, `survey` is the first look at all records,
`regions` says who belongs where, `solve` groups, `figures` sums up what the report says, `write`
brings the release to disk, and `run` is the walk on one screen.
"""

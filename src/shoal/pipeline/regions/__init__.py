"""Out-of-core runs: tables larger than memory, with resumable files.

Records are read piece by piece and parted into regions, by cuts that a sample of them showed; a
region fits in memory and is grouped there, block by block (`methods/blocks.py`). Whole groups then
move to other regions, cut across other directions, where the groups that a border kept apart meet
and are mended. Each region is released on its own, its rows are strewn over buckets at random, and
bucket after bucket is written. Every step leaves files, whole or not at all, so a run that was
killed goes on where it was; what comes out depends on the file, the request and the limit of
memory.

`file.py` is the entry point: in memory where the file fits, else here. `run.py` is the run on one
screen, `run_folder.py` keeps its files and `write.py` is their format. `profile.py` reads all
records once, `file_plan.py` makes the plan, `run.py` and `encoders.py` encode, `solve.py`
assigns records to regions, `solve.py` groups them, `release.py` gathers the report, and `write.py`
writes the release. `many_files.py` does the same with many files on an engine (`tasks.py`).
"""

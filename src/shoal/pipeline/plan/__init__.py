"""Plan: what settings mean for a schema and a profile, decided once.

A schema is a table without rows; a profile is what is known of its columns without their records.
So the plan of a table in memory and that of a file larger than memory are made by the same code,
before any record is grouped, and all later steps (run, regions, previews, comparisons,
estimates, the desk) get the same value. Whether hierarchies are needed is decided here alone.
"""

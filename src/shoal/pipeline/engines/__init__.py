"""Backends: threads, Dask and Spark; storage at paths and URLs; staged files.

What runs in them is chosen elsewhere. `executor.py` runs tasks on threads, `dask.py` and `spark.py`
on clusters; `storage.py` opens paths and URLs; `staging.py` lets files appear whole or not at all;
`private_folder.py` names and protects the folder for the steward alone.
"""

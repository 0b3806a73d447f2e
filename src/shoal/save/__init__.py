"""Saving: a release and its report as files, verified before they get their names.

`files.py` saves data, report and recipe; `readback.py` reads the data again and compares; `pack/`
makes the folder that is handed over, with a certificate; `commitments.py` proves later which file a
release was made of.
"""

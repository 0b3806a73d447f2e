"""What goes out: the released Table, its check, its report, and files written whole or not at all.

`verify.py` shares no code with anything that chose the groups or wrote the file: it is the judge.
"""

"""Table + Partition -> the released Table: aggregated or generalized, checked, as bytes of a file.

`aggregate.py` and `generalize.py` give every group its values, `checked.py` and `coverage.py` check
the result before it leaves, `claims.py` says what the judge is asked, and `write.py` makes the
bytes of a csv or Parquet file. Reports are made in `report/`, files are saved in `save/`.
"""

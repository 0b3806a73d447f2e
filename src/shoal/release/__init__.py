"""Table + Partition -> the released Table: aggregated or generalized, checked, as bytes of a file.

`aggregate.py` gives every group its values, `claims.py` checks the result
before it leaves and says what the judge is asked, and `write.py` makes the
bytes of a csv or Parquet file. Reports are made in `report/`, files are saved in `save/`.
"""

"""Compute what prices prove, from the tables in SHOAL_DATA: a bound that no grouping falls below.

    SHOAL_DATA=... python check_bounds.py [FOLDER]

The files TABLE-K.npy of a folder (prices, beside this file, if none is named) are prices of records
or of pairs of records: squared distances D less the prices must be worth it. With x(i, j) the share
in which two records are together in groups of k: x(i, i) = 1, 0 <= x <= 1, rows add up to k, and x
is positive semidefinite. Any prices prove a bound; a wrong file can only prove less.
"""
import csv, os, pathlib, sys
import numpy as np
here, data = pathlib.Path(__file__).parent, pathlib.Path(os.environ["SHOAL_DATA"])
folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "prices"
rows = {f"{row['table']}-{row['k']}": row for row in csv.DictReader((here / "records.csv").open())}
for file in sorted(folder.glob("*-*.npy")):
    name, k = file.stem.rpartition("-")[0], int(file.stem.rpartition("-")[2])
    lines = list(csv.reader((data / f"{name.replace('10', '')}.csv").open()))
    out = {"UTILNAME", "STATE", "YEAR", "MONTH", "UTILITYID" if name == "eia10" else ""}
    X = np.array([[float(x) for x, n in zip(line, lines[0]) if n not in out] for line in lines[1:]])
    X = (X - X.mean(0)) / X.std(0)
    n, prices = len(X), np.load(file).astype(float)
    D = sum((column[:, None] - column) ** 2 for column in X.T)
    M = D - prices[:, None] - prices if prices.ndim == 1 else (prices + prices.T) / 2
    S = D - M  # <D, x> = <S, x> + <M, x>, and each has a least value
    T = S - S.mean(0) - S.mean(1)[:, None] + S.mean()
    lowest = 0.0 if prices.ndim == 1 else np.linalg.eigvalsh(T)[0]  # T is 0 by prices of records
    least = k / n * S.sum() + (n - k) * min(lowest, 0.0)
    least += np.trace(M) + np.minimum(M, 0).sum() - np.minimum(np.diag(M), 0).sum()
    row, bound = rows[file.stem], 100 * least / (2 * k) / X.size
    if bound > float(row["loss"]) + 1e-6:
        sys.exit(f"{file.stem}: {bound} is above a loss that was found")
    print(f"{file.stem}: no grouping below {bound:.6f}; the records say {row['bound']}")

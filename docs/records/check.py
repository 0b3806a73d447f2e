"""Compute every loss of records.csv again, from the tables in SHOAL_DATA and the label files."""
import csv, os, pathlib, sys
import numpy as np
here, data = pathlib.Path(__file__).parent, pathlib.Path(os.environ["SHOAL_DATA"])
for row in csv.DictReader((here / "records.csv").open()):
    name, k = row["table"], int(row["k"])
    lines = list(csv.reader((data / f"{name.replace('10', '')}.csv").open()))
    out = {"UTILNAME", "STATE", "YEAR", "MONTH", "UTILITYID" if name == "eia10" else ""}
    X = np.array([[float(x) for x, n in zip(line, lines[0]) if n not in out] for line in lines[1:]])
    X = (X - X.mean(0)) / X.std(0)
    labels = np.loadtxt(here / f"labels/{name}-{k}.txt", dtype=int)
    groups = [X[labels == label] for label in np.unique(labels)]
    loss = 100 * sum(((g - g.mean(0)) ** 2).sum() for g in groups) / X.size
    if len(labels) != len(X) or min(map(len, groups)) < k or abs(loss - float(row["loss"])) > 1e-6:
        sys.exit(f"{name}, k = {k}: not {row['loss']}")
print("every loss of records.csv is that of its label file")

"""A script as a user writes it, with five mistakes that a type checker must find.

The lines with a mistake end in `# mistake`; nothing runs this file.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

import shoal


def release(patients: pl.DataFrame, folder: Path) -> pl.DataFrame:
    """Anonymize a dataframe, look at what it cost, and write the release."""
    result = shoal.anonymize(
        patients,
        k=5,
        identifiers=["name"],
        quasi_identifiers=["age", "zip"],
        sensitive="diagnosis",
        aggregate={"age": "median"},
        l=2,
    )
    shoal.anonymize(patients, k="five")  # mistake
    report = result.report
    lost: float | None = report.information_loss
    smallest: int = report.groups["smallest"]
    wrong: str = report.groups["smallest"]  # mistake
    risks = report.measures["risk"] if report.measures is not None else {}
    linked = {name: risk["value"] for name, risk in risks.items() if "linkage" in name}
    worst = max(linked.values(), default=0.0)
    print(f"{lost} % lost, classes of {smallest}, {worst:.1f} % linked", wrong)
    for column in report.columns:
        print(column.name.upper(), column.released_as, column.mean_after)
    written: Path = result.save(folder, format="parquet", force=True)
    checked = shoal.verify(written, k=5, quasi_identifiers=["age", "zip"])
    print(checked.verdict)  # mistake
    if not checked.ok:
        raise SystemExit("; ".join(checked.problems))
    return result.shuffled()


def study(patients: pl.DataFrame) -> None:
    """Compare methods, measure a release, and look at a hierarchy and a partition."""
    compared = shoal.compare(patients, k=[3, 5], methods=["mdav", "tfrp"])
    runs: pl.DataFrame = compared.data
    best = compared.pick
    print(runs.height, best.method)  # mistake
    measures = shoal.measure(patients, patients, quasi_identifiers=["age"])
    print(measures["sse_sst"].value + 1.0, measures.to_dict()["k"] + 1)
    partition = shoal.microaggregate(patients.to_numpy(), k=3, method="mdav")
    print(partition.labels.max(), partition.sizes.min(), partition.groups + 1)
    ages = shoal.hierarchy(patients, "age", "widths:5,10")
    print(str(ages).splitlines())
    try:
        shoal.anonymize_file("patients.csv", "release/", k=5, forced=True)  # mistake
    except shoal.InputError as error:
        print([hint.name for hint in error.hints], error.exit_code)
    print([method.name for method in shoal.methods() if method.citation])

"""Attacks through dataframes: names that are patterns, reprs that print cells, rows in order."""

from __future__ import annotations

import dataclasses
import importlib
import io
import json
import pkgutil

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.measures import pairing, reading
from shoal.measures.streaming import Drawn
from shoal.pipeline.plan.plan import plan_table
from shoal.settings import build
from shoal.table.encode import encode
from shoal.table.encode_nodes import code
from shoal.table.read import read
from shoal.table.survey import Survey

MAKERS = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.table}
CANARY = 86_420_001
WORD = "canaryword"


def names_of(frame):
    return list(frame.column_names if isinstance(frame, pa.Table) else frame.columns)


def people(column, rows=12):
    """A table of one quasi-identifier of any name, and two columns that must not be released."""
    return {
        "name": [f"person {row}" for row in range(rows)],
        "ssn": [1000 + row for row in range(rows)],
        column: [20 + row for row in range(rows)],
    }


def published(result):
    """What the caller would publish: what is meant for it, where there is such a thing."""
    return getattr(result, "shuffled", lambda: result.data)()


@pytest.mark.parametrize("column", ["*", "^.*$", "^.+$", r"^(name|\W.*)$"])
def test_a_name_that_is_a_pattern(column):
    """A column's name matches the dropped identifiers too: do they come back?"""
    frame = pl.DataFrame(people(column))
    result = shoal.anonymize(
        frame, k=3, quasi_identifiers=[column], identifiers=["name"], drop=["ssn"]
    )
    assert names_of(result.data) == [column]
    assert names_of(published(result)) == [column]


@pytest.mark.parametrize("column", [r"^(name|ssn|\W.*)$", r"^(ssn|\W+.*)$"])
def test_a_kept_column_that_is_a_pattern(column):
    """The hostile name is that of a kept column: do the identifiers come along?"""
    data = {**people("age"), column: list("abcabcabcabc")}
    result = shoal.anonymize(
        pl.DataFrame(data), k=3, quasi_identifiers=["age"], identifiers=["name", "ssn"],
        other=[column],
    )  # fmt: skip
    assert names_of(result.data) == ["age", column]
    assert result.data.get_column(column).to_list() == data[column]


def table_of_canaries():
    rows = 8
    return pa.table(
        {
            "id": [f"{WORD} id {row}" for row in range(rows)],
            "age": [CANARY + 7 * row for row in range(rows)],
            "pay": [CANARY + 0.5 + row for row in range(rows)],
            "town": [f"{WORD} {row % 3}" for row in range(rows)],
            "ill": [f"{WORD} ill {row % 2}" for row in range(rows)],
        }
    )


ROLES = {"quasi_identifiers": ["age", "pay", "town"], "sensitive": ["ill"], "identifiers": ["id"]}


def every_object():
    """What a run makes, and what somebody in a notebook may look at on the way."""
    frame = table_of_canaries()
    table = read(frame)
    settings = build({"protect": {"k": 2}, "roles": ROLES})
    plan, profile = plan_table(table, settings)
    ready = plan.prepared(table)
    coded = code(ready)
    result = shoal.anonymize(frame, k=2, numbers="interval", **ROLES)  # means are figures
    pandas = shoal.anonymize(frame.to_pandas(), k=2, numbers="interval", **ROLES)
    numbers = ready.only(lambda column: column.kind.is_numeric)
    sides = [
        reading.both_sides(table[name], result.table[name], None, None)
        for name in ("age", "town", "ill")
    ]
    who = pairing.find_out(table, result.table, sides[:2], ["ill"], True)
    yield from (table, table.source, *table.columns, table["town"].written, ready, plan, profile)
    yield from (coded, *coded.columns, *(column.tree for column in coded.columns))
    yield from (column.values for column in coded.columns)
    yield from (
        encode(numbers, standardize=False),
        result,
        result.table,
        result.table.source,
        pandas.table.source,
    )
    yield from (*result.table.columns, result.partition, result.partition.search, *sides, who)
    yield Survey(weights=np.array([CANARY * 1.0] * 4))
    yield Drawn(table, result.table, True, "")
    yield shoal.microaggregate_columns(frame.select(["age", "pay"]), 2)
    yield shoal.hierarchy(frame, "town", "prefixes:12")


def test_no_cell_in_a_repr():
    """A notebook or a log shows an object: does it print cells?"""
    for one in every_object():
        html = getattr(one, "_repr_html_", lambda: "")()
        texts = [repr(one), html]
        if type(one).__name__ != "Hierarchy":  # whose text is its tree, which somebody asked for
            texts.append(str(one))
        for text in texts:
            assert str(CANARY)[:5] not in text.replace(",", ""), type(one)
            assert WORD not in text, type(one)
            assert "8.642" not in text, type(one)  # as floats are printed


def test_no_cell_in_the_repr_of_a_comparison():
    """The runs side by side keep the caller's dataframe: is it printed?"""
    frame = table_of_canaries().to_pandas()
    found = shoal.compare(frame, k=[2], methods=["mdav"], **ROLES)
    assert WORD not in repr(found)
    assert str(CANARY)[:5] not in repr(found)


def test_no_record_holds_a_repr_of_arrays():
    """Whatever holds arrays of records says so in sizes: no class of ours prints an array."""
    array = np.full(3, CANARY)
    told = []
    for module in pkgutil.walk_packages(shoal.__path__, "shoal."):
        if not module.name.startswith(
            ("shoal.table.", "shoal.measures.", "shoal.methods.enforce.")
        ):
            continue
        for kind in vars(importlib.import_module(module.name)).values():
            if not isinstance(kind, type) or kind.__module__ != module.name:
                continue
            if not dataclasses.is_dataclass(kind):
                continue
            one = object.__new__(kind)
            for field in dataclasses.fields(kind):
                known = field.type if isinstance(field.type, str) else str(field.type)
                value = array if "Floats" in known or "Integers" in known else None
                object.__setattr__(one, field.name, value)
            with np.printoptions(threshold=10):
                if any(value is array for value in vars(one).values()) and str(CANARY) in repr(one):
                    told.append(kind.__qualname__)
    assert told == []


def rows_in_order(library, data):
    """The released file as the caller would write it, without the library's help."""
    if library == "pandas":
        return data.to_csv()
    if library == "polars":
        return data.write_csv()
    sink = io.BytesIO()
    pa.csv.write_csv(data, sink)
    return sink.getvalue().decode()


@pytest.mark.parametrize("library", MAKERS)
def test_the_order_of_rows(library):
    """Whoever has the order of the input reads the sensitive values off a published csv."""
    import pyarrow.csv  # noqa: F401 - pa.csv

    ill = [f"w{row:03}" for row in range(200)]
    frame = MAKERS[library]({"age": [20 + row % 50 for row in range(200)], "ill": ill})
    result = shoal.anonymize(frame, k=5, quasi_identifiers=["age"], sensitive=["ill"])
    written = rows_in_order(library, published(result)).replace('"', "")
    there = [line.rsplit(",", 1)[1] for line in written.splitlines()[1:]]
    assert sorted(there) == ill
    hits = sum(one == other for one, other in zip(there, ill, strict=True))
    assert hits < 20  # about one, by chance
    if library == "pandas":  # neither does the index tell
        assert list(published(result).index) == list(range(200))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_categories_in_order_of_appearance(library):
    """Categories numbered as they came tell the first person's value: is it still the first?"""
    ill = [f"w{(7 * row) % 20:02}" for row in range(20)]
    frame = MAKERS[library]({"age": list(range(20)), "ill": ill})
    if library == "pandas":
        frame["ill"] = pd.Categorical(ill, categories=list(dict.fromkeys(ill)))
        frame.attrs["note"] = WORD
    elif library == "polars":
        frame = frame.with_columns(pl.col("ill").cast(pl.Categorical))
    else:
        frame = frame.set_column(1, "ill", frame["ill"].dictionary_encode())
    result = shoal.anonymize(frame, k=4, quasi_identifiers=["age"], sensitive=["ill"])
    data = published(result)
    if library == "pandas":
        assert list(data["ill"].cat.categories) == sorted(ill)
        assert data.attrs == {}
    elif library == "polars":
        assert data.schema["ill"] == pl.String
    else:
        assert data["ill"].combine_chunks().dictionary.to_pylist() != ill


def test_the_guarantee_mentions_order(tmp_path):
    """A steward who reads the guarantee and writes `data` by hand must have been told."""
    frame = pd.DataFrame({"age": list(range(20))})
    result = shoal.anonymize(frame, k=4, quasi_identifiers=["age"])
    told = result.report.guarantee["does_not_cover"]
    assert any("order" in line and "shuffled()" in line for line in told)
    result.save(tmp_path / "kept", keep_order=True)
    result.save(tmp_path / "shuffled")
    kept, shuffled = (
        json.loads((tmp_path / name / "report.json").read_text())["guarantee"]
        for name in ("kept", "shuffled")
    )
    assert any(line.startswith("Order: ") for line in kept["does_not_cover"])
    assert not any(line.startswith("Order: ") for line in shuffled["does_not_cover"])
    assert any("order of the rows says nothing" in line for line in shuffled["covers"])

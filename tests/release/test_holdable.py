"""What a kind of file cannot hold is refused before records are grouped, at every door."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import shoal as library
from shoal.release.prepare import check_holdable
from shoal.release.statistics import SAS_WORDS, SPSS_WORDS, STATA_WORDS, TARGETS
from shoal.release.workbook import COLUMNS, ROWS, TEXT, check_shape
from shoal.settings import build

BEFORE = {"writing the dataframe", "reading", "coding"}  # what is done before records are grouped


def frame(**columns):
    """A small table with two quasi-identifiers and other columns."""
    rng = np.random.default_rng(0)
    own = {"age": rng.integers(20, 70, 12), "pay": rng.integers(1, 9, 12)}
    return pd.DataFrame({**own, **{name: [cell] * 12 for name, cell in columns.items()}})


def kept(table, folder):
    """Write a table to a file; return its path."""
    path = folder / "input.parquet"
    table.to_parquet(path)
    return path


def refusal(table, output, **options):
    """Return why a table is not released to a file; no record may have been grouped."""
    stages = set()
    roles = {"quasi_identifiers": ["age", "pay"], "other": list(table.columns[2:])}
    with pytest.raises(library.ShoalError) as caught:
        library.anonymize_file(
            kept(table, output.parent), output, **{"k": 3, "method": "mdav", **roles, **options},
            callback=lambda look: stages.add(look.stage),
        )  # fmt: skip
    assert stages <= BEFORE, stages
    assert not output.exists()
    assert "\n" not in str(caught.value)
    return str(caught.value)


REFUSED = [
    ("xpt", {"größe": 1}, "a SAS transport file cannot have columns named 'größe'"),
    ("xpt", {"a" * 33: 1}, "in all 32 signs"),
    ("xpt", {"Age": 1}, "takes the names 'age', 'Age' for one"),
    ("xpt", {"_N_": 1}, "no word of SAS itself"),
    ("sav", {"1st": 1}, "an SPSS file cannot have columns named '1st'"),
    ("zsav", {"to": 1}, "no word of SPSS itself"),
    ("sav", {"AGE": 1}, "takes the names 'age', 'AGE' for one"),
    ("dta", {"a b": 1}, "a Stata file cannot have columns named 'a b'"),
    ("dta", {"long": 1}, "no word of Stata itself; rename them in the input, or write csv"),
    ("sav", {"t": "x" * 32_768}, "column 't': its texts are longer than 32,767 bytes"),
    ("xlsx", {"t": "x" * 32_768}, "column 't': its texts are longer than 32,767 signs"),
    ("xlsx", {"n": 10**15}, "column 'n': its numbers have more than 15 digits"),
    ("jsonl", {"x": float("inf")}, "column 'x': it holds infinite numbers"),
    ("csv", {"x": [1, 2]}, "column 'x': cells of type list have no plain text"),
]


@pytest.mark.parametrize(("kind", "more", "words"), REFUSED)
def test_refused_before_the_search(tmp_path, kind, more, words):
    """Names and kept cells that the format cannot hold end the run before it groups anything."""
    assert words in refusal(frame(**more), tmp_path / f"r.{kind}", keep_unique=list(more))


def test_names_that_the_release_makes(tmp_path):
    """Names of group numbers and of the ends of intervals are known before the groups are."""
    table = frame(age_low=1)
    said = refusal(frame(), tmp_path / "r.sav", group_column="my group")
    assert "'my group'" in said
    options = {"numbers": "interval", "method": "kaim", "intervals": "columns"}
    assert "called 'age_low'" in refusal(table, tmp_path / "r.csv", **options)
    said = refusal(frame(), tmp_path / "r.csv", **{**options, "intervals": "struct"})
    assert "say intervals='text' or intervals='columns'" in said
    long = pd.DataFrame({"a" * 30: range(12), "b": range(12)})
    with pytest.raises(library.RequestError, match=r"a{30}_low', 'a{30}_high'"):
        library.anonymize_file(
            kept(long, tmp_path),
            tmp_path / "r.xpt",
            k=3,
            **{**options, "quasi_identifiers": ["a" * 30, "b"]},
        )


def test_names_that_are_left_out_are_no_matter(tmp_path):
    """Identifiers, dropped columns and weights that are not released may have any name."""
    table = frame(**{"my weight": 2}).assign(**{"the name": range(12), "the rest": 1})
    path = kept(table, tmp_path)
    released = library.anonymize_file(
        path, tmp_path / "r.dta", k=3, method="mdav", quasi_identifiers=["age", "pay"],
        identifiers=["the name"], drop=["the rest"], weight="my weight", weights_as="drop",
    )  # fmt: skip
    assert library.read(released.path).names == ["age", "pay"]


def test_headers_that_a_spreadsheet_runs(tmp_path):
    """A header that is a formula is refused before the search where the csv is to be safe."""
    said = refusal(frame(**{"=1+1": 1}), tmp_path / "r.csv", spreadsheet_safe=True)
    assert "rename or drop such a column" in said


@pytest.mark.parametrize(
    ("rows", "names", "words"),
    [
        (ROWS, ["a"], "1,048,576 rows, one of them the header, and the release 1,048,576 records"),
        (1, ["a"] * (COLUMNS + 1), "16,384 columns, and the release 16,385"),
        (1, ["a" * (TEXT + 1)], "32,767 signs, and a column's name more"),
    ],
)
def test_the_size_of_a_sheet(rows, names, words):
    """A table that is larger than a sheet of Excel is refused; one that fills it is not."""
    with pytest.raises(library.RequestError, match=re.escape(words)):
        check_shape(rows, names)
    check_shape(ROWS - 1, ["a" * TEXT] * COLUMNS)


def test_the_rows_of_a_table_are_counted_before_the_search():
    """The check of a whole table looks at its records, not at a file of them."""
    table = library.read(pd.DataFrame({"a": np.zeros(ROWS, dtype=np.int8)}))
    with pytest.raises(library.RequestError, match="rows"):
        check_holdable(table, build({"protect": {"k": 2}}), {"a": "mean"}, None, "xlsx")
    check_holdable(table, build({"protect": {"k": 2}}), {"a": "mean"}, None, "parquet")


def test_words_of_programs_are_those_of_their_writer(tmp_path):
    """What the writer of statistics files refuses as a name, the check does, too."""
    pyreadstat = pytest.importorskip("pyreadstat")
    words = [*STATA_WORDS.pattern.replace(r"\d+", "5").split("|"), *SAS_WORDS.pattern.split("|"),
             *SPSS_WORDS.pattern.split("|")]  # fmt: skip
    refused = set()
    writers = {"dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport,
               "sav": pyreadstat.write_sav}  # fmt: skip
    for kind, write in writers.items():
        for word in [*words, "age", "str_5", "longer"]:
            try:
                write(pd.DataFrame({word: [1.0]}), str(tmp_path / f"t.{kind}"))
            except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError):
                refused.add(word)
                with pytest.raises(library.RequestError):
                    TARGETS[kind].check_names([word])
    assert refused == set(words)


def test_at_the_command_line(tmp_path, shoal):
    """The command ends with exit code 2 and one line, for a file and for a pack."""
    frame(**{"a b": 1}).to_csv(tmp_path / "t.csv", index=False)
    how = ["-k", 3, "--quasi", "age,pay", "--method", "mdav"]
    for output in (["-o", tmp_path / "r.sav"], ["--pack", tmp_path / "p", "--format", "sav"]):
        ran = shoal("anonymize", tmp_path / "t.csv", *how, *output)
        assert ran.code == 2
        assert "cannot have columns named 'a b'" in ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv"]


def test_at_the_desk(desk):
    """A job whose format cannot hold the names fails with what to do."""
    file = desk.upload("t.csv", frame(**{"a b": 1}).to_csv(index=False).encode())
    desk.looked(file)
    recipe = {"protect": {"k": 3}, "roles": {"quasi_identifiers": ["age", "pay"]}}
    told = desk.done(desk.start(file, recipe, format="sav"))
    assert told["state"] == "failed"
    assert "rename them in the input" in told["error"]["said"]
    assert told["curve"] == []

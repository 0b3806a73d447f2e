"""Values of one meaning in several spellings, and blanks: l and alpha must not count them apart.

A forged (or careless) table writes one diagnosis in many ways; every class then seems diverse. What
a class tells is counted here by hand: signs that cannot be seen, case and width say nothing.
"""

from __future__ import annotations

import csv
import json
import unicodedata

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as library
from thorough import spread

K = 4
SAME = {  # spellings of one value that differ byte by byte
    "trailing space": ["HIV", "HIV "],
    "leading space": ["HIV", "  HIV"],
    "case": ["HIV", "hiv"],
    "mixed": ["HIV", "HIV ", "hiv", " hIv"],
    "composed": ["Ménière", "Me\u0301nie\u0300re"],
    "zero-width space": ["HIV", "H\u200bIV"],
    "zero-width joiner": ["HIV", "HI\u200dV"],
    "byte order mark": ["HIV", "\ufeffHIV"],
    "soft hyphen": ["HIV", "H\u00adIV"],
    "bidi marks": ["HIV", "\u200eHIV\u200f"],
    "full width": ["HIV", "\uff28\uff29\uff36"],
    "non-breaking space": ["heart disease", "heart\u00a0disease"],
    "spaces inside": ["heart disease", "heart  disease", "heartdisease"],
    "thin space": ["HIV", "HIV\u2009"],
    "variation selector": ["HIV", "HIV\ufe0f"],
    "Hangul filler": ["HIV", "HIV\u3164"],
    "sharp s": ["Weiß", "WEISS", "weiss"],
    "ligature": ["ﬁbrosis", "fibrosis", "FIBROSIS"],
    "space between accents": ["é", "e\u200b\u0301"],
    "numbers": ["1", "1.0", " 1", "1e0"],
    "numbers and words": ["1", "1.0", "\uff11"],
    "digits of another script": ["12", "\u0661\u0662"],
    "dotted I": ["I\u0307", "i\u0307", "\u0130"],
}  # fmt: skip
BLANK = {
    "empty": ["HIV", ""],
    "star": ["HIV", "*"],
    "spaces": ["HIV", "   "],
    "zero-width": ["HIV", "\u200b"],
    "declared": ["HIV", "NA"],
    "declared, spelled": ["HIV", "na "],
}


def forged(path, words, other="flu", classes=5):
    """A file of k-anonymous classes: in all but the first, one value in the given spellings."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["age", "s"])
        for number in range(classes):
            for i in range(K):
                word = words[i % len(words)]
                rows.writerow([20 + number, other if number == 0 and i == 0 else word])
    return path


ASKED = {"k": K, "quasi_identifiers": ["age"], "sensitive": ["s"]}


def diverse(judged, model="diversity"):
    """What verify says of a model."""
    return next(one for one in judged.models if model in one.model)


@pytest.mark.parametrize("how", spread(SAME, 8))
def test_verify_counts_spellings_as_one(how, tmp_path):
    """The attacker publishes classes of one diagnosis, spelled in several ways, as l = 2."""
    path = forged(tmp_path / "f.csv", SAME[how])
    for words in ((), ("s",)):
        found = library.verify(path, **ASKED, l=2, words=words)
        assert not found.ok
        assert diverse(found).classes == 4
        assert any("'s'" in warning for warning in found.warnings) or how == "numbers"


@pytest.mark.parametrize("how", spread(SAME, 4))
def test_verify_of_frames_and_parquet(how, tmp_path):
    """The same as values of a dataframe, and of a Parquet file."""
    words = SAME[how]
    ages = [20 + i // K for i in range(5 * K)]
    cells = ["flu", *(words[i % len(words)] for i in range(1, 5 * K))]
    table = pa.table({"age": ages, "s": cells})
    pq.write_table(table, tmp_path / "f.parquet")
    for data in (table, table.to_pandas(), tmp_path / "f.parquet"):
        assert not library.verify(data, **ASKED, l=2).ok
        assert not library.verify(data, **ASKED, alpha=0.5).ok


@pytest.mark.parametrize("how", BLANK)
def test_verify_counts_blanks_for_nothing(how, tmp_path):
    """A class of one real value and blanks is no class of two values."""
    path = forged(tmp_path / "f.csv", BLANK[how])
    missing = ["", "NA"] if "declared" in how else [""]
    found = library.verify(path, **ASKED, l=2, missing=missing)
    assert not found.ok
    assert diverse(found).classes == 4
    assert diverse(found).certain == pytest.approx(8 / 20)


@pytest.mark.parametrize("how", ["mixed", "zero-width space", "composed"])
def test_verify_on_the_command_line(how, tmp_path, shoal):
    """Exit code 3 for the same, and both readings of missing cells are told."""
    path = forged(tmp_path / "f.csv", [*SAME[how][:2], ""])
    asked = ("verify", path, "-k", K, "--quasi", "age", "--sensitive", "s", "--l", "2")
    ran = shoal(*asked)
    assert ran.code == 3
    assert "value of their own" in ran.err + ran.out
    told = json.loads(shoal(*asked, "--json").out)
    readings = told["models"][0]["readings"]
    assert (readings["ignored"]["found"], readings["value"]["found"]) == (1, 2)


def sick(words, rows=60):
    """A table in which groups of like records share one diagnosis in several spellings."""
    cells = [words[i % len(words)] for i in range(rows)]
    for i in range(0, rows, 6):
        cells[i] = "flu"
    ages = [10 * (i % 6) + i // 6 for i in range(rows)]  # those with flu are all in one corner
    return pd.DataFrame({"age": ages, "weight": [3 * age for age in ages], "s": cells})


INKLESS = ("Cf", "Zs", "Cc")


def simple(cell, gone=("", "*")):
    """What somebody reads who sees a cell on paper; None where nothing stands there."""
    text = unicodedata.normalize("NFKC", cell or "")
    text = "".join(c for c in text if unicodedata.category(c) not in INKLESS)
    text = unicodedata.normalize("NFKC", text.strip("\ufe0f\u1160\u3164")).upper().lower()
    text = text.replace("ß", "ss").translate({0x0660 + i: str(i) for i in range(10)})
    if text.isascii() and text.replace(".", "").replace("e", "").isdecimal():
        text = str(float(text))
    return None if text in gone else text


def parts(result):
    """The cells of each class."""
    data = result.data
    keys = list(zip(data.age, data.weight, strict=True))
    return [[s for key, s in zip(keys, data.s, strict=True) if key == own] for own in set(keys)]


@pytest.mark.parametrize(
    "how", spread([*SAME, *(how for how in BLANK if "declared" not in how)], 5)
)
def test_released_classes_are_diverse(how):
    """The attacker reads the classes of a release that was asked for l = 2."""
    words = {**SAME, **BLANK}[how]
    quasi = {"quasi_identifiers": ["age", "weight"], "sensitive": ["s"]}
    result = library.anonymize(sick(words), k=K, l=2, method="mdav", **quasi)
    for part in parts(result):
        assert len({simple(cell) for cell in part} - {None}) >= 2


@pytest.mark.parametrize("how", ["empty", "spaces", "zero-width", "star"])
def test_alpha_with_blanks(how):
    """Blanks must not make the share of the one real value look small."""
    quasi = {"quasi_identifiers": ["age", "weight"], "sensitive": ["s"]}
    result = library.anonymize(
        sick(["HIV", "gout", BLANK[how][1]]), k=K, alpha=0.6, method="mdav", **quasi
    )
    for part in parts(result):
        there = [simple(cell) for cell in part if simple(cell) is not None]
        assert all(there.count(value) <= 0.6 * len(there) for value in there)


@pytest.mark.parametrize("how", ["declared", "declared, spelled", "empty"])
def test_released_files_with_blanks(how, tmp_path, shoal):
    """The same from file to file: --l 2 where a class would have one value and words for none."""
    sick(BLANK[how]).to_csv(tmp_path / "in.csv", index=False)
    ran = shoal("anonymize", tmp_path / "in.csv", "-k", K, "--l", "2", "--quasi", "age,weight",
                "--sensitive", "s", "--missing", "NA", "--missing", "", "--method", "mdav",
                "-o", tmp_path / "out.csv")  # fmt: skip
    assert ran.code == 0, ran.err
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    for own in {row[:2] for row in rows}:
        here = {simple(row[2], ("", "*", "na")) for row in rows if row[:2] == own} - {None}
        assert len(here) >= 2


def test_certain_inference_is_told():
    """One real value, its spellings and blanks: the measured risk must not be 0 %."""
    table = forged_frame(["HIV", "hiv ", None, "\u200b"])
    found = library.measure(table, table, quasi_identifiers=["age"], sensitive=["s"], rows="same")
    assert found["certain_inference"].value == pytest.approx(100 * 8 / 20)


def forged_frame(words):
    """The forged table as a dataframe."""
    cells = ["flu", *(words[i % len(words)] for i in range(1, 5 * K))]
    return pa.table({"age": [20 + i // K for i in range(5 * K)], "s": cells})


def test_an_impossible_l_says_both_numbers():
    """Asked for more values than there are in earnest, the error says how many there are."""
    with pytest.raises(library.PrivacyError, match=r"3 is asked.* 2 "):
        library.anonymize(
            sick(["HIV", "hiv", "Hiv "]), k=K, l=3, method="mdav",
            quasi_identifiers=["age", "weight"], sensitive=["s"],
        )  # fmt: skip

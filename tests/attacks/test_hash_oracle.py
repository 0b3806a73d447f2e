"""Published hashes of an input, a hierarchy, an order or a sign confirm guesses of it."""

from __future__ import annotations

import base64
import contextlib
import csv
import hashlib
import hmac
import itertools

import pandas as pd
import pytest

import shoal as library
from layouts import identities, in_process, published, release, said, write_table
from thorough import spread

KEYS = (b"", b"\0" * 32, b"shoal", b"shoal-commitment/1", b"commitment")


def answers(content):
    """All that a publisher could have made of some bytes without a secret."""
    found = []
    for name in ("sha256", "sha1", "md5", "sha512", "sha3_256", "blake2b", "blake2s"):
        digest = hashlib.new(name, content)
        found += [digest.hexdigest(), hashlib.sha256(digest.hexdigest().encode()).hexdigest()]
    found += [
        hmac.new(key, one, "sha256").hexdigest()
        for key in KEYS
        for one in (content, hashlib.sha256(content).hexdigest().encode())
    ]
    return found


def is_confirmed(content, known):
    """Whether what is published says that these bytes are the ones."""
    return any(one in known for one in answers(content))


@pytest.mark.parametrize("what", spread(["input", "hierarchy"], 3))
def test_no_file_says_a_hash(handed, what):
    """Whoever has a candidate of the input or of a hierarchy looks for its hash in every file."""
    content = (handed.path if what == "input" else handed.tree).read_bytes()
    text = said(handed.files).lower()
    told = [base64.b64encode(hashlib.sha256(content).digest()).lower()]
    told += [one.encode() for one in answers(content)]
    assert [one for one in told if one in text] == []


def test_twelve_diagnoses(shoal, tmp_path):
    """Who knows 12 people and the release tries all their diagnoses, until a hash is the right one.

    The release tells the diagnoses of each class of four; only who has which is unknown.
    """
    ages = [21, 22, 23, 24, 41, 42, 43, 44, 61, 62, 63, 64]
    ills = ["flu", "hiv", "flu", "gout", "cold", "flu", "hiv", "flu", "gout", "cold", "cold", "hiv"]
    path = tmp_path / "in.csv"

    def table(guess):
        lines = [f"{age},{ill}\n" for age, ill in zip(ages, guess, strict=True)]
        return ("age,illness\n" + "".join(lines)).encode()

    path.write_bytes(table(ills))
    out = tmp_path / "out"
    out.mkdir()
    ran = shoal("anonymize", path, "-k", 4, "--quasi", "age", "--sensitive", "illness", "--method",
                "mdav", "--pack", out / "pack")  # fmt: skip
    assert ran.code == 0, ran.err
    with (out / "pack" / "release.csv").open(encoding="utf-8") as file:
        rows = sorted((float(row["age"]), row["illness"]) for row in csv.DictReader(file))
    classes = [[ill for _, ill in group] for _, group in itertools.groupby(rows, lambda r: r[0])]
    assert [len(one) for one in classes] == [4, 4, 4]
    known = identities(published(out))
    each = [sorted(set(itertools.permutations(one))) for one in classes]
    found, tried = [], 0
    for guess in itertools.product(*each):
        tried += 1
        content = table([ill for one in guess for ill in one])
        if hashlib.sha256(content).hexdigest() in known:
            found.append(guess)
    assert tried > 1000
    assert found == []


@pytest.mark.parametrize("layout", ["pack", "file without a page"])
def test_one_unknown_cell(tmp_path, layout):
    """Who knows all of 2,000 records but one cell tries its 15 values."""
    path, tree = write_table(tmp_path / "in.csv", rows=2000)
    truth = path.read_bytes()
    lines = truth.split(b"\n")
    cells = lines[1000].split(b",")
    known = identities(release(in_process, layout, tmp_path / "out", path, tree))
    found = []
    for age in range(20, 80):
        lines[1000] = b",".join([str(age).encode(), *cells[1:]])
        guess = b"\n".join(lines)
        if is_confirmed(guess, known):
            found.append(age)
    assert found == []


def test_a_dataframe_is_no_oracle_either(tmp_path):
    """Who guesses a dataframe lets the program itself hash the guess, and compares."""
    ages = [21, 22, 23, 41, 42, 43, 61, 62, 63]

    def frame(income):
        return pd.DataFrame({"age": ages, "income": [*range(8), income]})

    asked = {"k": 3, "quasi_identifiers": ["age"], "other": ["income"], "method": "mdav"}
    with contextlib.suppress(TypeError):  # a column that singles people out must be allowed
        library.anonymize(frame(70), **asked, keep_unique=["income"])
        asked["keep_unique"] = ["income"]
    out = tmp_path / "out"
    library.anonymize(frame(70), **asked).pack(out)
    known = identities(published(tmp_path))
    found = []
    for income in (69, 70, 71):
        guess = library.anonymize(frame(income), **asked).report.to_dict()["input"]
        if guess["sha256"] in known:
            found.append(income)
    assert found == []


def test_a_sign_for_missing_cells(shoal, tmp_path):
    """Who wonders what stands for a missing cell tries likely words."""
    lines = ["a,c", *(f"{i % 50},{('lo', 'hi')[i % 2]}" for i in range(60))]
    lines[7] = "refused,lo"
    (tmp_path / "out").mkdir()
    path = tmp_path / "in.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ran = shoal("anonymize", path, "-k", 3, "--quasi", "a,c", "--missing", "refused", "--missing",
                "", "--pack", tmp_path / "out" / "pack")  # fmt: skip
    assert ran.code == 0, ran.err
    assert b"refused" not in said(published(tmp_path / "out"))
    known = identities(published(tmp_path / "out"))
    words = ["NA", "-9", "999", "unknown", "refused", "none", "dead"]
    assert [one for one in words if is_confirmed(one.encode(), known)] == []


def test_the_order_of_values(shoal, tmp_path):
    """Who wonders which value an order lists that nobody has tries likely ones."""
    (tmp_path / "out").mkdir()
    path = tmp_path / "in.csv"
    path.write_text(
        "a,pain\n" + "".join(f"{i % 50},{('mild', 'bad')[i % 2]}\n" for i in range(60)),
        encoding="utf-8",
    )
    ran = shoal("anonymize", path, "-k", 3, "--quasi", "a,pain", "--order", "pain=mild,bad,deadly",
                "--pack", tmp_path / "out" / "pack")  # fmt: skip
    assert ran.code == 0, ran.err
    known = identities(published(tmp_path / "out"))
    found = []
    for last in ("severe", "deadly", "worst", "unbearable"):
        for sign in ("\n", ",", '", "'):
            if is_confirmed(sign.join(["mild", "bad", last]).encode(), known):
                found.append(last)
    assert found == []


def test_the_order_of_sensitive_values(tmp_path):
    """The same for the order by which t-closeness compares sensitive values."""
    data = pd.DataFrame(
        {"a": range(40), "s": pd.Categorical(["lo", "hi"] * 20, ["lo", "hi", "fatal"], True)}
    )
    made = library.anonymize(data, k=4, t=0.5, quasi_identifiers=["a"], sensitive=["s"])
    made.pack(tmp_path / "out")
    known = identities(published(tmp_path))
    words = ["severe", "fatal", "worst"]
    guesses = {one: "\n".join(["lo", "hi", one]).encode() for one in words}
    assert [one for one, content in guesses.items() if is_confirmed(content, known)] == []


def test_a_value_of_the_hierarchy(tmp_path):
    """A hierarchy lists a town that the release does not show: who knows the rest tries towns."""
    path, tree = write_table(tmp_path / "in.csv")
    known = identities(release(in_process, "pack", tmp_path / "out", path, tree))
    text = tree.read_text(encoding="utf-8")
    towns = ["Hameln", "Neverseen", "Goslar"]
    guesses = {town: text.replace("Neverseen", town).encode() for town in towns}
    assert [town for town, one in guesses.items() if is_confirmed(one, known)] == []


@pytest.mark.parametrize("layout", ["pack", "file without a page", "engine"])
def test_two_releases_are_not_linked(tmp_path, layout):
    """Who has two releases looks whether both were made of one input, by what names it."""
    path, tree = write_table(tmp_path / "in.csv")
    sides = []
    for name, k in (("one", "3"), ("two", "4")):
        files = release(in_process, layout, tmp_path / name, path, tree, "-k", k)
        schema = {hashlib.sha256(f.read_bytes()).hexdigest() for f in files if "schema" in f.name}
        sides.append(identities(files) - schema)
    assert sides[0]
    assert sides[0] & sides[1] == set()

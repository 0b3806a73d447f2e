"""Certificates that were changed: every field follows from the pack, and is compared with it."""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
from datetime import UTC, datetime, timedelta
from itertools import islice

import numpy as np
import pandas as pd
import pytest

import shoal as library

ONLY_SIGNED = {("issued",)}  # what nothing but a signature can protect
EARLIER = "2020-01-01T00:00:00+00:00"


def table(rows=92):
    """People in households and regions, with weights, a degree of pain and an illness."""
    rng = np.random.default_rng(0)
    pain = rng.choice(["mild", "bad"], rows)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, rows),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], rows),
            "illness": rng.choice(["flu", "gout", "cold"], rows),
            "pain": pd.Categorical(pain, ["mild", "bad", "worst"], ordered=True),
            "region": np.repeat(["n", "s"], rows // 2),
            "w": rng.integers(1, 9, rows),
            "home": np.arange(rows) // 2,
            "name": [f"person {i}" for i in range(rows)],
        }
    )


PACKS = {
    "l-diversity": {
        "l": 2, "quasi_identifiers": ["age", "town"], "sensitive": ["illness"],
        "drop": ["pain", "region", "w", "home"], "identifiers": ["name"],
    },
    "t-closeness": {
        "t": 0.5, "alpha": {"illness": 0.9}, "k_of": {"age": 4},
        "quasi_identifiers": ["age", "town"],
        "sensitive": ["illness", "pain"], "drop": ["region", "w", "home", "name"],
    },
    "a survey": {
        "weight": "w", "by": ["region"], "household": "home", "quasi_identifiers": ["age"],
        "dominance": 5, "drop": ["town", "illness", "pain", "name"],
    },
}  # fmt: skip
GIVEN = {
    "l-diversity": {},
    "t-closeness": {"orders": {"pain": ["mild", "bad", "worst"]}},
    "a survey": {},
}


@pytest.fixture(scope="module", params=PACKS)
def pack(request, tmp_path_factory):
    """A pack, and what its check takes."""
    place = tmp_path_factory.mktemp("packs")
    asked = PACKS[request.param]
    if request.param == "t-closeness":
        tree = place / "tree.csv"
        tree.write_text("flu,infection,*\ncold,infection,*\ngout,other,*\n")
        asked = {**asked, "hierarchies": {"illness": str(tree)}}
    data = table()
    made = library.anonymize(data, k=3, method="auto", effort="quick", **asked)
    folder = made.pack(place / "out")
    given = dict(GIVEN[request.param])
    if "hierarchies" in asked:
        given["trees"] = asked["hierarchies"]
    assert library.check_pack(folder, **given).ok, library.check_pack(folder, **given)
    return folder, given


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """A pack that nobody changes."""
    made = library.anonymize(table(), k=3, effort="quick", **PACKS["l-diversity"])
    return made.pack(tmp_path_factory.mktemp("plain") / "out")


@pytest.fixture
def plain(packed, tmp_path):
    """A copy of it, to be changed in several files, with its private folder beside it."""
    for name in ("out", "out.private"):
        if packed.with_name(name).exists():
            shutil.copytree(packed.with_name(name), tmp_path / name)
    return tmp_path / "out"


def load(folder):
    return json.loads((folder / "certificate.json").read_text(encoding="utf-8"))


def write(folder, told):
    """Write a certificate as the program would."""
    text = json.dumps(told, indent=2, ensure_ascii=False) + "\n"
    (folder / "certificate.json").write_text(text, encoding="utf-8")


def replaced(folder, name, content):
    """Put other bytes into a file of a pack, and its new hash into the certificate."""
    (folder / name).write_bytes(content)
    told = load(folder)
    digest = hashlib.sha256(content).hexdigest()
    told["files"][name] = {"sha256": digest, "bytes": len(content)}
    write(folder, told)


def passes(folder, **given):
    """Whether a check finds nothing."""
    try:
        return library.check_pack(folder, **given).ok
    except library.InputError:
        return False


def leaves(tree, path=()):
    """Every place in a tree: scalars, lists and objects."""
    yield path, tree
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from leaves(value, (*path, key))


def changes(value):
    """Other values for one place."""
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, str):
        return [value + "x", "", EARLIER, value[:-1] or "y"]
    if isinstance(value, int | float):
        return [value + 1, value - 1, None]
    if value is None:
        return ["x", 1, 0.5]
    if isinstance(value, list):
        return [[*value, *(value[:1] or ["x"])], [*value, "x"], value[::-1]]
    return [{**value, "x": "y"}, {**value, "x": 1}]


def forged(told):
    """Every certificate that differs in one place, with that place."""
    for path, value in leaves(told):
        if path:
            whole = copy.deepcopy(told)
            above = whole
            for key in path[:-1]:
                above = above[key]
            for other in changes(value):
                if other != value:
                    above[path[-1]] = other
                    yield path, whole
            del above[path[-1]]
            yield path, whole


def test_every_value_is_checked(pack, thorough):
    """Each value is changed, each item and key dropped or added, one at a time."""
    folder, given = pack
    before = (folder / "certificate.json").read_bytes()
    told, unseen, tried = load(folder), set(), 0
    try:
        for path, changed in islice(forged(told), 0, None, 1 if thorough else 47):
            tried += 1
            write(folder, changed)
            if passes(folder, **given):
                unseen.add(path)
    finally:
        (folder / "certificate.json").write_bytes(before)
    assert tried > (300 if thorough else 6)
    assert unseen - ONLY_SIGNED == set()
    assert passes(folder, **given)


PROMISE = "1000 records share every combination, with differential privacy."
FORGERIES = {
    "checks": lambda t: t.update(checks=[PROMISE]),
    "one check more": lambda t: t["checks"].append(PROMISE),
    "not covered": lambda t: t.update(not_covered=[]),
    "households": lambda t: t.update(households=True),
    "strata": lambda t: t.update(strata=["age"]),
    "weight": lambda t: t.update(weight="w"),
    "kind of input": lambda t: t["input"].update(kind="parquet"),
    "columns of input": lambda t: t["input"].update(columns=1),
    "versions": lambda t: t["versions"].update(shoal="99.0"),
    "order": lambda t: t["release"].update(order="as in the input"),
    "lacks": lambda t: t.update(recipe_lacks=[]),
    "tomorrow": lambda t: t.update(issued=(datetime.now(UTC) + timedelta(days=1)).isoformat()),
    "no time": lambda t: t.update(issued="soon"),
    "everything at once": lambda t: t.update(
        checks=[PROMISE], not_covered=[], households=True, recipe_lacks=[]
    ),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_certificate(plain, shoal, what):
    """A certificate promises more than the release keeps, or hides what it does not."""
    told = load(plain)
    FORGERIES[what](told)
    write(plain, told)
    ran = shoal("certificate", "check", plain)
    assert ran.code == 3
    assert "NOT what the certificate says" in ran.err


def test_two_values_of_one_key(plain):
    """A certificate says k twice: who reads the first sees another than who reads the last."""
    path = plain / "certificate.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('    "k": 3,', '    "k": 1000,\n    "k": 3,'), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != text
    assert not passes(plain)


def test_a_report_that_promises_more(plain):
    """Report and certificate both promise more, and the hash is put right."""
    report = json.loads((plain / "report.json").read_text(encoding="utf-8"))
    report["guarantee"] = {"covers": [PROMISE], "does_not_cover": []}
    text = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    replaced(plain, "report.json", text.encode())
    told = load(plain)
    told.update(checks=[PROMISE], not_covered=[])
    write(plain, told)
    assert not passes(plain)


def test_a_readme_that_promises_more(plain):
    """The first page is rewritten, and its hash is put right."""
    replaced(plain, "README.md", f"# Safe\n\n{PROMISE}\n".encode())
    assert not passes(plain)


def test_a_schema_of_somebody_else(plain):
    """The schema is loosened, and its hash is put right."""
    replaced(plain, "certificate.schema.json", b"{}\n")
    assert not passes(plain)


def test_without_a_key_it_says_that_anyone_could_have_written_it(plain, shoal):
    """A whole pack is made by somebody else, who says it is the steward's."""
    ran = shoal("certificate", "check", plain)
    assert ran.code == 0
    assert "anyone could have written" in ran.out


def test_signatures(plain, shoal, tmp_path):
    """No, another's, or an old signature, or one of another certificate, is not the steward's."""
    for name in ("steward.pem", "mallory.pem"):
        assert shoal("certificate", "key", tmp_path / name).code == 0
    check = ("certificate", "check", plain, "--key", tmp_path / "steward.pub.pem")
    ran = shoal(*check)
    assert (ran.code, "not signed" in ran.err) == (3, True)
    assert shoal("certificate", "sign", plain, "--key", tmp_path / "mallory.pem").code == 0
    assert shoal(*check).code == 3
    sign = ("certificate", "sign", plain, "--key", tmp_path / "steward.pem", "--force")
    assert shoal(*sign).code == 0
    assert shoal(*check).code == 0
    told = load(plain)
    told["issued"] = EARLIER
    write(plain, told)
    assert passes(plain)  # nothing else than the signature sees it
    ran = shoal(*check)
    assert ran.code == 3
    assert "signature" in ran.err
    (plain / "certificate.sig").write_bytes(b"")
    assert shoal(*check).code == 3


def test_another_original(plain, shoal, tmp_path):
    """Somebody says that the release was made of another table, with or without its folder."""
    data = table()
    check = {"private": plain.with_name("out.private")}
    assert library.check_pack(plain, original=data, **check).ok
    data.loc[0, "age"] += 1
    found = library.check_pack(plain, original=data, **check)
    assert "not made of this original" in str(found)
    data.to_csv(tmp_path / "t.csv", index=False)
    other = library.anonymize(tmp_path / "t.csv", k=3, effort="quick", **PACKS["l-diversity"])
    other.pack(tmp_path / "other")
    said = ("certificate", "check", plain, "--original", tmp_path / "t.csv", "--private")
    ran = shoal(*said, tmp_path / "other.private")
    assert ran.code == 3
    assert "another release" in ran.err
    assert (
        shoal(
            "certificate", "check", tmp_path / "other", *said[3:], tmp_path / "other.private"
        ).code
        == 0
    )


def test_a_verdict_that_hides_what_kept_columns_tell(tmp_path):
    """Report, README and certificate all say safe, though kept columns single most records out."""
    rng = np.random.default_rng(4)
    data = pd.DataFrame({"age": rng.integers(20, 80, 60), "cost": rng.integers(0, 9_000, 60)})
    asked = {"k": 3, "quasi_identifiers": ["age"], "other": ["cost"], "method": "mdav"}
    try:
        made = library.anonymize(data, **asked, keep_unique=["cost"])
    except TypeError:  # no word about kept columns at all
        made = library.anonymize(data, **asked)
    folder = made.pack(tmp_path / "out")
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    report["verdict"] = "safe"
    report["measures"]["risk"].pop("kept_linkage", None)
    text = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    replaced(folder, "report.json", text.encode("utf-8"))
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines(keepends=True)
    lines = ["Verdict: safe as asked.\n" if one.startswith("Verdict:") else one for one in lines]
    replaced(folder, "README.md", "".join(lines).encode("utf-8"))
    told = load(folder)
    if "verdict" in told:
        told["verdict"] = "safe"
    write(folder, told)
    assert not library.check_pack(folder).ok

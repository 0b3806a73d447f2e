"""Release packs: written whole or not at all, checked again from their files, and silent."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as library
from shoal.errors import InputError, OutputError, PrivacyError
from shoal.release.commitments import Commitments
from shoal.release.pack import certificate
from shoal.release.pack import folder as packing
from shoal.release.pack.certificate import Certificate, load_certificate, schema_json
from thorough import spread

FILES = {
    "release.csv", "dictionary.csv", "report.html", "report.json", "run.toml", "README.md",
    "certificate.json", "certificate.schema.json",
}  # fmt: skip


def table(rows=60, seed=0):
    """Numbers, a text, something sensitive, a name."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, rows),
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], rows),
            "illness": rng.choice(["flu", "gout", "cold"], rows),
            "name": [f"person {i}" for i in range(rows)],
        }
    )


@pytest.fixture
def result():
    """A release with l-diversity."""
    return library.anonymize(
        table(), k=3, l=2, quasi_identifiers=["age", "town"], sensitive=["illness"],
        identifiers=["name"], effort="quick",
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
def test_the_whole_pack(result, tmp_path, shoal, kind):
    """All files are there, the certificate is one by its schema, and the check holds."""
    folder = result.pack(tmp_path / "out", format=kind)
    names = {path.name for path in folder.iterdir()}
    assert names == {*FILES - {"release.csv"}, f"release.{kind}"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private"]
    made = load_certificate(folder)
    assert made.claims.k == 3
    assert made.claims.l == 2
    assert made.verified.smallest_class >= 3
    assert set(made.files) == names - {"certificate.json"}
    known = Commitments.load(tmp_path / "out.private")
    assert made.input.commitment == known.of_file("input", result.report.input["sha256"])
    found = library.check_pack(folder)
    assert found.ok, found.problems
    ran = shoal("certificate", "check", folder)
    assert ran.code == 0
    assert "k = 3 holds" in ran.out
    assert json.loads(shoal("certificate", "check", folder, "--json").out)["ok"] is True
    assert stat.S_IMODE(folder.stat().st_mode) & 0o700 == 0o700


def test_the_schema_describes_the_certificate(result, tmp_path, shoal):
    """What the schema asks for is in the certificate, and nothing else."""
    folder = result.pack(tmp_path / "out")
    schema = json.loads((folder / "certificate.schema.json").read_text())
    told = json.loads((folder / "certificate.json").read_text())
    assert schema["additionalProperties"] is False
    assert set(told) == set(schema["properties"])
    assert set(schema["required"]) <= set(told)
    assert told["schema"] == "shoal-certificate/1"
    assert shoal("certificate", "schema").out == schema_json()
    assert Certificate.model_validate(told).to_json() == (folder / "certificate.json").read_text()


@pytest.mark.parametrize("name", sorted(FILES - {"certificate.json"}))
def test_any_changed_byte_is_found(result, tmp_path, shoal, name):
    """A file that was changed, is gone or was added makes the check fail with exit code 3."""
    folder = result.pack(tmp_path / "out")
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    ran = shoal("certificate", "check", folder)
    assert ran.code == 3
    assert name in ran.err
    (folder / name).unlink()
    assert shoal("certificate", "check", folder).code == 3


def test_more_files_and_links_are_found(result, tmp_path):
    """What the certificate does not cover is a problem, and so is a link to a file."""
    folder = result.pack(tmp_path / "out")
    (folder / "notes.txt").write_text("hello")
    assert "notes.txt" in str(library.check_pack(folder))
    (folder / "notes.txt").unlink()
    (folder / "README.md").rename(tmp_path / "README.md")
    (folder / "README.md").symlink_to(tmp_path / "README.md")
    assert not library.check_pack(folder).ok


def test_a_certificate_that_lies_is_found(result, tmp_path):
    """Hashes alone do not help: the release itself is counted again."""
    folder = result.pack(tmp_path / "out")
    told = json.loads((folder / "certificate.json").read_text())
    for change, said in [
        (lambda t: t["claims"].update(k=50), "k = 50"),
        (lambda t: t["claims"].update(l=3.5), "cannot be verified"),
        (lambda t: t["claims"].update(l=4), "break"),
        (lambda t: t["verified"].update(classes=1), "certificate's verified"),
        (lambda t: t["release"].update(records=7), "records"),
        (lambda t: t["claims"].update(quasi_identifiers=["age"]), "recipe"),
        (lambda t: t["input"].update(commitment="0" * 64), "report"),
        (lambda t: t.update(schema="shoal-certificate/2"), "no certificate (shoal-certificate/1)"),
        (lambda t: t["files"].pop("report.html"), "report.html"),
        (lambda t: t["files"].update({"../x": t["files"]["run.toml"]}), "no plain file"),
    ]:
        changed = json.loads(json.dumps(told))
        change(changed)
        text = json.dumps(changed, indent=2, ensure_ascii=False) + "\n"
        (folder / "certificate.json").write_text(text)
        try:
            found = library.check_pack(folder)
            assert not found.ok
        except InputError as error:
            found = error
        assert said in str(found)
    for text in ("", "[]", "{}", '{"schema": "other"}', "\x00", "9" * 5000):
        (folder / "certificate.json").write_text(text)
        with pytest.raises(InputError):
            library.check_pack(folder)
    with pytest.raises(InputError, match="no release pack"):
        library.check_pack(tmp_path)


@pytest.mark.parametrize("name", ["report.json", "run.toml", "certificate.json"])
def test_papers_that_break_their_reader(result, tmp_path, shoal, name):
    """A paper of deep nesting, certified by its hash, ends with a verdict, not with a crash."""
    folder = result.pack(tmp_path / "out")
    path = folder / name
    text = ("x = " if name == "run.toml" else "") + "[" * 100_000
    path.write_text(text)
    if name != "certificate.json":
        told = json.loads((folder / "certificate.json").read_text())
        told["files"][name] = {
            "sha256": hashlib.sha256(text.encode()).hexdigest(), "bytes": len(text)
        }  # fmt: skip
        (folder / "certificate.json").write_text(json.dumps(told, indent=2) + "\n")
    end = shoal("certificate", "check", folder)
    assert end.code == (2 if name == "certificate.json" else 3)
    assert "cannot be read" in end.out + end.err or "not JSON" in end.err


CANARY = "XqCanaryqX"


def canaries():
    """A table whose identifier, suppressed cell, unused category, label and path are marked."""
    rows = 40
    rng = np.random.default_rng(1)
    town = rng.choice(["Ulm", "Bonn", "Kiel"], rows).astype(object)
    town[7] = f"{CANARY}-suppressed"
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, rows),
            "town": town,
            "pain": pd.Categorical(
                rng.choice(["low", "high"], rows),
                categories=["low", "high", f"{CANARY}-unused"], ordered=True,
            ),
            "name": [f"{CANARY}-identifier {i}" for i in range(rows)],
        },
        index=[f"{CANARY}-label {i}" for i in range(rows)],
    )  # fmt: skip


def no_canary(folder):
    """Return the files of a folder that hold the mark, in their names or bytes."""
    found = []
    for path in folder.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        if path.suffix == ".parquet":
            content += repr(pq.read_schema(path).metadata).encode()
            content += pq.read_table(path).to_pandas().to_csv().encode()
        if CANARY.encode() in content or CANARY in path.name:
            found.append(path.name)
    return found


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("method", spread(["auto", "mdav"], 1))
def test_nothing_of_the_input_is_told(tmp_path, shoal, kind, method):
    """Marks in an identifier, a suppressed cell, an unused category, a label and a path."""
    data = canaries()
    place = tmp_path / f"{CANARY}-folder"
    place.mkdir()
    arrow = pa.Table.from_pandas(data)
    pq.write_table(arrow, place / f"{CANARY}-path.parquet")
    tree = place / f"{CANARY}-tree.csv"
    towns = ["Ulm", "Bonn", "Kiel", f"{CANARY}-suppressed", f"{CANARY}-unused"]
    tree.write_text("".join(f"{town},*\n" for town in towns))
    out = tmp_path / "out"
    ran = shoal(
        "anonymize", place / f"{CANARY}-path.parquet", "-k", "3", "--quasi", "age,town,pain",
        "--identifier", "name", "--drop", "__index_level_0__", "--hierarchy", f"town={tree}",
        "--order", f"pain=low,high,{CANARY}-unused", "--method", method, "--pack", out,
        "--format", kind, *(() if method == "auto" else ("--aggregate", "generalize")),
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert no_canary(out) == []
    assert set(no_canary(out.with_name("out.private"))) == {
        "report.html",
        "report.json",
        "run.toml",
    }
    told = json.loads((out / "certificate.json").read_text())
    assert any("hierarchy of town" in line for line in told["recipe_lacks"])
    result = library.anonymize(
        data, k=3, quasi_identifiers=["age", "town", "pain"], identifiers=["name"],
        hierarchies={"town": str(tree)}, method=method,
        aggregate=None if method == "auto" else "generalize",
    )  # fmt: skip
    assert no_canary(result.pack(tmp_path / "own", format=kind)) == []


def test_the_private_recipe_repeats_the_groups(tmp_path, shoal):
    """The recipe in the private folder does, with nothing said; that in the pack takes its files.

    Which these are it does not tell: another tree is taken, too.
    """
    data = table()
    path, tree = tmp_path / "t.csv", tmp_path / "towns.csv"
    data.to_csv(path, index=False)
    tree.write_text("Ulm,south,*\nBonn,west,*\nKiel,north,*\n")
    common = ("anonymize", path, "-k", "3", "--quasi", "age,town", "--sensitive", "illness",
              "--identifier", "name", "--hierarchy", f"town={tree}")  # fmt: skip
    assert shoal(*common, "--pack", tmp_path / "out").code == 0
    recipe = tmp_path / "out/run.toml"
    assert str(tmp_path) not in recipe.read_text()
    ran = shoal("run", recipe, "-o", tmp_path / "again.csv")
    assert ran.code == 2
    assert "does not name" in ran.err
    ran = shoal("run", recipe, "--input", path, "-o", tmp_path / "again.csv")
    assert ran.code == 2
    assert "--hierarchy" in ran.err
    said = ("run", recipe, "--input", path, "-o", tmp_path / "asked.csv", "--hierarchy")
    ran = shoal(*said, f"town={tree}")
    assert ran.code == 0, ran.err
    assert library.verify(tmp_path / "asked.csv", k=3, quasi_identifiers=["age", "town"]).ok
    ran = shoal("run", tmp_path / "out.private/run.toml", "-o", tmp_path / "again.csv")
    assert ran.code == 0, ran.err
    first, second = (
        sorted(file.read_text().splitlines())
        for file in (tmp_path / "out/release.csv", tmp_path / "again.csv")
    )
    assert first == second


def test_closeness_by_a_tree_needs_the_tree(tmp_path, shoal):
    """What the pack does not hold must be given for a check.

    Whether it is the one that was certified is told by the private folder alone.
    """
    data = table(90)
    path, tree = tmp_path / "t.csv", tmp_path / "tree.csv"
    data.to_csv(path, index=False)
    tree.write_text("flu,infection,*\ncold,infection,*\ngout,other,*\n")
    ran = shoal("anonymize", path, "-k", "3", "--quasi", "age", "--sensitive", "illness", "--t",
                "0.4", "--hierarchy", f"illness={tree}", "--drop", "name,town", "--pack",
                tmp_path / "out")  # fmt: skip
    assert ran.code == 0, ran.err
    ran = shoal("certificate", "check", tmp_path / "out")
    assert ran.code == 3
    assert "--hierarchy" in ran.err
    said = ("certificate", "check", tmp_path / "out", "--hierarchy")
    ran = shoal(*said, f"illness={tree}")
    assert ran.code == 0
    assert "cannot be told without the private folder" in ran.out
    private = ("--private", tmp_path / "out.private")
    ran = shoal(*said, f"illness={tree}", *private)
    assert ran.code == 0
    assert "cannot be told" not in ran.out
    tree.write_text("flu,infection,*\ncold,infection,*\ngout,nothing,*\n")
    assert shoal(*said, f"illness={tree}").code == 0
    ran = shoal(*said, f"illness={tree}", *private)
    assert ran.code == 3
    assert "is not the one that was certified" in ran.err


@pytest.mark.slow
def test_what_only_t_needs_is_asked_for_with_t_alone(tmp_path):
    """An order of a sensitive column is not needed to check l; t = 0 is checked, too."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {"a": rng.normal(size=40), "s": pd.Categorical(["lo", "hi"] * 20, ["lo", "hi", "x"], True)}
    )
    asked = {"quasi_identifiers": ["a"], "sensitive": ["s"]}
    made = library.anonymize(data, k=4, l=2, **asked).pack(tmp_path / "l")
    assert library.check_pack(made).ok
    exact = library.anonymize(data, k=4, t=0.0, **asked).pack(tmp_path / "t")
    assert not library.check_pack(exact).ok
    found = library.check_pack(exact, orders={"s": ["lo", "hi", "x"]})
    assert found.ok
    assert any("t-closeness" in line for line in found.done)
    assert any("order of 's'" in line for line in found.open)
    known = {"private": tmp_path / "t.private"}
    assert library.check_pack(exact, orders={"s": ["lo", "hi", "x"]}, **known).ok
    assert not library.check_pack(exact, orders={"s": ["lo", "hi", "y"]}, **known).ok
    data["s"] = data["s"].cat.remove_unused_categories()
    shown = library.anonymize(data, k=4, t=0.0, **asked).pack(tmp_path / "shown")
    assert library.check_pack(shown).ok  # the recipe tells an order whose values are released


def test_orders_and_signs_are_not_told(tmp_path, shoal):
    """The recipe only commits to values that the release does not show, and asks for them."""
    rng = np.random.default_rng(2)
    data = pd.DataFrame(
        {"a": rng.integers(0, 50, 60), "c": rng.choice(["lo", "mid", "hi"], 60)}
    ).astype({"a": str})
    data.loc[3, "a"] = f"{CANARY}na"
    path = tmp_path / "t.csv"
    data.to_csv(path, index=False)
    order = f"c=lo,mid,hi,{CANARY}never"
    ran = shoal("anonymize", path, "-k", "3", "--quasi", "a,c", "--order", order, "--missing",
                f"{CANARY}na", "--missing", "", "--pack", tmp_path / "out")  # fmt: skip
    assert ran.code == 0, ran.err
    assert no_canary(tmp_path / "out") == []
    again = ("run", tmp_path / "out/run.toml", "--input", path, "-o", tmp_path / "again.csv")
    given = [("--order", order), ("--missing", f"{CANARY}na", "--missing", "")]
    for lacking in ((), given[0], given[1]):
        assert shoal(*again, *lacking).code == 2
    ran = shoal(*again[:-1], tmp_path / "asked.csv", *given[0], *given[1])
    assert ran.code == 0, ran.err
    ran = shoal("run", tmp_path / "out.private/run.toml", *again[4:])
    assert ran.code == 0, ran.err
    first, second = (
        sorted(file.read_text().splitlines())
        for file in (tmp_path / "out/release.csv", tmp_path / "again.csv")
    )
    assert first == second


def test_a_pack_set_aside_by_a_killed_run_comes_back(result, tmp_path):
    """Killed between two names, a run leaves the old pack aside; it gets its name again."""
    folder = result.pack(tmp_path / "out")
    before = (folder / "release.csv").read_bytes()
    folder.rename(tmp_path / ".out.shoal-old-0123456789ab")
    with pytest.raises(OutputError, match="force=True"):
        result.pack(folder)
    assert (folder / "release.csv").read_bytes() == before
    shutil.copytree(folder, tmp_path / ".out.shoal-old-0123456789ab")
    result.pack(folder, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private"]


def test_not_where_somebody_stands(result, tmp_path, monkeypatch):
    """The folder one is in, or one above it, is refused before any work is done."""
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    for folder in (".", "..", tmp_path / "in"):
        with pytest.raises(OutputError, match="in use"):
            result.pack(folder)


def test_what_is_there_is_kept(result, tmp_path, shoal):
    """A folder that exists is replaced only with force, and only if it is a pack."""
    folder = result.pack(tmp_path / "out")
    before = (folder / "release.csv").read_bytes()
    with pytest.raises(OutputError, match="force=True"):
        result.pack(folder)
    assert (folder / "release.csv").read_bytes() == before
    result.pack(folder, force=True)
    assert library.check_pack(folder, private=tmp_path / "out.private").ok
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private"]
    (folder / "mine.txt").write_text("keep me")
    with pytest.raises(OutputError, match="no part of a pack"):
        result.pack(folder, force=True)
    assert (folder / "mine.txt").read_text() == "keep me"
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="no folder"):
        result.pack(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    assert library.check_pack(result.pack(tmp_path / "empty")).ok
    data = tmp_path / "in"
    data.mkdir()
    table().to_csv(data / "t.csv", index=False)
    ran = shoal("anonymize", data / "t.csv", "-k", "3", "--quasi", "age", "--drop",
                "town,illness,name", "--pack", data, "--force")  # fmt: skip
    assert ran.code == 2
    assert (data / "t.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "where", ["dictionary", "readme", "_certificate", "checked_pack", "give_name"]
)
def test_a_failure_leaves_nothing(result, tmp_path, monkeypatch, where):
    """Whatever goes wrong on the way, there is no folder, or the old one."""
    old = result.pack(tmp_path / "old")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(packing, where, fail)
    for folder in (tmp_path / "new", old):
        with pytest.raises((OSError, OutputError)):
            result.pack(folder, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old", "old.private"]
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after == before


def test_a_pack_that_is_not_safe_is_not_kept(result, tmp_path, monkeypatch):
    """The check runs before the folder has its name: what it refuses is gone."""
    real = certificate.claims_of

    def too_much(*asked):
        return real(*asked).model_copy(update={"k": 40})

    monkeypatch.setattr(certificate, "claims_of", too_much)
    with pytest.raises(PrivacyError, match="nothing was kept"):
        result.pack(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_what_killed_runs_left_is_swept(result, tmp_path):
    """A private folder that nobody holds is removed by the next run; others are not."""
    left = tmp_path / ".out.shoal-tmp-0123456789ab"
    left.mkdir()
    (left / "release.csv").write_text("secret")
    other = tmp_path / ".other.shoal-tmp-0123456789ab"
    other.mkdir()
    result.pack(tmp_path / "out")
    assert not left.exists()
    assert other.exists()
    shutil.rmtree(other)


@pytest.mark.parametrize(
    "arguments", [(), ("-o", "r.csv", "--pack", "out"), ("-o", "r.csv", "--format", "csv")]
)
def test_where_to(tmp_path, shoal, arguments):
    """Either an output or a pack."""
    table().to_csv(tmp_path / "t.csv", index=False)
    said = [tmp_path / one if one in ("r.csv", "out") else one for one in arguments]
    ran = shoal("anonymize", tmp_path / "t.csv", "-k", "3", "--quasi", "age", "--drop",
                "town,illness,name", *said)  # fmt: skip
    assert ran.code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_the_dictionary(result, tmp_path):
    """Every released column has its line: role, what was done, what it holds."""
    folder = result.pack(tmp_path / "out")
    lines = pd.read_csv(folder / "dictionary.csv", keep_default_na=False)
    assert lines.column.tolist() == ["age", "town", "illness"]
    assert lines.role.tolist() == ["quasi-identifier", "quasi-identifier", "sensitive"]
    assert lines.holds[2] == "cold | flu | gout"
    assert lines["released as"][2] == "as it was"
    released = pd.read_csv(folder / "release.csv")
    assert lines["distinct values"].tolist() == [released[c].nunique() for c in lines.column]

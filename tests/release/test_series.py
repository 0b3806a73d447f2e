"""Entry and release of a series: together or not at all, also where a run is killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

import faults
import shoal as library
from series_tables import random_series
from shoal.errors import OutputError, RequestError
from shoal.judge.series import verify_series
from shoal.release.pack.certificate import load_certificate
from shoal.series.journal import journal_path
from shoal.series.ledger import Ledger

ASKED = {
    "quasi_identifiers": ["age", "pay"], "sensitive": ["ill"], "l": 2, "person": "id",
    "method": "mdav", "withhold": 0.9,
}  # fmt: skip
TABLES = random_series(1, people=40, each=30)
NAMING = ("link", "replace", "rename", "unlink")


def made(folder, number, **more):
    """Return the release of a table under the ledger of a folder, not written yet."""
    return library.anonymize(TABLES[number], 3, ledger=folder / "s.ledger", **ASKED, **more)


def entries(folder):
    """Return how many releases the ledger has, after what a killed run left is taken back."""
    return len(Ledger.open(folder / "s.ledger").releases)


def as_csv(table):
    rows = zip(*table.values(), strict=True)
    return "\n".join([",".join(table), *(",".join(map(str, row)) for row in rows), ""])


@pytest.fixture(autouse=True)
def no_charts(monkeypatch):
    """Charts are not what is tried here."""
    from shoal.report.html import document

    monkeypatch.setattr(document, "draw", lambda specs: ["<svg></svg>"] * len(specs))


@pytest.mark.slow
@pytest.mark.parametrize("first", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_kill_while_files_are_named(tmp_path, first, thorough):
    """At whatever call that names files a run dies: entry and release are there, or neither."""
    if not first:
        made(tmp_path, 0).save(tmp_path / "before")
    result = made(tmp_path, 1)
    before, killed, kept = entries(tmp_path), 0, 0
    for name in NAMING:
        for number in range(1, 40, 1 if thorough or name == "unlink" else 3):
            out = tmp_path / f"{name}{number}"

            def act(name=name, number=number, out=out):
                calls = faults.inject(name, number, signal.SIGKILL)
                result.save(out)
                if calls[0] < number:
                    os._exit(77)

            code = faults.ended(faults.in_child(act))
            done = (out / "release.csv").exists()
            assert entries(tmp_path) - before == done, (name, number)
            assert not journal_path(tmp_path / "s.ledger").exists()
            if done:
                kept += 1
                judged = verify_series([out / "release.csv"], tmp_path / "s.ledger")
                assert judged.ok
                (tmp_path / "s.ledger").unlink()
                (tmp_path / "s.ledger.key").unlink()
                if not first:
                    (tmp_path / "s.ledger").write_text(result.pending.ledger.text)
                    (tmp_path / "s.ledger.key").write_bytes(result.pending.ledger.key.to_bytes())
            if code == 77:
                break
            killed += code != 0
    assert killed > 4
    assert kept > 0
    result.save(tmp_path / "again")
    assert entries(tmp_path) == before + 1


@pytest.mark.slow
def test_a_kill_while_a_pack_is_named(tmp_path):
    """The folder of a pack and its entry appear together, too; the same run works again."""
    result = made(tmp_path, 0)
    for number in range(1, 9):
        out = tmp_path / "pack"

        def act(number=number, out=out):
            faults.inject("link", number, signal.SIGKILL)
            result.pack(out)

        code = faults.ended(faults.in_child(act))
        assert entries(tmp_path) == out.exists() == (code == 0)
        if code == 0:
            break
    assert number > 3
    assert library.check_pack(out).ok


def kill_at_random(tmp_path, kills, command):
    """Kill a run so many times; check ledger and release after each, and that the last works."""
    rng, done = random.Random(1), 0
    start = time.perf_counter()
    command(tmp_path / "first.csv").wait()
    took = time.perf_counter() - start
    for number in range(kills):
        before, out = entries(tmp_path), tmp_path / f"r{number}.csv"
        run = command(out)
        time.sleep(rng.uniform(0.2, 1.0) * took)
        run.kill()
        run.wait()
        assert entries(tmp_path) - before == out.exists()
        done += out.exists()
    again = tmp_path / "again.csv"
    before = entries(tmp_path)
    assert command(again).wait() == 0
    assert entries(tmp_path) == before + 1
    assert verify_series([again], tmp_path / "s.ledger").ok
    return done


class Child:
    """A forked child that makes and writes a release, as a process that can be killed."""

    def __init__(self, folder, out):
        from shoal.release.save import save
        from shoal.release.targets import Targets

        def act():
            save(made(folder, 2), Targets.of(str(out)), force=False, with_page=False)

        self.child, self.code = faults.in_child(act), None

    def kill(self):
        os.kill(self.child, signal.SIGKILL)

    def wait(self):
        self.code = faults.ended(self.child)
        return self.code


def test_kills_at_random(tmp_path):
    """A run that is killed at a random moment leaves entry and release, or neither."""
    kill_at_random(tmp_path, 3, lambda out: Child(tmp_path, out))


@pytest.mark.slow
def test_kills_of_the_command(tmp_path):
    """So does `shoal anonymize --ledger`, killed at twenty random moments."""
    (tmp_path / "in.csv").write_text(as_csv(TABLES[2]))
    words = ["--quasi", "age,pay", "--sensitive", "ill", "--l", "2", "-k", "3", "--method", "mdav"]
    words += ["--person", "id", "--ledger", tmp_path / "s.ledger", "--withhold", "90%"]

    def command(out):
        line = ["anonymize", tmp_path / "in.csv", *words, "-o", out, "--no-report", "--quiet"]
        return subprocess.Popen([sys.executable, "-m", "shoal", *map(str, line)])

    kill_at_random(tmp_path, 20, command)


def test_a_pack_under_a_ledger(tmp_path):
    """A pack is noted in its ledger, and its certificate names the promise, not the ledger."""
    for number in range(2):
        made(tmp_path, number, over_series="worlds").pack(tmp_path / f"pack{number}")
    files = [tmp_path / f"pack{number}" / "release.csv" for number in range(2)]
    judged = verify_series(files, tmp_path / "s.ledger")
    assert judged.ok, judged.summary()
    checked = library.check_pack(tmp_path / "pack1")
    assert checked.ok, checked.problems
    certificate = load_certificate(tmp_path / "pack1")
    assert any("at least 2 values of 'ill' stay possible" in one for one in certificate.series)
    assert certificate.counterfeits == 0
    texts = [path.read_text() for path in (tmp_path / "pack1").iterdir() if path.suffix != ".csv"]
    assert not any("s.ledger" in text for text in texts)
    assert "Over the series of releases" in (tmp_path / "pack1" / "README.md").read_text()
    report = json.loads((tmp_path / "pack1" / "report.json").read_text())
    assert "withheld" not in report["series"]


def test_a_forged_promise_is_noticed(tmp_path):
    """A certificate that promises more over the series than the report is not believed."""
    made(tmp_path, 0).pack(tmp_path / "pack")
    place = tmp_path / "pack" / "certificate.json"
    tree = json.loads(place.read_text())
    tree["series"] = ["nobody can learn anything"]
    place.write_text(json.dumps(tree))
    assert not library.check_pack(tmp_path / "pack").ok


def test_a_pack_that_cannot_be_has_no_entry(tmp_path):
    """Where a pack cannot be written, the ledger has no entry of it, and no journal is left."""
    (tmp_path / "pack").write_text("a file")
    with pytest.raises(OutputError):
        made(tmp_path, 0).pack(tmp_path / "pack")
    assert entries(tmp_path) == 0
    result = made(tmp_path, 0)
    result.pack(tmp_path / "one")
    with pytest.raises(RequestError, match="continued since"):
        result.pack(tmp_path / "two")
    assert not (tmp_path / "two").exists()
    inside = tmp_path / "one" / "s.ledger"
    with pytest.raises(OutputError, match="ledger lies in it"):
        library.anonymize(TABLES[1], 3, ledger=inside, **ASKED).pack(tmp_path / "one", force=True)
    assert entries(tmp_path) == 1


def test_counterfeits_are_published_and_verified(tmp_path):
    """Report, certificate and verdict say how many counterfeits there are; the file has them."""
    asked = {"over_series": "worlds", "counterfeits": 0.3}
    for number in range(3):
        made(tmp_path, number, **asked).pack(tmp_path / f"pack{number}")
    packs = [tmp_path / f"pack{number}" for number in range(3)]
    counts = [load_certificate(pack).counterfeits for pack in packs]
    assert sum(counts) > 0
    judged = verify_series([pack / "release.csv" for pack in packs], tmp_path / "s.ledger")
    assert judged.ok, judged.summary()
    assert judged.counterfeits == sum(counts)
    assert "counterfeits" in judged.summary()
    for pack, count, entry in zip(
        packs, counts, Ledger.load(tmp_path / "s.ledger").releases, strict=True
    ):
        report = json.loads((pack / "report.json").read_text())
        lines = len((pack / "release.csv").read_text().splitlines()) - 1
        assert report["series"]["counterfeits"] == count == len(entry.roll.counterfeits)
        assert report["release"]["records"] == lines == len(entry.roll.people)
        assert library.check_pack(pack).ok


def test_counterfeits_are_never_the_last_rows(tmp_path):
    """A release with counterfeits is not written in the input's order."""
    asked = {"over_series": "worlds", "counterfeits": 0.3}
    for number in range(3):
        result = made(tmp_path, number, **asked)
        if result.pending.counterfeits.count:
            with pytest.raises(RequestError, match="would be the last"):
                result.save(tmp_path / "o", keep_order=True)
            return
        result.save(tmp_path / str(number))
    raise AssertionError


@pytest.mark.slow
def test_counterfeits_beside_kept_columns(tmp_path):
    """The judge takes counterfeits out of what kept columns join: k people are left, or none."""
    tables = random_series(5, people=90, each=70, kept=2)
    asked = {**ASKED, "over_series": "worlds", "counterfeits": 0.3, "other": ["town"]}
    files, false = [], 0
    for number, table in enumerate(tables):
        result = library.anonymize(table, 3, ledger=tmp_path / "s.ledger", **asked)
        false += result.pending.counterfeits.count
        files.append(result.save(tmp_path / str(number), report=False))
    assert false
    judged = verify_series(files, tmp_path / "s.ledger")
    assert judged.ok, judged.summary()
    assert judged.smallest >= 3
    assert judged.counterfeits == false

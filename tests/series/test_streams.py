"""Streams: batches are verified, everybody is released once, nobody is lost."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import time
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import shoal
from faults import ended, in_child
from naive.streams import audit, read
from shoal.cli import app
from shoal.pipeline.batches import FRAME, Releaser
from shoal.pipeline.stream import stream_with
from shoal.series.arrivals import of_folder
from shoal.series.ledger import Ledger
from shoal.series.waiting import State
from shoal.settings import RunOptions
from shoal.settings.tree import settings_and_run
from shoal.storage.staging import Staging
from thorough import spread

QUASI, K = ["age", "stay"], 5
ASKED = {
    "person": "id", "quasi_identifiers": QUASI, "sensitive": ["ill"], "other": ["tag"],
    "keep_unique": ["tag"], "method": "mdav", "threads": 1,
}  # fmt: skip


def people(count, seed=1, again=0.0, ill="abc"):
    """Return records of people, some of whom come again with other values."""
    draw, records = random.Random(seed), []
    for number in range(count):
        known = records and draw.random() < again
        person = draw.choice(records)["id"] if known else f"p{number}"
        records.append({
            "id": person, "age": draw.randint(18, 90), "stay": draw.randint(0, 30),
            "ill": draw.choice(ill), "tag": f"tag{number}x{seed}",
        })  # fmt: skip
    return records


def write(path, records):
    """Write records as a csv file."""
    lines = [",".join(records[0]), *(",".join(map(str, one.values())) for one in records)]
    path.write_text("\n".join([*lines, ""]))


def audited(records, out, made, counts, delay=None):
    """Return what the auditor says of a stream whose batches are known."""
    batches = [(read(one.path), one.come) for one in made]
    assert {one.path for one in made} == set(out.glob("*"))
    arrivals = [(one["id"], one["tag"]) for one in records]
    return audit(arrivals, batches, QUASI, K, counts.to_dict(), delay)


def test_the_auditor_can_fail():
    """The auditor notices who is there twice, waited too long, is lost, or in a small class."""
    arrivals = [(f"p{n}", f"t{n}") for n in range(6)]
    rows = [{"age": 1, "stay": 2, "tag": f"t{n}"} for n in range(6)]
    counts = {"come": 6, "released": 6, "again": 0, "waiting": 0, "withheld": 0, "left": 0}
    assert audit(arrivals, [(rows, 6)], QUASI, 3, counts) == []
    for batches, k, delay in (
        ([(rows, 6), (rows[:3], 6)], 3, None), ([(rows, 6)], 3, 4), ([(rows, 6)], 7, None),
        ([(rows[:5], 6)], 3, None),
    ):  # fmt: skip
        assert audit(arrivals, batches, QUASI, k, counts, delay)


@pytest.mark.parametrize("delay", spread([None, "30", "120"], 1))
def test_an_iterator(tmp_path, delay):
    """Everybody is released once, in classes of k, no later than the delay allows."""
    records, out = people(430, again=0.1), tmp_path / "out"
    stream = shoal.stream(iter(records), out, K, batch=100, delay=delay, l=2, **ASKED)
    made = list(stream)
    assert audited(records, out, made, stream.counts, delay and int(delay)) == []
    assert stream.counts.waiting < (K if delay is None else 100)
    assert all(one.smallest >= K for one in made)
    assert [one.number for one in made] == list(range(1, len(made) + 1))
    private = tmp_path / "out.private"
    files = {path.name: path.stat().st_mode & 0o777 for path in private.iterdir() if path.is_file()}
    assert set(files) == {"run.toml", "stream.db", "stream.ledger", "stream.ledger.key"}
    assert set(files.values()) == {0o600}
    ledger = Ledger.load(private / "stream.ledger")
    assert Ledger.load(ledger.path, people=False).last == ledger.last
    every = [person for release in ledger.releases for person in release.roll.people]
    assert len(set(every)) == len(every) == stream.counts.released
    assert shoal.verify_series([one.path for one in made], ledger=ledger.path).ok


def test_the_loss_that_is_told(tmp_path):
    """The loss told while a batch is searched is one of a search, not that of its random start."""
    told = []
    asked = {**ASKED, "method": "auto", "max_iterations": 200, "callback": told.append}
    for batch in shoal.stream(people(240), tmp_path / "out", K, batch=120, **asked):
        losses = [one.best_loss for one in told if one.best_loss is not None]
        assert batch.loss <= losses[-1] + 1e-9 <= max(losses) + 1e-9 < 2 * batch.loss
        told.clear()
    assert batch.number == 2


def test_run_again(tmp_path):
    """The same records, sent once more, are known; a released record is wiped from the state."""
    records, out = people(220), tmp_path / "out"
    list(shoal.stream(records, out, K, batch=100, **ASKED))
    stream = shoal.stream(records, out, K, batch=100, **ASKED)
    assert list(stream) == []
    assert stream.counts.again == stream.counts.released == 220
    held = (tmp_path / "out.private" / "stream.db").read_bytes()
    assert not any(one["tag"].encode() in held for one in records)


def test_a_folder(tmp_path):
    """Files are read by name, each once, also those that come later; csv is as good as Parquet."""
    records, counts = people(260), []
    for kind in ("csv", "parquet"):
        arriving, out = tmp_path / f"{kind}-in", tmp_path / kind
        arriving.mkdir()
        made, delay = [], "60"
        for start in (0, 130):
            some = records[start : start + 130]
            if kind == "csv":
                write(arriving / f"{start:03}.csv", some)
            else:
                pq.write_table(pa.Table.from_pylist(some), arriving / f"{start:03}.parquet")
            (arriving / "half.csv.part").write_text("id,age\n")
            stream = shoal.stream(arriving, out, K, batch=70, delay=delay, **ASKED)
            made += list(stream)
        assert audited(records, out, made, stream.counts, 60) == []
        made += list(shoal.stream(arriving, out, K, batch=70, **ASKED))
        counts.append([(one.records, one.classes, one.come) for one in made])
    assert counts[0] == counts[1]
    (arriving / "000.parquet").write_bytes(b"x" * 99)
    with pytest.raises(shoal.InputError, match="changed since it was read"):
        list(shoal.stream(arriving, out, K, **ASKED))


def test_following_a_folder(tmp_path):
    """What comes into a folder later is read, too; meanwhile somebody may look at the clock."""
    records = people(20)
    write(tmp_path / "1.csv", records[:10])
    marks = {}
    pieces = of_folder(
        tmp_path, settings_and_run({"k": K})[0], lambda f: marks.get(f, (0, "")), True
    )
    rows, quiet = 0, 0
    for piece in pieces:
        if piece is None:
            quiet += 1
            write(tmp_path / "2.csv", records[10:])
        elif piece.mark:
            marks[piece.file] = piece.taken, piece.mark
        else:
            rows += piece.table.rows
        if rows == 20 and len(marks) == 2:
            break
    assert quiet == 1
    assert {name: taken for name, (taken, _) in marks.items()} == {"1.csv": 10, "2.csv": 10}


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_pipe(tmp_path, kind):
    """Text that comes in parts of any length is read as whole records."""
    records, out = people(150), tmp_path / "out"
    write(tmp_path / "t.csv", records)
    text = (tmp_path / "t.csv").read_bytes()
    if kind == "jsonl":
        text = "".join(json.dumps(one) + "\n" for one in records).encode()

    class Pipe(io.BytesIO):
        def read1(self, size=-1):
            return super().read(min(size, 1234))

    settings, run = settings_and_run({**ASKED, "k": K, "batch": 60})
    stream = stream_with("-", out, settings, run, pipe=(Pipe(text), kind))
    assert audited(records, out, list(stream), stream.counts) == []
    assert stream.counts.released == 150


@pytest.mark.slow
def test_withheld_after_the_delay(tmp_path):
    """Records that no group can take wait, and are withheld when the delay is over; for good."""
    records, out = people(60, ill="a"), tmp_path / "out"
    stream = shoal.stream(records, out, K, batch=20, delay="25", l=2, **ASKED)
    made = list(stream)
    assert made == []
    assert stream.counts.withheld + stream.counts.waiting == 60
    assert stream.counts.withheld >= 60 - 26
    more = people(60, seed=2)
    stream = shoal.stream(records + more, out, K, batch=20, delay="25", l=2, **ASKED)
    made = list(stream)
    arrivals = records + records + more
    assert stream.counts.again == 60 + len({one["id"] for one in more})
    assert audited(arrivals, out, made, stream.counts, 25) == []


def test_in_vain(tmp_path):
    """Without a delay a stream stops when too many wait in vain; what waits is kept."""
    with pytest.raises(shoal.PrivacyError, match="no group can take them"):
        list(shoal.stream(people(100, ill="a"), tmp_path / "o", K, batch=10, l=2, **ASKED))
    stream = shoal.stream([], tmp_path / "o", K, batch=10, l=2, **ASKED)
    assert stream.counts.waiting == stream.counts.come > 0
    stream.close()


@pytest.mark.slow
def test_people_of_the_ledger(tmp_path):
    """Who is in the ledger, or left, is not released; nor who is noted there while she waits."""
    records, ledger = people(120), tmp_path / "s.ledger"
    asked = {**ASKED, "ledger": ledger}
    shoal.anonymize(records[:20], K, **asked).save(tmp_path / "first")
    late = shoal.stream(records[:60], tmp_path / "out", K, batch=70, delay="90", **asked)
    assert list(late) == []
    assert (late.counts.again, late.counts.waiting) == (20, 40)
    shoal.anonymize(records[50:60], K, **asked).save(tmp_path / "second")
    from shoal.series.keeping import forget_people

    forget_people(ledger, ["p30", "p100"])
    stream = shoal.stream(records[60:], tmp_path / "out", K, batch=70, **asked)
    made = list(stream)
    assert stream.counts.left == 2
    assert stream.counts.again == 30
    tags = {one["tag"] for batch in made for one in read(batch.path)}
    gone = {*range(20), 30, *range(50, 60), 100}
    assert tags == {one["tag"] for n, one in enumerate(records) if n not in gone}


@pytest.mark.slow
def test_what_stays_as_it_began(tmp_path):
    """Options, types, columns and standardization are those of the beginning."""
    out, records = tmp_path / "out", people(200)
    stream = shoal.stream(iter(records), out, K, batch=50, **ASKED)
    next(stream)
    frame = stream._state.note(FRAME)
    with pytest.raises(shoal.RequestError, match="another run is working on this stream"):
        shoal.stream(records, out, K, **ASKED)
    list(stream)
    stream.close()
    with pytest.raises(shoal.RequestError, match="another folder"):
        shoal.stream(out, out, K, **ASKED)
    state = State(tmp_path / "out.private")
    assert state.note(FRAME) == frame
    state.close()
    with pytest.raises(shoal.RequestError, match=r"with other options: k; say them as run\.toml"):
        shoal.stream(records, out, K + 1, **ASKED)
    for wrong in ({"age": "secret"}, {"more": 1}):
        one = [{**people(1, seed=9)[0], "id": "q1", **wrong}]
        with pytest.raises(shoal.InputError) as error:
            list(shoal.stream(one, out, K, **ASKED))
        assert "secret" not in str(error.value)
    stream = shoal.stream([], out, K, **ASKED)
    assert stream.counts.come == stream.counts.released == 200
    stream.close()


def test_options_change_before_the_first_batch(tmp_path):
    """As long as no batch is released options may change, but who is who where records wait."""
    records, out = people(60), tmp_path / "out"
    shoal.stream([], out, K, **{**ASKED, "person": "tag", "missing": ["-"]}).close()
    ledger = {**ASKED, "ledger": tmp_path / "other.ledger"}
    asked = {"batch": 100, "delay": "90"}
    assert list(shoal.stream(records, out, K, **asked, **ledger)) == []
    for changed in ({"person": "tag"}, {"types": {"age": "text"}}, {"ledger": None}):
        with pytest.raises(shoal.RequestError) as error:
            shoal.stream([], out, K, **asked, **{**ledger, **changed})
        assert f"came with other options: {next(iter(changed))}; say" in str(error.value)
    asked = {**ledger, "sensitive": [], "drop": ["ill"], "method": "v-mdav", "format": "jsonl"}
    (made,) = shoal.stream([], out, K + 1, **asked)
    assert (made.records, made.path.name) == (60, "batch-000001.jsonl")
    assert made.smallest > K
    with pytest.raises(shoal.RequestError) as error:
        shoal.stream([], out, K, **{**ledger, "l": 2})
    text = str(error.value)
    assert "released with other options: k, l, sensitive, drop, method, format; say" in text


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"delay": "2"}, "no 5 people come"), ({"delay": "soon"}, "a number of records"),
        ({"batch": 3}, "at least k = 5"), ({"person": None}, "who is who must be known"),
        ({"hierarchies": {"age": "balanced"}}, "follows the data"),
    ],
)  # fmt: skip
def test_refused(tmp_path, asked, said):
    """What cannot be a stream is said before anything is written."""
    with pytest.raises(shoal.ShoalError, match=said):
        shoal.stream([], tmp_path / "out", K, **{**ASKED, **asked})
    assert list(tmp_path.iterdir()) == []


def test_the_clock(tmp_path, monkeypatch):
    """By the clock, who waited long enough is released, with whoever has come by then."""
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    records = people(1110)

    def coming():
        yield from records[:1000]
        now[0] += 3600
        yield records[1000:1100]
        yield records[1100:]

    out = tmp_path / "out"
    stream = shoal.stream(coming(), out, K, batch=5000, delay="1h", **ASKED)
    made = list(stream)
    assert [(one.records, one.come) for one in made] == [(1100, 1100)]
    assert stream.counts.waiting == 10


def killed_at(moment):
    """Let the process be killed at a step of the second batch that it releases."""
    times = [0]

    def kill(*_, **__):
        os.kill(os.getpid(), signal.SIGKILL)

    def second(real, act):
        def step(*arguments, **options):
            times[0] += 1
            return act(*arguments) if times[0] == 2 else real(*arguments, **options)

        return step

    def torn(book, entry):
        line = book.line(entry)
        with book.path.open("ab") as file:
            file.write(line[: len(line) // 2])
        kill()

    if moment == "before the ledger":
        Ledger.append = second(Ledger.append, kill)
    elif moment == "within its line":
        Ledger.append = second(Ledger.append, torn)
    elif moment == "before the name":
        Staging.commit = second(Staging.commit, kill)
    elif moment == "within naming":
        link = os.link

        def linked(source, target):
            link(source, target)
            if Path(target).name == "batch-000002.csv":
                kill()

        os.link = linked
    else:
        Releaser._let_go = second(Releaser._let_go, kill)


MOMENTS = (
    "before the ledger", "within its line", "before the name", "within naming", "after the name"
)  # fmt: skip


@pytest.mark.parametrize("moment", spread(MOMENTS, 2))
def test_killed_at_a_step(tmp_path, moment):
    """Killed at any step of a release, a stream goes on as if nothing had been."""
    records, out = people(230), tmp_path / "out"
    write(tmp_path / "t.csv", records)
    arriving = tmp_path / "arriving"
    arriving.mkdir()
    (tmp_path / "t.csv").rename(arriving / "t.csv")

    def act():
        killed_at(moment)
        list(shoal.stream(arriving, out, K, batch=50, **ASKED))

    assert ended(in_child(act)) == -signal.SIGKILL
    if moment == "after the name":  # somebody took the batch as soon as it had its name
        (out / "batch-000002.csv").rename(tmp_path / "taken.csv")
    stream = shoal.stream(arriving, out, K, batch=50, **ASKED)
    list(stream)
    if moment == "after the name":
        (tmp_path / "taken.csv").rename(out / "batch-000002.csv")
    assert_whole(out, records, stream.counts)


def assert_whole(out, records, counts):
    """Everybody is in one batch, nothing is left over, and the ledger says the same."""
    batches = sorted(out.iterdir())
    assert [one.name for one in batches] == [
        f"batch-{n:06}.csv" for n in range(1, len(batches) + 1)
    ]
    arrivals = [(one["id"], one["tag"]) for one in records]
    every = [(read(path), 0) for path in batches]
    assert audit(arrivals, every, QUASI, K, counts.to_dict()) == []
    assert counts.released == len(records)
    assert {oct(path.stat().st_mode & 0o777) for path in batches} == {"0o644"}
    ledger = Ledger.load(Path(f"{out}.private", "stream.ledger"))
    assert len(ledger.releases) == len(batches)
    assert shoal.verify_series(batches, ledger=ledger.path).ok


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path):
    """Killed at 20 random moments, nobody is lost or released twice."""
    draw, records, out = random.Random(3), people(3000, again=0), tmp_path / "out"
    arriving = tmp_path / "arriving"
    arriving.mkdir()
    for start in range(0, 3000, 500):
        write(arriving / f"{start:04}.csv", records[start : start + 500])
    list(shoal.stream(iter(people(60)), tmp_path / "warm", K, batch=50, **ASKED))

    def act():
        list(shoal.stream(arriving, out, K, batch=50, **ASKED))

    killed = 0
    while killed < 20:
        child = in_child(act)
        time.sleep(draw.uniform(0.01, 0.12))
        os.kill(child, signal.SIGKILL)
        assert ended(child) == -signal.SIGKILL
        killed += 1
    stream = shoal.stream(arriving, out, K, batch=50, **ASKED)
    list(stream)
    assert_whole(out, records, stream.counts)


WORDS = ["-k", "5", "--person", "id", "--quasi", "age,stay", "--drop", "tag", "--method", "mdav"]


def test_from_the_command_line(tmp_path, monkeypatch, shoal):
    """The command says what it released, in words and as JSON lines."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    write(Path("in/t.csv"), people(120))
    ran = shoal("stream", "in", *WORDS, "--batch", "60", "--json", "-o", "out/")
    assert ran.code == 0, ran.err
    *batches, last = map(json.loads, ran.out.splitlines())
    assert [one["records"] for one in batches] == [60, 60]
    assert last["counts"]["released"] == 120
    assert "120 released in 2 batches" in ran.err
    piped = ["stream", "-", "--from", "csv", *WORDS, "-o", "piped/"]
    ran = CliRunner().invoke(app, piped, input=Path("in/t.csv").read_bytes())
    assert (ran.exit_code, "120 released in 1 batches" in ran.stderr) == (0, True), ran.stderr
    assert shoal("stream", "-", *WORDS, "-o", "out/").code == 2
    assert shoal("stream", "in/t.csv", *WORDS, "-o", "out/").code == 2
    assert RunOptions().follow is False


RECIPE = """\
[protect]
k = 5
method = "mdav"
[roles]
person = "id"
quasi_identifiers = ["age", "stay"]
drop = ["tag"]
[hierarchies]
age = "ages.csv"
[input]
path = "in"
[release]
output = "out/"
[stream]
batch = 60
"""


@pytest.mark.slow
def test_from_a_recipe(tmp_path, monkeypatch, shoal):
    """A stream runs by a recipe, and its own recipe goes on with it, from wherever it is run."""
    monkeypatch.chdir(tmp_path)
    records = people(240)
    Path("in").mkdir()
    write(Path("in/a.csv"), records[:120])
    Path("ages.csv").write_text("".join(f"{n},{n // 10},*\n" for n in range(18, 91)))
    Path("s.toml").write_text(RECIPE)
    ran = shoal("run", "s.toml")
    assert ran.code == 0, ran.err
    assert "120 released in 2 batches" in ran.err
    write(Path("in/b.csv"), records[120:180])
    Path("elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    ran = shoal("run", "../out.private/run.toml")
    assert "180 released in 3 batches" in ran.err, ran.err
    noted = tomllib.loads(Path("../out.private/run.toml").read_text())
    assert noted["stream"] == {"batch": 60, "format": "csv"}
    assert (noted["input"]["path"], noted["release"]["output"]) == ("../in", "../out/")
    assert noted["hierarchies"] == {"age": "../ages.csv"}
    assert "ledger" not in noted["series"]
    write(Path("../in/c.csv"), records[180:])
    words = ["--recipe", "../s.toml", "--batch", "30", "-o", "../out/"]
    ran = shoal("stream", "../in", *words)
    assert "240 released in 5 batches" in ran.err, ran.err
    Path("wrong.toml").write_text(RECIPE.replace("k = 5", "k = 5\nsuppress = 0.1"))
    ran = shoal("run", "wrong.toml", "--input", "../in", "-o", "other/")
    assert (ran.code, Path("other.private").exists()) == (2, False)
    assert "a stream takes no --suppress; leave it out" in ran.err
    assert "for stdin say shoal stream -" in shoal("run", "wrong.toml", "-o", "-").err


def test_the_ledger_of_a_recipe(tmp_path, monkeypatch, shoal):
    """A ledger that a recipe names lies beside the recipe, wherever it is run."""
    monkeypatch.chdir(tmp_path)
    write(Path("t.csv"), people(30))
    assert shoal("anonymize", "t.csv", *WORDS, "--ledger", "s.ledger", "-o", "a.csv").code == 0
    for number, start in enumerate(
        (
            ["run", "a.private/run.toml", "--input", "t.csv"],
            ["anonymize", "t.csv", "--recipe", "a.private/run.toml"],
        )
    ):
        ran = shoal(*start, "-o", f"b{number}.csv")
        assert ran.code == 0, ran.err
    assert len(Ledger.load(tmp_path / "s.ledger").releases) == 3
    assert [path.name for path in tmp_path.rglob("*.ledger")] == ["s.ledger"]

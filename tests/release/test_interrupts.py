"""A signal at any moment of writing leaves nothing, and exit code 130, or everything, and 0."""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
import threading
import time

import pytest

import faults
import shoal
from shoal.__main__ import main
from shoal.pipeline.result import Result
from shoal.progress import INTERRUPT
from shoal.storage.staging import Staging, uninterrupted

PACKED = [
    "README.md", "certificate.json", "certificate.schema.json", "dictionary.csv", "release.csv",
    "report.html", "report.json", "run.toml",
]  # fmt: skip
PRIVATE = ["commitment.key", "report.html", "report.json", "run.toml"]
CALLS = (*faults.CALLS, "mkdir", "chmod")


def names_in(folder):
    """The names of everything in a folder, whose folders are told by what they hold."""
    return {
        path.name: sorted(one.name for one in path.iterdir()) if path.is_dir() else path.read_text()
        for path in folder.iterdir()
    }


def run_main(*words):
    """Run the command line in this process, which it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    INTERRUPT.written = False  # by the tests before
    sys.argv = ["shoal", *map(str, words)]
    main()


@pytest.mark.parametrize("force", [False, True])
def test_at_every_step_of_naming(tmp_path, force):
    """Files that belong together get their names together, or keep those of old ones."""
    old = dict.fromkeys("abc", "old") if force else {}

    def act(name, number, action, place):
        calls, written = faults.inject(name, number, action), False
        try:
            with Staging(force=force) as staging:
                for one in "abc":
                    staging.add(place / one, b"new")
                with uninterrupted():
                    staging.commit()
                    written = True
        except KeyboardInterrupt:
            os._exit(0 if written else 130)
        os._exit(0 if calls[0] >= number else 77)

    seen = set()
    for name, action in itertools.product(CALLS, (signal.SIGINT, signal.SIGTERM)):
        for number in itertools.count(1):
            place = tmp_path / f"{name}-{action}-{number}"
            place.mkdir()
            for one in old:
                (place / one).write_text("old")

            def child(name=name, number=number, action=action, place=place):
                signal.signal(signal.SIGTERM, signal.default_int_handler)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                act(name, number, action, place)

            code = faults.ended(faults.in_child(child))
            if code == 77:
                break
            seen.add(code)
            expected = old if code == 130 else dict.fromkeys("abc", "new")
            assert (code, names_in(place)) == (code, expected), (name, action, number)
    assert seen == {0, 130}


def packed(table, out, arrange):
    """Pack a table in a child, and return its exit code; `arrange` is called as packing begins."""

    def child():
        real = Result.pack

        def pack(*given, **named):
            arrange()
            return real(*given, **named)

        Result.pack = pack
        run_main("anonymize", table, "-k", 3, "--quasi", "a,b", "--method", "mdav", "--pack", out)

    return faults.ended(faults.in_child(child))


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table, all that its release takes loaded, and a folder for packs."""
    monkeypatch.setenv("SHOAL_CHARTS", "off")
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{i},{i * i % 17}\n" for i in range(60)))
    (tmp_path / "out").mkdir()
    shoal.anonymize(path, k=3, method="mdav").pack(tmp_path / "first")
    return path


def is_whole(folder, code):
    """Tell whether a folder holds a whole pack, and the code says so, or nothing."""
    found = names_in(folder)
    return (code, found) in [(130, {}), (0, {"p": PACKED, "p.private": PRIVATE})]


def test_at_random_moments_of_a_pack(table, thorough):
    """Also in the first 20 ms, and while DuckDB reads back, which turns interrupts into errors."""
    out, rng = table.parent / "out", random.Random(0)
    begin = time.perf_counter()
    shoal.anonymize(table, k=3, method="mdav").pack(table.parent / "second")
    lasts, codes = time.perf_counter() - begin, set()
    for trial in range(40 if thorough else 8):
        number = (signal.SIGINT, signal.SIGTERM)[trial % 2]
        delay = rng.uniform(0, 0.02) if trial % 4 < 2 else rng.uniform(0, lasts)

        def arrange(delay=delay, number=number):
            timer = threading.Timer(delay, os.kill, (os.getpid(), number))
            timer.daemon = True
            timer.start()

        place = out / str(trial)
        place.mkdir()
        code = packed(table, place / "p", arrange)
        assert is_whole(place, code), (trial, delay, code, names_in(place))
        codes.add(code)
    assert 130 in codes


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_at_every_step_of_a_pack(table, name):
    """A signal at each call of the system while a pack is written."""
    out = table.parent / "out"
    for number in itertools.count(1):
        count = out / f"count-{number}"

        def arrange(number=number, count=count):
            calls = faults.inject(name, number, signal.SIGTERM)
            real = Staging.__exit__

            def leave(self, *error):
                real(self, *error)
                if calls[0] >= number:
                    count.touch()

            Staging.__exit__ = leave

        place = out / str(number)
        place.mkdir()
        code = packed(table, place / "p", arrange)
        assert is_whole(place, code), (number, code, names_in(place))
        if not count.exists() or number >= 12:
            break

"""A large run that is killed: no file that does not verify, and the next run goes on."""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as library
from faults import ended, in_child
from shoal.pipeline.regions.budget import Budget
from shoal.pipeline.regions.request import FileRequest
from shoal.pipeline.regions.run import release_file
from shoal.pipeline.regions.solve import Once
from shoal.release.targets import Targets
from shoal.settings import build
from thorough import spread

QUASI = ["a", "b", "c"]
K = 5
TREE = {"roles": {"quasi_identifiers": QUASI, "other": ["s"]}, "protect": {"k": K}}


def release(source, output, last):
    """Release a file, say how far it is, and kill this process after so many looks."""
    calls = []
    before = Once.__call__

    def noted(self, task):
        is_new = self.work.read(self.name.format(task)) is None  # not done by an earlier run
        result = before(self, task)
        if is_new and self.name.startswith("grouped"):
            print(self.name.format(task).replace("-", " "), flush=True)
        return result

    Once.__call__ = noted

    def look(progress):
        if progress.done not in (0, progress.total):  # of these, the clock says how many there are
            return
        calls.append(progress.stage)
        print("at", progress.stage, flush=True)
        if len(calls) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    request = FileRequest(Targets.of(str(output)), force=True, with_page=False)
    print("begin", flush=True)
    release_file(source, build(TREE), Budget(800), request, look)
    print("calls", len(calls), flush=True)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A Parquet file of a few thousand records."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("in") / "in.parquet"
    table = {name: rng.normal(size=2400) for name in QUASI}
    pq.write_table(pa.table({**table, "s": rng.integers(0, 9, 2400)}), path)
    return path


def child(source, output, last=-1):
    """Start a run in a fork, which kills itself after so many looks; its number and its words."""
    words = tempfile.TemporaryFile("w+")  # noqa: SIM115 - `told` closes it

    def act():
        sys.stdout = words
        try:
            release(source, output, last)
        except BaseException:
            traceback.print_exc(file=words)
            raise

    return in_child(act), words


def told(process):
    """What a run said of itself, line by line, and how it ended."""
    number, words = process
    code = ended(number)
    with words:
        words.seek(0)
        return words.read().splitlines(), code


def classes(path):
    """The released classes and what is kept beside them, whatever the order of the rows."""
    return Counter(tuple(row.values()) for row in pq.read_table(path).to_pylist())


@pytest.fixture(scope="module")
def whole(source, tmp_path_factory):
    """The classes of a run that nobody killed, how often it looked, and its groupings."""
    output = tmp_path_factory.mktemp("whole") / "out.parquet"
    lines, code = told(child(source, output))
    assert code == 0, lines
    grouped = {line for line in lines if line.startswith("grouped")}
    return classes(output), int(lines[-1].split()[1]), grouped


def check_after_kill(output):
    """After a kill, the final name holds nothing, or a release that verifies."""
    if output.exists():
        assert library.verify(output, k=K, quasi_identifiers=QUASI).ok
    for folder in output.parent.glob(".*.shoal-work"):
        for path in (folder, *folder.rglob("*")):
            assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)


def check_rerun(source, output, whole, before):
    """The next run ends well, with the same classes, and repeats no grouping that was done."""
    lines, code = told(child(source, output))
    assert code == 0, lines
    assert classes(output) == whole[0]
    assert library.verify(output, k=K, quasi_identifiers=QUASI).ok
    assert list(output.parent.glob(".*")) == []
    done = {line for line in before if line.startswith("grouped")}
    again = [line for line in lines if line.startswith("grouped")]
    if done and len(again) < len(whole[2]):
        assert not done & set(again)
    return lines


@pytest.mark.parametrize("share", spread([0.3, 0.6, 0.9], 1))
def test_a_killed_run_goes_on(source, tmp_path, whole, share):
    """A run that is killed on its way is finished by the next one, from what was done."""
    output = tmp_path / "out.parquet"
    lines, code = told(child(source, output, int(share * whole[1])))
    assert code == -signal.SIGKILL
    check_after_kill(output)
    assert any(line.startswith("grouped") for line in lines)
    again = check_rerun(source, output, whole, lines)
    assert "at looking" not in again
    assert "at parting" not in again


@pytest.mark.slow
def test_twenty_random_moments(source, tmp_path, whole):
    """Killed at twenty random moments, a run leaves no file that does not verify, and goes on."""
    rng = random.Random(0)
    start = time.monotonic()
    lines, code = told(child(source, tmp_path / "first.parquet"))
    assert code == 0, lines
    takes = time.monotonic() - start
    resumed = 0
    for number in range(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        output = folder / "out.parquet"
        process = child(source, output)
        time.sleep(rng.uniform(0.2, 1.0) * takes)
        os.kill(process[0], signal.SIGKILL)
        lines, _ = told(process)
        check_after_kill(output)
        again = check_rerun(source, output, whole, lines)
        resumed += "at parting" not in again
    assert resumed >= 3

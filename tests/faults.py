"""Faults at every step of writing a release: `make faults`; a short form is release/test_faults.py.

A release is prepared once; then forked children write it while the N-th call of a system function
fails or kills them, N from 1 until nothing is left to hit. After each the judge looks at the
folder: every file must be absent, the old one, or a whole new one, and the data must verify. Then
a clean run must leave no temporary file.
"""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

import shoal
from shoal.release.targets import Targets
from shoal.report.html import document
from shoal.storage.staging import MARK

QUASI = ["x0", "x1"]
K = 3
CALLS = ("open", "fsync", "rename", "replace", "link", "unlink", "fchmod", "close")
SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)


def prepare(rows=60):
    """A result to write, and a folder to write it to."""
    document.draw = lambda specs: (
        ["<svg></svg>"] * len(specs)
    )  # the charts are not what is tried here
    return shoal.anonymize(np.random.default_rng(0).normal(size=(rows, 2)), k=K)


def in_child(act):
    """Run something in a forked child and return how it ended."""
    signals = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
    else:
        code = 1
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            act()
            code = 0
        except shoal.ShoalError:
            code = 2
        except BaseException:
            code = 1
        finally:
            os._exit(code)
    return child


def ended(child):
    """How a child ended: its exit code, or minus the signal."""
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def inject(name, number, action):
    """Make the number-th call of os.<name> fail or kill; return a counter of the calls."""
    real, calls = getattr(os, name), [0]

    def call(*arguments, **options):
        calls[0] += 1
        if calls[0] == number:
            if action in SIGNALS:
                os.kill(os.getpid(), action)
                return real(*arguments, **options)
            raise OSError(action, os.strerror(action))
        return real(*arguments, **options)

    setattr(os, name, call)
    return calls


class Judge:
    """Looks at a folder after a fault."""

    def __init__(self, result, folder, old):
        self.result, self.folder, self.old = result, folder, old
        self.targets = Targets.in_folder(folder)
        self.private = self.targets.private

    def bad_states(self, code):
        """What must not be: a half file, an unsafe one, or success without a release."""
        found = []
        for path in (*self.folder.glob("*"), *self.private.glob("*")):
            content = path.read_bytes()
            if self.old and content == b"old":
                continue
            if path.name.endswith(MARK):
                continue
            if path == self.targets.release:
                if not shoal.verify(path, k=K, quasi_identifiers=QUASI, records=60).ok:
                    found.append("an unsafe release has its final name")
            elif not content.endswith(b"\n"):
                found.append(f"{path.name} is cut short")
        if self.old and not self.targets.release.exists():
            found.append("the old release is gone and no new one is there")
        if code == 0 and (
            not self.targets.release.exists() or self.targets.release.read_bytes() == b"old"
        ):
            found.append("success is said and nothing was written")
        if code == 2 and self.targets.release.exists():
            released = self.targets.release.read_bytes()
            if released != b"old":
                found.append("an error is said and a release was written")
        for path in self.temporary():
            if path.stat().st_mode & 0o077 and path.read_bytes() != b"old":
                found.append("others can read a temporary file")
        if self.private.exists():
            for path in (self.private, *self.private.glob("*")):
                if path.stat().st_mode & 0o077 and (path.is_dir() or path.read_bytes() != b"old"):
                    found.append("others can read what is private")
        self.result.save(self.folder, force=True)
        if self.temporary():
            found.append("a temporary file is left after the next run")
        return found

    def temporary(self):
        """Temporary files beside the release and in its private folder."""
        return [path for place in (self.folder, self.private) for path in place.glob(f".*{MARK}")]


def fresh(folder, old):
    """An empty folder, or one with old files in it."""
    private = folder.with_name(f"{folder.name}.private")
    for place in (folder, private):
        shutil.rmtree(place, ignore_errors=True)
    folder.mkdir()
    if old:
        private.mkdir(mode=0o700)
        for name in ("release.csv", "report.json", "report.html"):
            (folder / name).write_bytes(b"old")
        for name in ("report.json", "report.html", "run.toml", "commitment.key"):
            (private / name).write_bytes(b"old")


def try_injections(folder, limit=None):
    """Fail or kill at the N-th call of each function, N from 1 until none is left."""
    result, tried, bad = prepare(), Counter(), []
    for old in (False, True):
        for name in CALLS:
            for action in (signal.SIGKILL, *ERRORS):
                number = 0
                while number != limit:
                    number += 1
                    fresh(folder, old)

                    def act(name=name, number=number, action=action, old=old):
                        calls = inject(name, number, action)
                        result.save(folder, force=old)
                        if calls[0] < number:
                            os._exit(77)  # nothing left to hit

                    code = ended(in_child(act))
                    if code == 77:
                        break
                    tried[name] += 1
                    if code == 1:
                        bad.append(f"{name} {number} {action}: an error without words")
                    bad += [f"{name} {number} {action}: {b}"
                            for b in Judge(result, folder, old).bad_states(code)]  # fmt: skip
    return tried, bad


def try_full_disks(folder):
    """Files that may not grow beyond so many bytes."""
    result, bad, sizes = prepare(), [], [0, 1, 64, 500, 1000, 2000, 4000, 6000, 10_000]
    for old in (False, True):
        for size in sizes:
            fresh(folder, old)

            def act(size=size, old=old):
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
                result.save(folder, force=old)

            code = ended(in_child(act))
            bad += [f"{size} bytes: {b}" for b in Judge(result, folder, old).bad_states(code)]
            if code == 1:
                bad.append(f"{size} bytes: an error without words")
    return 2 * len(sizes), bad


def try_kills(folder, count):
    """Kill, interrupt or terminate at random times while a release is written."""
    result, bad, ends = prepare(), [], Counter()
    start = time.perf_counter()
    result.save(folder, force=True)
    duration = time.perf_counter() - start
    rng = random.Random(0)
    for i in range(count):
        old = bool(i % 2)
        fresh(folder, old)
        child = in_child(lambda old=old: result.save(folder, force=old))
        time.sleep(rng.uniform(0, 1.2 * duration))
        number = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)[i % 4]
        os.kill(child, number)
        code = ended(child)
        ends["killed" if code else "done"] += 1
        bad += [f"kill {i}: {b}" for b in Judge(result, folder, old).bad_states(code)]
    return ends, bad


def main(kills=400):
    """Try everything and print what was tried and what was found."""
    bad = []
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "out"
        folder.mkdir()
        tried, found = try_injections(folder)
        bad += found
        print(
            f"{sum(tried.values())} injections ({', '.join(f'{n} {c}' for n, c in tried.items())})"
        )
        sizes, found = try_full_disks(folder)
        bad += found
        print(f"{sizes} full disks")
        ends, found = try_kills(folder, kills)
        bad += found
        print(f"{kills} kills at random times ({dict(ends)})")
    print(f"{len(bad)} bad states")
    for line in bad[:20]:
        print(" ", line)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

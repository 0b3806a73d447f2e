"""The command `shoal` as forks of one process, for a script that starts it fifty times.

`python door.py SOCKET` serves; `python -I -S door.py SOCKET WORDS…` is the command: a process of
its own, with its arguments, variables, folder, streams and signals, which imports nothing of ours.
Every start of an interpreter with all of Shoal takes half a second otherwise.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import sys
from pathlib import Path

STREAMS = 0, 1, 2
# not what shows help: it reads variables when it is imported
IMPORTED = (
    "numba", "pyarrow.parquet", "pyarrow.csv", "rich.console", "rich.panel", "rich.table",
    "shoal.cli", "shoal.judge.verify", "shoal.pipeline.plan.plan", "shoal.pipeline.anonymize",
    "shoal.pipeline.inspect", "shoal.release.save",
)  # fmt: skip


def is_open(number):
    """Whether a file descriptor is open."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def ask(path, words):
    """Have a command run with the streams of this process; end as it does."""
    given = [number for number in STREAMS if is_open(number)]
    for _ in set(STREAMS) - set(given):  # so that the socket takes no place of a stream
        os.open(os.devnull, os.O_RDWR)
    door = socket.socket(socket.AF_UNIX)
    os.set_inheritable(door.fileno(), False)
    door.connect(path)
    told = {
        "words": words,
        "environment": dict(os.environ),
        "folder": str(Path.cwd()),
        "open": given,
    }
    message = json.dumps(told).encode()
    socket.send_fds(door, [len(message).to_bytes(8, "big")], given)
    door.sendall(message)
    process = int(door.recv(20))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(process, number))
    os._exit(int(door.recv(20)))


def serve(path):
    """Fork for whoever asks, until killed; what commands need is imported before."""
    for name in IMPORTED:
        importlib.import_module(name)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        while True:
            door, _ = listening.accept()
            if os.fork() == 0:  # waits for the command, and has time for no other
                listening.close()
                os._exit(wait_for(door))
            door.close()
            reap()


def reap():
    """Let go of forks that have ended."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                return
        except ChildProcessError:
            return


def wait_for(door):
    """Fork a command, tell its process and then its exit code."""
    length, streams, *_ = socket.recv_fds(door, 8, len(STREAMS))
    message = b""
    while len(message) < int.from_bytes(length, "big"):
        message += door.recv(2**16)
    process = os.fork()
    if process == 0:
        door.close()
        become(json.loads(message), streams)
    for number in streams:
        os.close(number)
    door.sendall(str(process).encode())
    _, status = os.waitpid(process, 0)
    door.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    return 0


def become(told, streams):
    """Be the command: take its streams, variables and folder, and run it."""
    for number in STREAMS:
        os.close(number)
    for number, stream in zip(told["open"], streams, strict=True):
        os.dup2(stream, number)
        os.close(stream)
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        found = open(number, mode, closefd=False) if is_open(number) else None  # noqa: SIM115
        setattr(sys, name, found)
    os.environ.clear()
    os.environ.update(told["environment"])
    os.chdir(told["folder"])
    sys.argv = ["shoal", *told["words"]]
    from shoal.__main__ import main

    main()


if __name__ == "__main__":
    if sys.flags.no_site:
        ask(sys.argv[1], sys.argv[2:])
    serve(sys.argv[1])

"""The door of the command line: an act becomes words, and `main` runs them in this process.

The process is one that was forked for this case; file descriptors are the real ones.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goldens import asked, files
from goldens.tables import hand_over
from goldens.telling import chart_of, hash_of, told, without_places
from goldens.zygote import LINES, write_lines

Act = Mapping[str, Any]
VERBS = {
    "verify_series": ["verify"], "check_pack": ["certificate", "check"], "preview": ["anonymize"],
    "ledger_add": ["ledger", "add"], "ledger_forget": ["ledger", "forget"],
    "ledger_withdraw": ["ledger", "withdraw"], "ledger_check": ["ledger", "check"],
    "hierarchy_build": ["hierarchy", "build"], "hierarchy_check": ["hierarchy", "check"],
    "hierarchy_show": ["hierarchy", "show"], "certificate_sign": ["certificate", "sign"],
    "certificate_key": ["certificate", "key"], "certificate_schema": ["certificate", "schema"],
    "command": [],
}  # fmt: skip


WRITES = "anonymize", "refine", "stream"
PATIENCE = 60.0  # seconds until a command must have said what is awaited


def carry_out(act: Act) -> dict[str, Any]:
    """Return the exit code of a command, what it said, and what its files hold."""
    if act["do"] in WRITES:
        act = {"to": _unused("out"), **act}
    words = [*VERBS.get(act["do"], [act["do"]]), *_operands(act), *asked.for_command(act)]
    words += [str(word) for word in act.get("words", ())]
    if pack := act.get("result", {}).get("pack"):
        act = {**act, "to": f"{pack.rstrip('/')}/"}
        words += [f"--pack={pack}"]
        words += [f"--{name}={value}" for name, value in act.get("also_saved", {}).items()]
    elif "to" in act:
        words += ["-o", act["to"]]
    code, out, err = _run(words, act)
    found: dict[str, Any] = {"exit": code}
    if code:
        found["error"] = _error(err)
    found |= _said(act, out, err)
    if act["do"] == "plot" and code == 0:
        found["chart drawn"] = _drawn(Path(act["to"]))
    elif "to" in act and code in (0, 3):
        found |= files.told_of(act["to"])
    found |= files.looked_at(act.get("look", []))
    return found


def _drawn(path: Path) -> Any:
    """Return hashes of a chart's spec, or how a picture of it begins."""
    if path.suffix == ".json":
        return chart_of(json.loads(path.read_text("utf-8")))
    return path.read_bytes()[:5].decode("latin-1")


def _unused(name: str) -> str:
    """Return the name of a folder that no earlier act has written."""
    later = (f"{name}{number or ''}" for number in itertools.count())
    return f"{next(folder for folder in later if not Path(folder).exists())}/"


def _operands(act: Act) -> list[str]:
    given = []
    if "stdin" in act:
        given.append("-")
    elif "table" in act:
        given.append(hand_over(act["table"], act.get("as", "csv"), Path()))
        if act["do"] == "stream":
            given = [files.folder_of(given[0])]
    return [*given, *(str(one) for one in act.get("operands", ()))]


def _said(act: Act, out: str, err: str) -> dict[str, Any]:
    """Return what stdout holds: figures where it is JSON, lines where they are asked for."""
    wanted = act.get("hold", ())
    found: dict[str, Any] = {}
    if out.lstrip().startswith(("{", "[")):
        try:
            found |= told(json.loads(out))
        except ValueError:  # a line of JSON for each record, or batch
            found |= told({"lines": [json.loads(line) for line in out.splitlines()]})
    elif "stdout" in wanted:
        found["stdout"] = _lines(out)
    elif out:
        found["stdout"] = hash_of(_lines(out)) if "hash of stdout" in wanted else "some"
    if "stderr" in wanted:
        found["stderr"] = _lines(err)
    return found


def _lines(text: str) -> list[str]:
    return [
        line.rstrip() for line in without_places(text, str(Path.cwd())).splitlines() if line.strip()
    ]


def _error(err: str) -> str:
    """Return the sentence of an error: the last line of stderr that names the program."""
    said = [line for line in _lines(err) if re.match(r"shoal: |.*rror: ", line)] or _lines(err)[-1:]
    return said[-1] if said else ""


def _run(words: list[str], act: Act) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr of a command, which runs in a fork."""
    names = "../.stdin", "../.stdout", "../.stderr"
    Path(names[0]).write_bytes(_stdin(act))
    child = os.fork()
    if child == 0:
        os._exit(_in_child([str(word) for word in words], names))
    if "until" in act:
        _interrupt(child, Path(names[2]), act["until"])
    _, status = os.waitpid(child, 0)
    _, out, err = (Path(name).read_text("utf-8", errors="replace") for name in names)
    for name in names:
        Path(name).unlink()
    return os.waitstatus_to_exitcode(status), out, err


def _interrupt(child: int, said: Path, wanted: str) -> None:
    """Interrupt a command as soon as it has said something on stderr, as a person does."""
    end = time.monotonic() + PATIENCE
    while not (said.exists() and wanted in said.read_text("utf-8")) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.3)  # it has said it, and goes on to wait
    os.kill(child, signal.SIGINT)


def _in_child(words: list[str], names: tuple[str, ...]) -> int:
    """Run a command on real file descriptors, where it does not end the process itself."""
    from shoal.__main__ import main

    for number, name in enumerate(names):
        handle = os.open(
            name, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        )
        os.dup2(handle, number)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False)
        for number in range(3)
    )
    sys.argv = ["shoal", *words]
    try:
        main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        if LINES in os.environ:
            write_lines()
    return 0


def _stdin(act: Act) -> bytes:
    if "stdin" not in act:
        return b""
    name = hand_over(act["table"], act["stdin"], Path())
    return Path(name).read_bytes()

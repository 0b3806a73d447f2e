"""Many cases in several processes: each writes a line a case, so that a death is a finding too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.cases import Case, Finding
from fuzz.doors import load_all
from fuzz.drawing import draw
from fuzz.running import Outcome, run
from fuzz.shrinking import shrink

HERE = Path(__file__).parent.parent


@dataclass
class Tally:
    """What a campaign came to."""

    door: str
    cases: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0


def work(door: str, first: int, end: int, step: int, log: Path, small: bool = True) -> None:
    """Run every step-th case from first on; append to a log what became of each."""
    if door == "cli":
        load_all()
    with log.open("a", encoding="utf-8") as out, desk_for(door, log) as desk:
        for seed in range(first, end, step):
            out.write(json.dumps({"begun": seed}) + "\n")
            out.flush()
            case = draw(seed, door)
            try:
                outcome = run(case, desk)
            except Exception as error:
                outcome = Outcome("fuzzer", repr(error), [unexpected(case, error)])
            told = {"seed": seed, "ended": outcome.ended, "said": outcome.said[:300]}
            told["findings"] = [_told(finding, desk, small) for finding in outcome.findings[:5]]
            out.write(json.dumps(told) + "\n")
            out.flush()


def unexpected(case: Case, error: Exception) -> Finding:
    """Return the finding that the fuzzer itself, or the time, has failed."""
    import traceback

    trace = traceback.format_exc().strip().splitlines()
    kind = "slow" if type(error).__name__ == "TooSlow" else "fuzzer"
    return Finding(kind, repr(error)[:200], case, " | ".join(line.strip() for line in trace[-6:]))


def desk_for(door: str, log: Path) -> Any:
    """Return the desk that cases of that door speak to; none for the others."""
    import contextlib

    if door != "desk":
        return contextlib.nullcontext()
    from desks import Server

    return Server(log.with_suffix(".desk"))


def _told(finding: Finding, desk: Any, small: bool) -> dict[str, Any]:
    case = finding.case
    if small and case.door == "python":
        case = shrink(case, lambda one: _same(one, finding, desk))
    return {"oracle": finding.oracle, "what": finding.what, "trace": finding.trace,
            "case": case.to_json()}  # fmt: skip


def _same(case: Case, finding: Finding, desk: Any) -> bool:
    try:
        return any(found.key == finding.key for found in run(case, desk).findings)
    except Exception:
        return finding.oracle in ("fuzzer", "slow")


def campaign(door: str, cases: int, seed: int, processes: int, folder: Path) -> Tally:
    """Run cases in processes that are started again after the one they died of."""
    folder.mkdir(parents=True, exist_ok=True)
    tally, begun = Tally(door), time.monotonic()
    logs = [folder / f"{door}-{number}.jsonl" for number in range(processes)]
    for log in logs:
        log.unlink(missing_ok=True)
    running = {
        n: _start(door, seed + n, seed + cases, processes, log) for n, log in enumerate(logs)
    }
    while running:
        time.sleep(0.5)
        for number, process in list(running.items()):
            if process.poll() is None:
                continue
            del running[number]
            last = _last_begun(logs[number])
            if process.returncode != 0 and last is not None:
                tally.findings.append(
                    {"oracle": "died", "what": f"the process ended with {process.returncode}",
                     "trace": "", "case": draw(last, door).to_json()}
                )  # fmt: skip
                running[number] = _start(
                    door, last + processes, seed + cases, processes, logs[number]
                )
    for log in logs:
        _count(log, tally)
    tally.seconds = time.monotonic() - begun
    return tally


def _start(door: str, first: int, end: int, step: int, log: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "fuzz", "work", door, str(first), str(end), str(step), str(log)]
    return subprocess.Popen(words, cwd=HERE, env={**os.environ, "PYTHONHASHSEED": "0"})


def _last_begun(log: Path) -> int | None:
    """Return the case that a process was at when it ended, None if it had finished it."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    last = json.loads(lines[-1]) if lines else {}
    return last.get("begun")


def _count(log: Path, tally: Tally) -> None:
    import re

    for line in log.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        if "ended" not in told:
            continue
        tally.cases += 1
        tally.ended[told["ended"]] += 1
        tally.findings += told["findings"]
        if told["ended"] != "released":
            said = re.sub(r"'[^']*'", "'…'", told["said"].removeprefix("shoal: "))
            said = re.sub(r"^.*?table\.(csv\.gz|csv|parquet)|^the dataframe", "the table", said)
            tally.refused[(told["ended"], re.sub(r"[-+]?\d[\d.,]*", "N", said)[:90])] += 1

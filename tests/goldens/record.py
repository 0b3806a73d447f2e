"""What came out when cases were recorded: read, compared, and recorded anew.

`python tests/goldens/record.py` (or `make goldens`) carries every case out again, prints which
changed, door by door, and writes the records. What has changed since a case was first recorded
needs a reason in CHANGES.md; the lines to be filled in are added there.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import math
import os
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import Empty, Queue
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[1]))

from goldens.cases import HERE, Case, all_cases
from goldens.tables import NotHereError
from goldens.zygote import Zygote

RECORDS = HERE / "records"
FIRST = RECORDS / "first.json"  # what each case was when it was recorded for the first time
CHANGES = HERE / "CHANGES.md"
WIDTH = 110
UNSAID = "say why it is better"

Found = list[dict[str, Any]]  # what each act of a case brought
Record = dict[str, Found]  # by door


@cache
def records_of(area: str) -> dict[str, Record]:
    """Return the records of an area, by case."""
    path = RECORDS / f"{area}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def digest_of(record: Record) -> str:
    """Return what names a record in the list of changes."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:8]


def differences(recorded: Found, found: Found) -> list[str]:
    """Return what is not as it was recorded; numbers may differ by 1e-9 of themselves."""
    if len(recorded) != len(found):
        return [f"{len(recorded)} acts were recorded, and there are {len(found)}"]
    told = []
    for number, (old, new) in enumerate(zip(recorded, found, strict=True)):
        act = f"act {number + 1}: " if len(found) > 1 else ""
        for name in [*old, *(name for name in new if name not in old)]:
            was, now = old.get(name, "nothing"), new.get(name, "nothing")
            if not _same(was, now):
                told.append(f"{act}{name} was {_shown(was)} and is {_shown(now)}")
    return told


def _same(was: Any, now: Any) -> bool:
    if isinstance(was, list) and isinstance(now, list):
        return len(was) == len(now) and all(map(_same, was, now))
    if isinstance(was, float) and isinstance(now, float | int) and not isinstance(now, bool):
        return math.isclose(was, now, rel_tol=1e-9, abs_tol=1e-12)
    return type(was) is type(now) and was == now


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 400 else f"{text[:400]}…"


def rounded(value: Any) -> Any:
    """Return what is written of a value: twelve digits of a number."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return {name: rounded(one) for name, one in value.items()} if isinstance(value, dict) else value


def written(records: dict[str, Record]) -> str:
    """Return records as JSON that a person reads: cases and doors on lines of their own."""
    lines = []
    for case, record in sorted(records.items()):
        doors = []
        for door, acts in record.items():
            parts = ",\n".join(f"   {{{_packed(act)}}}" for act in acts)
            doors.append(f"  {json.dumps(door)}: [\n{parts}\n  ]")
        lines.append(f" {json.dumps(case)}: {{\n" + ",\n".join(doors) + "\n }")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _packed(act: dict[str, Any]) -> str:
    said = [
        f"{json.dumps(k, ensure_ascii=False)}: {json.dumps(v, ensure_ascii=False)}"
        for k, v in act.items()
    ]
    lines = [""]
    for number, one in enumerate(said):
        more = one + ("," if number + 1 < len(said) else "")
        if lines[-1] and len(lines[-1]) + len(more) > WIDTH:
            lines.append("")
        lines[-1] += f" {more}" if lines[-1] else more
    return "\n    ".join(lines)


def explained() -> dict[str, tuple[str, str]]:
    """Return what CHANGES.md says: case -> digest of its record (or `gone`), and the reason."""
    found = {}
    for line in CHANGES.read_text("utf-8").splitlines():
        if match := re.fullmatch(r"- (.+?): ((?:`[^`]+` \w+(?:, |$))+)", line):
            for case, digest in re.findall(r"`([^`]+)` (\w+)", match[2]):
                found[case] = digest, match[1]
    return found


def unexplained() -> Iterator[tuple[str, str]]:
    """Yield the cases that have changed since they were first recorded, and are not in CHANGES.md.

    Yield as well what that list says of records that are not so: case, and what is wrong.
    """
    said = explained()
    now = {case: digest_of(record) for case, record in _everything().items()}
    first = json.loads(FIRST.read_text("utf-8"))
    for case, digest in first.items():
        is_now = now.get(case, "gone")
        if is_now != digest and said.get(case, ("",))[0] != is_now:
            yield case, f"is {is_now}, was {digest} at first, and no line of CHANGES.md says why"
    for case, (digest, reason) in said.items():
        if now.get(case, "gone") != digest:
            yield case, f"is {now.get(case, 'gone')}, and CHANGES.md explains {digest}"
        elif first.get(case) in (None, digest):
            yield case, "is as it was at first, and CHANGES.md says that it has changed"
        if not reason.strip() or reason == UNSAID:
            yield case, "has a line in CHANGES.md that gives no reason"
    for case in now.keys() - first.keys():
        yield case, "is not among the first records: make goldens adds it"


def _everything() -> dict[str, Record]:
    return {
        c: r
        for path in RECORDS.glob("*.json")
        if path != FIRST
        for c, r in records_of(path.stem).items()
    }


def _carried_out(cases: Sequence[Case], processes: int) -> dict[str, Record]:
    """Return the new records of cases, which processes share."""
    waiting: Queue[Case] = Queue()
    for case in sorted(cases, key=lambda case: "desk" not in case.doors):
        waiting.put(case)
    found: dict[str, Record] = {}

    def work() -> None:
        zygote = Zygote()
        while True:
            try:
                case = waiting.get_nowait()
            except Empty:
                break
            try:
                found[case.name] = {d: rounded(zygote.carry_out(case.name, d)) for d in case.doors}
            except NotHereError as missing:
                print(f"{case.name}: kept as it was, as there is no {missing}")
        zygote.close()

    with ThreadPoolExecutor(processes) as pool:
        for job in [pool.submit(work) for _ in range(processes)]:
            job.result()
    return found


def _print_changes(case: Case, new: Record) -> bool:
    old = records_of(case.area).get(case.name)
    if old is None:
        print(f"{case.name}: new")
        return True
    changed = False
    for door, found in new.items():
        for line in differences(old[door], found) if door in old else ["a new door"]:
            print(f"{case.name}, {door}: {line}")
            changed = True
    return changed or old.keys() != new.keys()


def main() -> None:
    """Record anew, and say what changed."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--only", default="*", help="cases whose names are like this")
    asked.add_argument("--quick", action="store_true", help="without the slow cases")
    asked.add_argument("--processes", type=int, default=os.cpu_count())
    said = asked.parse_args()
    cases = {
        name: case for name, case in all_cases().items()
        if fnmatch.fnmatch(name, said.only) and not (said.quick and case.slow)
    }  # fmt: skip
    new = _carried_out(list(cases.values()), said.processes)
    changed = [name for name in sorted(new) if _print_changes(cases[name], new[name])]
    for area in {case.area for case in all_cases().values()}:
        there = {case.name for case in all_cases().values() if case.area == area}
        kept = {name: record for name, record in records_of(area).items() if name in there}
        kept |= {name: new[name] for name in changed if name in there}
        (RECORDS / f"{area}.json").write_text(written(kept), "utf-8")
    for path in RECORDS.glob("*.json"):
        if path != FIRST and path.stem not in {case.area for case in all_cases().values()}:
            path.unlink()
    records_of.cache_clear()
    _note_changes()
    print(f"{len(new)} cases carried out, {len(changed)} new or changed")


def _note_changes() -> None:
    """Add new cases to the first records, and the lines that CHANGES.md lacks."""
    now = {case: digest_of(record) for case, record in _everything().items()}
    first = json.loads(FIRST.read_text("utf-8")) if FIRST.exists() else {}
    added = {case: digest for case, digest in now.items() if case not in first}
    FIRST.write_text(json.dumps(first | added, indent=0, sort_keys=True) + "\n", "utf-8")
    said = explained()
    lines = [
        line
        for line in CHANGES.read_text("utf-8").splitlines()
        if not line.startswith(f"- {UNSAID}")
    ]
    for case in sorted(first):
        digest = now.get(case, "gone")
        if digest != first[case] and (
            case not in said or said[case][0] != digest or said[case][1] == UNSAID
        ):
            lines.append(f"- {UNSAID}: `{case}` {digest}")
    CHANGES.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()

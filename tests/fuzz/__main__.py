"""`make fuzz`: many cases through every door, findings as JSON, and the page docs/fuzz."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="fuzz")
    verbs = parser.add_subparsers(dest="verb", required=True)
    every = verbs.add_parser("run", help="cases through every door, and the page")
    every.add_argument("--python", type=int, default=20_000)
    every.add_argument("--cli", type=int, default=1_000)
    every.add_argument("--desk", type=int, default=300)
    every.add_argument("--seed", type=int, default=0)
    every.add_argument("--processes", type=int, default=2)
    every.add_argument("--out", type=Path, default=ROOT / "out" / "fuzz")
    every.add_argument("--page", type=Path)
    again = verbs.add_parser("again", help="run the cases of findings once more")
    again.add_argument("file", type=Path)
    part = verbs.add_parser("work")
    part.add_argument("door")
    for name in ("first", "end", "step"):
        part.add_argument(name, type=int)
    part.add_argument("log", type=Path)
    asked = parser.parse_args()
    if asked.verb == "work":
        from fuzz.campaign import work

        work(asked.door, asked.first, asked.end, asked.step, asked.log)
        return 0
    from fuzz import telling

    return telling.again(asked.file) if asked.verb == "again" else telling.everything(asked)


if __name__ == "__main__":
    sys.exit(main())

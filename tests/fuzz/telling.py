"""What a campaign found: findings in a file, a summary on the terminal, figures in docs/fuzz."""

from __future__ import annotations

import json
import platform
from argparse import Namespace
from pathlib import Path

from fuzz.campaign import Tally, campaign
from fuzz.cases import Case
from fuzz.explained import explanation
from fuzz.running import run

DOORS = {
    "python": "in process, `shoal.anonymize`",
    "cli": "`shoal anonymize`, then `shoal run` of its recipe",
    "desk": "the desk's routes",
}


def everything(asked: Namespace) -> int:
    """Run all doors; write findings and the page; return 1 if something is not explained."""
    tallies = []
    for door in DOORS:
        cases = getattr(asked, door)
        if cases:
            tally = campaign(door, cases, asked.seed, asked.processes, asked.out)
            tallies.append(tally)
            print(summary(tally), flush=True)
    found = [finding for tally in tallies for finding in tally.findings]
    open_ones = [one for one in found if explanation(one) is None]
    (asked.out / "findings.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in open_ones), encoding="utf-8"
    )
    if asked.page is not None:
        write_page(asked.page, tallies, asked.seed)
    for one in open_ones:
        print(f"{one['oracle']}: {one['what']} {one['trace']}"[:200])
    print(f"{len(found)} findings, {len(open_ones)} not explained")
    return 1 if open_ones else 0


def again(file: Path) -> int:
    """Run the cases of a file of findings; tell which still fail."""
    left = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        outcome = run(Case.from_json(told["case"]))
        left += bool(outcome.findings)
        said = [f"{found.oracle}: {found.what} {found.trace}" for found in outcome.findings]
        print(told["oracle"], "->", outcome.ended, said or "no finding")
    return 1 if left else 0


def summary(tally: Tally) -> str:
    """Return a line on a door."""
    ended = ", ".join(f"{count} {what}" for what, count in tally.ended.most_common())
    return (
        f"{tally.door}: {tally.cases} cases in {tally.seconds:.0f} s: {ended}; "
        f"{len(tally.findings)} findings"
    )


def write_page(page: Path, tallies: list[Tally], seed: int) -> None:
    """Replace the figures of the page, between its two marks."""
    text = page.read_text(encoding="utf-8")
    head, _, rest = text.partition("<!-- figures -->")
    _, _, tail = rest.partition("<!-- end of figures -->")
    page.write_text(
        f"{head}<!-- figures -->\n{figures(tallies, seed)}\n<!-- end of figures -->{tail}",
        encoding="utf-8",
    )


def figures(tallies: list[Tally], seed: int) -> str:
    """Return the tables of the page."""
    lines = [
        f"Seed {seed}, Python {platform.python_version()}.", "",
        "| door | cases | released | refused | findings | explained | seconds |",
        "| --- | --: | --: | --: | --: | --: | --: |",
    ]  # fmt: skip
    for tally in tallies:
        released = tally.ended["released"]
        known = sum(explanation(one) is not None for one in tally.findings)
        refused = tally.cases - released - tally.ended["no table"]
        lines.append(
            f"| {DOORS[tally.door]} | {tally.cases:,} | {released:,} | {refused:,} | "
            f"{len(tally.findings)} | {known} | {tally.seconds:,.0f} |"
        )
    lines += ["", "Refusals by kind, the 30 most frequent of the first door; N stands for numbers:",
              "", "| cases | error | what it says |", "| --: | --- | --- |"]  # fmt: skip
    for (kind, said), count in tallies[0].refused.most_common(30) if tallies else []:
        lines.append(f"| {count:,} | {kind} | {said.replace('|', '/')} |")
    return "\n".join(lines)

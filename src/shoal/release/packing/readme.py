"""The first page of a pack, for people who were only handed the folder."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.release.report import Report
from shoal.release.verdict import verdict_text
from shoal.settings import Settings


def readme(report: Report, settings: Settings, lacks: Sequence[str]) -> str:
    """Return what lies in the folder, what it promises, and how to check it."""
    release = report.release
    covers = "\n".join(f"- {line}" for line in report.guarantee["covers"])
    left = "\n".join(f"- {line}" for line in report.guarantee["does_not_cover"])
    lacking = "\n".join(f"- {_plain(line)}" for line in lacks)
    hidden = settings.roles.household is not None
    who = "households" if hidden else "records"
    return f"""# A release that hides everybody among at least {report.k} {who}

{release["records"]:,} records, made by shoal {report.versions["shoal"]}, method {report.method}.
Verdict: {verdict_text(report.verdict, report.measures)}.

| file | what it is |
| --- | --- |
| `{release["file"]}` | the released table ({release["kind"]}; rows {release["order"]}) |
| `dictionary.csv` | its columns: what they are, what was done to them, what they hold |
| `report.html` | the report: what is promised, what was lost, which risks are left; print it |
| `report.json` | the same for machines |
| `certificate.json` | what was verified, of which files, by which versions |
| `certificate.schema.json` | the JSON schema of the certificate |
| `{release["recipe"]}` | the recipe that repeats the run, for who has the input |

## Check it

    shoal certificate check .

counts every group of the released file anew, by code that shares nothing with what made it, and
compares every file with its hash in the certificate.

## What it promises

{covers}

## What it does not promise

{left}

## The recipe

`shoal run {release["recipe"]} --input FILE -o again/` makes the same groups again. It lacks, so
that nothing of the input is told:

{lacking}
"""


def _plain(text: str) -> str:
    """Return a line without signs that would be markup or break it."""
    kept = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    for sign in "\\`*_[]<>|#":
        kept = kept.replace(sign, "\\" + sign)
    return kept

"""README of a pack."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.fields import verdict_text
from shoal.report.report import Report
from shoal.settings import Settings


def readme(report: Report, settings: Settings, lacks: Sequence[str]) -> str:
    """Return the README: contents, guarantee, and how to check them."""
    release = report.release
    covers = "\n".join(f"- {line}" for line in report.guarantee["covers"])
    left = "\n".join(f"- {line}" for line in report.guarantee["does_not_cover"])
    lacking = "\n".join(f"- {_plain(line)}" for line in lacks)
    roles = settings.roles
    units = "households" if roles.household else "people" if roles.person else "records"
    return f"""# A release that hides everybody among at least {report.k} {units}

{release["records"]:,} records, made by shoal {report.versions["shoal"]}, {report.made_by()}.
Verdict: {verdict_text(report.verdict, report.measures)}.

| file | what it is |
| --- | --- |
| `{release["file"]}` | the released table ({release["kind"]}; rows {release["order"]}) |
| `dictionary.csv` | its columns: what they are, what was done to them, what they hold |
| `report.html` | the report: what is promised, what was lost, which risks are left; print it |
| `report.json` | the same for machines |
| `certificate.json` | what was verified, of which files, by which versions |
| `certificate.sig` | its signature (Ed25519), where it was signed |
| `certificate.schema.json` | the JSON schema of the certificate |
| `{release["recipe"]}` | the recipe: what was asked for, without what only the steward may know |

## Check it

    shoal certificate check .

counts every group of the released file anew, by code that shares nothing with what made it, and
compares every file with its hash in the certificate, and the certificate with what they say. With
`--key PUBLIC.pem` the signature is verified: without one anyone could have written all of this.
Who has the original and the private folder proves with `--original FILE --private FOLDER` that the
release was made of it.

## What it promises

{covers}

{_series(report)}## What it does not promise

{left}

## The recipe

It says what was asked for and how groups were found. The recipe that repeats the run is in the
private folder of whoever made it. This one lacks, so that nothing of the input is told:

{lacking}
"""


def _series(report: Report) -> str:
    """Return what is promised over a series of releases; nothing for a release that is alone."""
    promises = report.series.get("promises", [])
    if not promises:
        return ""
    lines = "\n".join(f"- {_plain(line)}" for line in promises)
    return f"Over the series of releases that it is one of:\n\n{lines}\n\n"


def _plain(text: str) -> str:
    """Return a line without signs that would be markup or break it."""
    kept = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    for sign in "\\`*_[]<>|#":
        kept = kept.replace(sign, "\\" + sign)
    return kept

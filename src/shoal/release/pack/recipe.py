"""The published recipe, without private files and values, and the README of a pack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.release.commitments import Commitments
from shoal.report.fields import verdict_text
from shoal.report.report import Report
from shoal.settings import COMMITTED, Settings
from shoal.settings.release import SeriesSettings
from shoal.table.hierarchy.specify import is_file
from shoal.table.spelling import form_of
from shoal.table.steps.recode import hides_values
from shoal.table.steps.sequence import are_random
from shoal.table.table import Table


def public_recipe(
    settings: Settings, released: Table, keep: bool, commitments: Commitments
) -> Settings:
    """Return the recipe with commitments for files and for values that the release does not show.

    Under a ledger everybody has one record, and what is promised over the series stands in the
    report: the recipe is that of the release alone. The seed and how long a search went are left
    out: whoever knows both, and guesses the input, could compare releases.
    """
    options = settings.input
    trees = {
        name: COMMITTED + commitments.of_file("hierarchy", options.hierarchies_sha256[name], name)
        if is_file(tree)
        else tree
        for name, tree in settings.hierarchies.items()
    }
    ordinal = {
        name: released[name].order or ()
        for name in settings.roles.sensitive
        if released[name].is_ordinal
    }
    orders = {}
    for name, order in {**ordinal, **settings.orders}.items():
        shown = name in released.names and set(order) <= shown_values(released, name)
        committed = (COMMITTED + commitments.of_values("order", order, name),)
        orders[name] = tuple(order) if shown else committed
    published = {form_of(cell) for cell in ("", *shown_cells(released, released.names))}
    missing = tuple(
        token
        if form_of(token) in published
        else COMMITTED + commitments.of_values("missing", [token])
        for token in options.missing
    )
    return settings.replace(
        input={
            "path": None,
            "sha256": None,
            "commitment": commitments.of_file("input", options.sha256) if options.sha256 else None,
            "missing": missing,
            "hierarchies": None,
            "hierarchies_sha256": {},
        },
        protect={"seed": 0, "max_iterations": None, "time_limit": None, "runs": None},
        release={"keep_order": keep, "output": None},
        roles={"person": None if settings.series.ledger else settings.roles.person},
        series=SeriesSettings().model_dump(),
    ).model_copy(
        update={
            "orders": orders, "hierarchies": trees, "search": {}, "secret": None,
            "steps": tuple(step.published() for step in settings.steps),
        }
    )  # fmt: skip


def lacks(recipe: Settings) -> list[str]:
    """Return what a published recipe lacks to repeat the run, from itself."""
    lacking = ["the input, which is named by a commitment", "the seed and the length of a search"]
    if are_random(recipe.steps):
        lacking.append("the secret of noise, swaps and draws")
    hidden = [step.changes[0] for step in recipe.steps if hides_values(step)]
    lacking += [f"the values that a step recodes in {name}" for name in hidden]
    lacking += [
        f"the hierarchy of {name}, which is named by a commitment"
        for name, tree in recipe.hierarchies.items()
        if tree.startswith(COMMITTED)
    ]
    lacking += [
        f"the order of {name}, which is named by a commitment"
        for name, order in recipe.orders.items()
        if is_committed(order)
    ]
    if any(token.startswith(COMMITTED) for token in recipe.input.missing):
        lacking.append("what stands for missing cells, which is named by a commitment")
    return lacking


def is_committed(order: tuple[str, ...]) -> bool:
    """Tell whether a commitment stands for an order."""
    return bool(order) and order[0].startswith(COMMITTED)


def shown_cells(released: Table, names: Iterable[str]) -> set[str]:
    """Return the texts that cells of columns which are released as they are hold, of csv files."""
    kept = [released[name].cells for name in names if not released[name].protected]
    return {str(cell) for cells in kept if cells is not None for cell in cells.unique().to_pylist()}


def shown_values(released: Table, name: str) -> set[str]:
    """Return the values of a released column as texts."""
    return {str(value) for value in released[name].values.unique().to_pylist()}


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

"""Commands that repeat a run and check its file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.judge.models.requirement import OF_COLUMNS
from shoal.report.html.frame import escape
from shoal.settings import joined_key
from shoal.table.roles import Role

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields

IN_MEMORY = ("dataframe", "array")


def repeat(report: ReportFields) -> str:
    """Return the commands that repeat and check a release, and what identifies it."""
    again = "Whoever made it repeats it from the recipe in its private folder."
    if "commitment" not in report.input or "recipe" in report.release:
        recipe = str(report.release.get("recipe", "run.toml"))
        is_known = report.input["kind"] not in IN_MEMORY and "commitment" not in report.input
        words = ["shoal", "run", recipe, *([] if is_known else ["--input", "FILE"]), "-o", "again/"]
        same = "the same groups" if "sha256" in report.input else "groups by the same method"
        again = f"<code>{escape(shlex.join(words))}</code> gives {same} in fresh row order."
    known: Mapping[str, Any] = report.input
    facts = {
        **{f"input, {what}": known[what] for what in ("sha256", "commitment") if known.get(what)},
        "release, sha256": report.release.get("sha256", "not written to a file"),
        "rows of the release": report.release.get("order", "as in the input"),
        "release, read back by": report.release.get("read_back_by", "the judge, in memory"),
        **_held(report),
        **({} if report.seed is None else {"seed": str(report.seed)}),
        **report.versions,
    }
    rows = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items())
    title = "How to check it" if report.is_public else "How to repeat it"
    return (
        f"<h2>{title}</h2>\n<p>{again} Check the file yourself with "
        f"<code>{_verify(report)}</code></p>\n<dl>{rows}</dl>"
    )


def _held(report: ReportFields) -> dict[str, str]:
    """Return how a statistics file holds the columns."""
    held = report.release.get("held_as")
    if not held:
        return {}
    return {"columns in the file": "; ".join(f"{name}: {words}" for name, words in held.items())}


def _verify(report: ReportFields) -> str:
    words = ["shoal", "verify", str(report.release.get("file", "release.csv")), "-k", str(report.k),
             "--quasi", joined_key(column.name for column in report.columns)]  # fmt: skip
    return escape(shlex.join([*words, *_requirement_options(report)]))


def _requirement_options(report: ReportFields) -> list[str]:
    """Return the options of `shoal verify` for what was asked beyond k."""
    requirement = report.asked
    words = []
    if any(what in requirement for what in (*OF_COLUMNS, "l_of")):
        words += ["--sensitive", joined_key(report.roles[Role.SENSITIVE])]
    for what in OF_COLUMNS:
        threshold = requirement.get(what)
        pairs = [f"{n}={x:g}" for n, x in threshold.items()] if isinstance(threshold, dict) else []
        if threshold is not None and not isinstance(threshold, dict):
            pairs = [f"{threshold:g}"]
        for pair in pairs:
            words += [f"--{what}", pair]
    if "l_kind" in requirement:
        words += ["--l-kind", requirement["l_kind"]]
    if "c" in requirement:
        words += ["--c", f"{requirement['c']:g}"]
    if "beta_kind" in requirement:
        words += ["--beta-kind", requirement["beta_kind"]]
    for columns, least in requirement.get("l_of", {}).items():
        words += ["--l-of", f"{columns}={least}"]
    for columns, k in requirement.get("k_of", {}).items():
        words += ["--k-of", f"{columns}={k}"]
    return words

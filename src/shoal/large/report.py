"""The report of all regions, from their sums; what only whole tables show, from a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.large.figures import column_report, correlations, costs
from shoal.large.release import MEASURED, Made, Releasing
from shoal.large.shuffle import gather
from shoal.measures.loss import percent
from shoal.measuring import measure_release
from shoal.plan.notes import (
    column_notes,
    ended_early,
    kept_notes,
    people_notes,
    unnamed_notes,
)
from shoal.release.compare import (
    averaged,
    overall,
    said_of_equals,
    shows_records,
    versions,
    ways_said,
)
from shoal.release.counts import missing_said
from shoal.release.promises import guarantee
from shoal.release.public.cells import Span
from shoal.release.public.columns import Key, of_columns
from shoal.release.public.figures import nested, of_tables
from shoal.release.public.rounding import Stable
from shoal.release.report import SCHEMA, ColumnReport, Report
from shoal.release.rounded import is_constant
from shoal.settings import Settings
from shoal.solving import ILOSS, SSE
from shoal.table.roles import Role


def report_of(
    releasing: Releasing, made: Made, verification: dict[str, Any], seconds: float
) -> Report:
    """Return the report of all regions."""
    asked, sums, k = releasing.asked, made.sums, releasing.solver.k
    quasi = asked.table.having(Role.QUASI_IDENTIFIER)
    trees = {} if releasing.known is None else {c.name: c for c in releasing.known.columns}
    columns = [
        column_report(
            c, asked.how[c.name], sums["columns"][c.name], made.rows, releasing.moments.get(c.name),
            trees.get(c.name), made.figures.spans.get(c.name), k,
        )
        for c in quasi
    ]  # fmt: skip
    shown = [c for c in trees.values() if asked.how[c.name] in ("generalize", "range")]
    roles = {str(role): [c.name for c in asked.table.having(role)] for role in Role}
    dropped = asked.settings.roles.drop
    deleted = asked.survey.rows - made.rows
    equal = sums["without_spread"]
    sizes = sorted((int(size), many) for size, many in sums["sizes"].items())
    measures, compared, note = _measured(releasing, made, deleted)
    loss = _lost(releasing, made)
    constant = [c.name for c in quasi if is_constant(sums["columns"][c.name]["released"])]
    return Report(
        schema=SCHEMA,
        versions=versions(),
        method=releasing.solver.lens.method,
        k=k,
        seed=releasing.solver.seed,
        aggregate=ways_said(asked.how),
        input={
            "kind": asked.table.source.kind,
            "sha256": asked.table.source.sha256,
            "records": asked.survey.rows,
            "columns": len(asked.table.columns) + len(dropped),
        },
        release={"columns": made.released.names, "records": made.rows},
        roles={**roles, "dropped": list(dropped)},
        groups={
            "count": sums["groups"],
            "smallest": sizes[0][0],
            "largest": sizes[-1][0],
            "without_spread": equal,
            "sizes": {str(size): many for size, many in sizes},
        },
        verification=verification,
        information_loss=loss,
        information_loss_released=overall(
            [column.information_loss or 0.0 for column in columns],
            _varied(columns, sums, made.rows) if averaged(asked.how) else None,
            made.rows,
            deleted,
        ),
        loss_name=ILOSS if asked.plan.by_hierarchies else SSE[False],
        columns=columns,
        correlations=correlations(made.figures.numbers(made.released), sums, made.rows),
        guarantee=guarantee(
            k=k,
            smallest=int(verification["k"]),
            values=any(c.by_range or c.rule.shows_values for c in shown),
            records=shows_records(quasi, asked.how),
            asked=asked.settings.requirement,
            sensitive=roles[Role.SENSITIVE],
        ),
        notes=[
            *column_notes(
                asked.plan, asked.survey, [column.rule for column in trees.values()]
            ),
            *people_notes(asked.table, asked.settings, asked.survey),
            *asked.survey.said_of_repeats(asked.table.having(Role.IDENTIFIER)),
            *kept_notes(asked.settings),
            _grouped_by(asked.settings, len(releasing.stage.regions)),
            *ended_early(),
            *_counted(verification),
            *note,
            *said_of_equals(equal),
        ],
        seconds=round(seconds, 3),
        missing=missing_said(
            cells=sum(c.missing or 0 for c in columns),
            records=sums["incomplete"],
            suppressed=sum(c.suppressed or 0 for c in columns),
            starred=sum(sums["columns"][c.name]["beside"] for c in quasi),
            nothing=sums["nothing"],
            deleted=deleted,
        ),
        costs=costs(sums, [c.name for c in shown], k, deleted).to_dict() if shown else None,
        measures=measures,
        public=nested(_public(made, deleted, k) | compared),
        public_notes=unnamed_notes(asked.plan.unnamed),
        rounded=dict(asked.settings.release.round),
        rounding_loss=overall(
            [column.rounding_loss or 0.0 for column in columns],
            _varied(columns, sums, made.rows), made.rows, 0,
        )
        if averaged(asked.how)
        else None,
        constant=constant,
        made_constant=[name for name in constant if asked.survey.varies(asked.table[name])],
    )  # fmt: skip


def _public(made: Made, deleted: int, k: int) -> dict[Key, Stable]:
    """Return the stable figures of all regions' sums."""
    spans: dict[str, Span | None] = {
        name: (low, high) for name, (low, high, _) in made.figures.spans.items()
    }
    counts = {name: one["before"] for name, one in made.sums["columns"].items() if "before" in one}
    return of_columns(made.sums["public"], spans, counts, made.figures.how, deleted, k)


def _grouped_by(settings: Settings, regions: int) -> str:
    """Say how the records were grouped."""
    engine = settings.protect.engine
    why = (
        "the file does not fit in the memory given" if engine is None else f"the engine is {engine}"
    )
    return (
        f"records were grouped in {regions} regions, whose borders were mended along other cuts: "
        f"{why}"
    )


def _counted(verification: Mapping[str, Any]) -> list[str]:
    """Say where the engine could not count the release itself."""
    told = verification.get("engine")
    if told is None or told["records"] is not None:
        return []
    return [f"{told['name']} cannot read a column of the release: our own check alone verified it"]


def _lost(releasing: Releasing, made: Made) -> float:
    """Return the loss of the groups as the method sees it, in percent."""
    sums = made.sums
    if releasing.known is not None:
        names = releasing.known.names
        return percent(sum(sums["columns"][n]["iloss"] for n in names), made.rows * len(names))
    weights = releasing.asked.settings.protect.column_weights
    total = 0.0
    for name, one in sums["columns"].items():
        if releasing.moments[name].deviation:
            total += weights.get(name, 1.0) * (one["bb"] - one["b"] ** 2 / one["kept"])
    return percent(sums["error"], total)


def _measured(
    releasing: Releasing, made: Made, deleted: int
) -> tuple[dict[str, Any], dict[Key, Stable], list[str]]:
    """Return costs and risks, measured on whole groups, and what is to be said of that."""
    work, regions = releasing.solver.work, range(len(releasing.stage.regions))
    before = releasing.solver.form.unpack(gather(work, [f"before-{r}" for r in regions], 0))
    after = made.form.unpack(gather(work, [f"after-{r}" for r in regions], 0))
    share = before.rows / made.rows
    coded = releasing.solver.lens.coded(before)
    gone = round(deleted * share)
    found = measure_release(before, after, coded, gone, releasing.solver.seed).to_dict()
    trees = {} if coded is None else {column.name: column for column in coded.columns}
    public = of_tables(before, after, trees, releasing.solver.k)
    if before.rows == made.rows:
        return found, public, []
    why = ", as many as fit in the memory that was given" if releasing.room < MEASURED else ""
    return (
        found,
        public,
        [
            f"costs and risks were measured on {before.rows:,} of the "
            f"{made.rows:,} records, in whole groups{why}; among all records a person is harder "
            "to find"
        ],
    )


def _varied(columns: list[ColumnReport], sums: Mapping[str, Any], rows: int) -> int:
    """Return how many columns vary."""
    return sum(
        (column.missing or 0) < rows and _varies(sums["columns"][column.name]) for column in columns
    )


def _varies(sums: Mapping[str, Any]) -> bool:
    return "kept" not in sums or bool(sums["bb"] - sums["b"] ** 2 / sums["kept"] > 0)

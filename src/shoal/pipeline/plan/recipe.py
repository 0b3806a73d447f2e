"""Reading the data of a request, and the recipe that repeats its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from glob import escape, has_magic
from pathlib import Path
from typing import Any

from shoal.errors import InputError, RequestError, shown
from shoal.hints import COLUMN, FILE, option
from shoal.kernels.arrays import Integers
from shoal.methods.options import check_options
from shoal.methods.problem import check_size
from shoal.methods.registry import find
from shoal.partition import SearchLog, check_labels
from shoal.pipeline.plan.aggregators import numbers_as
from shoal.pipeline.plan.plan import Plan
from shoal.settings import Settings
from shoal.settings.model import FORM
from shoal.storage.names import is_url
from shoal.table.files.many_files import digest_parts, is_many
from shoal.table.files.opening import digest_of
from shoal.table.hierarchy.specify import digests, is_file
from shoal.table.read import read_with
from shoal.table.roles import Role
from shoal.table.steps.sequence import is_left_out
from shoal.table.table import Table
from shoal.version import __version__


def read_table(
    data: Any, settings: Settings, threads: int | None = None
) -> tuple[Table, Integers | None]:
    """Read data with the settings; return the table, and the given groups, if any.

    Raises RequestError for options that do not suit the method, and for fewer than k records.
    """
    protect, options = settings.protect, settings.input
    if settings.roles.group is None and protect.method != "auto":
        check_options(find(protect.method).info, protect.start, settings.search_options())
    table = read_with(data, options.dialect, options.missing, options.types, threads)
    check_size(table.rows, protect.k, table.source.name)
    return given_groups(table, settings)


def given_groups(table: Table, settings: Settings) -> tuple[Table, Integers | None]:
    """Remove the column of given groups; return the table and the labels."""
    name = settings.roles.group
    if name is None:
        if settings.protect.refine is not None:
            raise RequestError(
                f"refine needs a group column to start from; say {option('group', COLUMN)}"
            )
        return table, None
    if settings.protect.method != "auto":
        raise RequestError("the groups come from a column: give a method or a group, not both")
    if settings.protect.start is not None:
        raise RequestError("the groups come from a column: give a start or a group, not both")
    column = table[name]
    roles = settings.roles
    named = (roles.identifiers, roles.quasi_identifiers, roles.sensitive, roles.other, roles.drop)
    if any(name in names_ for names_ in named):
        raise RequestError(f"column {shown(name)} holds the groups; it cannot have another role")
    what = f"{table.source.name}, column {shown(name)}"
    if column.missing:
        raise InputError(f"{what}: records without a group: {column.missing}")
    start = check_labels(column.values.to_pylist(), table.rows, settings.protect.k, what)
    return table.only(lambda column: column.name != name), start


def repeating_settings(plan: Plan, method: str, log: SearchLog | None) -> Settings:
    """Return settings that repeat a run of a plan: every role and choice spelled out."""
    settings, schema, source = plan.settings, plan.schema.schema, plan.schema.source
    as_asked = bool(settings.roles.by) or _goes_on(settings) or _chooses(settings)
    as_asked = as_asked or plan.begins_twice
    named = settings.roles.group is None and not as_asked
    protect: dict[str, Any] = {"method": method} if named else {}
    again = dict(settings.search)
    if as_asked:
        pass  # strata have a search each; one that goes on from others has no count of its own
    elif log is None:
        protect |= {"max_iterations": None, "time_limit": None, "runs": None}
        again = {}
    else:  # as many iterations, whatever the clock says next time
        protect |= {"max_iterations": log.iterations, "time_limit": None, "runs": log.runs}
        again["schedule"] = log.schedule
        again |= {} if log.looks is None else {"looks": log.looks}
        if isinstance(again.get("stop"), Mapping):  # the count has taken the place of the clock
            again["stop"] = {**again["stop"], "seconds": None, "iterations": None}
    dropped = settings.roles.drop
    trees = {
        name: str(((plan.folder or Path()) / rule).resolve()) if is_file(rule) else rule
        for name, rule in settings.hierarchies.items()
    }
    kept = {*schema.names, *dropped, settings.roles.group}
    released = {"numbers": numbers_as(settings)}
    if settings.roles.weight is not None:
        released["weights_as"] = settings.release.weights_as or "mean"
    return settings.model_copy(update={"shoal": __version__, "form": FORM}).replace(
        input={
            "path": source.path,
            "sha256": source.sha256,
            **source.how,
            "delimiter": source.found_delimiter,
            "missing": source.missing,
            "types": dict(source.types),
            "hierarchies_sha256": digests(trees),
        },
        roles={
            "identifiers": schema.with_role(Role.IDENTIFIER),
            "quasi_identifiers": schema.with_role(Role.QUASI_IDENTIFIER),
            "sensitive": schema.with_role(Role.SENSITIVE),
            "other": schema.with_role(Role.OTHER),
            "drop": [*dropped, *_unnamed(source.columns, kept, settings)],
        },
        release=released,
        protect=protect,
        hierarchies=trees,
        search=again,
    )


def _chooses(settings: Settings) -> bool:
    """Tell whether records were left out that several groupings chose, not the last one alone."""
    protect = settings.protect
    return bool(protect.suppress) and not find(protect.method).info.recodes


def _unnamed(columns: Sequence[str], kept: set[str | None], settings: Settings) -> list[str]:
    """Return the columns that were left out before, but for those that steps leave out."""
    return [n for n in columns if n not in kept and not is_left_out(n, settings.steps)]


def _goes_on(settings: Settings) -> bool:
    """Tell whether a search began with the result of less effort, which only `auto` repeats."""
    protect = settings.protect
    chosen = protect.method == "auto" and protect.start is None and settings.roles.group is None
    return chosen and protect.effort == "best" and not settings.search_options()


def source_of(settings: Settings, recipe: Path, data: str | Path | None) -> str | Path:
    """Return the file that a recipe is run on, or the files; its own must not have changed."""
    options = settings.input
    source = named_by(settings, recipe, data)
    if data is None and options.sha256 and _digest(source) != options.sha256:
        raise RequestError(
            "the input has changed since the recipe was written (its sha256 differs); "
            f"say {option('input', str(source), python='its path')} to run the recipe on it all "
            "the same"
        )
    trees = options.hierarchies_sha256
    if data is None and trees and trees != digests(settings.hierarchies, recipe.parent):
        raise RequestError(
            "a hierarchy has changed since the recipe was written (its sha256 differs); take "
            "hierarchies_sha256 out of the recipe to run it all the same"
        )
    return source


def named_by(settings: Settings, recipe: Path, data: str | Path | None) -> str | Path:
    """Return the file or files that a recipe names, if no other `data` is given."""
    path = settings.input.path
    if data is not None:
        return data
    if path is None:
        advice = f"say {option('input', FILE, python='what it is')}"
        raise RequestError(
            f"the recipe does not name its input but by its hash or a commitment; {advice}"
            if settings.input.sha256 or settings.input.commitment
            else f"the recipe names no input; {advice}"
        )
    if is_url(path):
        return path
    beside = recipe.parent / path
    if beside.exists() or not has_magic(path):
        return beside
    return str(Path(escape(str(recipe.parent))) / path)


def _digest(source: str | Path) -> str:
    return digest_parts(str(source)) if is_many(str(source)) else digest_of(Path(source))

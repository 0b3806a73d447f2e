"""Settings: a request, as one frozen and checked model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import BaseModel, Field, PlainSerializer, PlainValidator, ValidationError

from shoal.errors import RequestError, nearest_names, shown
from shoal.hints import FILE, option
from shoal.judge.requirement import Requirement
from shoal.settings.data import InputSettings, RoleSettings
from shoal.settings.kinds import ORDERS, RULES, STEP_LIST, TEXT, TREE, WHOLE
from shoal.settings.option import COMMANDS, Names, Option, Part
from shoal.settings.parse import split_key
from shoal.settings.presets import with_preset
from shoal.settings.protect import ProtectSettings
from shoal.settings.release import Decimals, ReleaseSettings, SeriesSettings
from shoal.settings.toml import toml_of, tupled, without_none

STREAM = "stream"
_option = partial(Option, commands=(STREAM,), functions=(STREAM,), desk=False)
_privacy = partial(_option, "Privacy")


class StreamSettings(Part):
    """The size of a batch, the longest delay, and the format of batches."""

    batch: Annotated[
        int,
        Field(ge=2),
        _privacy(
            "How many records of a stream are grouped at once: larger batches lose less and take "
            "more memory. Default: 10,000.",
            WHOLE, least=2,
        ),
    ] = 10_000  # fmt: skip
    delay: Annotated[
        str | None,
        _privacy(
            "How long a record may wait: 5000 (so many later records), or 30s, 15min, 2h, 1d. "
            "What cannot be released by then is withheld. Default: no limit, and what waits when "
            "the input ends is released.",
            TEXT,
        ),
    ] = None
    format: Annotated[
        str,
        _option(
            "Writing",
            "Of the batches: csv, csv.gz, parquet, feather, arrow, jsonl, xlsx, sav, zsav, dta or "
            "xpt. Default: csv.",
            TEXT,
        ),
    ] = "csv"


FORM = 1  # of recipes
_column = partial(Option, "Columns")
_method = partial(Option, "Method")


def _step_of(given: Any) -> Any:
    """Return a step of a release, checked."""
    from shoal.table.steps.registry import step_of

    return step_of(given)


Step = Annotated[Any, PlainValidator(_step_of), PlainSerializer(lambda step: step.to_dict())]


class Settings(Part):
    """The settings of a run: parts, hierarchies and orders.

    Of a recipe, `shoal` is the version that wrote it, and `form` says what its names mean.
    """

    shoal: str | None = None
    form: int | None = None
    input: InputSettings = InputSettings()
    roles: RoleSettings = RoleSettings()
    protect: ProtectSettings
    release: ReleaseSettings = ReleaseSettings()
    series: SeriesSettings = SeriesSettings()
    stream: StreamSettings = StreamSettings()
    hierarchies: Annotated[
        dict[str, str],
        _column(
            "COLUMN=RULE: a FILE.csv, widths:5,10, cuts:18,65, quantiles:20,5, prefixes:3,2, "
            "dates; repeatable. See `shoal hierarchy`.",
            RULES, ("--hierarchy",), commands=COMMANDS,
        ),
    ] = {}  # fmt: skip
    orders: Annotated[
        dict[str, Names],
        _column(
            "The order of a text column's values, the least first: pain=mild,moderate,severe, or "
            "pain=@FILE with one value a line; repeatable.",
            ORDERS, ("--order",), commands=COMMANDS,
        ),
    ] = {}  # fmt: skip
    search: Annotated[
        dict[str, Any],
        _method(
            "What a search is made of: a `shoal.Search`, or its parts by name.", TREE,
            commands=(), desk=False, expert=True,
        ),
    ] = {}  # fmt: skip

    steps: Annotated[
        tuple[Step, ...],
        _column(
            "A step beside grouping, in its order: 'round income -3', 'top income share=1%', "
            "'coarsen born year', 'noise income 0.1'; repeatable. See `shoal steps`.",
            STEP_LIST, ("--step",),
        ),
    ] = ()  # fmt: skip
    secret: Annotated[
        str | None,
        Field(repr=False),
        _method(
            "What the random numbers of steps follow from, as a private recipe has it: the same "
            "secret repeats the same noise. Default: a new one.",
            TEXT, commands=(), desk=False, expert=True,
        ),
    ] = None  # fmt: skip

    @property
    def class_columns(self) -> tuple[str, ...]:
        """The columns by which the judge counts classes: quasi-identifiers and group numbers."""
        own = self.release.group_column
        return self.roles.quasi_identifiers if own is None else (*self.roles.quasi_identifiers, own)

    @property
    def requirement(self) -> Requirement:
        """The privacy requirement, checked."""
        protect = self.protect
        return Requirement(
            k=protect.k,
            l=protect.l,
            l_kind=protect.l_kind,
            c=protect.c,
            t=protect.t,
            alpha=protect.alpha,
            beta=protect.beta,
            beta_kind=protect.beta_kind,
            delta=protect.delta,
            e=protect.e,
            l_of={split_key(key): least for key, least in protect.l_of.items()},
            dominance=protect.dominance,
            k_of={split_key(key): k for key, k in protect.k_of.items()},
            missing_sensitive=protect.missing_sensitive,
        )

    def search_options(self) -> dict[str, Any]:
        """Return the search options, as `Search.replace` takes them."""
        protect = self.protect
        return search_options(self.search, protect.max_iterations, protect.time_limit, protect.runs)

    def replace(self, **parts: dict[str, Any]) -> Settings:
        """Return the settings with some fields of some parts changed, checked again."""
        tree = self.model_dump()
        for part, changes in parts.items():
            tree[part] = {**tree[part], **changes}
        return build(tree)

    def to_toml(self, seed: bool = True, streamed: bool = False) -> str:
        """Return the recipe's text; one that is published is without its `seed`.

        That of a stream has a section of its own, by which it is known.
        """
        tree = without_none(self.model_dump())
        if not seed:
            del tree["protect"]["seed"]
        if not self.steps:
            del tree["steps"]
        if self.stream == StreamSettings() and not streamed:
            del tree["stream"]
        return toml_of(tree)


def search_options(
    search: Mapping[str, Any],
    max_iterations: int | None,
    time_limit: float | None,
    runs: int | None,
) -> dict[str, Any]:
    """Return the search options as one tree."""
    given = {"iterations": max_iterations, "seconds": time_limit}
    given = {name: value for name, value in given.items() if value is not None}
    tree = dict(search)
    if given and isinstance(tree.get("stop", {}), dict):
        tree["stop"] = {**tree.get("stop", {}), **given}
    return tree if runs is None else {**tree, "runs": runs}


def build(tree: dict[str, Any], source: str = "") -> Settings:
    """Return checked settings, or one line that names the key's path and what is wrong."""
    try:
        settings = Settings.model_validate(tupled(with_preset(tree)))
    except ValidationError as error:
        raise RequestError(explain(error, source, Settings)) from None
    k = settings.protect.k
    if k < 1:
        raise RequestError(f"{place(source, 'protect', 'k')} must be at least 2, not {k}")
    if k == 1 and not settings.protect.allow_k1:
        raise RequestError(
            f"{place(source, 'protect', 'k')} = 1 gives no protection; "
            f"say {option('allow_k1', True)} if that is what you want"
        )
    check(settings.roles, settings.protect, settings.release)
    check_series(settings.series, settings.roles, settings.protect, settings.release)
    if settings.secret is not None:
        from shoal.table.steps.draws import check_secret

        check_secret(settings.secret)
    _ = settings.requirement  # it checks itself
    return settings


def place(source: str, *path: object) -> str:
    """Return a key's path as a person wrote it: in a recipe whole, as an argument its last name."""
    if source:
        return f"{source}: {'.'.join(str(part) for part in path)}"
    names = [str(part) for part in path if not isinstance(part, int)]
    return ".".join(names[1:] or names) or "the settings"


def explain(error: ValidationError, source: str, model: type[BaseModel]) -> str:
    """Return an error of validation as one line: the key's path and what is wrong."""
    every = error.errors(include_url=False, include_input=False)
    first = next((one for one in every if one["type"] == "extra_forbidden"), every[0])
    keys = tuple(part for part in first["loc"] if not _is_branch(part))
    where = place(source, *keys)
    if first["type"] == "extra_forbidden":
        known = _known_keys(keys[:-1], model)
        return f"{where} is not a known key{nearest_names(str(keys[-1]), known)}"
    if first["type"] == "missing":
        instead = f"; say {option('k')}, or a {option('preset')}" if keys[-1] == "k" else ""
        return f"{where} is needed and not given{instead}"
    if first["type"] == "value_error" and isinstance(first["ctx"]["error"], RequestError):
        said: str = first["ctx"]["error"].marked
        return f"{where}: {said}" if source else said
    reason = first["msg"].removeprefix("Input should be ").removeprefix("a valid ")
    if any(one["type"].startswith("float") for one in every if one["loc"][:2] == keys[:2]):
        reason = "a number"  # of any kind: the branch of whole numbers comes first
    reason = "a table" if reason.startswith("dictionary or") else reason
    reason = {"integer": "a whole number", "tuple": "a list of names", "string": "a text"}.get(
        reason, reason
    )
    return f"{where} must be {reason}"


def _is_branch(part: object) -> bool:
    """Tell whether a part of a location names a branch of a union type."""
    return part == "int" or str(part).startswith(("dict[", "literal["))


def _known_keys(path: tuple[object, ...], model: type[BaseModel]) -> list[str]:
    for part in path:
        annotation = model.model_fields[str(part)].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return []
        model = annotation
    return list(model.model_fields)


def check(roles: RoleSettings, protect: ProtectSettings, release: ReleaseSettings) -> None:
    """Raise RequestError where settings contradict each other, or are out of range."""
    _check_decimals(release.decimals)
    if roles.person is not None and protect.count == "records":
        raise RequestError("person counts people, count says records: take one")
    _check_kept(release, roles.weight)


def check_series(
    series: SeriesSettings, roles: RoleSettings, protect: ProtectSettings, release: ReleaseSettings
) -> None:
    """Raise RequestError for options of a series without a ledger, and for what has no series."""
    if series.ledger is None:
        for name in (
            "withhold",
            "counterfeits",
            "changing",
            "over_series",
            "stable",
            "expect_overlap",
        ):
            if getattr(series, name) != SeriesSettings.model_fields[name].default:
                raise RequestError(
                    f"{name} is for a series of releases; say {option('ledger', FILE)}, too"
                )
        return
    never = {
        option("group"): roles.group, option("household"): roles.household,
        option("by"): roles.by, option("engine"): protect.engine,
        option("memory"): protect.memory, option("k_of"): protect.k_of,
        option("suppress"): protect.suppress, option("totals"): release.totals,
    }  # fmt: skip
    for mark, value in never.items():
        if value:
            raise RequestError(f"a release under a ledger is made without {mark}; leave it out")
    if series.counterfeits:
        _check_counterfeits(series, roles, protect, release)
    if protect.method == "full-domain":
        raise RequestError("under a ledger full-domain cannot be used; take another method")


def _check_counterfeits(
    series: SeriesSettings, roles: RoleSettings, protect: ProtectSettings, release: ReleaseSettings
) -> None:
    """Refuse what counterfeits could break, or what would give them away."""
    if series.counterfeits >= 1 and series.counterfeits != int(series.counterfeits):
        raise RequestError("counterfeits must be a share below 1, or a whole number")
    if series.over_series != "worlds":
        raise RequestError(
            "counterfeits fill places in signatures; say "
            f"{option('over_series', 'worlds')}, or leave them out"
        )
    never = {
        option("weight"): roles.weight, option("keep_order"): release.keep_order,
        option("t"): protect.t, option("alpha"): protect.alpha, option("beta"): protect.beta,
        option("delta"): protect.delta, option("e"): protect.e, option("l_of"): protect.l_of,
        option("dominance"): protect.dominance,
    }  # fmt: skip
    for mark, value in never.items():
        if value:
            raise RequestError(f"counterfeits are not made with {mark}; leave out one of both")
    if protect.l_kind != "distinct":
        raise RequestError("counterfeits are made only where l counts different values")


def _check_decimals(decimals: Decimals | dict[str, Decimals] | None) -> None:
    every = decimals.values() if isinstance(decimals, dict) else [decimals or 0]
    if any(isinstance(digits, int) and not 0 <= digits <= 30 for digits in every):
        raise RequestError("decimals must lie between 0 and 30, or be none")


def _check_kept(release: ReleaseSettings, weight: str | None) -> None:
    """Refuse steps that are none, and what survey weights make unsafe."""
    for name, step in release.round.items():
        if not (math.isfinite(step) and step > 0):
            raise RequestError(f"round: the step of {shown(name)} must be a number above 0")
    weights_as = release.weights_as
    if weights_as is not None and not _is_weights_as(weights_as):
        raise RequestError("weights_as must be mean, rounded:N (N a number above 0), exact or drop")
    if weights_as is not None and weight is None:
        raise RequestError(
            f"weights_as says how survey weights are released; say {option('weight')}, too"
        )
    decimals = release.decimals
    if weight is not None and "none" in (
        decimals.values() if isinstance(decimals, dict) else [decimals]
    ):
        raise RequestError(
            "decimals none and survey weights: a weighted mean with all its digits gives away "
            "whose values it is made of; such means are rounded to the precision of the data"
        )


def _is_weights_as(weights_as: str) -> bool:
    kind, colon, step = weights_as.partition(":")
    if kind != "rounded":
        return not colon and kind in ("mean", "exact", "drop")
    try:
        return math.isfinite(float(step)) and float(step) > 0
    except ValueError:
        return False

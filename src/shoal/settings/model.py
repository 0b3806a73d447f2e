"""Settings: a request, as one frozen and checked model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, PlainValidator, ValidationError

from shoal.errors import RequestError
from shoal.hints import option
from shoal.judge.models.requirement import Requirement
from shoal.settings.check import check, check_series
from shoal.settings.data import InputSettings, RoleSettings
from shoal.settings.kinds import ORDERS, RULES, STEP_LIST, TEXT, TREE
from shoal.settings.messages import explain, place
from shoal.settings.option import COMMANDS, Names, Option, Part
from shoal.settings.parse import split_key
from shoal.settings.presets import with_preset
from shoal.settings.protect import ProtectSettings
from shoal.settings.release import ReleaseSettings
from shoal.settings.series import SeriesSettings
from shoal.settings.stream import StreamSettings
from shoal.settings.toml import toml_of, tupled, without_none

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

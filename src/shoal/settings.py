"""What a run was asked to do: one frozen model, from arguments or from a TOML recipe and back.

A recipe holds no data: names of columns, choices, and the input's hash.
"""

from __future__ import annotations

import csv
import io
import json
import math
import operator
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shoal.errors import RequestError, nearest_names, shown
from shoal.models.requirement import Requirement

Names = tuple[str, ...]
Refine = Literal[
    "phase2", "decompose", "iterative", "ls", "lsc", "ilsm", "ilsmc", "ilsmc+", "best", "kaim+"
]
Number = int | float
Asked = Number | dict[str, Number] | None
Effort = Literal["quick", "normal", "best"]
How = Literal["mean", "median", "mode", "medoid", "generalize", "range"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class InputSettings(_Part):
    """Where the data is and how it is written; `hierarchies` is a folder of files COLUMN.csv.

    `commitment` stands for the input where its path and hash are not told, in a pack.
    """

    path: str | None = None
    sha256: str | None = None
    commitment: str | None = None
    delimiter: str | None = None
    missing: Names = ("",)
    types: dict[str, str] = {}
    hierarchies: str | None = None
    hierarchies_sha256: dict[str, str] = {}


class RoleSettings(_Part):
    """Which column plays which role; `drop` lists columns that are left out of the release.

    `group` names a column that holds a grouping to start from; it is left out too. `weight` is a
    column of survey weights, `by` are those whose combinations are strata, `household` tells whose
    records stay together, `person` whose record each is: they are other, quasi-identifiers and
    identifiers. `keep_unique` are other columns (or the weight) that may be released though most
    records are unique in them.
    """

    identifiers: Names = ()
    quasi_identifiers: Names = ()
    sensitive: Names = ()
    other: Names = ()
    drop: Names = ()
    group: str | None = None
    weight: str | None = None
    by: Names = ()
    household: str | None = None
    person: str | None = None
    keep_unique: Names = ()

    @property
    def any_given(self) -> bool:
        """Whether any column has been given a role."""
        return bool(self.identifiers or self.quasi_identifiers or self.sensitive or self.other)


class ProtectSettings(_Part):
    """What privacy asks (`l` to `k_of` beyond k, see `Requirement`), and how groups are found.

    `k_of` has an own k for some columns, whose names are the key, as a line of csv; `enforce` is
    how groups come to keep what is asked beyond k; `memory` ("4GB") is a limit beyond which a file
    is grouped region by region. With an `engine` it always is, by several machines maybe, and
    `memory` is what a task may take; which machines, is not noted. `small_strata` is what becomes
    of strata with fewer than k records. `missing_sensitive` is what a missing sensitive cell is to
    l-diversity and alpha; `count` is what k counts where identifiers repeat and no person is named:
    records, or people, whom nobody could count then.
    """

    k: int
    l: Asked = None  # noqa: E741 - its name in the literature
    l_kind: Literal["distinct", "entropy", "recursive"] = "distinct"
    c: Number | None = None
    t: Asked = None
    alpha: Asked = None
    dominance: Asked = None
    k_of: dict[str, int] = {}
    missing_sensitive: Literal["ignored", "value"] = "ignored"
    count: Literal["people", "records"] = "people"
    enforce: Literal["auto", "slices", "swap", "merge"] = "auto"
    method: str = "auto"
    effort: Effort = "normal"
    start: str | None = None
    max_iterations: Annotated[int, Field(ge=0)] | None = None
    time_limit: Annotated[float, Field(ge=0, strict=False, allow_inf_nan=False)] | None = None
    runs: Annotated[int, Field(ge=1)] | None = None
    refine: Refine | None = None
    seed: Annotated[int, Field(ge=0)] = 0
    column_weights: dict[str, Annotated[float, Field(gt=0, strict=False, allow_inf_nan=False)]] = {}
    incomplete: Literal["keep", "delete"] = "keep"
    allow_k1: bool = False
    allow_empty: bool = False
    memory: str | None = None
    engine: Literal["threads", "dask", "spark"] | None = None
    small_strata: Literal["refuse", "merge"] = "refuse"


HASHED = "sha256:"  # before the hash of a file that a recipe does not name, in packs of old
COMMITTED = "commitment:"  # before the commitment to what a published recipe does not tell
Decimals = int | Literal["none"]  # none: as many as a float holds


class ReleaseSettings(_Part):
    """What a group's value is and how the release is written.

    Where nobody says, groups of a numeric method release means, those of others generalize.
    `spreadsheet_safe` puts an apostrophe before texts that spreadsheets take for formulas. `round`
    says of columns that are kept to multiples of what they are rounded, `weights_as` what becomes
    of survey weights: mean (of the group, the default), rounded:N, exact or drop.
    """

    aggregate: How | dict[str, How] | None = None
    decimals: Decimals | dict[str, Decimals] | None = None
    keep_order: bool = False
    spreadsheet_safe: bool = False
    round: dict[str, Number] = {}
    weights_as: str | None = None
    output: str | None = None

    @property
    def weights(self) -> tuple[str, Number]:
        """How survey weights are released, and the step of those that are rounded."""
        how, _, step = (self.weights_as or "mean").partition(":")
        return how, (int(step) if step.isdecimal() else float(step)) if step else 0


class Settings(_Part):
    """A whole run; `hierarchies` says of columns what their trees are (see `shoal hierarchy`).

    `orders` lists the values of ordinal columns, the least first.
    """

    shoal: str | None = None
    input: InputSettings = InputSettings()
    roles: RoleSettings = RoleSettings()
    protect: ProtectSettings
    release: ReleaseSettings = ReleaseSettings()
    hierarchies: dict[str, str] = {}
    orders: dict[str, Names] = {}
    search: dict[str, Any] = {}

    @property
    def requirement(self) -> Requirement:
        """What privacy asks, checked."""
        asked = self.protect
        return Requirement(
            k=asked.k,
            l=asked.l,
            l_kind=asked.l_kind,
            c=asked.c,
            t=asked.t,
            alpha=asked.alpha,
            dominance=asked.dominance,
            k_of={split_key(key): k for key, k in asked.k_of.items()},
            missing_sensitive=asked.missing_sensitive,
        )

    def changes(self) -> dict[str, Any]:
        """Return what is asked of a search, as `Search.having` takes it."""
        asked = self.protect
        return wishes(self.search, asked.max_iterations, asked.time_limit, asked.runs)

    def having(self, **parts: dict[str, Any]) -> Settings:
        """Return the settings with some fields of some parts changed, checked again."""
        tree = self.model_dump()
        for part, changes in parts.items():
            tree[part] = {**tree[part], **changes}
        return build(tree)

    def to_toml(self, seed: bool = True) -> str:
        """Return the recipe's text; one that is published is without its `seed`."""
        tree = _said(self.model_dump())
        if not seed:
            del tree["protect"]["seed"]
        return _toml(tree)


def split_key(key: str) -> tuple[str, ...]:
    """Return the names in a line of csv."""
    try:
        rows = list(csv.reader(io.StringIO(key, newline=""), strict=True))
    except csv.Error:
        rows = [[], []]
    if len(rows) > 1:
        raise RequestError(f"k_of: {shown(key)} is no line of csv; say a,b, or in quotes")
    return tuple(rows[0]) if rows else ()


def joined_key(names: Iterable[str]) -> str:
    """Return names as a line of csv."""
    line = io.StringIO()
    csv.writer(line).writerow(names)  # it puts names with the signs of line ends in quotes
    return line.getvalue().removesuffix("\r\n")


def wishes(
    search: Mapping[str, Any],
    max_iterations: int | None,
    time_limit: float | None,
    runs: int | None,
) -> dict[str, Any]:
    """Return what is asked of a search as one tree."""
    given = {"iterations": max_iterations, "seconds": time_limit}
    given = {name: value for name, value in given.items() if value is not None}
    tree = dict(search)
    if given and isinstance(tree.get("stop", {}), dict):
        tree["stop"] = {**tree.get("stop", {}), **given}
    return tree if runs is None else {**tree, "runs": runs}


def _toml(tree: dict[str, Any], path: str = "") -> str:
    """Write a tree of tables: plain values first, then the tables; empty ones are left out."""
    plain = [(key, value) for key, value in tree.items() if not isinstance(value, dict)]
    text = "".join(f"{_key(key)} = {_value(value)}\n" for key, value in plain)
    if path and plain:
        text = f"[{path}]\n{text}"
    parts = [text] if text else []
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            parts.append(_toml(value, f"{path}.{_key(key)}" if path else _key(key)))
    return "\n".join(parts)


def _said(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a tree without what nobody said: TOML has no word for it."""
    return {
        key: _said(value) if isinstance(value, dict) else value
        for key, value in tree.items()
        if value is not None
    }


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: Any) -> str:
    """Write a value; JSON's strings are TOML's, but for the delete sign."""
    if isinstance(value, tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def build(tree: dict[str, Any], source: str = "") -> Settings:
    """Return checked settings, or one line that names the key's path and what is wrong."""
    try:
        settings = Settings.model_validate(_tupled(tree))
    except ValidationError as error:
        raise RequestError(_explain(error, source)) from None
    k = settings.protect.k
    if k < 1:
        raise RequestError(f"{_at(source, 'protect', 'k')} must be at least 2, not {k}")
    if k == 1 and not settings.protect.allow_k1:
        raise RequestError(
            f"{_at(source, 'protect', 'k')} = 1 gives no protection; "
            "say --allow-k1 (allow_k1=True) if that is what you want"
        )
    _check_decimals(settings.release.decimals)
    if settings.roles.person is not None and settings.protect.count == "records":
        raise RequestError("person counts people, count says records: take one")
    _check_kept(settings)
    _ = settings.requirement  # it checks itself
    return settings


def _check_decimals(decimals: Decimals | dict[str, Decimals] | None) -> None:
    every = decimals.values() if isinstance(decimals, dict) else [decimals or 0]
    if any(isinstance(digits, int) and not 0 <= digits <= 30 for digits in every):
        raise RequestError("decimals must lie between 0 and 30, or be none")


def _check_kept(settings: Settings) -> None:
    """Refuse steps that are none, and what survey weights make unsafe."""
    release, weight = settings.release, settings.roles.weight
    for name, step in release.round.items():
        if not (math.isfinite(step) and step > 0):
            raise RequestError(f"round: the step of {shown(name)} must be a number above 0")
    said = release.weights_as
    if said is not None and not _is_way(said):
        raise RequestError("weights_as must be mean, rounded:N (N a number above 0), exact or drop")
    if said is not None and weight is None:
        raise RequestError("weights_as says how survey weights are released; say --weight, too")
    decimals = release.decimals
    if weight is not None and "none" in (
        decimals.values() if isinstance(decimals, dict) else [decimals]
    ):
        raise RequestError(
            "decimals none and survey weights: a weighted mean with all its digits gives away "
            "whose values it is made of; such means are rounded to the precision of the data"
        )


def _is_way(said: str) -> bool:
    how, colon, step = said.partition(":")
    if how != "rounded":
        return not colon and how in ("mean", "exact", "drop")
    try:
        return math.isfinite(float(step)) and float(step) > 0
    except ValueError:
        return False


def _tupled(tree: Any) -> Any:
    """Return lists as tuples: the model is frozen all the way down."""
    if isinstance(tree, dict):
        return {key: _tupled(value) for key, value in tree.items()}
    return tuple(tree) if isinstance(tree, list) else tree


def _at(source: str, *path: object) -> str:
    """Return a key's path as a person wrote it: in a recipe whole, as an argument its last name."""
    if source:
        return f"{source}: {'.'.join(str(part) for part in path)}"
    names = [str(part) for part in path if not isinstance(part, int)]
    return ".".join(names[1:] or names) or "the settings"


def _explain(error: ValidationError, source: str) -> str:
    every = error.errors(include_url=False, include_input=False)
    first = next((found for found in every if found["type"] == "extra_forbidden"), every[0])
    place = tuple(part for part in first["loc"] if not _is_branch(part))
    where = _at(source, *place)
    if first["type"] == "extra_forbidden":
        known = _known_keys(place[:-1])
        return f"{where} is not a known key{nearest_names(str(place[-1]), known)}"
    if first["type"] == "missing":
        return f"{where} is needed and not given"
    reason = first["msg"].removeprefix("Input should be ").removeprefix("a valid ")
    if any(found["type"].startswith("float") for found in every if found["loc"][:2] == place[:2]):
        reason = "a number"  # of any kind: the branch of whole numbers comes first
    reason = "a table" if reason.startswith("dictionary or") else reason
    reason = {"integer": "a whole number", "tuple": "a list of names", "string": "a text"}.get(
        reason, reason
    )
    return f"{where} must be {reason}"


def _is_branch(part: object) -> bool:
    """Tell whether a part of a place names a branch of a union, which nobody wrote."""
    return part == "int" or str(part).startswith(("dict[", "literal["))


def _known_keys(path: tuple[object, ...]) -> list[str]:
    model: type[BaseModel] = Settings
    for part in path:
        annotation = model.model_fields[str(part)].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return []
        model = annotation
    return list(model.model_fields)


def load(path: Path) -> Settings:
    """Read a recipe; unknown keys, wrong types and broken TOML are errors with their place."""
    return build(_as_of_old(_parse(path)), path.name)


def load_tree(path: Path) -> dict[str, Any]:
    """Read a recipe that need not be whole, for others to complete; what it says is checked."""
    tree = _as_of_old(_parse(path))
    protect = tree.get("protect", {})
    whole_tree = {**tree, "protect": {"k": 2, **protect} if isinstance(protect, dict) else protect}
    build(whole_tree, path.name)
    return tree


def _as_of_old(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the recipe of an earlier version as one that says what it meant: it still runs.

    It counts records, and keeps its other columns, however many records these single out: notes and
    verdict say so. The recipe of a run names a version and every choice, so that one without a
    choice is older.
    """
    protect, roles = tree.get("protect"), tree.get("roles")
    if "shoal" not in tree or not isinstance(protect, dict) or not protect or "count" in protect:
        return tree
    made = {**tree, "protect": {**protect, "count": "records"}}
    if isinstance(roles, dict) and isinstance(roles.get("other"), list):
        kept = [name for name in roles["other"] if name != roles.get("weight")]
        made["roles"] = {"keep_unique": kept, **roles}
    return made


def _parse(path: Path) -> dict[str, Any]:
    name = shown(path.name)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise RequestError(f"there is no recipe {shown(path)}") from None
    except OSError as error:
        raise RequestError(f"the recipe {name} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RequestError(f"the recipe {name} is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise RequestError(f"the recipe {name} is not TOML: {error}") from None
    except RecursionError:
        raise RequestError(f"the recipe {name} is nested too deeply") from None


def names(given: Any, what: str) -> list[str]:
    """Return a list of column names from one name, several or None."""
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    try:
        every = list(given)
    except TypeError:
        every = [given]
    if any(isinstance(name, bool) or not isinstance(name, str | int) for name in every):
        raise RequestError(f"{what} must be column names")
    return [str(name) for name in every]


def count(number: Any, what: str) -> int | None:
    """Return a whole number, or None where none is given."""
    return None if number is None else whole(number, what)


def whole(number: Any, what: str) -> int:
    """Return a whole number of any integer type; a bool, a float or a text is an error."""
    try:
        if isinstance(number, bool):
            raise TypeError
        return operator.index(number)
    except TypeError:
        raise RequestError(f"{what} must be a whole number") from None

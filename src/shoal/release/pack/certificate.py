"""Certificate of a pack: what was verified of which files, as JSON with a schema.

Every field but `issued` follows from the other files of the pack: `certificate_of` makes it of
report, recipe, dictionary and what the released file showed, when a pack is written and again when
it is checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shoal.errors import InputError, shown
from shoal.judge.requirement import OF_COLUMNS
from shoal.judge.verdict import Verification
from shoal.release.pack.place import NAME, SCHEMA, certificate_tree
from shoal.release.pack.recipe import is_committed, lacks
from shoal.report.guarantees import Protection, ends_in_values, guarantee, of_file, shows_records
from shoal.report.sections import GuaranteeSection
from shoal.settings import COMMITTED, Settings, joined_key
from shoal.storage.private_folder import ENDINGS
from shoal.table.files.formats import is_csv
from shoal.table.intervals import names_in
from shoal.table.roles import Kind

SCHEMA_NAME, DICTIONARY, README = "certificate.schema.json", "dictionary.csv", "README.md"
PLACED = {"ordinal", *(str(kind) for kind in Kind if kind.is_numeric)}  # kinds with differences
Digest = Field(pattern=r"^[0-9a-f]{64}$")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class File(_Part):
    """One file of the pack."""

    sha256: str = Digest
    bytes: int = Field(ge=0)


class Input(_Part):
    """The table that the release was made of, by a commitment alone (None: there is no hash)."""

    kind: str
    commitment: str | None = Digest
    columns: int


class Release(_Part):
    """The released file: its name in the pack, what it is and what it holds."""

    file: str
    kind: str = Field(pattern=f"^({'|'.join(map(re.escape, ENDINGS))})$")
    delimiter: str | None = None
    encoding: str | None = None
    quote: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    date_format: dict[str, str] | None = None
    records: int
    columns: list[str]
    order: Literal["shuffled", "as in the input"]

    @property
    def text(self) -> dict[str, Any]:
        """How a csv file is written, as far as it is said."""
        signs = {"delimiter", "encoding", "quote", "decimal", "thousands", "date_format"}
        own = self.model_dump(include=signs)
        return {name: sign for name, sign in own.items() if sign is not None}


class Claims(_Part):
    """What the release keeps, as `shoal verify` is asked.

    `needs` names the columns whose hierarchies and orders a check of t-closeness takes, and the
    pack does not hold: they list values that may not be in the release.
    """

    k: int
    quasi_identifiers: list[str]
    sensitive: list[str] = []
    l: float | dict[str, float] | None = None  # noqa: E741 - its name in the literature
    l_kind: str = "distinct"
    c: float | None = None
    t: float | dict[str, float] | None = None
    alpha: float | dict[str, float] | None = None
    beta: float | dict[str, float] | None = None
    beta_kind: str = "enhanced"
    delta: float | dict[str, float] | None = None
    e: float | dict[str, float] | None = None
    l_of: dict[str, int] = {}
    k_of: dict[str, int] = {}
    words: list[str] = []
    missing: list[str] = [""]
    missing_sensitive: str = "ignored"
    by_people: bool = False
    needs: dict[str, list[str]] = {}


class Verified(_Part):
    """What the released file showed when it was read back by separate code, by which `reader`."""

    records: int
    classes: int
    smallest_class: int
    reader: str = ""
    models: list[dict[str, Any]] = []
    k_of: list[dict[str, Any]] = []


class Certificate(_Part):
    """The verified claims, files, versions and recipe of a pack.

    `checks` is promised and verified again by every check; `stated` is promised, too, but only who
    has the original can verify it (households, the p % rule, the order of the rows). `series` is
    what is promised over a series of releases, which who has its ledger can verify, and
    `counterfeits` of the records are nobody's.
    """

    schema_: Literal["shoal-certificate/1"] = Field("shoal-certificate/1", alias="schema")
    issued: str
    versions: dict[str, str]
    input: Input
    release: Release
    claims: Claims
    verified: Verified
    checks: list[str]
    stated: list[str]
    not_covered: list[str]
    households: bool = False
    people: bool = False
    strata: list[str] = []
    weight: str | None = None
    steps: list[str] = []
    series: list[str] = []
    counterfeits: int = Field(0, ge=0)
    verdict: Literal["safe", "safe, but"] = "safe"
    recipe: str
    recipe_lacks: list[str] = []
    files: dict[str, File]

    def to_json(self) -> str:
        """Return the certificate's text."""
        tree = self.model_dump(by_alias=True)
        return json.dumps(tree, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def certificate_of(
    report: Mapping[str, Any],
    recipe: Settings,
    types: Mapping[str, str],
    verification: Verification,
    files: Mapping[str, File],
    issued: str,
) -> Certificate:
    """Return the certificate that follows from the files of a pack.

    `report` and `recipe` are the published ones, `types` those of the dictionary, `verification` is
    that of the released file.
    """
    release, roles, verified = report["release"], recipe.roles, verification.to_dict()
    text = release.get("text") or {"delimiter": recipe.input.delimiter or ","}
    promised = promises(report, recipe, verification.k)
    checks = promises(report, checkable(recipe), verification.k)["covers"]
    return Certificate(
        schema="shoal-certificate/1",
        issued=issued,
        versions=dict(report["versions"]),
        input=Input.model_validate(report["input"]),
        release=Release(
            file=release["file"],
            kind=release["kind"],
            **(text if is_csv(release["kind"]) else {}),
            records=release["records"],
            columns=list(release["columns"]),
            order="as in the input" if recipe.release.keep_order else "shuffled",
        ),
        claims=claims_of(recipe, types),
        verified=Verified(
            records=verification.records, classes=verification.classes,
            smallest_class=verification.k, reader=verification.reader,
            models=[dict(one) for one in verified["models"]],
            k_of=[dict(one) for one in verified["k_of"]],
        ),
        checks=checks,
        stated=[line for line in promised["covers"] if line not in checks],
        not_covered=promised["does_not_cover"],
        households=roles.household is not None,
        people=roles.person is not None,
        strata=list(roles.by),
        weight=roles.weight,
        steps=[step["text"] for step in report.get("steps", [])],
        series=list(report.get("series", {}).get("promises", ())),
        counterfeits=report.get("series", {}).get("counterfeits", 0),
        verdict=report["verdict"],
        recipe=release["recipe"],
        recipe_lacks=lacks(recipe),
        files=dict(files),
    )  # fmt: skip


def claims_of(recipe: Settings, types: Mapping[str, str]) -> Claims:
    """Return what a published recipe asks of a release, as `verify` takes it."""
    requirement, roles = recipe.requirement, recipe.roles
    claims: dict[str, Any] = {
        "k": requirement.k,
        "quasi_identifiers": names_in(types, recipe.class_columns),
        "k_of": {
            joined_key(names_in(types, columns)): k for columns, k in requirement.k_of.items()
        },
    }
    if requirement.of_sensitive:
        own = list(roles.sensitive)
        by_t = [name for name in own if requirement.threshold("t", name) is not None]
        trees = [n for n in by_t if recipe.hierarchies.get(n, "").startswith(COMMITTED)]
        orders = [n for n in by_t if is_committed(recipe.orders.get(n, ()))]
        needs = {"hierarchies": trees, "orders": orders}
        claims |= {
            "sensitive": own,
            **{what: _plain(getattr(requirement, what)) for what in (*OF_COLUMNS, "c")},
            "l_kind": requirement.l_kind,
            "beta_kind": requirement.beta_kind,
            "l_of": {joined_key(columns): least for columns, least in requirement.l_of.items()},
            "words": [name for name in own if types.get(name) not in PLACED],
            "missing": [one for one in recipe.input.missing if not one.startswith(COMMITTED)],
            "missing_sensitive": requirement.missing_sensitive,
            "by_people": roles.person is not None,
            "needs": {what: names for what, names in needs.items() if names},
        }
    return Claims.model_validate(claims)


def _plain(threshold: Any) -> Any:
    return dict(threshold) if isinstance(threshold, Mapping) else threshold


def promises(report: Mapping[str, Any], recipe: Settings, smallest: int) -> GuaranteeSection:
    """Return what a release promises and leaves open, from its report and recipe."""
    roles, columns = recipe.roles, report["columns"]
    promised = guarantee(
        Protection(
            k=recipe.protect.k,
            smallest=smallest,
            values=any(
                ends_in_values(one["released_as"], one["hierarchy"] or "") for one in columns
            ),
            records=any(shows_records(one["released_as"], one["kind"]) for one in columns),
            given=roles.group is not None,
            requirement=recipe.requirement,
            sensitive=roles.sensitive,
            households=roles.household is not None,
            people=roles.person is not None,
            weights_as=None if roles.weight is None else recipe.release.weights_as or "mean",
        )
    )
    return of_file(promised, recipe.release.keep_order)


def checkable(recipe: Settings) -> Settings:
    """Return a recipe without what a check of the released file alone cannot verify.

    Where people are counted, who are not in the file, it shows of l only how many values there are.
    """
    protect = recipe.protect
    by_people: dict[str, Any] = {}
    if recipe.roles.person is not None:
        counted = protect.l_kind == "distinct"
        by_people = {
            **dict.fromkeys(("t", "alpha", "beta", "delta", "c")), "beta_kind": "enhanced",
            "l": protect.l if counted else None, "l_of": protect.l_of if counted else {},
            "l_kind": "distinct",
        }  # fmt: skip
    return recipe.replace(
        protect={"dominance": None, **by_people},
        roles={"household": None, "person": None},
        release={"keep_order": True},
    )


def schema_json() -> str:
    """Return the JSON schema of a certificate."""
    tree = Certificate.model_json_schema(by_alias=True)
    tree["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(tree, indent=2) + "\n"


def load_certificate(folder: Path) -> Certificate:
    """Read the certificate of a pack, or say what is wrong with it."""
    path, tree = folder / NAME, certificate_tree(folder)
    if tree.get("schema") != SCHEMA:
        raise InputError(f"{shown(path)}: this is no certificate ({SCHEMA})")
    try:
        return Certificate.model_validate(tree, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{shown(path)}: {where}: {first['msg']}") from None
    except RecursionError:
        raise InputError(f"{shown(path)}: this is not JSON") from None

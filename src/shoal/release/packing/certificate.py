"""The certificate: what was verified of which files, for machines; its model is its schema."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shoal.errors import InputError, shown

NAME, SCHEMA_NAME = "certificate.json", "certificate.schema.json"
SCHEMA: Literal["shoal-certificate/1"] = "shoal-certificate/1"
Digest = Field(pattern=r"^[0-9a-f]{64}$")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class File(_Part):
    """One file of the pack."""

    sha256: str = Digest
    bytes: int = Field(ge=0)


class Input(_Part):
    """The table that the release was made of, by its hash alone."""

    sha256: str = Digest
    kind: str
    records: int
    columns: int


class Release(_Part):
    """The released file: its name in the pack, what it is and what it holds."""

    file: str
    kind: Literal["csv", "csv.gz", "parquet"]
    delimiter: str | None = None
    records: int
    columns: list[str]
    order: Literal["shuffled", "as in the input"]


class Claims(_Part):
    """What the release keeps, as `shoal verify` is asked.

    `needs` names by sha256 what a check of t-closeness takes and the pack does not hold: trees
    and orders list values that may not be in the release.
    """

    k: int
    quasi_identifiers: list[str]
    sensitive: list[str] = []
    l: float | dict[str, float] | None = None  # noqa: E741 - its name in the literature
    l_kind: str = "distinct"
    c: float | None = None
    t: float | dict[str, float] | None = None
    alpha: float | dict[str, float] | None = None
    k_of: dict[str, int] = {}
    words: list[str] = []
    missing: list[str] = [""]
    needs: dict[str, dict[str, str]] = {}


class Verified(_Part):
    """What the released file showed when it was read back by separate code."""

    records: int
    classes: int
    smallest_class: int
    models: list[dict[str, Any]] = []
    k_of: list[dict[str, Any]] = []


class Certificate(_Part):
    """Says what was verified, of which files, made by which versions and which recipe."""

    schema_: Literal["shoal-certificate/1"] = Field(SCHEMA, alias="schema")
    issued: str
    versions: dict[str, str]
    input: Input
    release: Release
    claims: Claims
    verified: Verified
    checks: list[str]
    not_covered: list[str]
    households: bool = False
    strata: list[str] = []
    weight: str | None = None
    verdict: Literal["safe", "safe, but"] = "safe"
    recipe: str
    recipe_lacks: list[str] = []
    files: dict[str, File]

    def to_json(self) -> str:
        """Return the certificate's text."""
        tree = self.model_dump(by_alias=True)
        return json.dumps(tree, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def order_digest(order: Sequence[str]) -> str:
    """Return the sha256 of an order, a value a line."""
    return hashlib.sha256("\n".join(order).encode("utf-8")).hexdigest()


def schema_json() -> str:
    """Return the JSON schema of a certificate."""
    tree = Certificate.model_json_schema(by_alias=True)
    tree["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(tree, indent=2) + "\n"


def load_certificate(folder: Path) -> Certificate:
    """Read the certificate of a pack, or say what is wrong with it."""
    path = folder / NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{shown(folder)}: there is no {NAME}; this is no release pack") from None
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{shown(path)}: cannot be read as text") from None
    try:
        tree = json.loads(text)
        if not isinstance(tree, Mapping):
            raise InputError(f"{shown(path)}: this is no certificate")
        return Certificate.model_validate(tree, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{shown(path)}: {where}: {first['msg']}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{shown(path)}: this is not JSON") from None

"""Values of records in a series: numbers of sensitive and kept values, and bonds of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import numpy as np

from shoal.errors import InputError, shown
from shoal.hints import option
from shoal.kernels.arrays import Integers
from shoal.ledger.key import Key
from shoal.methods.enforce.kinds import NEW
from shoal.methods.series.bonds import Bonds, Known
from shoal.methods.series.deal import Signature
from shoal.plan.plan import Plan
from shoal.table.hierarchy.values import distinct_values
from shoal.table.roles import Column, Role
from shoal.table.spelling import form_of
from shoal.table.table import Table

TOGETHER = " + "  # between the names of kept columns that could join records together


def bonds_of(
    people: Sequence[str], known: Mapping[str, Known], bonds: Bonds
) -> tuple[Integers, list[Signature]]:
    """Return the place of each person's bond, and the bonds: signatures, or empty."""
    places: dict[tuple[int, Signature], int] = {}
    bond = np.full(len(people), NEW, dtype=np.int64)
    for row, person in enumerate(people):
        if person in known:
            signature = signature_of(person, known, bonds)
            company = NEW if signature else known[person].company
            bond[row] = places.setdefault((company, signature), len(places))
    return bond, [signature for _, signature in places]


def signature_of(person: str, known: Mapping[str, Known], bonds: Bonds) -> Signature:
    """Return the signature that a person has from now on; empty where she has none."""
    if person in bonds.signed:
        return bonds.signed[person]
    return known[person].signature if person in known else ()


def values_of(column: Column, plan: Plan, key: Key) -> tuple[list[str], Integers]:
    """Return the numbers of the values of a column, and the place of each record's."""
    values = distinct_values(column)
    texts = [plain(text) for text in values.texts]
    gone = [text in ("", "*") for text in texts]
    missing = int((values.indices < 0).sum()) + sum(
        int((values.indices == place).sum()) for place, one in enumerate(gone) if one
    )
    if missing and plan.requirement.missing_sensitive != "value":
        raise InputError(
            f"column {shown(column.name)}: {missing} missing cells, which have no signature; "
            f"say {option('missing_sensitive', 'value')} to count them as a value"
        )
    texts = ["" if one else text for text, one in zip(texts, gone, strict=True)]
    numbers = {text: place for place, text in enumerate(dict.fromkeys([*texts, ""]))}
    own = np.array([numbers[text] for text in [*texts, ""]], dtype=np.int64)[values.indices]
    return [key.value(column.name, text) for text in numbers], own


def joined_values(table: Table, changing: Sequence[str], key: Key) -> dict[str, tuple[str, ...]]:
    """Return the numbers of each record's kept values, by column and together."""
    kept = [one for one in table.with_role(Role.OTHER) if one.name not in changing]
    texts = {}
    for column in kept:
        values = distinct_values(column)
        own = [*(plain(text) for text in values.texts), ""]
        texts[column.name] = [own[place] for place in values.indices.tolist()]
    if len(kept) > 1:
        every = zip(*texts.values(), strict=True)
        texts[TOGETHER.join(texts)] = ["\0".join(one) for one in every]
    return {name: tuple(key.value(name, one) for one in own) for name, own in texts.items()}


def plain(text: str) -> str:
    """Return a text as all its spellings have it, numbers without trailing zeros."""
    form = form_of(text)
    return f"{form.normalize():f}" if isinstance(form, Decimal) else form

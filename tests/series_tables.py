"""Small series of tables, and what their releases show: people come and go, values stay."""

from __future__ import annotations

import numpy as np

from shoal.errors import PrivacyError
from shoal.pipeline.anonymize import anonymize_with
from shoal.settings import build


def random_series(seed, people=24, each=16, values="abcd", kept=0):
    """Return three tables as dicts of lists: of all people some are in each, by chance."""
    random = np.random.default_rng(seed)
    ages, pay = random.integers(20, 80, people), random.integers(10, 90, people)
    ill = random.choice(list(values), people)
    towns = [f"t{one}" for one in random.integers(0, kept, people)] if kept else None
    tables = []
    for _ in range(3):
        rows = np.sort(random.choice(people, each, replace=False))
        table = {
            "id": [f"p{row}" for row in rows], "age": ages[rows].tolist(),
            "pay": pay[rows].tolist(), "ill": ill[rows].tolist(),
        }  # fmt: skip
        if towns is not None:
            table["town"] = [towns[row] for row in rows]
        tables.append(table)
    return tables


def one_comes_or_goes(seed):
    """Return two tables of the same people, but for one who left, or joined; or three by chance."""
    if seed % 3 == 2:
        return random_series(seed)
    whole = random_series(seed, each=24)[0]
    gone = seed % 24
    rest = {name: column[:gone] + column[gone + 1 :] for name, column in whole.items()}
    return [whole, rest] if seed % 3 else [rest, whole]


def settings_for(ledger=None, k=3, least=2, withhold=0.9, other=(), model="worlds", counterfeits=0):
    """Return the settings of a release, under a ledger or alone."""
    return build({
        "roles": {
            "identifiers": ["id"], "quasi_identifiers": ["age", "pay"], "sensitive": ["ill"],
            "other": list(other), **({"person": "id"} if ledger else {}),
        },
        "protect": {"k": k, "l": least, "method": "mdav"},
        "series": {
            "ledger": str(ledger), "withhold": withhold, "over_series": model,
            "counterfeits": counterfeits,
        }
        if ledger
        else {},
    })  # fmt: skip


def released_classes(table, result, kept):
    """Return the classes of a release: the people, their values, and their kept values."""
    classes = {}
    columns = [result.table[name].values.to_pylist() for name in ("age", "pay", "ill")]
    towns = result.table["town"].values.to_pylist() if "town" in result.table.names else columns[2]
    for person, age, pay, ill, town in zip(kept, *columns, towns, strict=True):
        people, values, joined = classes.setdefault((age, pay), ([], [], []))
        people.append(person)
        values.append(ill)
        joined.append(town)
    return list(classes.values())


def release_all(tables, path, **asked):
    """Release tables under a ledger; return the classes of each, and how many could not be."""
    releases, refused = [], 0
    for number, table in enumerate(tables):
        settings = settings_for(path, **asked)
        try:
            result = anonymize_with(table, settings, measured=False)
        except PrivacyError:
            refused += 1
            continue
        names = {result.pending.ledger.key.person(one): one for one in table["id"]}
        people = [names.get(one, one) for one in result.pending.people]
        classes = released_classes(table, result, people)
        place = {person: at for at, (some, _, _) in enumerate(classes) for person in some}
        entry = result.pending.entry(
            f"{number}.csv", str(number), ["age", "pay"], [place[one] for one in people]
        )
        result.pending.ledger.with_entry(entry).write()
        releases.append(classes)
    return releases, refused


def release_alone(tables, **asked):
    """Release tables, each as if there were no other; return the classes of each."""
    releases = []
    for table in tables:
        result = anonymize_with(table, settings_for(**asked), measured=False)
        releases.append(released_classes(table, result, table["id"]))
    return releases

"""SeriesVerification: what the judge says of a series, in counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import cast

from shoal.errors import Json

AGAINST = {
    "sets": "against who follows one person; who solves for all people at once may rule out more",
    "worlds": "against whoever knows all releases and who is in which, whatever is computed",
}


@dataclass(frozen=True)
class SeriesVerification:
    """Whether a series keeps its promises, and what is left for the person with the least.

    `fewest` is the least number of sensitive values that all classes of a person have in common,
    `smallest` the least number of records that kept columns leave for one; None where nothing is
    promised, or joined. `absent` are releases of the ledger that were not given. `over_series` is
    what was promised of l: sets, values that all classes of a person have, or worlds, values that
    nobody can rule out by solving for all people at once. `counterfeits` of the records that were
    read are nobody's.
    """

    ok: bool
    releases: int
    people: int
    repeated: int
    fewest: int | None
    smallest: int | None
    problems: tuple[str, ...]
    absent: tuple[int, ...]
    known: int
    over_series: str
    counterfeits: int = 0

    def to_dict(self) -> dict[str, Json]:
        """Return it as JSON holds it."""
        return cast(dict[str, Json], asdict(self))

    def summary(self) -> str:
        """Return what a person reads."""
        verdict = "the series keeps its promises" if self.ok else "the series is NOT safe"
        lines = [
            f"{verdict}: {self.releases} of {self.known} releases of the ledger, {self.people:,} "
            f"people, {self.repeated:,} of them in several"
        ]
        if self.fewest is not None:
            lines.append(f"  fewest sensitive values left for anybody: {self.fewest}")
            lines.append(f"  {AGAINST[self.over_series]}")
        if self.smallest is not None:
            lines.append(f"  fewest records that kept columns leave for anybody: {self.smallest}")
        if self.counterfeits:
            lines.append(f"  {self.counterfeits:,} records are counterfeits, and nobody's")
        if self.absent:
            numbers = ", ".join(map(str, self.absent))
            lines.append(f"  not given, and so not counted: release {numbers}")
        lines += [f"  problem: {problem}" for problem in self.problems]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

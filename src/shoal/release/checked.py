"""Verification of a release in memory: classes, strata, households, persons."""

from __future__ import annotations

from shoal.errors import PrivacyError
from shoal.judge.units import judge_people, units_a_class
from shoal.judge.verify import Verification, verify
from shoal.release.claims import claims
from shoal.settings import Settings
from shoal.table.survey import Survey
from shoal.table.table import Table


def check_release(released: Table, settings: Settings) -> Verification:
    """Verify the released Table; raise PrivacyError if it is not safe."""
    verification = verify(released, **claims(settings, released))
    if not verification.ok:
        raise PrivacyError(f"the release is not safe: {'; '.join(verification.problems)}")
    return verification


def check_survey(released: Table, settings: Settings, survey: Survey) -> list[str]:
    """Count strata, households and people of every released class: one stratum, k of the others.

    A release where it is otherwise never leaves. Where people are counted, what is asked beyond k
    is judged by them; what was found is returned in words: the release does not show it.
    """
    k = settings.protect.k
    columns = [released[name].values for name in settings.class_columns]
    if survey.weights is not None and settings.release.weights[0] == "mean":
        weight = released[settings.roles.weight or ""].values
        columns = [*columns, weight]  # one value a group: no smaller class than without it
        if units_a_class(columns, range(released.rows))[0] < k:
            raise PrivacyError("the release is not safe: its weights tell records of a group apart")
    if survey.strata is not None and units_a_class(columns, survey.strata.tolist())[1] > 1:
        raise PrivacyError("the release is not safe: a class lies in several strata")
    for units, who in ((survey.households, "households"), (survey.persons, "people")):
        fewest = k if units is None else units_a_class(columns, units.tolist())[0]
        if fewest < k:
            raise PrivacyError(f"the release is not safe: a class has {fewest} {who}, k is {k}")
    if survey.persons is None or not settings.requirement.of_sensitive:
        return []
    arguments = claims(settings, released)
    judged = judge_people(
        columns, survey.persons.tolist(), {n: released[n].values for n in arguments["sensitive"]},
        settings.requirement, arguments["hierarchies"], arguments["orders"], arguments["words"],
        arguments["missing"],
    )  # fmt: skip
    broken = [one.label for one in judged if not one.ok]
    if broken:
        raise PrivacyError(f"the release is not safe: classes break {'; '.join(broken)}, by people")
    return [f"by people: {one.label} {one.found_text}, asked {one.asked:g}" for one in judged]

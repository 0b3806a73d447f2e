"""What a release promises and what it leaves open, in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shoal.errors import listed, shown
from shoal.judge.requirement import Requirement
from shoal.report.sections import GuaranteeSection

LIMITS = ("Minimality", "Downcoding", "Model inference", "Composition")
IN_MEMORY = (
    "Order: rows in memory (`Result.data`) are in the order of the input, which tells whose each "
    "is; what is published is written by `save`, or given by `shuffled()`, which shuffle them."
)
IN_ORDER = (
    "Order: the rows of the file are in the order of the input; whoever knows that order, or has "
    "the input, can tell whose each is."
)


@dataclass(frozen=True)
class Protection:
    """What a release was asked to keep, and how it does: `smallest` is the least of its groups.

    `values`: intervals end in values of the data; `records`: groups release a member's own values;
    `given`: the groups came with the data; `requirement` is what was asked beyond k, of `sensitive`
    columns; `households`: groups are of at least k of them, `people`: of at least k of those;
    `weights_as`: how survey weights are released.
    """

    k: int
    smallest: int
    values: bool = False
    records: bool = False
    given: bool = False
    requirement: Requirement | None = None
    sensitive: Sequence[str] = ()
    households: bool = False
    people: bool = False
    weights_as: str | None = None


def ends_in_values(released_as: str, hierarchy: str | None) -> bool:
    """Tell whether intervals of a column end in values of the data, by where its tree is from."""
    from_data = (hierarchy or "").startswith(("balanced", "quantiles:"))
    return released_as == "range" or (released_as == "generalize" and from_data)


def shows_records(released_as: str, kind: str) -> bool:
    """Tell whether groups release a member's own values of a column."""
    return released_as in ("mode", "medoid") or (released_as == "median" and kind == "ordinal")


def guarantee(of: Protection) -> GuaranteeSection:
    """Return what the requested models cover and do not cover, in sentences."""
    k, requirement, sensitive, weights_as = of.k, of.requirement, of.sensitive, of.weights_as
    by_sensitive = requirement is not None and requirement.of_sensitive
    bare = [name for name in sensitive if requirement is None or not _is_varied(requirement, name)]
    open_ = []
    if bare or not sensitive:
        which = "a sensitive value" if len(bare) == len(sensitive) else f"a value of {listed(bare)}"
        open_.append(f"If all records of a group share {which}, it is known for each of them.")
    if by_sensitive:
        open_.append(
            "Whoever can rule out some sensitive values of a group, from what else is known of a "
            "person, is surer of the others; values that differ may still mean much the same."
        )
    more = []
    if weights_as is not None and weights_as not in ("mean", "drop"):
        as_ = "as they are" if weights_as == "exact" else "rounded"
        more.append(
            f"Survey weights are released {as_}: whoever knows a person's weight may "
            "recognize a record by it, and records of one household may be known by theirs."
        )
    if of.values:
        more.append(
            "Intervals that were made from the data end in values of records, though they do not "
            "say of which; a hierarchy of fixed intervals (widths, cuts) shows none."
        )
    if of.records:
        more.append(
            "A mode, a medoid or the median of ordinal values is a value of one of the group's "
            "records, a group's medoids are one record's combination; they do not say whose."
        )
    return {
        "covers": [
            f"Whoever knows all quasi-identifiers of a person finds at least {k} records that fit "
            "equally well.",
            "The identifiers are not in the release.",
            *(
                [f"These are of at least {k} households, each of which is in one group as a whole."]
                if of.households
                else []
            ),
            *(
                [f"These are of at least {k} people, each with all records in one group."]
                if of.people
                else []
            ),
            *([] if requirement is None else _promises(requirement, sensitive, of.people)),
        ],
        "does_not_cover": [
            *open_,
            "Columns kept as they are (sensitive, other) are not protected; whoever knows such a "
            "value may recognize a record by it.",
            f"Someone who knows {k - 1} or more of a group's {of.smallest} or more members can "
            "narrow down the rest.",
            *_limits(of.given, by_sensitive),
            *more,
            IN_MEMORY,
        ],
    }


def of_file(promised: GuaranteeSection, in_order: bool) -> GuaranteeSection:
    """Return the promises of a written file, which says more about the order of its rows."""
    covers = [
        *promised["covers"],
        "The written file was read back by separate code, which counted its groups anew.",
    ]
    open_ = [line for line in promised["does_not_cover"] if line != IN_MEMORY]
    if in_order:
        open_.append(IN_ORDER)
    else:
        covers.append("The order of the rows says nothing about the order of the input.")
    return {"covers": covers, "does_not_cover": open_}


def _limits(given: bool, by_sensitive: bool) -> list[str]:
    """Return sentences on known attacks that k-anonymity and its kin do not cover.

    Minimality: Wong, Fu, Wang and Pei 2007; downcoding: Cohen 2022; model inference (deFinetti):
    Kifer 2009; composition: Ganta, Kasiviswanathan and Smith 2008.
    """
    if by_sensitive:
        groups = (
            "Here the groups depend on the sensitive values themselves, so that this can tell more "
            "about a person's than was asked for (l, t, alpha and others)."
        )
    elif given:
        groups = "Where groups that came with the data depend on sensitive values, it tells these."
    else:
        groups = "The groups were made without a look at sensitive values, of which it tells none."
    attacks = (
        "the method did no more than was needed, so that whoever knows it can undo a part of what "
        f"it did, by ruling out all data that it would have released otherwise. {groups}",
        "the least change was sought, so that a generalized value or a mean can sometimes be "
        "narrowed down from the release alone, to fewer originals than it seems to stand for.",
        "a model trained on the released groups predicts the sensitive values of people better "
        "than the base rate of the table does, as far as they depend on the quasi-identifiers.",
        "two releases of the same people can be combined, and whoever is in both may be in groups "
        "that have fewer than k people in common; verifying one against the other counts them.",
    )
    return [f"{name}: {words}" for name, words in zip(LIMITS, attacks, strict=True)]


def _is_varied(requirement: Requirement, column: str) -> bool:
    """Tell whether no group may hold one value of a column alone."""
    least, alpha = requirement.threshold("l", column), requirement.threshold("alpha", column)
    numbers = requirement.threshold("e", column) is not None and requirement.k > 1
    return (least is not None and least > 1) or (alpha is not None and alpha < 1) or numbers


def _promises(requirement: Requirement, sensitive: Sequence[str], people: bool) -> list[str]:
    """Return sentences on the guarantee of every requested model beyond k."""
    promises = []
    if people and requirement.of_sensitive:
        promises.append(
            "What is said of sensitive values counts people: each person and value of a group once."
        )
    if requirement.missing_sensitive == "value" and requirement.of_sensitive:
        promises.append("A missing sensitive cell counts as a value of its own.")
    for column in sensitive:
        name = shown(column)
        least, t, alpha = (requirement.threshold(what, column) for what in ("l", "t", "alpha"))
        if least is not None and requirement.l_kind == "entropy":
            promises.append(
                f"Every group is as uncertain about {name} as if it held {least:g} values, each "
                "equally often (entropy l-diversity)."
            )
        elif least is not None and requirement.c is not None:
            promises.append(
                f"In every group the most frequent value of {name} occurs less than "
                f"{requirement.c:g} times as often as all from number {least:g} on together "
                "(recursive (c,l)-diversity)."
            )
        elif least is not None:
            promises.append(f"Every group holds at least {least:g} different values of {name}.")
        if t is not None:
            promises.append(
                f"In every group {name} is distributed as in the whole release, up to {t:g} "
                "(earth mover's distance): a group tells little that the table does not."
            )
        if alpha is not None:
            promises.append(f"No value of {name} is more than {100 * alpha:g} % of a group.")
        promises += _shares(requirement, column)
    promises += [
        f"Every group holds at least {least} different combinations of {listed(columns)}"
        f"{'' if requirement.l_kind == 'distinct' else f' ({requirement.l_kind} l-diversity)'}."
        for columns, least in requirement.l_of.items()
    ]
    dominance = requirement.dominance
    if isinstance(dominance, Mapping):
        promises += [_hidden(f"the mean of {shown(name)}", p) for name, p in dominance.items()]
    elif dominance is not None:
        promises.append(_hidden("a mean", dominance))
    promises += [
        f"Whoever knows {listed(columns)} alone finds at least {k} records that fit equally well."
        for columns, k in requirement.k_of.items()
    ]
    return promises


def _shares(requirement: Requirement, column: str) -> list[str]:
    """Return sentences on the shares and the range of a sensitive column in every group."""
    name, promises = shown(column), []
    beta, delta, e = (requirement.threshold(what, column) for what in ("beta", "delta", "e"))
    if beta is not None:
        kind = requirement.beta_kind
        also = "" if kind == "basic" else ", nor one of share p more than -100 ln p %"
        promises.append(
            f"In no group is a value of {name} more than {100 * beta:g} % more frequent than in "
            f"the whole release{also} ({kind} β-likeness)."
        )
    if delta is not None:
        promises.append(
            f"In every group the share of each value of {name} is less than {math.exp(delta):.4g} "
            f"times that in the whole release, and more than {math.exp(-delta):.4g} times "
            "(δ-disclosure privacy)."
        )
    if e is not None:
        promises.append(
            f"Every group holds at least {requirement.k} different numbers of {name}, the least "
            f"and the greatest at least {e:g} apart ((k,e)-anonymity)."
        )
    return promises


def _hidden(what: str, p: float) -> str:
    return (
        f"The second largest unit of a group cannot tell the largest from {what} to within {p:g} % "
        "(p % rule)."
    )

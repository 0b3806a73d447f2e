"""The role that a column seems to have, and why: by its name, its cells, its counts.

Nothing that names people is ever proposed as kept, and a column of which nothing is known is a
quasi-identifier: to protect too much costs utility, to protect too little cannot be taken back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.table.assign import too_different
from shoal.table.proposals.content import Content, Look, Meaning
from shoal.table.roles import Kind, Role

DROP = "drop"
WEIGHT, PERSON, HOUSEHOLD = "weight", "person", "household"
RECORDS = "records"  # count, though every identifier repeats
NAMING = (Look.EMAIL, Look.PHONE, Look.LINK, Look.ACCOUNT, Look.PERSON)
DIRECT = (Meaning.EMAIL, Meaning.PHONE, Meaning.NATIONAL_ID, Meaning.ADDRESS, Meaning.NAME)
NUMBERED = (Meaning.PERSON_ID, Meaning.CASE_ID)
PRIVATE = (Meaning.DIAGNOSIS, Meaning.BELIEF)
SINGLED_OUT = 0.2  # of the records may be unique in a column that is proposed as sensitive
UNIQUE = 0.5  # beyond it an other column is refused
MANY, SPREAD = 20, 0.05  # different values of what numbers people, and as a share of the cells
CLASSES = 30  # different values up to which private matters are categories
WEIGHED = 250.0  # no body weighs more, in kilograms: half of the records do not
MEASURED = (Meaning.EVENT, Meaning.BODY, Meaning.MONEY)
KNOWN = {
    Meaning.BIRTH: "a date of birth, which many know and registers hold",
    Meaning.AGE: "an age, which neighbors and registers know",
    Meaning.SEX: "sex, which everybody sees",
    Meaning.POSTCODE: "a postcode: where people live is in every directory",
    Meaning.PLACE: "a place, which whoever knows the person knows",
    Meaning.ORIGIN: "origin, which is visible or in registers",
    Meaning.FAMILY: "family, which neighbors and registers know",
    Meaning.EDUCATION: "education, which colleagues and profiles tell",
    Meaning.OCCUPATION: "work, which colleagues and profiles tell",
    Meaning.UNIT: "a ward or department: where somebody was is seen by others",
    Meaning.EVENT: "when or how long something was, which others noticed",
    Meaning.BODY: "a measure of the body, which others can estimate",
    Meaning.MONEY: "money: amounts lie in registers and letters",
}


@dataclass(frozen=True)
class RoleProposal:
    """A role, or `drop`, with its reason; `use` is what a survey makes of the column."""

    role: str
    reason: str
    use: str | None = None


def propose_role(content: Content) -> RoleProposal:
    """Return the role that fits a column: the first rule that says something."""
    for rule in (_empty, _names_people, _counts_people, _singles_out, _is_private):
        proposal = rule(content)
        if proposal is not None:
            return proposal
    return RoleProposal(Role.QUASI_IDENTIFIER, _known_elsewhere(content))


def _empty(content: Content) -> RoleProposal | None:
    """Keep what tells nobody apart; leave out what can be neither grouped nor kept."""
    if not content.rows:
        return RoleProposal(Role.OTHER, "there are no records")
    if not content.kind.is_grouped and content.different:
        if content.unique > UNIQUE:
            return RoleProposal(DROP, "its cells cannot be grouped, and most are unique")
        return RoleProposal(Role.OTHER, "its cells cannot be grouped")
    if content.different == 0:
        return RoleProposal(Role.OTHER, "every cell is missing")
    if content.different == 1 and content.meaning not in DIRECT and content.look not in NAMING:
        return RoleProposal(Role.OTHER, "every record has the same value")
    return None


def _names_people(content: Content) -> RoleProposal | None:
    """Propose as identifier what is a name, a contact or a number of an office; drop free text."""
    if content.look in NAMING:
        return RoleProposal(Role.IDENTIFIER, f"its cells look like {content.look}")
    flag = content.different <= 2 and content.kind is not Kind.TEXT  # whether there is a phone
    if content.meaning in DIRECT and not flag:
        return RoleProposal(Role.IDENTIFIER, f"{content.meaning}, by its name")
    if content.look is Look.FREE_TEXT:
        return RoleProposal(DROP, "free text, which may name people")
    texts = content.kind is Kind.TEXT and content.different > MANY
    if content.meaning is Meaning.FREE_TEXT and texts:
        return RoleProposal(DROP, "free text by its name, which may name people")
    return None


def _counts_people(content: Content) -> RoleProposal | None:
    """Propose numbers of people, records and households as identifiers, and survey weights."""
    repeats = content.different < content.present
    many = content.different > max(MANY, SPREAD * content.present)
    small = content.different > SPREAD * content.present and content.present <= MANY**2
    numbers = content.kind in (Kind.TEXT, Kind.INTEGER) and (many or small or not repeats)
    if content.meaning is Meaning.HOUSEHOLD and numbers and repeats and not content.column.missing:
        reason = f"the number of a household, by its name: {content.different:,} repeat"
        return RoleProposal(Role.IDENTIFIER, reason, HOUSEHOLD)
    if content.meaning in NUMBERED and numbers:
        if repeats and content.meaning is Meaning.PERSON_ID and not content.column.missing:
            reason = f"the number of a person, by its name: {content.different:,} people in "
            reason += f"{content.present:,} records"
            return RoleProposal(Role.IDENTIFIER, reason, PERSON)
        return RoleProposal(Role.IDENTIFIER, f"{content.meaning}, by its name")
    return _weighs(content)


def _weighs(content: Content) -> RoleProposal | None:
    """Propose survey weights: by name, or weights that no body has."""
    numbers = content.numbers
    if not content.kind.is_number or content.column.missing or not (numbers > 0).all():
        return None
    heavy = content.meaning is Meaning.BODY and float(np.median(numbers)) > WEIGHED
    if content.meaning is Meaning.SURVEY_WEIGHT or heavy:
        how = "by its numbers, which no body weighs" if heavy else "by its name"
        return RoleProposal(Role.OTHER, f"a survey weight, {how}", WEIGHT)
    return None


def _singles_out(content: Content) -> RoleProposal | None:
    """Propose as identifier what is different for nearly every record, and no known attribute."""
    known = _is_known(content) or content.look is Look.ICD10
    if content.present < 2 or known or content.column.doubt:
        return None
    reason = too_different(content.kind, content.different, content.present)
    if reason and content.kind is Kind.TEXT:
        return RoleProposal(Role.IDENTIFIER, reason)
    if reason and content.kind is Kind.INTEGER:
        return RoleProposal(Role.IDENTIFIER, f"{reason}: a running number?")
    return None


def _is_private(content: Content) -> RoleProposal | None:
    """Propose as sensitive what people keep to themselves, where it does not single them out."""
    coded = content.look is Look.ICD10
    if not (coded or content.meaning in (*PRIVATE, Meaning.MONEY)) or content.column.doubt:
        return None
    categories = content.kind in (Kind.TEXT, Kind.BOOLEAN) or content.different <= CLASSES
    if content.meaning is Meaning.MONEY:
        categories = content.kind is Kind.TEXT and content.different <= CLASSES
    if not categories or content.unique > SINGLED_OUT:
        return None
    what = f"{content.meaning}, by its name" if content.meaning else "health"
    what += f"; its cells are {Look.ICD10}" if coded else ""
    reason = f"{what}: {content.different:,} values, kept, and not to be learned of anybody"
    return RoleProposal(Role.SENSITIVE, reason)


def _is_known(content: Content) -> bool:
    """Tell whether a column is what its name says; measures are numbers, or a few classes."""
    if content.meaning in MEASURED and not content.kind.is_numeric:
        return content.different <= CLASSES
    return content.meaning in KNOWN


def _known_elsewhere(content: Content) -> str:
    """Return why a column is proposed as quasi-identifier."""
    many = f"{content.different:,}"
    if content.meaning is not None and _is_known(content):
        known = KNOWN[content.meaning]
        if content.meaning is Meaning.EVENT and content.kind in (Kind.DATE, Kind.DATETIME):
            known = "a date of something that others noticed"
        if content.unique > SINGLED_OUT:
            alone = f"{100 * content.unique:.0f} % of the records are alone with theirs"
            return f"{known}; {alone}"
        return f"{known}; {many} different values"
    if content.meaning in PRIVATE or content.look is Look.ICD10:
        return (
            f"{content.meaning or 'health'}, but {many} different values, which single out "
            f"{100 * content.unique:.0f} % of the records if kept"
        )
    if content.column.is_ordinal:
        return f"{many} ordered categories, perhaps known elsewhere"
    if content.code_length is not None:
        return f"{many} codes of {content.code_length} signs, perhaps known elsewhere"
    if content.kind is Kind.TEXT:
        return f"{many} categories, perhaps known elsewhere"
    if content.kind is Kind.BOOLEAN or (content.kind.is_number and content.different == 2):
        return "two values, as yes and no are, perhaps known elsewhere"
    kind = "dates" if content.kind in (Kind.DATE, Kind.DATETIME) else "numbers"
    return f"{many} different {kind}, perhaps known elsewhere"

"""What a page does with a ledger: its requests, checked, and the files that come with them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.series.key import key_path
from shoal.web.bodies import Refused
from shoal.web.jobs import DONE, MADE
from shoal.web.series.ledgers import KnownLedger
from shoal.web.session import Session
from shoal.web.uploads import check_ready, ending_of, entries_of, kept_name

MOST = 200  # releases that are brought at once


async def withdraw(session: Session, known: KnownLedger, body: Mapping[str, Any]) -> dict[str, Any]:
    """Withdraw a release that nobody has seen."""
    number = body.get("release")
    if type(number) is not int:
        raise Refused(400, "name the release by its number")
    return await session.look_into(known, action="withdraw", release=number)


async def forget(session: Session, known: KnownLedger, body: Mapping[str, Any]) -> dict[str, Any]:
    """Say what it costs that people leave; where the page is `sure`, they leave."""
    people = body.get("people")
    if not isinstance(people, list) or not all(isinstance(one, str) for one in people):
        raise Refused(400, "name the people who leave, one on each line")
    named = [one for one in people if one]
    if not known.path.exists():
        raise Refused(409, "no release is noted in this ledger yet: nobody can leave it")
    action = "forget" if body.get("sure") is True else "cost"
    return await session.look_into(known, action=action, people=named)


async def add(session: Session, known: KnownLedger, body: Mapping[str, Any]) -> dict[str, Any]:
    """Note an earlier release of a file that is open, by its recipe."""
    file, person, changing = session.file(str(body.get("file"))), body.get("person"), []
    check_ready(file)
    if not isinstance(person, str) or not isinstance(body.get("recipe"), str):
        raise Refused(400, "the recipe of the release and the column of persons are wanted")
    if isinstance(body.get("changing"), list):
        changing = [one for one in body["changing"] if isinstance(one, str)]
    with session.questions.for_a_while() as place:
        release = _kept(place, body.get("release"))
        recipe = place / "run.toml"
        recipe.write_bytes(body["recipe"].encode("utf-8", "surrogatepass"))
        return await session.look_into(
            known, action="add", recipe=str(recipe), file=str(release), original=str(file.source),
            person=person, changing=changing,
        )  # fmt: skip


async def judge(session: Session, known: KnownLedger, body: Mapping[str, Any]) -> dict[str, Any]:
    """Judge all releases of a ledger that are brought, or that the desk has, together."""
    given = body.get("files", [])
    if not isinstance(given, list) or len(given) > MOST:
        raise Refused(400, f"up to {MOST} releases can be brought at once")
    if not known.path.exists():
        raise Refused(409, "no release is noted in this ledger yet: there is nothing to judge")
    with session.questions.for_a_while() as place:
        brought = []
        for number, one in enumerate(given):
            own = place / str(number)
            own.mkdir(mode=0o700)
            brought.append(str(_kept(own, one)))
        there = [str(path) for path in _releases(session)]
        return await session.look_into(known, action="verdict", brought=brought, there=there)


def texts_of(known: KnownLedger) -> dict[str, Any]:
    """Return the texts of a ledger and its key, to be kept by whoever brought or began it."""
    try:
        texts = [path.read_text("utf-8") for path in (known.path, key_path(known.path))]
    except (OSError, UnicodeDecodeError):
        raise Refused(409, "no release is noted in this ledger yet") from None
    return {"name": known.name, "ledger": texts[0], "key": texts[1]}


def _releases(session: Session) -> list[Path]:
    """Return the files that may be releases: of the folder, open ones, and those of jobs."""
    made = [
        path for job in session.jobs.values() if job.state == DONE
        for path in sorted((job.place / MADE).glob("release.*"))
    ]  # fmt: skip
    entries = entries_of(session.folder, session.workspace).values()
    return [*made, *entries, *(file.path for file in session.files.values())]


def _kept(place: Path, given: Any) -> Path:
    """Keep a file that a page brings with its request."""
    named = given if isinstance(given, Mapping) else {}
    name, content = named.get("name"), named.get("base64")
    if not isinstance(name, str) or not isinstance(content, str):
        raise Refused(400, "the released file is wanted")
    path = place / kept_name(name, ending_of(name))
    path.touch(0o600)
    try:
        path.write_bytes(base64.b64decode(content, validate=True))
    except (binascii.Error, ValueError):
        raise Refused(400, "the released file did not come whole") from None
    return path

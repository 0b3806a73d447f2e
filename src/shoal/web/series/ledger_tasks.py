"""What a worker does with ledgers: say what one holds, keep it, judge its releases together."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal.errors import InputError, RequestError
from shoal.judge.series import verify_series
from shoal.series.keeping import forget_people, leaving, withdraw_release
from shoal.series.key import key_path
from shoal.series.ledger import Ledger, Release, Withdrawal
from shoal.settings import load
from shoal.table.files.opening import digest_of
from shoal.table.hierarchy.specify import is_file
from shoal.web.jobs import ProgressWriter

HANDED = "ledger"  # the folder of copies beside a release
SAYS = "the ledger after this release; private, and needed for the next one"
KEY_SAYS = "the key of the ledger; private, keep it apart from the ledger"


def ledger(request: Mapping[str, Any], _place: Path, _progress: ProgressWriter) -> dict[str, Any]:
    """Do something with a ledger (one of ACTIONS), and say what it holds then, in counts."""
    path = Path(request["path"])
    action = request.get("action")
    more = {} if action is None else ACTIONS[action](path, request)
    if not path.exists() and not key_path(path).exists():
        return {"releases": [], "people": 0, "several": 0, "left": 0, "entries": 0, "last": ""}
    own = Ledger.load(path)
    gone = {one.release for one in own.entries if isinstance(one, Withdrawal)}
    times = Counter(person for one in own.releases for person in one.roll.people)
    return {
        "releases": [
            _release(one, one.number in gone) for one in own.entries if isinstance(one, Release)
        ],
        "people": len(times),
        "several": sum(1 for often in times.values() if often > 1),
        "left": len(own.left),
        "entries": len(own.entries),
        "last": own.last[:12],
        **more,
    }


def _withdraw(path: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """Withdraw a release that nobody has seen."""
    withdraw_release(path, int(request["release"]))
    return {}


def _cost(path: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """Say what it would cost that people leave."""
    return {"cost": asdict(leaving(Ledger.load(path), request["people"])[0])}


def _forget(path: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """Let people leave."""
    return {"cost": asdict(forget_people(path, request["people"]))}


def _add(path: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """Note an earlier release, made again from its recipe and an original that is open."""
    from shoal.pipeline.add_release import add_release

    recipe = Path(request["recipe"])
    settings = load(recipe)
    if any(is_file(rule) for rule in settings.hierarchies.values()):
        raise RequestError(
            "the recipe names files of hierarchies, which the desk does not have; add this release "
            "with `shoal ledger add`"
        )
    settings = settings.replace(input={"path": request["original"]})
    recipe.write_text(settings.to_toml(), encoding="utf-8")
    add_release(path, recipe, request["person"], Path(request["file"]), request["changing"])
    return {}


def _verdict(path: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """Judge the releases of a ledger: those that are brought, and those that the desk has."""
    own = Ledger.load(path)
    wanted = {one.sha256 for one in own.releases}
    files = {_sha256(Path(one)): Path(one) for one in request["brought"]}
    for one in map(Path, request["there"]):
        digest = _sha256(one)
        if digest in wanted:
            files.setdefault(digest, one)
    if not files:
        return {"verdict": None}
    return {"verdict": verify_series(list(files.values()), path).to_dict()}


def _sha256(path: Path) -> str:
    try:
        return digest_of(path)
    except InputError:  # gone since
        return ""


ACTIONS: dict[str, Callable[[Path, Mapping[str, Any]], dict[str, Any]]] = {
    "withdraw": _withdraw, "cost": _cost, "forget": _forget, "add": _add, "verdict": _verdict,
}  # fmt: skip


def _release(entry: Release, gone: bool) -> dict[str, Any]:
    """Return what is said of a release in a ledger."""
    return {
        "number": entry.number,
        "file": entry.file,
        "people": len(entry.roll.people),
        "withheld": entry.withheld,
        "k": entry.promise.k,
        "l": entry.promise.l,
        "state": "withdrawn" if gone else "made" if entry.made else "added",
    }


def handed_out(path: Path, made: Path) -> list[dict[str, Any]]:
    """Copy a ledger and its key beside a release; return them as downloads."""
    folder = made / HANDED
    folder.mkdir(mode=0o700)
    files = []
    for source, says in ((path, SAYS), (key_path(path), KEY_SAYS)):
        target = folder / source.name
        shutil.copyfile(source, target)
        target.chmod(0o600)
        name = f"{HANDED}/{source.name}"
        files.append({"name": name, "bytes": target.stat().st_size, "says": says})
    return files

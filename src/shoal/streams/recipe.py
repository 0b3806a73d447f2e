"""The recipe of a stream, by which it can be run again, and what of it may change."""

from __future__ import annotations

import json
import os
from importlib import metadata
from pathlib import Path
from typing import Any

from shoal.backends.private_folder import RECIPE, SUFFIX
from shoal.backends.staging import Staging
from shoal.errors import RequestError, shown
from shoal.hints import Hint, option
from shoal.save.files import seen_from
from shoal.settings import Settings
from shoal.settings.model import FORM
from shoal.settings.stream import STREAM
from shoal.settings.table import RUN, TABLE, Entry, commands_of, takers_of
from shoal.streams.state import State
from shoal.table.hierarchy.specify import is_file

LEDGER, REQUEST = "stream.ledger", "request"
READ_BY = "input"  # the part that says how records are read


def check_streamed(settings: Settings) -> None:
    """Raise RequestError for what a recipe asks for and no stream can do."""
    for entry in TABLE.values():
        if STREAM in takers_of(entry) or STREAM in commands_of(entry) or entry.part == RUN:
            continue
        if _value(settings.model_dump(), entry) != entry.default:
            raise RequestError(f"a stream takes no {Hint(entry.name).mark}; leave it out")


def settled(settings: Settings, private: Path) -> Settings:
    """Return settings whose files are found from anywhere, with the ledger of the stream."""
    ledger = settings.series.ledger
    folder = settings.input.hierarchies
    return settings.replace(
        input={
            "path": None, "sha256": None, "commitment": None, "hierarchies_sha256": {},
            "hierarchies": None if folder is None else _whole(folder),
        },
        hierarchies={
            name: _whole(rule) if is_file(rule) else rule
            for name, rule in settings.hierarchies.items()
        },
        release={"output": None},
        series={"ledger": _whole(private / LEDGER if ledger is None else ledger)},
    ).model_copy(update={"shoal": None, "form": None})  # fmt: skip


def _whole(path: str | Path) -> str:
    """Return a path that is found from anywhere."""
    return os.path.abspath(path)  # noqa: PTH100 - without following links


def write_recipe(settings: Settings, source: str | None, private: Path) -> None:
    """Write the recipe into the private folder, unless it is there."""
    own = settled(settings, private)
    ledger = None if settings.series.ledger is None else own.series.ledger
    recipe = own.model_copy(
        update={"shoal": metadata.version("shoal"), "form": FORM}
    ).replace(
        input={
            "path": seen_from(source, private),
            "hierarchies": seen_from(own.input.hierarchies, private),
        },
        hierarchies={
            name: str(seen_from(rule, private)) if is_file(rule) else rule
            for name, rule in own.hierarchies.items()
        },
        release={"output": f"../{private.name.removesuffix(SUFFIX)}/"},
        series={"ledger": seen_from(ledger, private)},
    )  # fmt: skip
    content, target = recipe.to_toml(streamed=True).encode("utf-8"), private / RECIPE
    if target.is_file() and target.read_bytes() == content:
        return
    with Staging(force=True) as staging:
        staging.check(target)
        staging.add(target, content, private=True)
        staging.commit()


def begin(state: State, settings: Settings) -> None:
    """Note what a stream is begun with; once a batch is released, it stays.

    Before, it may change; but who is who and how records are read stay once records have come.
    """
    asked, before = _request_of(settings), state.note(REQUEST)
    if before == asked:
        return
    counts = state.counts
    if before is not None:
        changed = _differences(json.loads(before), json.loads(asked))
        if changed and (counts.batches or state.noted() is not None):
            raise RequestError(
                f"{shown(state.folder)}: batches were released with other options: "
                f"{_named(changed)}; say them as {RECIPE} there does, or begin another folder "
                f"(only {option('batch')} and {option('delay')} may change)"
            )
        kept = [one for one in changed if _is_fixed_by_records(one)]
        if counts.come and kept:
            raise RequestError(
                f"{shown(state.folder)}: records wait that came with other options: "
                f"{_named(kept)}; say them as {RECIPE} there does, or begin another folder"
            )
    with state.changing():
        if before is not None and not counts.come:
            state.forget()
        state.set_note(REQUEST, asked)


def _named(changed: list[str]) -> str:
    """Return the names of options as a list."""
    return ", ".join(Hint(name).mark for name in changed)


def _is_fixed_by_records(name: str) -> bool:
    """Tell whether records that have come were read, or numbered, by an option."""
    return TABLE[name].part == READ_BY or name in ("person", "ledger")


def _request_of(settings: Settings) -> str:
    """Return what a stream is begun with, as text: later runs must ask for the same."""
    tree = settings.model_dump(mode="json")
    kind = tree.pop("stream")["format"]
    return json.dumps([kind, tree], sort_keys=True, default=str)


def _differences(before: list[Any], asked: list[Any]) -> list[str]:
    """Return the names of the options that differ between two requests."""
    trees = [{**tree, "stream": {"format": kind}} for kind, tree in (before, asked)]
    found = []
    for name, entry in TABLE.items():
        own, other = (_value(tree, entry) for tree in trees)
        if entry.part != RUN and own != other:
            found.append(name)
    return found


def _value(tree: dict[str, Any], entry: Entry) -> Any:
    """Return the value of an option in a tree of settings."""
    place = tree.get(entry.part, {}) if entry.part else tree
    return place.get(entry.field)

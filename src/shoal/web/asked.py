"""What a page asks for, as settings: its recipe, and what only a release can have beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.errors import ShoalError
from shoal.hints import Message
from shoal.settings import build
from shoal.settings.presets import with_preset
from shoal.web.errors import Refused
from shoal.web.labels import as_field
from shoal.web.open_file import Opened
from shoal.web.request import read_recipe
from shoal.web.series.ledgers import Ledgers

RELEASE = "anonymize"
COMPARISON = "compare"
ALIKE = ("preset", "suppress")  # what would make the runs of a comparison differ


def asked_settings(
    file: Opened, kind: str, recipe: Mapping[str, Any], ledgers: Ledgers
) -> dict[str, Any]:
    """Return the settings of a job or a question about a file.

    A series and its ledger are for a release alone: a sample is not tried under a ledger, and a
    comparison releases nothing.
    """
    if not isinstance(recipe, Mapping):
        raise Refused(400, "a recipe is wanted")
    plain = {part: one for part, one in recipe.items() if part not in ("series", "secret")}
    tree = with_preset(read_recipe(plain, file.trees, file.reading))
    if recipe.get("secret") is not None:
        tree["secret"] = recipe["secret"]
    if recipe.get("series") and kind == RELEASE:
        tree["series"] = ledgers.series(recipe["series"])
    if kind == COMPARISON:
        tree["protect"] = {key: one for key, one in tree["protect"].items() if key not in ALIKE}
    try:
        build(tree)
    except ShoalError as error:
        raise Refused(400, Message(error.marked).at(as_field)) from None
    return tree

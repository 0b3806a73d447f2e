"""The file that a recipe is run on."""

from __future__ import annotations

from glob import escape, has_magic
from pathlib import Path

from shoal.errors import RequestError
from shoal.hints import FILE, option
from shoal.pipeline.plan.aggregators import digests
from shoal.settings import Settings
from shoal.storage.names import is_url
from shoal.table.files.many_files import digest_parts, is_many
from shoal.table.files.opening import digest_of


def source_of(settings: Settings, recipe: Path, data: str | Path | None) -> str | Path:
    """Return the file that a recipe is run on, or the files; its own must not have changed."""
    options = settings.input
    source = named_by(settings, recipe, data)
    if data is None and options.sha256 and _digest(source) != options.sha256:
        raise RequestError(
            "the input has changed since the recipe was written (its sha256 differs); "
            f"say {option('input', str(source), python='its path')} to run the recipe on it all "
            "the same"
        )
    trees = options.hierarchies_sha256
    if data is None and trees and trees != digests(settings.hierarchies, recipe.parent):
        raise RequestError(
            "a hierarchy has changed since the recipe was written (its sha256 differs); take "
            "hierarchies_sha256 out of the recipe to run it all the same"
        )
    return source


def named_by(settings: Settings, recipe: Path, data: str | Path | None) -> str | Path:
    """Return the file or files that a recipe names, if no other `data` is given."""
    path = settings.input.path
    if data is not None:
        return data
    if path is None:
        advice = f"say {option('input', FILE, python='what it is')}"
        raise RequestError(
            f"the recipe does not name its input but by its hash or a commitment; {advice}"
            if settings.input.sha256 or settings.input.commitment
            else f"the recipe names no input; {advice}"
        )
    if is_url(path):
        return path
    beside = recipe.parent / path
    if beside.exists() or not has_magic(path):
        return beside
    return str(Path(escape(str(recipe.parent))) / path)


def _digest(source: str | Path) -> str:
    return digest_parts(str(source)) if is_many(str(source)) else digest_of(Path(source))

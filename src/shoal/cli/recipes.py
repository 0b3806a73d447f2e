"""Running recipes again: files beside them, and what a published recipe leaves out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from shoal.cli.display import say
from shoal.cli.options import given_options
from shoal.errors import InputError, RequestError, shown

AUTO = "auto"
CHOSEN = ("method", "start", "max_iterations", "time_limit", "runs")
PLANNED = ("schedule", "looks", "stop")  # of a search: how long it takes


def with_trees(settings: Any, given: dict[str, str]) -> Any:
    """Return the settings with the files of hierarchies that the recipe of a pack does not name.

    It names them by a commitment, which says nothing without its key.
    """
    from shoal.settings import COMMITTED

    trees = {**settings.hierarchies, **{name: str(Path(p).resolve()) for name, p in given.items()}}
    for name, tree in settings.hierarchies.items():
        if tree.startswith(COMMITTED) and name not in given:
            raise RequestError(
                f"the recipe does not name the hierarchy of {shown(name)}; say "
                f"--hierarchy {name}=FILE"
            )
    return settings.model_copy(update={"hierarchies": trees})


def with_values(settings: Any, orders: dict[str, Any], missing: list[str] | None) -> Any:
    """Return the settings with the orders and signs for missing cells that a pack does not tell."""
    from shoal.settings import COMMITTED

    own = dict(settings.orders)
    for name, order in settings.orders.items():
        if order[:1] and order[0].startswith(COMMITTED):
            if name not in orders:
                raise RequestError(
                    f"the recipe does not tell the order of {shown(name)}; say --order "
                    f"{name}=least,…,greatest"
                )
            own[name] = tuple(orders[name])
    signs = settings.input.missing
    if any(sign.startswith(COMMITTED) for sign in signs):
        if missing is None:
            raise RequestError(
                "the recipe does not tell what stands for missing cells; say --missing"
            )
        signs = tuple(missing)
    changed = settings.model_copy(update={"orders": own})
    return changed.replace(input={"missing": tuple(signs)})


def chosen_again(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a recipe that chooses method and iterations anew, as a run that names none does."""
    if tree.get("roles", {}).get("group") or tree.get("protect", {}).get("refine"):
        raise RequestError("this recipe refines groups that were given: there is no choice in it")
    protect = {key: one for key, one in tree.get("protect", {}).items() if key not in CHOSEN}
    search = {key: one for key, one in tree.get("search", {}).items() if key not in PLANNED}
    return {**tree, "protect": protect, "search": search}


def echo_choice(tree: dict[str, Any], source: str | None) -> None:
    """Print that method and iterations of a recipe were chosen for another file."""
    method = tree.get("protect", {}).get("method", AUTO)
    if source is None or method == AUTO or "shoal" not in tree:
        return
    from shoal.table.files.opening import digest_of

    made_of = tree.get("input", {}).get("sha256")
    try:
        if made_of is not None and digest_of(Path(source)) == made_of:
            return
    except (OSError, InputError):  # many files, or none: the reader raises the error
        pass
    many = tree["protect"].get("max_iterations")
    what = f"method {method}" + ("" if many is None else f" and its {many:,} iterations")
    say(
        f"{what} are from the recipe, chosen for the file it was made of; --choose-again chooses "
        "for this one"
    )


def beside_recipe(tree: dict[str, Any], folder: Path) -> None:
    """Let the files that a recipe names lie where it lies: hierarchies, a ledger. tree IN/OUT."""
    from shoal.table.hierarchy.specify import is_file

    trees = tree.get("hierarchies", {})
    tree["hierarchies"] = {
        name: str(folder / rule) if is_file(rule) else rule for name, rule in trees.items()
    }
    if tree.get("input", {}).get("hierarchies"):
        tree["input"]["hierarchies"] = str(folder / tree["input"]["hierarchies"])
    if tree.get("series", {}).get("ledger"):
        tree["series"]["ledger"] = os.path.normpath(folder / tree["series"]["ledger"])


def with_ledger(settings: Any, folder: Path) -> Any:
    """Return the settings of a recipe whose ledger is found from here."""
    ledger = settings.series.ledger
    if ledger is None:
        return settings
    return settings.replace(series={"ledger": os.path.normpath(folder / ledger)})


def completed(tree: dict[str, Any], recipe: Path | None, options: dict[str, Any]) -> dict[str, Any]:
    """Return the tree of a recipe that lies elsewhere than its input, with what options say."""
    from shoal.settings.tree import tree_of

    if recipe is not None:
        for key in ("path", "sha256", "commitment"):
            tree.get("input", {}).pop(key, None)
        beside_recipe(tree, recipe.parent)
    for part, values in tree_of(given_options(options)).items():
        if isinstance(values, dict):
            tree.setdefault(part, {}).update(values)
        else:
            tree[part] = values
    return tree


def output_of(settings: Any, recipe: Path) -> str:
    """Return where a recipe says that its release goes, as seen from here."""
    from shoal.storage.names import is_url

    noted: str | None = settings.release.output
    if noted is None:
        raise RequestError("the recipe names no output; say -o OUT")
    output = noted if is_url(noted) else os.path.normpath(recipe.parent / noted)
    return output + ("/" if noted.endswith("/") and not output.endswith("/") else "")

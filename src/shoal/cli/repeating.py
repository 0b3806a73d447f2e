"""Recipes that are run again: files beside them, and what the recipe of a pack only hashes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.errors import RequestError, shown


def with_trees(settings: Any, given: dict[str, str]) -> Any:
    """Return the settings with the files of hierarchies that a pack names by their hash."""
    from shoal.request import digests
    from shoal.settings import HASHED

    trees = {**settings.hierarchies, **{name: str(Path(p).resolve()) for name, p in given.items()}}
    for name, tree in settings.hierarchies.items():
        if tree.startswith(HASHED):
            if name not in given:
                raise RequestError(
                    f"the recipe names the hierarchy of {shown(name)} by its sha256; say "
                    f"--hierarchy {name}=FILE"
                )
            if HASHED + digests({name: trees[name]})[name] != tree:
                raise RequestError(
                    f"the hierarchy of {shown(name)} is not the recipe's: its sha256 differs"
                )
    return settings.model_copy(update={"hierarchies": trees})


def with_values(settings: Any, orders: dict[str, Any], missing: list[str] | None) -> Any:
    """Return the settings with the orders and signs for missing cells that a pack only hashes."""
    from shoal.release.packing.certificate import order_digest
    from shoal.settings import HASHED

    own = dict(settings.orders)
    for name, order in settings.orders.items():
        if order[:1] and order[0].startswith(HASHED):
            if name not in orders:
                raise RequestError(
                    f"the recipe names the order of {shown(name)} by its sha256; say --order "
                    f"{name}=least,…,greatest"
                )
            if HASHED + order_digest(orders[name]) != order[0]:
                raise RequestError(f"the order of {shown(name)} is not the recipe's")
            own[name] = tuple(orders[name])
    signs = list(settings.input.missing)
    if any(sign.startswith(HASHED) for sign in signs):
        known = {HASHED + order_digest([sign]): sign for sign in missing or ()}
        if not all(sign in known for sign in signs if sign.startswith(HASHED)):
            raise RequestError(
                "the recipe names what stands for missing cells by its sha256; say --missing"
            )
        signs = [known.get(sign, sign) for sign in signs]
    changed = settings.model_copy(update={"orders": own})
    return changed.having(input={"missing": tuple(signs)})


def beside_recipe(tree: dict[str, Any], folder: Path) -> None:
    """Let the files of hierarchies that a recipe names lie where it lies. tree IN/OUT."""
    from shoal.table.hierarchy.specify import is_file

    trees = tree.get("hierarchies", {})
    tree["hierarchies"] = {
        name: str(folder / said) if is_file(said) else said for name, said in trees.items()
    }
    if tree["input"].get("hierarchies"):
        tree["input"]["hierarchies"] = str(folder / tree["input"]["hierarchies"])

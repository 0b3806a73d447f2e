"""The values of a report, by their paths."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.report.public.keys import ANY


def leaves(tree, path=()):
    """Return the paths of all values of a report; items of lists of objects are `*`.

    What is empty has none.
    """
    if isinstance(tree, Mapping | list) and not tree:
        return []
    if isinstance(tree, Mapping):
        return [leaf for key, value in tree.items() for leaf in leaves(value, (*path, str(key)))]
    if isinstance(tree, list) and isinstance(tree[0], Mapping):
        return [leaf for item in tree for leaf in leaves(item, (*path, ANY))]
    return [path]

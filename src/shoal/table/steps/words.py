"""Steps as words of the command line: `round income -1`, `top income share=1%`.

The first word is the kind. Others are fields in their order, or NAME=VALUE; of a recoding, all
that follows the column is OLD=NEW (a = in OLD is written ==), but for `rest=keep`. Words with
spaces stand in quotes, lists of columns have commas.
"""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, get_origin

from shoal.errors import RequestError, shown
from shoal.table.steps.step import Values, types_of

if TYPE_CHECKING:
    from shoal.table.steps.step import Step


def read_words(text: str, class_of: Callable[[str], type[Step]]) -> Step:
    """Return the step that a line of words says."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise RequestError("a step has quotes that do not close") from None
    if not words:
        raise RequestError("a step is empty; say its kind first, as in round income -1")
    cls = class_of(words[0])
    names = [own.name for own in fields(cls)]
    mapped = next((n for n, t in types_of(cls).items() if get_origin(t) is get_origin(Values)), "")
    tree: dict[str, Any] = {"kind": cls.kind}
    for word in words[1:]:
        name, equals, value = _pair(word)
        free = [one for one in names if one not in tree and one != mapped]
        if equals and name in names and name != mapped and name not in tree:
            tree[name] = value
        elif equals and mapped and names[0] in tree:
            tree.setdefault(mapped, {})[name] = value
        elif free:
            tree[free[0]] = word
        else:
            raise RequestError(
                f"step {cls.kind}: {shown(word)} is too much; its fields are {', '.join(names)}"
            )
    return cls.from_dict(tree)


def _pair(word: str) -> tuple[str, str, str]:
    """Return a word split at its first = that is no ==, which stands for the sign itself."""
    split = re.fullmatch(r"((?:[^=]|==)+)=([^=].*|)", word, re.DOTALL)
    return (split[1].replace("==", "="), "=", split[2]) if split else (word, "", "")


def as_words(step: Step) -> str:
    """Return a step as a line of words that says it."""
    words, in_order = [step.kind], True
    pairs: list[str] = []
    for own in fields(step):
        value = getattr(step, own.name)
        if isinstance(value, Mapping):
            pairs = [f"{old.replace('=', '==')}={new}" for old, new in value.items()]
            continue
        if own.default is not MISSING and value == own.default:
            in_order = False
            continue
        word = _word(value)
        plain = in_order and "=" not in word
        words.append(word if plain else f"{own.name}={word}")
    return shlex.join([*words, *pairs])


def _word(value: Any) -> str:
    """Return the value of a field as one word."""
    if isinstance(value, tuple):
        line = io.StringIO()
        csv.writer(line).writerow(value)
        return line.getvalue().removesuffix("\r\n")
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, str) else repr(value)

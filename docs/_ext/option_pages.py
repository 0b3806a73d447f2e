"""Writing of generated files: types of arguments, and the reference page.

`python docs/_ext/option_pages.py` writes both anew; tests compare them with the table.
"""

from __future__ import annotations

from pathlib import Path

from shoal import settings
from shoal.hints import Message
from shoal.settings.model import STREAM
from shoal.settings.option import FUNCTIONS, PANELS
from shoal.settings.table import NEEDED, TABLE, Entry, commands_of, options_of, takers_of

SIGNATURES = Path(settings.__file__).with_name("signatures.py")
PAGE = Path(__file__).parents[1] / "reference" / "options.md"
HEAD = '''\
"""Types of the options that functions take, written by `python docs/_ext/option_pages.py`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from shoal.settings.kinds import Described
'''


def signatures() -> str:
    """Return a module with a TypedDict for every function that takes options.

    An option that must be given is no part of it: functions have a parameter of their own for it.
    """
    text = HEAD
    shared = [one for one in TABLE.values() if set(FUNCTIONS) <= set(one.option.takers)]
    lines = "".join(f'        "{one.name}": {one.type},\n' for one in shared)
    text += f'\nShared = TypedDict(\n    "Shared",\n    {{\n{lines}    }},\n    total=False,\n)\n'
    for function in FUNCTIONS:
        title = "".join(word.capitalize() for word in function.split("_")) + "Options"
        own = [o for o in options_of(function) if o not in shared and o.default is not NEEDED]
        text += f'\n\nclass {title}(Shared, total=False):\n    """Options of `{function}`."""\n'
        lines = "".join(f"    {one.name}: {one.type}\n" for one in own)
        text += f"\n{lines}" if lines else ""
    lines = "".join(
        f'        "{one.name}": {one.type},\n'
        for one in options_of(STREAM)
        if one.default is not NEEDED
    )
    head = '\n\nStreamOptions = TypedDict(\n    "StreamOptions",\n    {\n'
    return f"{text}{head}{lines}    }},\n    total=False,\n)\n"


def page() -> str:
    """Return the reference page of all options."""
    text = (
        "# Options\n\nEvery option, as the command line, Python and a recipe have it. This page is "
        "written by\n`python docs/_ext/option_pages.py`. *Expert* marks what few need; *desk*, "
        "what its page may ask for.\n"
    )
    for panel in PANELS:
        text += f"\n## {panel}\n\n| option | command line | Python | recipe | default | meaning |\n"
        text += "|---|---|---|---|---|---|\n"
        text += "".join(_row(one) for one in TABLE.values() if one.option.panel == panel)
    return text


def _row(entry: Entry) -> str:
    option = entry.option
    marks = ", ".join(word for word in ("expert", "desk") if getattr(option, word))
    words = f"`{'`, `'.join(entry.flags)}`: {', '.join(commands_of(entry))}"
    cells = [
        f"`{entry.name}`" + (f" ({marks})" if marks else ""),
        words if option.commands else "",
        f"`{entry.type}`: {', '.join(takers_of(entry))}" if option.takers else "",
        f"`{entry.key}`" if entry.key else "",
        "" if entry.default is NEEDED else f"`{entry.argument_default!r}`",
        Message(option.help).at(lambda hint: f"`{hint.name}`"),
    ]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def main() -> None:
    """Write the types and the page."""
    SIGNATURES.write_text(signatures(), encoding="utf-8")
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Settings: the one table of options, and all that is derived from it.

Every option is declared once, as a field with an `Option` in `data.py`, `protect.py`, `release.py`,
`model.py` (what a recipe holds) or `run.py` (what it does not). `table.py` lists them. Of that list
come the settings and their TOML (`model.py`, `recipe.py`), the options of commands (`shoal.cli`),
the signatures of functions (`table.py`, with the types in `signatures.py`), what the desk may
ask for and how it is said elsewhere (`shoal.web`), and the reference page
(`write.py`).

A new option is a field here, and whatever the code does with it. `python docs/_ext/option_pages.py`
then writes `signatures.py` and the page anew.
"""

from shoal.settings.data import InputSettings, RoleSettings
from shoal.settings.kinds import count, names, whole
from shoal.settings.model import Settings, build, search_options
from shoal.settings.parse import joined_key, split_key
from shoal.settings.protect import Effort, ProtectSettings, Refine
from shoal.settings.recipe import COMMITTED, load, load_tree
from shoal.settings.release import Decimals, ReleaseSettings
from shoal.settings.run import RunOptions

__all__ = [
    "COMMITTED",
    "Decimals",
    "Effort",
    "InputSettings",
    "ProtectSettings",
    "Refine",
    "ReleaseSettings",
    "RoleSettings",
    "RunOptions",
    "Settings",
    "build",
    "count",
    "joined_key",
    "load",
    "load_tree",
    "names",
    "search_options",
    "split_key",
    "whole",
]

"""The equivalent command line and Python call of a job."""

from __future__ import annotations

from collections.abc import Mapping
from pprint import pformat
from typing import Any

from shoal.judge.requirement import OF_COLUMNS
from shoal.settings.command_line import in_lines
from shoal.settings.table import TABLE
from shoal.settings.tree import arguments_of, values_in
from shoal.web.uploads import last_part

RELEASE, PACK, COMPARED = "release/", "pack", "compared/"


def summary_of(kind: str, settings: Mapping[str, Any], more: Mapping[str, Any]) -> str:
    """Return one line about a job."""
    protect = settings["protect"]
    extra = [f"{name} = {protect[name]}" for name in OF_COLUMNS if protect.get(name)]
    if kind == "compare":
        sizes = ", ".join(map(str, more["compare"]["k"]))
        return ", ".join([f"compare methods, k = {sizes}", *extra])
    options = [f"k = {protect['k']}", *extra, protect.get("method", "auto")]
    return ", ".join(map(str, options))


def command_line(
    kind: str,
    name: str,
    settings: Mapping[str, Any],
    more: Mapping[str, Any],
    trees: Mapping[str, str],
) -> str:
    """Return the command that does the same; `trees` names files of hierarchies."""
    words = ["shoal", kind, name if not name.startswith("-") else f"./{name}"]
    if kind == "compare":
        grid = more["compare"]
        words += ["-k", ",".join(map(str, grid["k"]))]
        if grid.get("methods"):
            words += ["--methods", ",".join(grid["methods"])]
        if grid.get("budget"):
            words += ["--budget", f"{grid['budget']:g}s"]
    for option, value in _given_options(settings, trees).items():
        if kind in TABLE[option].option.commands:
            words += TABLE[option].words(value)
    form = more.get("format", "csv")
    if kind == "compare":
        words += ["-o", COMPARED]
    elif _is_unpacked(settings):
        words += ["-o", _written(form)]
    else:
        words += ["--pack", PACK, *(["--format", form] if form != "csv" else [])]
    return in_lines(words)


def _given_options(settings: Mapping[str, Any], trees: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that settings say; `trees` names files of hierarchies."""
    values = values_in(settings)
    rules = values.get("hierarchies", {})
    values["hierarchies"] = {column: trees.get(rule, rule) for column, rule in rules.items()}
    values.pop("secret", None)  # the private recipe alone has it
    if "ledger" in values:
        values["ledger"] = last_part(values["ledger"])
    return {
        name: one for name, one in values.items() if one is not False and one not in ((), [], {})
    }


def _is_unpacked(settings: Mapping[str, Any]) -> bool:
    """Tell whether a release is no pack: one by regions, or of a series."""
    ledger = settings.get("series", {}).get("ledger")
    return bool(settings["protect"].get("memory")) or ledger is not None


def _written(form: str) -> str:
    """Return where a release goes that is no pack: a folder, or a file that names its format."""
    return RELEASE if form == "csv" else f"release.{form}"


def python_snippet(
    kind: str,
    name: str,
    settings: Mapping[str, Any],
    more: Mapping[str, Any],
    trees: Mapping[str, str],
) -> str:
    """Return the Python that does the same."""
    options, form = _given_options(settings, trees), more.get("format", "csv")
    function = kind
    if kind == "anonymize" and "memory" in options:
        function = "anonymize_file"
    given = arguments_of(
        {option: one for option, one in options.items() if function in TABLE[option].option.takers}
    )
    if kind == "compare":
        grid = more["compare"]
        own = {key: grid[key] for key in ("k", "methods", "budget") if grid.get(key)}
        call = _call(function, name, {**own, **given})
        return f"import shoal\n\ncompared = shoal.{call}\nprint(compared)\n"
    if function == "anonymize_file":
        call = _call(function, name, given, _written(form))
        return f"import shoal\n\nreleased = shoal.{call}\nprint(released.report)\n"
    arguments = [f"format={form!r}"] if form != "csv" else []
    arguments += ["spreadsheet_safe=True"] if "spreadsheet_safe" in options else []
    if "ledger" in options:
        call = _call(function, name, given)
        save = ", ".join([repr(RELEASE), *arguments])
        return f"import shoal\n\nresult = shoal.{call}\nprint(result.report)\nresult.save({save})\n"
    return (
        f"import shoal\n\nresult = shoal.{_call(function, name, given)}\nprint(result.report)\n"
        f"result.pack({', '.join([repr(PACK), *arguments])})\n"
    )


def _call(function: str, name: str, given: Mapping[str, Any], *more: str) -> str:
    """Return a call, an argument a line."""
    first = "".join(f"    {value!r},\n" for value in (name, *more))
    lines = "".join(f"    {key}={_shown(value)},\n" for key, value in given.items())
    return f"{function}(\n{first}{lines})"


def _shown(value: Any) -> str:
    return pformat(value, width=84, sort_dicts=False, compact=True).replace("\n", "\n        ")

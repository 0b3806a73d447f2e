"""The reference of Python: a page for every public name, by kind, and one for errors."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import shoal

WORK = {  # in the order of the work
    "Read and look": (
        "read", "Table", "inspect", "Inspection", "risk", "Risk", "hierarchy", "Hierarchy",
    ),
    "Release": (
        "anonymize", "anonymize_file", "Result", "Released", "Report", "preview", "Preview",
        "compare", "Comparison", "suggest", "Suggestion", "presets", "Preset", "Progress",
    ),
    "Judge": ("verify", "Verification", "measure", "Measures", "check_pack", "Checked"),
    "Publish again": (
        "add_release", "verify_series", "SeriesVerification", "check_ledger", "withdraw_release",
        "forget_people",
    ),
    "Group": (
        "microaggregate", "refine", "lower_bound", "methods", "Partition", "Bound", "Search",
        "microaggregate_columns", "ColumnByColumn", "estimator.Microaggregator",
    ),
}  # fmt: skip
ROOMS = {"Steps beside grouping": "steps", "Datasets": "datasets"}  # modules with public names


def sections() -> dict[str, list[str]]:
    """Return every public name by section; what no section names comes under "Further"."""
    found = {title: list(names) for title, names in WORK.items()}
    for title, room in ROOMS.items():
        found[title] = [f"{room}.{name}" for name in getattr(shoal, room).__all__]
    errors = [name for name in shoal.__all__ if is_error(name)]
    placed = {name for names in found.values() for name in names} | set(errors)
    further = [name for name in shoal.__all__ if name not in placed and documented(name)]
    return found | {"Further": further, "Errors and warnings": errors}


def every() -> list[str]:
    """Return every public name that has a page."""
    return [name for names in sections().values() for name in names]


def is_error(name: str) -> bool:
    """Whether a public name is an exception or warning."""
    value = member(name)
    return inspect.isclass(value) and issubclass(value, BaseException)


def documented(name: str) -> bool:
    """Whether a public name has a page: modules and the version have none."""
    value = member(name)
    return inspect.isclass(value) or inspect.isroutine(value)


def member(name: str) -> object:
    """Return what a public name stands for; a package that can be called is its function."""
    room, _, last = name.rpartition(".")
    value = getattr(importlib.import_module(f"shoal.{room}" if room else "shoal"), last)
    return value.registry.methods if inspect.ismodule(value) and callable(value) else value


def stem(name: str) -> str:
    """Return the name of a page's file: classes differ from functions by more than their case."""
    return f"{name}-class" if inspect.isclass(member(name)) else name


def page(name: str) -> Iterator[str]:
    """Yield the lines of a name's page."""
    value = member(name)
    public = f"shoal.{name}"
    if inspect.ismodule(getattr(shoal, name, None)):  # autodoc would document the package
        public = f"{value.__module__}.{name}"
    yield from (f"(api-{stem(name)})=", f"# `shoal.{name}`", "", "```{eval-rst}")
    if inspect.isroutine(value):
        yield f".. autofunction:: {public}"
    elif is_error(name):
        yield from (f".. autoexception:: {public}", "   :show-inheritance:")
    else:
        yield from (
            f".. autoclass:: {public}",
            "   :members:",
            "   :exclude-members: __new__, __init__",
        )
    yield from ("```", "")


def write(folder: Path) -> None:
    """Write the pages of all public names, and their table."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Python",
        "",
        "Names are loaded when they are first used: `import shoal` starts nothing.",
        "",
    ]
    names = []
    for title, section in sections().items():
        if not section:
            continue
        lines += [f"## {title}", "", "| name | what it is |", "|---|---|"]
        for name in section:
            first = (inspect.getdoc(member(name)) or "").split("\n\n")[0]
            text = " ".join(first.split()).replace("|", "\\|")
            lines.append(f"| [`{name}`]({stem(name)}.md) | {text} |")
            (folder / f"{stem(name)}.md").write_text("\n".join(page(name)), encoding="utf-8")
            names.append(stem(name))
        lines.append("")
    lines += ["```{toctree}", ":hidden:", *names, "```", ""]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")

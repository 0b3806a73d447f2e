"""The reference of Python: a page for every public name, by kind, and one for errors."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import shoal

WORK = {  # in the order of the work
    "Read and look": ("read", "Table", "hierarchy", "Hierarchy"),
    "Release": (
        "anonymize", "anonymize_file", "Result", "Released", "Report", "preview", "Preview",
        "compare", "Comparison",
    ),
    "Judge": ("verify", "Verification", "measure", "Measures", "check_pack", "Checked"),
    "Group": (
        "microaggregate", "refine", "lower_bound", "methods", "Partition", "Bound", "Search",
        "microaggregate_columns", "ColumnByColumn",
    ),
}  # fmt: skip


def sections() -> dict[str, list[str]]:
    """Return every public name by section; what no section names comes under "Further"."""
    found = {title: [name for name in names if name in shoal.__all__]
             for title, names in WORK.items()}  # fmt: skip
    errors = [name for name in shoal.__all__ if is_error(name)]
    placed = {name for names in found.values() for name in names} | set(errors)
    further = [name for name in shoal.__all__ if name not in placed and documented(name)]
    return found | {"Further": further, "Errors and warnings": errors}


def is_error(name: str) -> bool:
    """Whether a public name is an exception or warning."""
    value = getattr(shoal, name)
    return inspect.isclass(value) and issubclass(value, BaseException)


def documented(name: str) -> bool:
    """Whether a public name has a page: modules and the version have none."""
    value = getattr(shoal, name)
    return inspect.isclass(value) or inspect.isroutine(value)


def page(name: str) -> Iterator[str]:
    """Yield the lines of a name's page."""
    value = getattr(shoal, name)
    home = value.__module__
    yield from (f"(api-{name})=", f"# `shoal.{name}`", "", "```{eval-rst}")
    if inspect.isroutine(value):
        yield f".. autofunction:: {home}.{name}"
    elif is_error(name):
        yield from (f".. autoexception:: {home}.{name}", "   :show-inheritance:")
    else:
        yield from (f".. autoclass:: {home}.{name}", "   :members:", "   :exclude-members: __new__, __init__")
    yield from ("```", "")


def write(folder: Path) -> None:
    """Write the pages of all public names, and their table."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["# Python", "", "Names are loaded when they are first used: `import shoal` starts nothing.", ""]
    names = []
    for title, section in sections().items():
        if not section:
            continue
        lines += [f"## {title}", "", "| name | what it is |", "|---|---|"]
        for name in section:
            first = (inspect.getdoc(getattr(shoal, name)) or "").split("\n\n")[0]
            text = " ".join(first.split()).replace("|", "\\|")
            lines.append(f"| [`{name}`]({name}.md) | {text} |")
            (folder / f"{name}.md").write_text("\n".join(page(name)), encoding="utf-8")
            names.append(name)
        lines.append("")
    lines += ["```{toctree}", ":hidden:", *names, "```", ""]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")

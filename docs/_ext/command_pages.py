"""The reference of the command line: a page a command, from what `--help` is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from command_tree import every_command

from shoal.cli.command import split_example


def cell(text: str) -> str:
    """Return text that stands in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def option(param: Any) -> str:
    """Return the row of an option or argument."""
    if param.param_type_name == "argument":
        names = f"`{param.metavar or param.name.upper()}`"
    else:
        names = ", ".join(f"`{name}`" for name in (*param.opts, *param.secondary_opts))
    return f"| {names} | {cell(param.help or '')} |"


def page(path: str, command: Any, ctx: Any) -> Iterator[str]:
    """Yield the lines of a command's page."""
    text, example = split_example(command.help or "")
    usage = " ".join(command.collect_usage_pieces(ctx))
    anchor = path.replace(" ", "-")
    yield from (f"(command-{anchor})=", f"# `{path}`", "", "```text", f"{path} {usage}", "```", "")
    yield from (text, "")
    if example:
        yield from ("```console", f"$ {example}", "```", "")
    panels: dict[str, list[Any]] = {}
    for param in command.get_params(ctx):
        if not getattr(param, "hidden", False):
            title = getattr(param, "rich_help_panel", None)
            kind = "Arguments" if param.param_type_name == "argument" else "Options"
            panels.setdefault(title or kind, []).append(param)
    for title, params in panels.items():
        yield from (f"## {title}", "", "| option | meaning |", "|---|---|")
        yield from (option(param) for param in params)
        yield ""


def write(folder: Path) -> None:
    """Write the page of every command, and their table."""
    folder.mkdir(parents=True, exist_ok=True)
    note = (
        "Every command, as its `--help` says. Exit codes: 0 good, 1 unexpected, 2 usage or bad "
        "input, 3 privacy requirement not met, 130 interrupted with nothing written."
    )
    lines = ["# Command line", "", note, "", "| command | what it does |", "|---|---|"]
    names = []
    for path, command, below in every_command():
        name = path.replace(" ", "-")
        names.append(name)
        (folder / f"{name}.md").write_text("\n".join(page(path, command, below)), encoding="utf-8")
        first = split_example(command.help or "")[0].split("\n\n")[0]
        lines.append(f"| [`{path}`]({name}.md) | {cell(first)} |")
    lines += ["", "```{toctree}", ":hidden:", *names, "```", ""]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")

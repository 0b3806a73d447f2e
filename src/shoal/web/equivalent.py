"""The same run as a command line, and as Python: what the page asked for, said elsewhere."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pprint import pformat
from typing import Any

from shoal.settings import joined_key

ROLES = {
    "quasi_identifiers": "--quasi", "identifiers": "--identifier", "sensitive": "--sensitive",
    "other": "--other", "drop": "--drop", "by": "--by", "keep_unique": "--keep-unique",
}  # fmt: skip
ONE = {"weight": "--weight", "household": "--household", "person": "--person"}
PLAIN = (
    "l_kind", "c", "enforce", "method", "effort", "start", "max_iterations", "time_limit", "runs",
    "seed", "incomplete", "small_strata", "memory", "count", "missing_sensitive",
)  # fmt: skip
FLAGS = "allow_k1", "allow_empty"
BY_COLUMN = "l", "t", "alpha", "dominance"
RELEASE, PACK, COMPARED = "release/", "pack", "compared/"


def summary_of(kind: str, settings: Mapping[str, Any], more: Mapping[str, Any]) -> str:
    """Return one line about a job."""
    protect = settings["protect"]
    extra = [f"{name} = {protect[name]}" for name in ("l", "t", "alpha") if protect.get(name)]
    if kind == "compare":
        sizes = ", ".join(map(str, more["compare"]["k"]))
        return ", ".join([f"compare methods, k = {sizes}", *extra])
    said = [f"k = {protect['k']}", *extra, protect.get("method", "auto")]
    return ", ".join(map(str, said))


def command_line(
    kind: str,
    name: str,
    settings: Mapping[str, Any],
    more: Mapping[str, Any],
    trees: Mapping[str, str],
) -> str:
    """Return the command that does the same; `trees` names files of hierarchies."""
    words = ["shoal", kind, name if not name.startswith("-") else f"./{name}"]
    protect = settings["protect"]
    if kind == "compare":
        asked = more["compare"]
        words += ["-k", ",".join(map(str, asked["k"]))]
        if asked.get("methods"):
            words += ["--methods", ",".join(asked["methods"])]
        if asked.get("budget"):
            words += ["--budget", f"{asked['budget']:g}s"]
        words += _said_of(settings, trees, comparing=True)
        words += ["-o", COMPARED]
    else:
        words += ["-k", str(protect["k"]), *_said_of(settings, trees, comparing=False)]
        form = more.get("format", "csv")
        if protect.get("memory"):
            words += ["-o", _written(form)]
        else:
            words += ["--pack", PACK, *(["--format", form] if form != "csv" else [])]
    return _lines(words)


def _written(form: str) -> str:
    """Return where a release goes that is no pack: a folder, or a file that names its format."""
    return RELEASE if form == "csv" else f"release.{form}"


def _said_of(
    settings: Mapping[str, Any], trees: Mapping[str, str], comparing: bool
) -> Iterable[str]:
    """Yield the options that say what settings say."""
    roles, protect = settings.get("roles", {}), settings["protect"]
    for part, option in ROLES.items():
        if roles.get(part):
            yield from _option(option, joined_key(roles[part]))
    for part, option in ONE.items():
        if roles.get(part) is not None:
            yield from _option(option, roles[part])
    for part in BY_COLUMN:
        yield from _by_column(f"--{part}", protect.get(part))
    for key, k in protect.get("k_of", {}).items():
        yield from _option("--k-of", f"{key}={k}")
    left_out = {"method", "memory"} if comparing else set()
    for part in PLAIN:
        if protect.get(part) is not None and part not in left_out:
            yield from _option(f"--{part.replace('_', '-')}", f"{protect[part]}")
    for column, weight in protect.get("column_weights", {}).items():
        yield from _option("--column-weight", f"{column}={weight:g}")
    for part in FLAGS:
        if protect.get(part):
            yield f"--{part.replace('_', '-')}"
    release, read = settings.get("release", {}), settings.get("input", {})
    yield from _by_column("--aggregate", release.get("aggregate"))
    yield from _by_column("--decimals", release.get("decimals"))
    yield from _by_column("--round", release.get("round"))
    yield from _by_column("--weights-as", release.get("weights_as"))
    if release.get("spreadsheet_safe") and not comparing:
        yield "--spreadsheet-safe"
    if read.get("delimiter") is not None:
        yield from _option("--delimiter", read["delimiter"])
    for token in read.get("missing", ()):
        yield from _option("--missing", token)
    for column, kind in read.get("types", {}).items():
        yield from _option("--type", f"{column}={kind}")
    for column, rule in settings.get("hierarchies", {}).items():
        yield from _option("--hierarchy", f"{column}={trees.get(rule, rule)}")
    for column, values in settings.get("orders", {}).items():
        yield from _option("--order", f"{column}={joined_key(values)}")


def _by_column(option: str, given: Any) -> Iterable[str]:
    if isinstance(given, Mapping):
        for column, value in given.items():
            yield from _option(option, f"{column}={value}")
    elif given is not None:
        yield from _option(option, str(given))


def _option(option: str, value: str) -> Iterable[str]:
    """Yield an option and its value: in one word where the value could pass for an option."""
    if value.startswith("-") or not value:
        yield f"{option}={value}"
    else:
        yield option
        yield value


def _lines(words: list[str]) -> str:
    """Return a command in lines that end in a backslash where they would get long."""
    lines, line = [], ""
    for word in words:
        quoted = shlex.quote(word)
        if line and len(line) + len(quoted) > 88 and word.startswith("-"):
            lines.append(line)
            line = f"      {quoted}"
        else:
            line = f"{line} {quoted}" if line else quoted
    return " \\\n".join([*lines, line])


def python_snippet(
    kind: str,
    name: str,
    settings: Mapping[str, Any],
    more: Mapping[str, Any],
    trees: Mapping[str, str],
) -> str:
    """Return the Python that does the same."""
    roles, protect = settings.get("roles", {}), dict(settings["protect"])
    release, read = settings.get("release", {}), settings.get("input", {})
    given: dict[str, Any] = {part: list(roles[part]) for part in ROLES if roles.get(part)}
    given |= {part: roles[part] for part in ONE if roles.get(part) is not None}
    memory = protect.pop("memory", None)
    if "k_of" in protect:
        from shoal.settings import split_key

        protect["k_of"] = {split_key(key): k for key, k in protect["k_of"].items()}
    k = protect.pop("k")
    call = "anonymize"
    if kind == "compare":
        asked = more["compare"]
        given |= {key: asked[key] for key in ("methods", "budget") if asked.get(key)}
        protect.pop("method", None)
        k, call = list(asked["k"]), "compare"
    given = {"k": k, **given, **protect}
    given |= {
        key: release[key]
        for key in ("aggregate", "decimals", "round", "weights_as")
        if release.get(key) is not None
    }
    given |= {key: read[key] for key in ("missing", "types", "delimiter") if read.get(key)}
    if settings.get("hierarchies"):
        own = settings["hierarchies"]
        given["hierarchies"] = {column: trees.get(rule, rule) for column, rule in own.items()}
    if settings.get("orders"):
        given["orders"] = settings["orders"]
    safe = release.get("spreadsheet_safe")
    if kind == "compare":
        return f"import shoal\n\ncompared = shoal.{_call(call, name, given)}\nprint(compared)\n"
    if memory is not None:
        given |= {"memory": memory} | ({"spreadsheet_safe": True} if safe else {})
        told = _call("anonymize_file", name, given, _written(more.get("format", "csv")))
        return f"import shoal\n\nreleased = shoal.{told}\nprint(released.report)\n"
    form = more.get("format", "csv")
    how = ([f"format={form!r}"] if form != "csv" else []) + (
        ["spreadsheet_safe=True"] if safe else []
    )
    pack = ", ".join([repr(PACK), *how])
    return (
        f"import shoal\n\nresult = shoal.{_call(call, name, given)}\nprint(result.report)\n"
        f"result.pack({pack})\n"
    )


def _call(function: str, name: str, given: Mapping[str, Any], *more: str) -> str:
    """Return a call, an argument a line."""
    first = "".join(f"    {value!r},\n" for value in (name, *more))
    lines = "".join(
        f"    {key}={_shown(value)},\n" for key, value in given.items() if value is not None
    )
    return f"{function}(\n{first}{lines})"


def _shown(value: Any) -> str:
    return pformat(value, width=84, sort_dicts=False, compact=True).replace("\n", "\n        ")

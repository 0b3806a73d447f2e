"""Everything that Shoal can do, asked of its doors, and the case that holds it.

`python tests/goldens/inventory.py` prints each thing with the cases that hold it, and what no case
holds; a test fails while there is such a thing that NOT_TESTABLE does not name with a reason. What
there is, is not written down here: commands and their options come from the command line, functions
and their parameters from Python's signatures, choices of a parameter from what is said of a wrong
one, requests from the desk's routes. What a case uses is told from its acts by `asked.py`'s tables.

- An option is one thing for all commands in which its help says the same, and else one for each.
- A parameter that several functions share by name (`asked.py: VOCABULARY`) is one thing; any other
  is one for each function.
- A choice (a method, an l_kind, a format) is held by any act through any door that says it.
- An act that was refused, or failed, holds nothing but its error; where a case was not recorded yet
  each of its acts is taken to have gone well.
"""

from __future__ import annotations

import fnmatch
import inspect
import json
import re
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[1]))

from goldens import asked
from goldens.cases import Case, all_cases
from goldens.record import records_of
from goldens.tables import BINARY, OBJECTS, TEXTS

DESK_START = "said when the desk starts, which all cases share; tests/web says them"
ENDED = "a person ends the run; tests/cli and tests/run do"
NOT_TESTABLE = {  # patterns of things, and why no case holds them
    "option --install-completion": "changes the files of a shell",
    "option --show-completion": "the text is Typer's own",
    "command serve": DESK_START,
    "option --api": DESK_START,
    "option --folder": DESK_START,
    "option --limit": DESK_START,
    "option --no-browser": DESK_START,
    "option --port": DESK_START,
    "option --work of serve": DESK_START,
    "command warmup": "compiles, and says how long that took",
    "option --no-color": "no output of the cases is a terminal's",
    "option --verbose": "says seconds and megabytes",
    "option --show-values": "shows in errors alone; the case said-values",
    "option --scheduler": "names a cluster that runs already; tests/backends starts one",
    "parameter scheduler of anonymize_file": "as the option",
    "name Canceled": ENDED,
    "name ShoalError": "is raised only as one of its kinds",
    "name ShoalWarning": "is given only as one of its kinds",
    "name EngineError": "a fault of an engine's machines",
    "parameter progress": "called while a run goes on; tests/test_progress.py",
    "parameter callback": "called while a run goes on; tests/test_progress.py",
    "name Progress": "given to a callback",
    "format read sas7bdat": "nothing here writes one; tests/table read some",
}  # fmt: skip

# what a verb of a case calls in Python, where it is not called the same
FUNCTIONS = {
    "bound": "lower_bound", "columns": "microaggregate_columns", "ledger_add": "add_release",
    "ledger_forget": "forget_people", "ledger_withdraw": "withdraw_release",
    "ledger_check": "check_ledger",
}  # fmt: skip
# keywords of a verb, where what is meant is called otherwise by its function alone
KEYWORDS = {("refine", "refine"): "how", ("check_pack", "hierarchies"): "trees"}
# names that come with something else
COMES_WITH = {
    "Batch": "name stream", "Counts": "name stream", "Preset": "name presets",
    "Released": "name anonymize_file", "Report": "name anonymize", "Search": "parameter search",
    "Table": "name read", "steps": "parameter steps", "__version__": "option --version",
}  # fmt: skip
# parameters with a few choices, of which the error names all, and a function that has them
CHOICES = {
    "l_kind": "anonymize", "beta_kind": "anonymize", "missing_sensitive": "anonymize",
    "count": "anonymize", "enforce": "anonymize", "small_strata": "anonymize",
    "over_series": "anonymize", "effort": "anonymize", "refine": "anonymize",
    "incomplete": "anonymize", "aggregate": "anonymize", "numbers": "anonymize",
    "intervals": "anonymize", "missing_as": "measure", "formula": "risk", "loss": "lower_bound",
    "dialect": "anonymize_file", "engine": "anonymize_file",
}  # fmt: skip
SAID = {  # choices that are words among others: what is asked, and how the words are found
    "type": ("anonymize", {"types": {"a": "?"}}, r"say (.*)"),
    "hierarchy": ("anonymize", {"hierarchies": {"a": "?:3"}}, r"say (.*)"),
    "weights_as": ("anonymize", {"weight": "b", "weights_as": "?"}, r"must be (.*)"),
    "format written": ("anonymize_file", {"output": "o.no"}, r"ends in (.*), to a folder"),
    "format read": ("anonymize_file", {"source": "x.no"}, r"must end in (.*)"),
}
UNSAID = {  # what "and others" keeps to itself, of formats that are read
    "format read": ("arrow", "zsav", "xpt", "ods", "zip", "bz2", "zst"),
}
EXTENSIONS = re.compile(r"\.([a-z0-9.]+\b)")
WORD = re.compile(r"'?\b([A-Za-z][\w.+-]*)\b'?(?=:|,|$| or| \(|')")
ERROR_STATUS = 400
FINE = (0, 3)  # exit codes of commands that did what they are for


# What there is


@cache
def there() -> dict[str, None]:
    """Return all that Shoal can do, in order."""
    found: dict[str, None] = {}
    for things in (_commands, _names, _listed, _choices, _charts, _requests):
        found |= dict.fromkeys(things())
    return found


@cache
def _flags() -> dict[str, dict[str, str]]:
    """Return commands, and of each what its flags are called as things."""
    import typer

    from shoal.cli import app

    root = typer.main.get_command(app)
    every = dict(_walk(root, ""))
    uses: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for command, params in every.items():
        for param in params:
            for flag in _long(param):
                uses[flag][str(param.help)].append(command)
    found: dict[str, dict[str, str]] = {}
    for command, params in every.items():
        named = {}
        for param in params:
            longs = _long(param)
            for flag in (*param.opts, *param.secondary_opts):
                own = flag if flag in longs else longs[0]
                alike = uses[own]
                same = alike[str(param.help)]
                first = "anonymize" if "anonymize" in same else same[0]
                named[flag] = f"option {own}" + (f" of {first}" if len(alike) > 1 else "")
        found[command] = named
    return found


def _walk(command: Any, path: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield every command with its options; "" is the program itself."""
    inner = getattr(command, "commands", None)
    params = command.get_params(command.context_class(command))
    if inner is None or not path:
        yield path, [one for one in params if one.opts[0].startswith("-")]
    for name, one in (inner or {}).items():
        if not getattr(one, "hidden", False):
            yield from _walk(one, f"{path} {name}".strip())


def _long(param: Any) -> list[str]:
    """Return the long flag of an option; of a pair (--report, --no-report) both."""
    longs = [one for one in param.opts if one.startswith("--")]
    return [*longs[:1], *param.secondary_opts]


def _commands() -> Iterator[str]:
    flags = _flags()
    yield from (f"command {name}" for name in flags if name)
    for named in flags.values():
        yield from named.values()


@cache
def _functions() -> dict[str, list[str]]:
    """Return public functions with their parameters that need not be given."""
    import shoal
    from shoal.estimator import Microaggregator

    every = {name: getattr(shoal, name) for name in shoal.__all__}
    plain = {name: one for name, one in every.items() if inspect.isfunction(one)}
    plain |= {"Result.save": shoal.Result.save, "Result.pack": shoal.Result.pack}
    plain["Microaggregator"] = Microaggregator
    return {name: _optional(one) for name, one in plain.items()}


def _optional(function: Any) -> list[str]:
    """Return the names of parameters that have a default, also of those that ** stands for."""
    names = []
    for one in inspect.signature(function).parameters.values():
        if one.kind is one.VAR_KEYWORD:
            named = re.fullmatch(r"Unpack\[(\w+)\]", str(one.annotation))
            names += function.__globals__[named[1]].__annotations__ if named else ()
        elif one.default is not one.empty:
            names.append(one.name)
    return names


@cache
def _parameter(function: str, name: str) -> str:
    """Return what a parameter is called as a thing."""
    shared = {words[0] for words in asked.WORDS.values()} | {"progress", "callback"}
    often = sum(name in params for params in _functions().values()) > 1
    return f"parameter {name}" + ("" if name in shared and often else f" of {function}")


def _names() -> Iterator[str]:
    import shoal

    returned = _returned()
    for name in shoal.__all__:
        if name not in COMES_WITH and name not in returned:
            yield f"name {name}"
    for function, params in _functions().items():
        yield f"name {function}"
        yield from (_parameter(function, name) for name in params)


@cache
def _returned() -> set[str]:
    """Return the classes that functions return: who holds the function holds them."""
    import shoal

    every = (getattr(shoal, name) for name in shoal.__all__)
    hints = [str(inspect.signature(f).return_annotation) for f in every if inspect.isfunction(f)]
    return {word for hint in hints for word in re.findall(r"\w+", hint)} & set(shoal.__all__)


def _listed() -> Iterator[str]:
    import shoal

    for one in shoal.methods():
        yield f"method {one.name}"
        if getattr(one, "encoding", "") == "points":
            yield f"method {one.name}, not standardized"
    yield "method auto"
    yield from (f"preset {name}" for name in shoal.presets())
    for step in json.loads(_printed("steps", "--json")):
        yield f"step {step['kind']}"
        yield from (f"step {step['kind']}: {field}" for field in step["fields"])
    yield from (f"data as {way}" for way in OBJECTS)


def _printed(*words: str) -> str:
    """Return what a command prints."""
    from typer.testing import CliRunner

    from shoal.cli import app

    return CliRunner().invoke(app, words).stdout


def _choices() -> Iterator[str]:
    """Yield the choices of parameters, but for what every act has that says nothing."""
    import shoal

    for name, function in CHOICES.items():
        said = _refused(function, {name: "?"})
        listed = said.partition("must be ")[2].removeprefix("one of ")
        words = re.findall(r"'([^']+)'", listed) or re.findall(r"[\w+-]+", listed)
        usual = inspect.signature(getattr(shoal, function)).parameters.get(name)
        usual = None if usual is None else usual.default
        yield from (f"{name} {word}" for word in words if word not in ("or", usual))
    for name, (function, options, pattern) in SAID.items():
        match = re.search(pattern, _refused(function, options))
        listed = re.sub(r"\(.*?\)", "", match[1]) if match else ""
        if name.startswith("format"):
            words = [*EXTENSIONS.findall(listed), *UNSAID.get(name, ())]
        else:
            words = WORD.findall(listed)
        yield from (f"{name} {word}" for word in dict.fromkeys(words) if word != "or")


def _refused(function: str, options: Mapping[str, Any]) -> str:
    """Return what is said of a wrong option."""
    import shoal

    with tempfile.TemporaryDirectory() as place:
        table = Path(place) / "x.csv"
        table.write_text("a,b\n1,2\n3,4\n5,6\n7,8\n", "utf-8")
        Path(place, "x.no").write_text("a,b\n1,2\n", "utf-8")
        given = {"source": table, "output": f"{place}/out/", "k": 2} | options
        for name in ("source", "output"):
            given[name] = Path(place) / given[name]
        source, output = given.pop("source"), given.pop("output")
        operands: tuple[Any, ...] = (str(source),)
        if function == "anonymize_file":
            operands = str(source), str(output) + ("" if "output" in options else "/")
        if function in ("measure", "risk"):
            given.pop("k")
            operands = (str(table),) * (2 if function == "measure" else 1)
        try:
            getattr(shoal, function)(*operands, **given)
        except shoal.ShoalError as error:
            return str(error)
    return ""


def _charts() -> Iterator[str]:
    import shoal

    table = {"a": list(range(12)), "b": [row % 3 for row in range(12)]}
    plot = shoal.anonymize(table, 3, method="mdav").plot
    yield from (f"chart {name}" for name in dir(plot) if not name.startswith("_"))


@cache
def _routes() -> list[tuple[str, Any, str]]:
    """Return the desk's routes: how they are asked, the pattern of the address, the thing."""
    from shoal.web.serve import make_app

    app: Any = make_app(MagicMock(), "token", 1)
    while not hasattr(app, "routes"):
        app = app.app
    return [
        (method, route.path_regex, f"request {method} {route.path}")
        for route in app.routes
        for method in sorted(route.methods - {"HEAD"})
    ]


def _requests() -> Iterator[str]:
    yield from (thing for _, _, thing in _routes())


# What cases use


@cache
def held() -> dict[str, list[str]]:
    """Return what cases hold, and which."""
    found: dict[str, list[str]] = defaultdict(list)
    for case in all_cases().values():
        for door in case.doors:
            for number, act in enumerate(case.acts):
                went_well, error = _outcome(case, door, number)
                things = set(_used(act, door)) if went_well else set()
                for thing in sorted(things | _named_in(error)):
                    if case.name not in found[thing]:
                        found[thing].append(case.name)
    return found


def _outcome(case: Case, door: str, number: int) -> tuple[bool, str]:
    """Return whether an act went well, as it was recorded, and names of errors and warnings."""
    recorded = records_of(case.area).get(case.name, {}).get(door, [])
    if number >= len(recorded):
        return True, ""
    told = recorded[number]
    well = told.get("status", 200) < ERROR_STATUS and told.get("exit", 0) in FINE
    well = well and not (door != "command" and "error" in told)
    return well, " ".join([str(told.get("error", "")).partition(":")[0], *told.get("warns", [])])


def _named_in(error: str) -> set[str]:
    return {f"name {word}" for word in re.findall(r"\w*(?:Error|Warning)\b", error)}


def _used(act: Mapping[str, Any], door: str) -> Iterator[str]:
    """Yield the things that an act uses through a door."""
    said = dict(_said(act))
    if door == "command":
        yield from _used_words(act, said)
    if door == "python":
        yield from _used_names(act)
    if door == "desk":
        yield from _asked_of_the_desk(act)
    yield from _used_choices(act, said)


def _said(act: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the parameters that an act says, by Python's names or as options have them."""
    for name, value in asked.meant(act):
        yield asked.WORDS[name][0], value
    yield from act.get("also", {}).items()
    yield from act.get("also_saved", {}).items()
    if "format" in act.get("body", {}):
        yield "format", act["body"]["format"]
    words = [str(word) for word in act.get("words", ())]
    for number, word in enumerate(words):
        if word.startswith("--"):
            flag, _, value = word.partition("=")
            later = words[number + 1] if number + 1 < len(words) and not value else ""
            yield flag[2:].replace("-", "_"), value or later


def _used_words(act: Mapping[str, Any], said: Mapping[str, Any]) -> Iterator[str]:
    """Yield the command of an act, and its options."""
    from goldens.command_door import VERBS, WRITES

    verb = VERBS.get(act["do"], [act["do"]])
    words = [
        str(word) for word in (*verb, *map(str, act.get("operands", ())), *act.get("words", ()))
    ]
    flags = _flags()
    command = max((name for name in flags if _begins(words, name.split())), key=len)
    if command:
        yield f"command {command}"
    every = [*words, *asked.for_command(act)]
    pack = act.get("result", {}).get("pack")
    if pack:
        every += ["--pack", *(f"--{name}" for name in act.get("also_saved", {}))]
    elif "to" in act or act["do"] in WRITES:
        every += ["--output"]
    for word in every:
        flag = word.partition("=")[0]
        for one in (flag, flag[:2]):
            thing = flags[command].get(one) or flags[""].get(one)
            if word.startswith("-") and thing:
                yield thing
                break


def _begins(words: list[str], command: list[str]) -> bool:
    plain = [word for word in words if not word.startswith("-")]
    return plain[: len(command)] == command


def _used_names(act: Mapping[str, Any]) -> Iterator[str]:
    """Yield the function that an act calls, and its parameters."""
    verb = act["do"]
    function = FUNCTIONS.get(verb, verb)
    if verb == "anonymize" and "to" in act:
        function = "anonymize_file"
    function = {"estimator": "Microaggregator"}.get(function, function)
    yield f"name {function}"
    known = _functions().get(function, [])
    keywords = [KEYWORDS.get((verb, one), one) for one in asked.for_python(act)]
    for name in (*keywords, *_in_place(function, act)):
        if name in known:
            yield _parameter(function, name)
    for way in {"save", "pack"} & {*act.get("result", {})}:
        yield f"name Result.{way}"
        for name in act.get("also_saved", {}):
            yield _parameter(f"Result.{way}", name)
    for name in act.get("result", {}).get("plot") or () if verb == "anonymize" else ():
        yield f"chart {name.split()[0]}"
    if act.get("as") in OBJECTS:
        yield f"data as {act['as']}"


def _in_place(function: str, act: Mapping[str, Any]) -> list[str]:
    """Return the parameters that an act gives by their place: its table, then its operands."""
    import shoal

    if not callable(getattr(shoal, function, None)):
        return []
    given = ("table" in act) + len(act.get("operands", ()))
    return list(inspect.signature(getattr(shoal, function)).parameters)[:given]


def _used_choices(act: Mapping[str, Any], said: Mapping[str, Any]) -> Iterator[str]:
    """Yield methods, presets, steps, formats and other choices that an act says."""
    for name, value in said.items():
        for word in _leaves(value):
            if name in ("method", "methods"):
                yield f"method {word}"
                if said.get("standardize") is False:
                    yield f"method {word}, not standardized"
            one = {"types": "type", "hierarchies": "hierarchy"}.get(name, name)
            yield f"{one} {word.partition(':')[0]}"
            if one == "hierarchy" and word.endswith(".csv"):
                yield "hierarchy FILE.csv"
            if name == "format":
                yield f"format written {word}"
    for steps in (said.get("steps"), *_values(said.get("step_lists"))):
        for step in steps if isinstance(steps, list) else ():
            yield from _used_step(step)
    way = act.get("as", "csv").removeprefix("parts-")
    ways = {**TEXTS, **BINARY}
    if "table" in act and way in ways:
        yield f"format read {ways[way][0][1:]}"
        yield f"format read {_ending(ways[way][0]).rpartition('.')[2]}"
    for path in (*act.get("operands", ()), *act.get("brings", ())):
        yield f"format read {_ending(path)}"
    for path in (act.get("to", ""), *_leaves(act.get("result", {}))):
        yield f"format written {_ending(path)}"
    if act["do"] == "plot" and act.get("operands"):
        yield from (f"chart {word}" for word in act["operands"][-1:])


def _values(lists: Any) -> list[Any]:
    return list(lists.values()) if isinstance(lists, Mapping) else lists or []


def _used_step(step: Any) -> Iterator[str]:
    if isinstance(step, Mapping):
        kind, fields = str(step.get("kind")), [name for name in step if name != "kind"]
    else:
        kind, *words = str(step).split()
        fields = [word.partition("=")[0] for word in words if "=" in word]
    yield f"step {kind}"
    yield from (f"step {kind}: {field}" for field in fields)


def _leaves(value: Any) -> Iterator[str]:
    """Yield the words within a value; of a text with commas each."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one)
    else:
        yield str(value)
        if isinstance(value, str) and "," in value:
            yield from value.split(",")


def _ending(path: Any) -> str:
    """Return the ending of a file's name, of packed csv both."""
    name = str(path).partition("#")[0].rstrip("/").rpartition("/")[2]
    return re.sub(r"^.*?\.((?:csv|tsv|txt)\.\w+|\w+)$", r"\1", name)


def _asked_of_the_desk(act: Mapping[str, Any]) -> Iterator[str]:
    """Yield the requests that an act sends to the desk."""
    from goldens.desk_door import JOBS, QUESTIONS

    sent = []
    if "table" in act:
        sent.append(("POST", "/files"))
    if act["do"] == "look":
        sent.append(("GET", "/files/x.json"))
    elif act["do"] in QUESTIONS:
        sent.append(("POST", f"/files/x/{act['do']}"))
    elif act["do"] in JOBS:
        sent += [("POST", "/jobs"), ("GET", "/jobs/x.json"), ("GET", "/jobs/x/files/x")]
    else:
        path = act["path"].replace("{link}", "/links/x")
        path = re.sub(r"\{\w+\}", "x", path).partition("?")[0]
        sent.append((act.get("send", "POST"), path))
    for method, path in sent:
        for own, pattern, thing in _routes():
            if own == method and pattern.match(path):
                yield thing
                break


# What is missing


def reason_of(thing: str) -> str:
    """Return why no case can hold a thing; nothing where one can."""
    found = (why for name, why in NOT_TESTABLE.items() if fnmatch.fnmatchcase(thing, name))
    return next(found, "")


def missing() -> list[str]:
    """Return what no case holds, though one could."""
    return [thing for thing in there() if thing not in held() and not reason_of(thing)]


def main() -> None:
    """Print everything, with the cases that hold it, and what none holds."""
    warnings.simplefilter("ignore")
    for thing in there():
        cases = held().get(thing, [])
        more = f" and {len(cases) - 3} more" if len(cases) > 3 else ""
        why = reason_of(thing)
        by = ", ".join(cases[:3]) + more or (f"not testable: {why}" if why else "IN NO CASE")
        print(f"{thing:45} {by}")
    print(f"\n{len(there())} things, {len(missing())} of them in no case:")
    print("\n".join(f"  {thing}" for thing in missing()))


if __name__ == "__main__":
    main()

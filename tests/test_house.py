"""The house as CONTRIBUTING.md shows it: its floors, no circular imports, answers to newcomers."""

from __future__ import annotations

import ast
import contextlib
import re
from functools import cache

import pytest

from groups import SHARED, STARTED_ONCE, group_of
from system.elsewhere.only_unix import CALLS, MODULES, OPTIONS, PLACES, SIGNALS, SOCKETS

TOGETHER = True  # one process reads the sources
ONLY_UNIX = ("storage/system.py", "storage/processes.py", "web/fork_server.py")
FLOORS = 13
ANSWER = re.compile(
    r"^\| (?P<question>[^|]+\?) \| `(?P<file>[\w/]+\.py)`: `(?P<name>\w+)` \|$", re.M
)
ROOM = re.compile(r"^\| +(?P<floor>\d+) \| `(?P<room>\w+)(?:/|\.py)` \|", re.M)
OUTSIDE = {"__init__", "__main__"}  # the public names, and the command of the package
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]+|__(kw)?defaults__")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
COMMANDS = ("settings/", "web/equivalent.py", "report/html/document.py")  # make words of commands
TEXTS = ("report/html/frame.py", "release/pack/recipe.py")  # a style sheet; a page about commands
PATCHES = {"setattr": 2, "delattr": 2, "setitem": 1, "delitem": 1, "patch": 1, "object": 2}
# code without any of these changes no constant, or has nothing that only Unix has: it is not read
CHANGES = re.compile(
    rf"(?:\b|\\n)(?:(?:{'|'.join(PATCHES)})\s*\(|del\b)"
    rf"|\.[\\\s]*(?:{CONSTANT.pattern})[\\\s]*(?:[^\w\s]{{0,3}}=(?!=))"
)
ASKS = re.compile(
    rf"\b(?:os|signal|socket|sys|{'|'.join(sorted(MODULES | OPTIONS))})\b|{'|'.join(PLACES)}"
)


@pytest.fixture(scope="module")
def house(repository):
    """The folder of the package."""
    return repository / "src" / "shoal"


@pytest.fixture(scope="module")
def page(repository):
    """What a newcomer reads."""
    return (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")


@cache
def imports(house):
    """Every module with those of ours that it imports, wherever in its code it does."""
    paths = {
        ".".join(["shoal", *path.relative_to(house).with_suffix("").parts]): path
        for path in house.rglob("*.py")
    }
    modules = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    return {name: _imported(path, modules) - {name} for name, path in modules.items()}


def _imported(path, modules):
    found = set()
    for node in _statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in modules else node.module)
    return found & set(modules)


def _statements(node):
    """Yield the statements in code, wherever: expressions, of which there are most, have none."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, part, ()):
            yield inner
            yield from _statements(inner)


def room_of(name):
    """The room that a module is in."""
    return name.split(".")[1] if "." in name else "__init__"


def depth(graph):
    """The number of floors: the longest chain of imports; a circle is an error that names it."""
    known = {}

    def below(name, above):
        assert name not in above, " -> ".join([*above[above.index(name) :], name])
        if name not in known:
            known[name] = 1 + max((below(one, [*above, name]) for one in graph[name]), default=0)
        return known[name]

    return max(below(name, []) for name in graph)


def test_no_module_imports_itself_in_a_circle(house):
    """No chain of imports of modules, lazy ones and those for types too, comes back."""
    graph = dict(imports(house))
    graph["shoal"] = set()  # the public names are loaded lazily
    assert depth(graph) > 1


def test_a_circle_is_found():
    """The check can fail."""
    assert depth({"a": {"b"}, "b": set()}) == 2
    with pytest.raises(AssertionError, match="b -> a -> b"):
        depth({"b": {"a"}, "a": {"b"}})


def test_rooms_stand_on_few_floors(house, page):
    """Rooms stand on the floors that the page shows, and import only from lower ones."""
    floors = {room["room"]: int(room["floor"]) for room in ROOM.finditer(page)}
    graph = {}
    for name, others in imports(house).items():
        graph.setdefault(room_of(name), set()).update(map(room_of, others))
    for room in OUTSIDE:
        graph.pop(room)
    graph = {room: others - OUTSIDE - {room} for room, others in graph.items()}
    assert set(graph) == set(floors)
    upward = [(a, b) for a in graph for b in graph[a] if floors[b] >= floors[a]]
    assert upward == []
    assert max(floors.values()) == FLOORS
    assert depth(graph) <= FLOORS


def test_loose_modules(house):
    """Beside the rooms there are only these modules."""
    loose = {path.stem for path in house.glob("*.py")}
    rooms = {
        "errors", "estimator", "executor", "extras", "hints", "once", "partition", "progress",
        "steps", "version",
    }  # fmt: skip
    assert loose == {*OUTSIDE, *rooms}


def flags_in(code, command_words):
    """Yield the flags of the command line that texts in code hold, with their lines.

    Docstrings are no messages; neither are flags alone, where code makes words of a command.
    """
    if not FLAG.search(code):
        return
    tree = ast.parse(code)
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            alone = command_words and FLAG.fullmatch(node.value)
            if id(node) not in documented and not alone and FLAG.search(node.value):
                yield node.lineno, FLAG.search(node.value)[0]


def test_no_message_has_a_flag(house):
    """Below the command line a message names options by `shoal.hints.option`, as data."""
    found = [
        (str(path.relative_to(house)), *one)
        for path in house.rglob("*.py")
        if not {"cli"} & set(path.relative_to(house).parts)
        and str(path.relative_to(house)) not in TEXTS
        for one in flags_in(
            path.read_text(encoding="utf-8"), str(path.relative_to(house)).startswith(COMMANDS)
        )
    ]
    assert found == []


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("""raise E('say --force to replace it')""", 1),
        ("""raise E(f'{name}: say --drop {name}')""", 1),
        ("""WHERE = '--show-values'""", 1),
        ("""def f():\n    'Documents --force.'""", 0),
        ("""x = 'a -- b, ---'""", 0),
    ],
)
def test_a_flag_is_found(code, count):
    """The check can fail."""
    assert len(list(flags_in(code, False))) == count


def test_answers_for_newcomers(house, page):
    """Each question is answered by a file and a name that is defined in it."""
    answers = list(ANSWER.finditer(page))
    assert len(answers) >= 20
    assert len(answers) == page.split("## Where is", 1)[1].split("\n## ", 1)[0].count("? |")
    for answer in answers:
        tree = ast.parse((house / answer["file"]).read_text(encoding="utf-8"))
        assert answer["name"] in set(_defined(tree)), answer["question"]


def _defined(tree):
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def patched(code):
    """Yield the constants and defaults that code changes from outside, with their lines.

    Code in a text counts, too: it may be what a process of its own runs.
    """
    for node in ast.walk(ast.parse(code)) if CHANGES.search(code) else ():
        names = []
        if isinstance(node, ast.Call) and _last(node.func) in PATCHES:
            names = [_last(argument) for argument in node.args[: PATCHES[_last(node.func)]]]
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            names = [_last(one) for one in targets if isinstance(one, ast.Attribute)]
        elif isinstance(node, ast.Constant) and "import " in str(node.value):
            with contextlib.suppress(SyntaxError):
                names = [name for _, name in patched(str(node.value))]
        yield from ((node.lineno, name) for name in names if CONSTANT.fullmatch(name))


def _last(node):
    """Return the last name of an expression, or of a text that names something."""
    named = getattr(node, "value", "") if isinstance(node, ast.Constant) else ""
    return getattr(node, "attr", getattr(node, "id", str(named).rpartition(".")[2]))


def test_no_test_changes_a_constant(repository):
    """What a test needs to change is a parameter: none patches a constant, or defaults."""
    found = [
        f"{path.name}, line {line}: {name}"
        for path in sorted((repository / "tests").rglob("*.py"))
        for line, name in patched(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("code", [
    'patch.setattr(auto, "{}", 1)', 'patch.setattr("auto.{}", 1)', "patch.setitem(auto.{}, 2, 3)",
    "auto.{} = 4", "auto.{} *= 5", "del auto.{}", 'mock.patch("auto.{}", 6)',
    'mock.patch.object(auto, "{}", 7)', 'run("import auto; auto.{} = 8")',
])  # fmt: skip
def test_a_changed_constant_is_found(code):
    """The check can fail; functions may be patched, to inject a fault."""
    for name in ("LARGE", "_K2", "__defaults__"):
        assert list(patched(code.format(name))) == [(1, name)]
    assert list(patched(code.format("replace"))) == []


def only_unix(code):
    """Yield what in code Unix alone has, or another system takes for something else."""
    attributes = {
        "os": CALLS | {"name"}, "signal": SIGNALS, "socket": SOCKETS, "sys": {"platform"},
    }  # fmt: skip
    for node in ast.walk(ast.parse(code)) if ASKS.search(code) else ():
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name in MODULES]
        elif isinstance(node, ast.ImportFrom):
            own = attributes.get(node.module, set())
            names = [node.module] if node.module in MODULES else []
            names += [alias.name for alias in node.names if alias.name in own]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [node.attr] if node.attr in attributes.get(node.value.id, ()) else []
        elif isinstance(node, ast.Call):
            names = [one.arg for one in node.keywords if one.arg in OPTIONS]
            asked = [one.value for one in node.args if isinstance(one, ast.Constant)]
            module = attributes.get(getattr(next(iter(node.args), None), "id", ""), ())
            names += [one for one in asked if one in module]
        elif isinstance(node, ast.Constant) and str(node.value).startswith(PLACES):
            names = [node.value]
        yield from ((node.lineno, name) for name in names)


def test_unix_stays_in_three_files(house):
    """What only some systems have is asked of two files; a third forks."""
    found = [
        f"{path.relative_to(house)}, line {line}: {name}"
        for path in sorted(house.rglob("*.py"))
        if str(path.relative_to(house)) not in ONLY_UNIX
        for line, name in only_unix(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(("code", "name"), [
    ("import fcntl", "fcntl"), ("from resource import getrlimit", "resource"),
    ("from os import fork", "fork"), ("os.open(a, os.O_NOFOLLOW)", "O_NOFOLLOW"),
    ("os.fchmod(1, 2)", "fchmod"), ("hasattr(os, 'nice')", "nice"),
    ("getattr(signal, 'SIGHUP', 1)", "SIGHUP"), ("signal.SIGKILL", "SIGKILL"),
    ("run(a, start_new_session=True)", "start_new_session"), ("open('/proc/self')", "/proc/self"),
    ("sys.platform == 'linux'", "platform"), ("os.name == 'nt'", "name"),
    ("one.setsockopt(1, socket.SO_REUSEADDR, 1)", "SO_REUSEADDR"),
])  # fmt: skip
def test_unix_elsewhere_is_found(code, name):
    """The check can fail; what every system has is let through."""
    assert [found for _, found in only_unix(code)] == [name]
    for plain in ("os.umask(1)", "signal.SIGTERM", "path.name", "os.O_EXCL", "open('a/proc')"):
        assert list(only_unix(plain)) == []


def test_what_is_started_once_is_started_in_one_process(repository, request):
    """Tests that take a server, a browser or a cluster are in its group, or that of their file."""
    every = {item.nodeid.partition("[")[0]: item for item in request.session.items}
    for item in every.values():
        group = group_of(repository, item.nodeid)
        assert not ("::" in group and STARTED_ONCE & set(item.fixturenames)), item.nodeid
        for name in SHARED.keys() & set(item.fixturenames):
            assert group == SHARED[name], item.nodeid
    assert group_of(repository, "tests/outofcore/test_kill.py::x") == "tests/outofcore/test_kill.py"
    assert group_of(repository, "tests/backends/test_dask.py::x") == "dask"
    assert group_of(repository, "tests/test_house.py::x") == "tests/test_house.py"
    assert group_of(repository, "tests/test_docs.py::x[a::b]") == "tests/test_docs.py::x"
    assert group_of(repository, "tests/run/test_lower_bound.py::x") == "bounds"

"""Which mutant of a tree is which mutant of a later one, in which files and names have moved.

Two functions are a pair if one alone of each tree has a qualified name (or, where several have it,
the file that most of the file's other functions went to), or else a body that is the same but for
the names of its locals. In equal bodies mutants are paired in their order; in others those
whose statement is written the same before and after the change, once in each.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import mutants

KERNEL = re.compile(r"^(?:from shoal\.kernels\.jit import|from numba|import numba)", re.M)


@dataclass
class Change:
    """What a mutant writes in which bytes of a file, and the statement that this is part of."""

    file: str
    where: str
    line: int
    kind: str
    old: str
    new: str
    start: int
    end: int
    written: str
    whole: bool
    statement: str


@dataclass
class Unit:
    """A function that is in no other: its name, its body without the names, and its changes."""

    file: str
    where: str
    body: str
    changes: list[Change] = field(default_factory=list)


class Units(mutants.Finder):
    """Walks over a file and notes the changes of every function's body."""

    def __init__(self, path, root):
        self.units, self.around, self.outer = [], None, None
        super().__init__(path, root)

    def inside(self, node):
        """Begin a unit with a function that is in no other."""
        begins = self.outer is None and not isinstance(node, ast.ClassDef)
        if begins:
            self.outer = Unit(self.file, "", normalized(node))
            self.units.append(self.outer)
        self.where.append((node.name, not isinstance(node, ast.ClassDef)))
        if begins:
            self.outer.where = ".".join(name for name, _ in self.where)
        self.block(node.body)
        self.where.pop()
        if begins:
            self.outer = None

    def head(self, node, body):
        """Remember the statement too."""
        super().head(node, body)
        self.around = node

    def note(self, node, anchor, kind, changed):
        """Note a change, where a function makes it and a choice can stand in its place."""
        if not self.lines or self.outer is None:
            return
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            return
        whole = isinstance(node, ast.stmt)
        if whole or anchor is node or not isinstance(anchor, ast.JoinedStr):
            anchor, written = node, ast.unparse(ast.fix_missing_locations(changed))
        else:
            replaced = mutants.Replaced(node, changed).visit(mutants.copied(anchor, node))
            written = ast.unparse(replaced)
        self.outer.changes.append(Change(
            self.file, ".".join(name for name, _ in self.where), anchor.lineno, kind,
            mutants.shortened(ast.unparse(node)), mutants.shortened(ast.unparse(changed)),
            self.offset(anchor.lineno, anchor.col_offset),
            self.offset(anchor.end_lineno, anchor.end_col_offset),
            written, whole, head_of(self.around),
        ))  # fmt: skip


def head_of(node):
    """Return a statement as text, of one that holds others its head only."""
    return ast.unparse(node).partition(":\n")[0]


def normalized(node):
    """Return a function without docstrings, annotations and the names of its locals."""
    node = copy.deepcopy(node)
    names = {}
    for part in ast.walk(node):
        if isinstance(part, ast.arg):
            names.setdefault(part.arg, f"v{len(names)}")
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.setdefault(part.id, f"v{len(names)}")
    for part in ast.walk(node):
        match part:
            case ast.arg():
                part.arg, part.annotation = names[part.arg], None
            case ast.Name():
                part.id = names.get(part.id, part.id)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                part.returns, part.decorator_list = None, []
                if ast.get_docstring(part) is not None:
                    part.body = part.body[1:]
            case ast.AnnAssign():
                part.annotation = ast.Constant(None)
    node.name = ""
    return ast.dump(node)


def units_of(source):
    """Return the functions of all files in a folder."""
    paths = sorted((Path(source) / "shoal").rglob("*.py"))
    return [unit for path in paths for unit in Units(path, source).units]


def unique(units, key):
    """Return units by what only one of them has."""
    found = defaultdict(list)
    for unit in units:
        found[key(unit)].append(unit)
    return {name: several[0] for name, several in found.items() if len(several) == 1}


def paired_units(before, after):
    """Return pairs of functions."""
    pairs = paired_by(before, after, lambda unit: unit.where)
    went = defaultdict(Counter)
    for old, new in pairs:
        went[old.file][new.file] += 1
    home = {file: to.most_common(1)[0][0] for file, to in went.items()}
    left, right = rest(before, pairs, 0), rest(after, pairs, 1)
    by_file = unique(right, lambda unit: (unit.file, unit.where))
    for key, old in unique(left, lambda u: (home.get(u.file, u.file), u.where)).items():
        if key in by_file:
            pairs.append((old, by_file[key]))
    left, right = rest(before, pairs, 0), rest(after, pairs, 1)
    return pairs + paired_by(left, right, lambda unit: unit.body)


def rest(units, pairs, side):
    """Return the functions that are in no pair."""
    known = {id(pair[side]) for pair in pairs}
    return [unit for unit in units if id(unit) not in known]


def paired_by(before, after, key):
    """Return pairs of functions of which each alone in its tree has a name, or a body."""
    ours, theirs = unique(before, key), unique(after, key)
    return [(unit, theirs[name]) for name, unit in ours.items() if name in theirs]


def paired_changes(old, new):
    """Return pairs of changes of two functions that are one."""
    same = old.body == new.body and len(old.changes) == len(new.changes)
    if same and all(a.kind == b.kind for a, b in zip(old.changes, new.changes, strict=True)):
        return list(zip(old.changes, new.changes, strict=True))

    def key(change):
        return change.statement, change.old, change.new, change.kind

    theirs = unique(new.changes, key)
    return [(c, theirs[name]) for name, c in unique(old.changes, key).items() if name in theirs]


def paired(before, after):
    """Return all pairs of changes of two folders of sources, and how many there are alone."""
    ours, theirs = units_of(before), units_of(after)
    pairs = [pair for old, new in paired_units(ours, theirs) for pair in paired_changes(old, new)]
    return pairs, sum(len(u.changes) for u in ours), sum(len(u.changes) for u in theirs)


def is_kernel(source, file):
    """Tell whether a file's code is compiled by Numba, so that it is run interpreted."""
    return bool(KERNEL.search((Path(source) / file).read_text(encoding="utf-8")))

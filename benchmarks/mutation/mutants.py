"""Mutants of a source file: each is the file with one small thing in it changed.

What is changed: comparisons (`<` to `<=`, `==` to `!=`, `in` to `not in`, `is` to `is not`), `+ - *
/ // % ** & | << >>`, `and` and `or`, `not` and minus signs (dropped), conditions (negated), numbers
(1 more, 1 less), True and False, texts that are compared, bounds of slices (dropped), what is
returned (None), calls whose result is not used and `raise` (dropped), `break` and `continue`.

What is not: docstrings, annotations, decorators, `assert`, the words of exceptions, texts that are
only shown, imports and what is there for type checkers only.

The text around the changed place stays as it is.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
CALCULATED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.MatMult: ast.Mult, ast.BitXor: ast.BitAnd,
}  # fmt: skip
SHOWN = 90  # signs of a place that a mutant is called by


@dataclass(frozen=True)
class Mutant:
    """One change: in which file and function, on which lines, what became what.

    `lines` are those of the statement around it, none where it is executed by an import; `nth`
    tells equal changes in one function apart.
    """

    file: str
    where: str
    line: int
    lines: tuple[int, ...]
    kind: str
    old: str
    new: str
    nth: int
    source: str

    @property
    def name(self):
        """What it is called by, whatever else changes in the file."""
        return (self.file, self.where, self.old, self.new, str(self.nth))


def mutants_of(path, root):
    """Return all mutants of a file, in the order of the file."""
    return Finder(Path(path), Path(root)).found


class Finder:
    """Walks over a file and notes every change that can be made."""

    def __init__(self, path, root):
        self.file = path.relative_to(root).as_posix()
        self.source = path.read_text(encoding="utf-8")
        self.starts = [0]
        for line in self.source.encode().splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.found = []
        self.seen = {}
        self.where = []
        self.lines = ()
        self.block(ast.parse(self.source).body)

    # --- statements

    def block(self, body):
        """Walk over statements, without what is only said."""
        for statement in body:
            said = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not said:
                self.statement(statement)

    def statement(self, node):
        """Walk over one statement and note what can be changed about it as a whole."""
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                for default in (*node.args.defaults, *node.args.kw_defaults):
                    if default is not None:
                        self.within(default, node, node.body[0])
                self.inside(node)
            case ast.ClassDef():
                self.inside(node)
            case ast.Import() | ast.ImportFrom() | ast.Assert() | ast.Global() | ast.Nonlocal():
                pass
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                pass
            case ast.Raise():
                self.head(node, None)
                if self.lines:
                    self.note(node, node, "dropped raise", ast.Pass())
            case ast.Expr(value=ast.Call()):
                self.head(node, None)
                self.note(node, node, "dropped call", ast.Pass())
                self.expression(node.value, node.value)
            case ast.Return():
                self.head(node, None)
                if node.value is not None and not is_none(node.value):
                    self.note(node, node, "returned value", ast.Return(ast.Constant(None)))
                    self.expression(node.value, node.value)
            case ast.Break() | ast.Continue():
                self.head(node, None)
                other = ast.Continue() if isinstance(node, ast.Break) else ast.Break()
                self.note(node, node, "break, continue", other)
            case ast.AugAssign():
                self.head(node, None)
                if type(node.op) in CALCULATED and not is_text(node.value):
                    changed = ast.AugAssign(node.target, CALCULATED[type(node.op)](), node.value)
                    self.note(node, node, "arithmetic", changed)
                self.expression(node.value, node.value)
            case ast.Assign() | ast.AnnAssign():
                self.head(node, None)
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name) and target.id == "__all__":
                    return
                if node.value is not None:
                    self.expression(node.value, node.value)
                self.expression(target, target)
            case _:
                self.compound(node)

    def compound(self, node):
        """Walk over a statement that may hold others: first its head, then what is in it."""
        body = getattr(node, "body", None) or getattr(node, "cases", None)
        self.head(node, body[0] if body else None)
        for field in ("test", "iter", "value", "subject"):
            value = getattr(node, field, None)
            if isinstance(value, ast.expr):
                if field == "test":
                    self.condition(value, value)
                self.expression(value, value)
        for item in getattr(node, "items", ()):
            self.expression(item.context_expr, item.context_expr)
        for case in getattr(node, "cases", ()):
            self.block(case.body)
        for field in ("body", "orelse", "finalbody"):
            self.block(getattr(node, field, ()))
        for handler in getattr(node, "handlers", ()):
            self.block(handler.body)

    def inside(self, node):
        """Walk over what a function or a class holds."""
        self.where.append((node.name, not isinstance(node, ast.ClassDef)))
        self.block(node.body)
        self.where.pop()

    def within(self, value, node, body):
        """Walk over a default of a function, which an import executes."""
        self.head(node, body)
        if not any(function for _, function in self.where):
            self.lines = ()
        self.expression(value, value)

    def head(self, node, body):
        """Remember the lines of a statement up to the first that it holds."""
        if any(function for _, function in self.where):
            end = node.end_lineno if body is None else max(node.lineno, first_line(body) - 1)
            self.lines = tuple(range(node.lineno, end + 1))
        else:
            self.lines = ()

    # --- expressions

    def expression(self, node, anchor):
        """Note the changes of an expression; `anchor` is what is written anew for one.

        Inside of texts with values in them places are not known: the whole text is the anchor.
        """
        if anchor is not node and not isinstance(anchor, ast.JoinedStr):
            anchor = node
        match node:
            case ast.JoinedStr():
                for value in node.values:
                    if isinstance(value, ast.FormattedValue):
                        self.expression(value.value, anchor)
                return
            case ast.Compare():
                self.comparison(node, anchor)
            case ast.BinOp(op=op) if type(op) in CALCULATED:
                if not (is_text(node.left) or is_text(node.right)):
                    changed = ast.BinOp(node.left, CALCULATED[type(op)](), node.right)
                    self.note(node, anchor, "arithmetic", changed)
            case ast.BoolOp():
                other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
                self.note(node, anchor, "and, or", ast.BoolOp(other, node.values))
            case ast.UnaryOp(op=ast.Not()):
                self.note(node, anchor, "not", node.operand)
            case ast.UnaryOp(op=ast.USub()):
                self.note(node, anchor, "sign", node.operand)
            case ast.IfExp():
                self.condition(node.test, anchor)
            case ast.Subscript(slice=ast.Slice() as bounds):
                self.slice(node, bounds, anchor)
            case ast.Constant():
                self.constant(node, anchor)
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            for generator in node.generators:
                for test in generator.ifs:
                    self.condition(test, anchor)
        for child in children(node):
            self.expression(child, anchor if isinstance(anchor, ast.JoinedStr) else child)

    def comparison(self, node, anchor):
        """Note other operators of a comparison, and other texts in it."""
        for index, op in enumerate(node.ops):
            ops = [*node.ops[:index], COMPARED[type(op)](), *node.ops[index + 1 :]]
            self.note(node, anchor, "comparison", ast.Compare(node.left, ops, node.comparators))
        for side in (node.left, *node.comparators):
            several = isinstance(side, ast.Tuple | ast.List | ast.Set)
            for text in side.elts if several else (side,):
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    self.note(text, anchor, "compared text", ast.Constant(f"{text.value}?"))

    def condition(self, node, anchor):
        """Note the contrary of a condition that is no comparison."""
        if not isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant):
            at = anchor if isinstance(anchor, ast.JoinedStr) else node
            self.note(node, at, "condition", ast.UnaryOp(ast.Not(), node))

    def slice(self, node, bounds, anchor):
        """Note slices without one of their bounds."""
        for field in ("lower", "upper"):
            if getattr(bounds, field) is not None:
                kept = {f: getattr(bounds, f) for f in ("lower", "upper", "step") if f != field}
                changed = ast.Subscript(node.value, ast.Slice(**kept), node.ctx)
                self.note(node, anchor, "bound of a slice", changed)

    def constant(self, node, anchor):
        """Note other numbers, and the other truth."""
        value = node.value
        if isinstance(value, bool):
            self.note(node, anchor, "truth", ast.Constant(not value))
        elif isinstance(value, int | float):
            for step in (1, -1):
                self.note(node, anchor, "number", ast.Constant(value + step))

    # --- mutants

    def note(self, node, anchor, kind, changed):
        """Note a mutant: `changed` in the place of `node`, with the anchor written anew."""
        if isinstance(node, ast.stmt) or anchor is node or not isinstance(anchor, ast.JoinedStr):
            anchor, written = node, ast.unparse(ast.fix_missing_locations(changed))
        else:
            written = ast.unparse(Replaced(node, changed).visit(copied(anchor, node)))
        if isinstance(node, ast.expr):
            written = f"({written})"
        start, end = (
            self.offset(anchor.lineno, anchor.col_offset),
            self.offset(anchor.end_lineno, anchor.end_col_offset),
        )
        text = self.source.encode()
        source = (text[:start] + written.encode() + text[end:]).decode()
        where = ".".join(name for name, _ in self.where)
        old, new = shortened(ast.unparse(node)), shortened(ast.unparse(changed))
        nth = self.seen[where, old, new] = self.seen.get((where, old, new), 0) + 1
        lines = self.lines
        self.found.append(
            Mutant(self.file, where, anchor.lineno, lines, kind, old, new, nth, source)
        )

    def offset(self, line, column):
        """Return the place of a line and a column in the bytes of the file."""
        return self.starts[line - 1] + column


class Replaced(ast.NodeTransformer):
    """Puts a node in the place of the one that is marked."""

    def __init__(self, node, changed):
        self.node, self.changed = node, changed

    def visit(self, node):
        """Return the node, or the other one in its place."""
        if getattr(node, "marked", False):
            return ast.fix_missing_locations(self.changed)
        return self.generic_visit(node)


def copied(anchor, node):
    """Return a copy of a tree in which the copy of one of its nodes is marked."""
    import copy

    node.marked = True
    found = copy.deepcopy(anchor)
    del node.marked
    return found


def children(node):
    """Return the expressions in an expression, those of lambdas and comprehensions too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.keyword):
            yield child.value
        elif isinstance(child, ast.comprehension):
            yield from (child.iter, *child.ifs)
        elif isinstance(child, ast.arguments):
            yield from (d for d in (*child.defaults, *child.kw_defaults) if d is not None)


def first_line(node):
    """Return the line that a statement or a case begins on."""
    return node.lineno if hasattr(node, "lineno") else node.pattern.lineno


def is_none(node):
    """Tell whether this is None."""
    return isinstance(node, ast.Constant) and node.value is None


def is_text(node):
    """Tell whether this is a text, so that arithmetic with it joins texts."""
    written = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return written or isinstance(node, ast.JoinedStr)


def shortened(text):
    """Return one line of a length that fits a table."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"

"""Writes many mutants into one tree: each behind a call that notes it and says if it is on."""

from __future__ import annotations

import ast


def woven(text, changes):
    """Return a source with changes in it, given as (number, start, end, written, whole)."""
    spans = {}
    for number, start, end, written, whole in changes:
        spans.setdefault((start, -end, not whole), []).append((number, written))
    found, _ = weave(text, sorted(spans), spans, 0, len(text))
    ast.parse(found)
    return found.decode()


def weave(text, waiting, spans, start, end):
    """Return a part of a source with its changes, and the places that lie behind it."""
    pieces, at = [], start
    while waiting and waiting[0][0] < end:
        place = waiting[0]
        first, last = place[0], -place[1]
        pieces.append(text[at:first])
        inner, waiting = weave(text, waiting[1:], spans, first, last)
        indent = b" " * (first - text.rfind(b"\n", 0, first) - 1)
        for number, written in spans[place]:
            inner = choice(number, written.encode(), inner, None if place[2] else indent)
        pieces.append(inner)
        at = last
    return b"".join([*pieces, text[at:end]]), waiting


def choice(number, written, original, indent):
    """Return both, and what chooses: an expression, or a statement where there is an indent."""
    if indent is None:
        return b"((%b) if __mutant__(%d) else (%b))" % (written, number, original)
    return b"if __mutant__(%d): %b\n%belse:\n%b    %b" % (
        number, written, indent, indent, original
    )  # fmt: skip

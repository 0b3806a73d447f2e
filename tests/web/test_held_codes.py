"""Codes between two questions of a page: the same as new ones, and nobody else's."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.settings import build
from shoal.table.encode_nodes import code
from shoal.table.read import read
from shoal.web import held_codes
from shoal.web.held_codes import HeldCodes
from shoal.web.trial import figures, tried

ROLES = {"quasi_identifiers": ["age", "town"], "sensitive": ["ill"]}


@pytest.fixture
def table():
    """Numbers and texts."""
    rows = range(40)
    return read({"age": [20 + 7 * i % 50 for i in rows], "town": [f"t{i % 6}" for i in rows],
                 "ill": ["abc"[i % 3] for i in rows]})  # fmt: skip


@pytest.fixture
def made(monkeypatch):
    """What was coded, and not taken from a file."""
    every = []

    def counted(table, *how):
        every.append(table.rows)
        return code(table, *how)

    monkeypatch.setattr(held_codes, "code", counted)
    return every


def lost(table, folder, k=3, **more):
    """What a trial with held codes loses."""
    settings = build({"roles": ROLES, "protect": {"k": k}, **more})
    return figures(tried(table, settings, None, HeldCodes(folder)))


def test_codes_are_made_once_for_every_k(table, made, tmp_path):
    """Another k takes the codes of the last; the trial tells the same as without them."""
    for k in (3, 4, 3):
        settings = build({"roles": ROLES, "protect": {"k": k}})
        assert lost(table, tmp_path, k) == figures(tried(table, settings))
    assert made == [40]


def test_other_cells_rules_and_files_are_coded_anew(table, made, tmp_path):
    """What a hierarchy, its file or the records say differs: so do the codes."""
    tree = tmp_path / "town.csv"
    tree.write_text("".join(f"t{i};{'north' if i < 3 else 'south'};*\n" for i in range(6)))
    for number, more in enumerate(
        [{}, {"age": "widths:10,20"}, {"town": str(tree)}, {"town": str(tree)}], 1
    ):
        lost(table, tmp_path, hierarchies=more)
        assert len(made) == min(number, 3)
    before = lost(table, tmp_path, hierarchies={"town": str(tree)})
    tree.write_text("".join(f"t{i};{'east' if i % 2 else 'west!'};*\n" for i in range(6)))
    assert lost(table, tmp_path, hierarchies={"town": str(tree)}) != before
    lost(table.take(np.arange(30)), tmp_path)
    assert made[-2:] == [40, 30]
    assert len(list(tmp_path.glob("coded-*"))) == held_codes.KEPT


def test_what_no_worker_wrote_is_not_read(table, made, tmp_path):
    """A file that was changed, or is of another server's key, is coded anew."""
    lost(table, tmp_path)
    [path] = tmp_path.glob("coded-*")
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    lost(table, tmp_path)
    assert made == [40, 40]
    path.write_bytes(b"")
    lost(table, tmp_path)
    assert made == [40, 40, 40]

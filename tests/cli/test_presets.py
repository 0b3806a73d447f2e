"""Presets on the command line: the list, and what anonymize and verify make of one."""

from __future__ import annotations

import json


def test_the_list(shoal):
    """`presets` shows name, k and source of each, as text and as JSON."""
    ran = shoal("presets")
    assert ran.code == 0
    assert "ema: k = 11" in ran.out
    assert "not legal advice" in ran.out
    every = json.loads(shoal("presets", "--json").out)
    assert {one["name"]: one["k"] for one in every}["threshold-10"] == 10


def test_anonymize_and_verify(shoal, tmp_path):
    """A preset says the k of a release and of its check; a smaller k is exit code 2."""
    table, out = tmp_path / "t.csv", tmp_path / "out.csv"
    table.write_text("x,y\n" + "".join(f"{i}.5,{i % 5}.5\n" for i in range(30)))
    made = shoal("anonymize", table, "--preset", "threshold-5", "--method", "mdav", "-o", out)
    assert made.code == 0
    assert shoal("verify", out, "--preset", "threshold-5").code == 0
    assert shoal("verify", out, "--preset", "ema").code == 3
    assert shoal("verify", out, "--preset", "ema", "-k", 3).code == 2
    none = shoal("verify", out)
    assert none.code == 2
    assert "say -k, or a --preset" in none.err

"""Attacks on what is published: each is carried out, and fails as a test if it learns something."""

from __future__ import annotations

import os

import pytest

from layouts import LAYOUTS, Handed, in_process, release, write_table


@pytest.fixture(scope="session", params=LAYOUTS)
def handed(request, tmp_path_factory):
    """A release in each form, made with a seed, from a folder with a name, by who hides no file."""
    place = tmp_path_factory.mktemp("release")
    hidden = place / "Ward-7-secret"
    hidden.mkdir()
    path, tree = write_table(hidden / "patients-of-dr-gray.csv", large=request.param == "regions")
    tree = tree.rename(tree.with_name("gray-towns.csv"))
    before = os.umask(0)
    try:
        files = release(in_process, request.param, place / "out", path, tree, "--seed", Handed.SEED)
    finally:
        os.umask(before)
    return Handed(request.param, path, tree, files, place / "out" / "out.private")


def pytest_terminal_summary(terminalreporter):
    """Say how many attacks were tried and how many still learn something."""
    found = {
        outcome: len([one for one in terminalreporter.stats.get(outcome, []) if one.when == "call"])
        for outcome in ("passed", "failed")
    }
    tried = sum(found.values())
    terminalreporter.write_line(f"attacks: {tried} tried, {found['failed']} still learn something")

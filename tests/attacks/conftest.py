"""Attacks on what is published: each is carried out, and fails as a test if it learns something."""

from __future__ import annotations


def pytest_terminal_summary(terminalreporter):
    """Say how many attacks were tried and how many still learn something."""
    found = {
        outcome: len([one for one in terminalreporter.stats.get(outcome, []) if one.when == "call"])
        for outcome in ("passed", "failed")
    }
    tried = sum(found.values())
    terminalreporter.write_line(f"attacks: {tried} tried, {found['failed']} still learn something")

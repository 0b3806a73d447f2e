"""Everything that Shoal can do is in a case, or named as not testable with the reason."""

from __future__ import annotations

import fnmatch

from goldens.inventory import CHOICES, NOT_TESTABLE, SAID, missing, there


def test_everything_is_in_a_case():
    """Whatever the doors offer is in a case, or named with the reason why not."""
    assert missing() == [], "python tests/goldens/inventory.py prints what there is"


def test_what_is_not_testable_is_there():
    """The list of what no case can hold names only what there is."""
    for name, why in NOT_TESTABLE.items():
        assert why
        assert fnmatch.filter(there(), name), f"there is no {name} any more"


def test_what_is_said_of_a_wrong_choice_names_the_right_ones():
    """Choices are found in what is said of a wrong one."""
    for name in (*CHOICES, *SAID):
        assert [thing for thing in there() if thing.startswith(f"{name} ")], name


def test_every_door_is_asked():
    """The inventory has things of every kind."""
    kinds = {thing.partition(" ")[0] for thing in there()}
    wanted = {"command", "option", "name", "parameter", "method", "preset", "step", "chart"}
    assert kinds >= wanted | {"request", "format", "data"}

"""Makes `__mutant__` known to every process: it notes a mutant that is met, and says if it is on.

The variable SHOAL_MUTANT says which is on. A process that a test starts writes what it meets into
the file that SHOAL_MET names.
"""

import builtins
import os

met: set[int] = set()
on = [int(os.environ.get("SHOAL_MUTANT", "-1"))]
owner = [0]


def mutant(number: int) -> bool:
    """Tell whether a mutant is on."""
    if number not in met:
        note(number)
    return on[0] == number


def note(number: int) -> None:
    """Note that a mutant is met, in a file where this is not the process of the tests."""
    met.add(number)
    if os.getpid() != owner[0] and "SHOAL_MET" in os.environ:
        with open(os.environ["SHOAL_MET"], "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(f"{number}\n")


builtins.__mutant__ = mutant  # type: ignore[attr-defined]

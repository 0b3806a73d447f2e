"""The command line: each command parses, calls one function, prints.

Data and --json go to stdout, everything else to stderr. Exit codes: 0 good, 1 unexpected, 2 usage
or bad input, 3 privacy requirement not met, 130 interrupted with nothing written. The first Ctrl-C
while a search goes on ends it with its best, exit code 0.
"""

from shoal.cli import (  # noqa: F401 - they enter their commands
    certificates,
    comparing,
    hierarchies,
    looking,
    making,
    measuring,
    plotting,
    serving,
)
from shoal.cli.app import app

__all__ = ["app"]

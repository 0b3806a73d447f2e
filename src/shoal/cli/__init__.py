"""The command line: each command parses, calls one function, prints.

Data and --json go to stdout, everything else to stderr. Exit codes: 0 good, 1 unexpected, 2 usage
or bad input, 3 privacy requirement not met, 130 interrupted with nothing written.
"""

from shoal.cli.commands import app

__all__ = ["app"]

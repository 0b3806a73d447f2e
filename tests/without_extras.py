"""Every command and public function without some extras, as a process of its own.

`python without_extras.py FOLDER [EXTRA …]` works in an empty folder, hides the modules of the
extras named (none: what is installed decides) and prints one JSON object a case: `name`, the
`extra` it needs, `code` and `said`, and the `groups` it made. It imports nothing but Shoal and what
Shoal needs, so that it also runs where only the core is installed. SHOAL_WARMUP=1 runs `warmup`,
too, which compiles every method.
"""

from __future__ import annotations

import json
import os
import random
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

QUASI = "--quasi", "age,income", "-k", "3", "--seed", "7"
PEOPLE = (
    "-k", "3", "--quasi", "age,income", "--sensitive", "job", "--identifier", "id", "--person",
    "id", "--l", "2", "--method", "mdav",
)  # fmt: skip


class Hidden:
    """A finder before all others, for which some modules are not installed."""

    def __init__(self, modules: Sequence[str]) -> None:
        self.modules = modules

    def find_spec(self, name: str, *_: object) -> None:
        """Refuse the modules, and what is in them."""
        if name.partition(".")[0] in self.modules:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def hide(modules: Sequence[str]) -> None:
    """Let modules be missing from now on."""
    sys.meta_path.insert(0, Hidden(modules))  # type: ignore[arg-type]


def hiding_text(modules: Sequence[str]) -> str:
    """Return a `sitecustomize.py` that hides modules from every process that finds it."""
    return (
        f"import sys\nsys.path.append({str(Path(__file__).parent)!r})\n"
        f"import without_extras\nsys.path.pop()\nwithout_extras.hide({tuple(modules)!r})\n"
    )


@dataclass(frozen=True)
class Case:
    """Something a user does: words of the command line, or a function; and the extra it needs."""

    name: str
    act: tuple[str, ...] | Callable[[], Any]
    extra: str | None = None


def files() -> None:
    """Write the tables that the cases read."""
    draw = random.Random(5)
    rows = [(draw.randint(20, 80), draw.randint(100, 900), draw.choice("abc")) for _ in range(40)]
    lines = [f"{age},{income},{job}" for age, income, job in rows]
    Path("t.csv").write_text("\n".join(["age,income,job", *lines]) + "\n")
    numbers = [f"{age},{income},{at % 8}" for at, (age, income, _) in enumerate(rows)]
    Path("grouped.csv").write_text("\n".join(["age,income,cell", *numbers]) + "\n")
    people = [f"p{at},{line}" for at, line in enumerate(lines)]
    Path("people.csv").write_text("\n".join(["id,age,income,job", *people]) + "\n")
    Path("arriving").mkdir()
    Path("arriving/people.csv").write_text(Path("people.csv").read_text())
    Path("t.sav").write_bytes(b"x")
    Path("t.xlsx").write_bytes(b"PK\x03\x04")
    Path("t.duckdb").write_bytes(b"\0" * 8 + b"DUCK" + b"\0" * 100)
    Path("key.pem").write_text("no key\n")


COMMANDS = (
    Case("inspect", ("inspect", "t.csv")),
    Case("risk", ("risk", "t.csv", "--quasi", "age,job", "--records", "risks.csv")),
    Case("anonymize", ("anonymize", "t.csv", *QUASI, "-o", "numbers.csv")),
    Case("anonymize to a folder", ("anonymize", "t.csv", "-k", "3", "-o", "mixed/")),
    Case("anonymize --pack", ("anonymize", "t.csv", *QUASI, "--pack", "pack")),
    Case("anonymize --sample", ("anonymize", "t.csv", *QUASI, "--sample", "30")),
    Case("verify", ("verify", "numbers.csv", "-k", "3")),
    Case("measure", ("measure", "t.csv", "numbers.csv", "--html", "measures.html")),
    Case("compare", ("compare", "t.csv", "--quasi", "age,income", "-k", "3", "--methods",
                     "auto,mdav", "-o", "compared")),
    Case("plot to json", ("plot", "sizes", "pack", "-o", "sizes.json")),
    Case("run", ("run", "numbers.private/run.toml", "-o", "again.csv")),
    Case("refine", ("refine", "grouped.csv", "--group", "cell", "-k", "3", "--quasi",
                    "age,income", "-o", "refined.csv")),
    Case("hierarchy build", ("hierarchy", "build", "t.csv", "--column", "job", "-o", "job.csv")),
    Case("hierarchy check", ("hierarchy", "check", "job.csv")),
    Case("hierarchy show", ("hierarchy", "show", "job.csv")),
    Case("certificate check", ("certificate", "check", "pack")),
    Case("certificate schema", ("certificate", "schema")),
    Case("methods", ("methods",)),
    Case("presets", ("presets",)),
    Case("steps", ("steps",)),
    Case("suggest", ("suggest", "t.csv", *QUASI, "--effort", "quick")),
    Case("anonymize people", ("anonymize", "people.csv", *PEOPLE, "-o", "before.csv")),
    Case("ledger add", ("ledger", "add", "old.ledger", "before.private/run.toml", "--person",
                        "id")),
    Case("anonymize --ledger", ("anonymize", "people.csv", *PEOPLE, "--ledger", "new.ledger", "-o",
                                "first.csv")),
    Case("another ledger", ("anonymize", "people.csv", *PEOPLE, "--ledger", "third.ledger", "-o",
                            "third.csv")),
    Case("ledger check", ("ledger", "check", "new.ledger")),
    Case("verify --ledger", ("verify", "first.csv", "--ledger", "new.ledger")),
    Case("ledger forget", ("ledger", "forget", "new.ledger", "p1")),
    Case("ledger withdraw", ("ledger", "withdraw", "new.ledger", "1")),
    Case("stream", ("stream", "arriving", *PEOPLE, "--batch", "20", "-o", "streamed")),
    Case("bound quick", ("bound", "t.csv", "-k", "3", "--quasi", "age,income", "--effort",
                         "quick")),
    Case("serve", ("serve", "--no-browser"), "web"),
    Case("plot", ("plot", "sizes", "pack", "-o", "sizes.svg"), "charts"),
    Case("bound", ("bound", "t.csv", "-k", "3", "--quasi", "age,income"), "optimal"),
    Case("method best", ("anonymize", "t.csv", *QUASI, "--method", "best", "-o", "-"), "optimal"),
    Case("method exact", ("anonymize", "t.csv", *QUASI, "--method", "exact", "-o", "-"), "optimal"),
    Case("start exact", ("anonymize", "t.csv", *QUASI, "--method", "ilsmc+", "--start", "exact",
                         "-o", "-"), "optimal"),
    Case("compare best", ("compare", "t.csv", "--quasi", "age,income", "-k", "3", "--methods",
                          "mdav,best"), "optimal"),
    Case("refine --how best", ("refine", "grouped.csv", "--group", "cell", "-k", "3", "--quasi",
                               "age,income", "--how", "best", "-o", "-"), "optimal"),
    Case("inspect spss", ("inspect", "t.sav"), "formats"),
    Case("inspect excel", ("inspect", "t.xlsx"), "formats"),
    Case("verify spss", ("verify", "t.sav", "-k", "3", "--quasi", "age"), "formats"),
    Case("verify excel", ("verify", "t.xlsx", "-k", "3", "--quasi", "age"), "formats"),
    Case("anonymize to spss", ("anonymize", "t.csv", *QUASI, "-o", "r.sav"), "formats"),
    Case("anonymize to excel", ("anonymize", "t.csv", *QUASI, "-o", "r.xlsx"), "formats"),
    Case("pack of stata", ("anonymize", "t.csv", *QUASI, "--format", "dta", "--pack", "p"),
         "formats"),
    Case("engine dask", ("anonymize", "t.csv", *QUASI, "--engine", "dask", "-o", "d/"), "dask"),
    Case("engine spark", ("anonymize", "t.csv", *QUASI, "--engine", "spark", "-o", "s/"), "spark"),
    Case("certificate key", ("certificate", "key", "steward.pem"), "sign"),
    Case("certificate sign", ("certificate", "sign", "pack", "--key", "key.pem"), "sign"),
    Case("anonymize --sign", ("anonymize", "t.csv", *QUASI, "--pack", "q", "--sign", "key.pem"),
         "sign"),
)  # fmt: skip


WARMUP = Case("warmup", ("warmup",))


def functions() -> Iterator[Case]:
    """Yield the public functions, on the tables of `files`."""
    import shoal

    X = [[float(at % 7), float(at * at % 11)] for at in range(30)]
    options = {"k": 3, "quasi_identifiers": ["age", "income"], "seed": 7}

    def array() -> Any:
        import numpy as np

        return np.array(X)

    def estimator() -> Any:
        from shoal.estimator import Microaggregator

        return Microaggregator(k=3)

    def result() -> Any:
        made = shoal.anonymize("t.csv", **options)
        for one in (made.report.to_json(), made.report.to_html(), made.report.summary()):
            assert one
        assert made.plot.sizes()._repr_mimebundle_()["text/plain"]
        made.save("python/")
        return made.partition

    yield Case("shoal.anonymize", result)
    yield Case("shoal.anonymize_file", lambda: shoal.anonymize_file("t.csv", "f.csv", **options))
    yield Case("shoal.check_pack", lambda: shoal.check_pack("pack"))
    yield Case("shoal.compare", lambda: shoal.compare("t.csv", methods=["auto"], **options))
    yield Case("shoal.hierarchy", lambda: shoal.hierarchy("t.csv", "job", "flat"))
    yield Case("shoal.lower_bound quick", lambda: shoal.lower_bound(array(), 3, effort="quick"))
    yield Case("shoal.measure", lambda: shoal.measure("t.csv", "numbers.csv"))
    yield Case("shoal.methods", shoal.methods)
    yield Case("shoal.microaggregate", lambda: shoal.microaggregate(array(), 3, method="auto"))
    yield Case("shoal.microaggregate_columns", lambda: shoal.microaggregate_columns(array(), 3))
    yield Case("shoal.preview", lambda: shoal.preview("t.csv", sample=30, **options))
    yield Case("shoal.read", lambda: shoal.read("t.csv"))
    yield Case("shoal.refine", lambda: shoal.refine(array(), [0] * 30, 3))
    yield Case(
        "shoal.verify",
        lambda: shoal.verify("numbers.csv", k=3, quasi_identifiers=["age", "income"]),
    )
    quasi = ["age", "income"]
    yield Case("shoal.inspect", lambda: shoal.inspect("t.csv"))
    yield Case("shoal.presets", shoal.presets)
    yield Case("shoal.risk", lambda: shoal.risk("t.csv", quasi_identifiers=quasi))
    yield Case("shoal.steps", lambda: shoal.steps.Round("age", digits=-1))
    yield Case("shoal.suggest", lambda: shoal.suggest("t.csv", effort="quick", **options))
    yield Case("shoal.verify_series", lambda: shoal.verify_series(["third.csv"], "third.ledger"))
    yield Case(
        "shoal.add_release",
        lambda: shoal.add_release(Path("again.ledger"), Path("before.private/run.toml"), "id"),
    )
    yield Case("shoal.check_ledger", lambda: shoal.check_ledger("again.ledger"))
    yield Case("shoal.forget_people", lambda: shoal.forget_people("again.ledger", ["P1"]))
    yield Case("shoal.withdraw_release", lambda: shoal.withdraw_release("again.ledger", 1))
    yield Case(
        "shoal.stream",
        lambda: list(shoal.stream("arriving", "again", person="id", **options)),
    )
    yield Case("shoal.datasets", shoal.datasets.load_patients)
    yield Case("shoal.lower_bound", lambda: shoal.lower_bound(array(), 3), "optimal")
    yield Case("microaggregate best", lambda: shoal.microaggregate(array(), 3, method="best"),
               "optimal")  # fmt: skip
    yield Case("refine best", lambda: shoal.refine(array(), [0] * 30, 3, how="best"), "optimal")
    yield Case("Chart.to_svg", lambda: shoal.compare("t.csv", methods=["mdav"], **options).plot()
               .to_svg(), "charts")  # fmt: skip
    yield Case("shoal.estimator", estimator, "sklearn")


def outcome(case: Case) -> dict[str, Any]:
    """Return what a case came to: an exit code, what it said and the groups it made."""
    if isinstance(case.act, tuple):
        from typer.testing import CliRunner

        from shoal.cli import app

        ran = CliRunner().invoke(app, list(case.act))
        if ran.exception is not None and not isinstance(ran.exception, SystemExit):
            return _failed(case, ran.exception)
        return {"name": case.name, "extra": case.extra, "code": ran.exit_code, "said": ran.stderr}
    try:
        made = case.act()
    except Exception as error:
        return _failed(case, error)
    labels = getattr(made, "labels", None)
    groups = None if labels is None else labels.tolist()
    return {"name": case.name, "extra": case.extra, "code": 0, "said": "", "groups": groups}


def _failed(case: Case, error: BaseException) -> dict[str, Any]:
    """Return an error as it is shown: those of Shoal and of imports in one line, others whole."""
    said = str(error)
    if not hasattr(error, "exit_code") and not isinstance(error, ImportError):
        said = "".join(traceback.format_exception(error))
    code = getattr(error, "exit_code", 2 if isinstance(error, ImportError) else 1)
    return {"name": case.name, "extra": case.extra, "code": code, "said": said}


def wanted(hidden: Sequence[str] | None) -> list[Case]:
    """Return the cases that end: all of the core, and those whose extra is not there."""
    from shoal.extras import has

    every = [*COMMANDS, *functions()]
    if os.environ.get("SHOAL_WARMUP") == "1":
        every.append(WARMUP)
    if hidden is None:
        return [case for case in every if case.extra is None or not has(case.extra)]
    return [case for case in every if case.extra is None or case.extra in hidden]


def main(folder: str, *hidden: str) -> None:
    """Do everything in a folder, and print what each case came to."""
    from shoal.extras import EXTRAS

    modules = [module for extra in hidden for module in EXTRAS[extra]]
    hide(modules)
    os.chdir(folder)
    if modules:  # processes that are started from here hide them, too
        Path("sitecustomize.py").write_text(hiding_text(modules))
        sys.path.insert(0, str(Path.cwd()))
    files()
    for case in wanted(hidden or None):
        print(json.dumps(outcome(case)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

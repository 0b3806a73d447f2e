"""Logs and warnings of a run: where Python expects them, and never with a value of a record."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.progress import Progress, Reporter

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({
    "age": RNG.integers(10_000, 99_999, 30), "town": RNG.choice(["CANARY", "ZEBRA", "YAK"], 30),
    "cost": RNG.integers(0, 12, 30) * 1_000_003,
})  # fmt: skip
ROLES = {"quasi_identifiers": ["age", "town"], "method": "mdav"}


def test_nothing_is_logged_unasked():
    """The package has a handler that does nothing, and leaves those of a program alone."""
    (handler,) = logging.getLogger("shoal").handlers
    assert isinstance(handler, logging.NullHandler)
    assert logging.getLogger("shoal").level == logging.NOTSET
    code = (
        "import logging\nfrom shoal.progress import Reporter\nReporter.of(None)('reading', 0, 1)\n"
        "logging.getLogger('shoal').warning('unheard')\nassert not logging.root.handlers"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("", "")


def test_stages_are_logged(caplog, tmp_path):
    """Stages and findings are logged at INFO, their seconds at DEBUG; no record's value is."""
    with caplog.at_level(logging.DEBUG, logger="shoal"):
        result = shoal.anonymize(FRAME, 5, **ROLES)
        result.save(tmp_path / "out", report=False)
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
    stages = [line for line in told if " " not in line]
    assert stages == list(dict.fromkeys(stages))
    assert {"reading", "grouping", "releasing", "measuring"} <= set(stages)
    assert "30 records, 3 columns" in told
    assert result.partition.summary() in told
    assert told[-1].startswith("written and verified: ")
    later = [record.getMessage() for record in caplog.records if record.levelno == logging.DEBUG]
    assert any(re.fullmatch(r"grouping took \d+\.\d{3} s", line) for line in later)
    every = "\n".join(record.getMessage() for record in caplog.records)
    values = {str(cell) for name in FRAME for cell in (*FRAME[name], *result.data[name])}
    assert not [value for value in values - {"0", "*"} if re.search(rf"\b{value}\b", every)]


def test_a_search_logs_its_own_stages(caplog):
    """Of the parts of a search, which group for themselves, no stage is logged."""
    with caplog.at_level(logging.INFO, logger="shoal"):
        shoal.microaggregate(FRAME[["age", "cost"]], 5, method="ilsmc+", max_iterations=5)
    told = [record.getMessage() for record in caplog.records]
    assert "searching" in told
    assert len(told) == len(set(told))


def test_quiet_parts_log_nothing(caplog):
    """A part of a run that is quiet, and looks within a stage, are not logged."""
    with caplog.at_level(logging.DEBUG, logger="shoal"):
        report = Reporter.of(Reporter(None))
        for done in range(3):
            report("grouping", done, 3)
            for part in (report.quiet(), Reporter.of(report.quiet()), Reporter(None)):
                part("within", done, 3)
        report.look(Progress("searching", 1, 2, 0.1), last=False)
    told = [record.getMessage().partition(" took")[0] for record in caplog.records]
    assert told == ["grouping", "grouping", "searching"]


def test_kept_columns_that_single_out_are_warned_of():
    """A release that is safe, but, says so in a warning at the caller's line, with its share."""
    said = r"^safe as asked, but kept columns single out .* % of the records; drop, round or"
    with pytest.warns(shoal.PrivacyWarning, match=said) as caught:
        shoal.anonymize(FRAME, 5, **ROLES)
    assert [one.filename for one in caught] == [__file__]
    assert all(issubclass(one.category, shoal.ShoalWarning) for one in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shoal.anonymize(FRAME, 5, drop="cost", **ROLES)

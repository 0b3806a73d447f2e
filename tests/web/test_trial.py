"""Trials and their curves without a server: which rows are shown, and what best so far means."""

from __future__ import annotations

import json

import pytest

from shoal.web.jobs import PROGRESS, RUNNING, Job

LOSSES = [9.0, 7.0, 8.0, 6.0]


@pytest.mark.parametrize(
    ("settings", "curve"), [({}, [9.0, 7.0, 6.0]), ({"roles": {"by": ["sex"]}}, LOSSES)]
)
def test_the_best_loss_so_far_never_rises(tmp_path, settings, curve):
    """A second search begins above the best of the first; strata have losses of their own."""
    job = Job("j", "anonymize", "f", "t.csv", "t.csv", None, tmp_path, {}, settings, {}, {}, {})
    job.state = RUNNING
    lines = [{"seconds": float(at), "best_loss": loss} for at, loss in enumerate(LOSSES)]
    (tmp_path / PROGRESS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    job.read()
    assert [loss for _, loss in job.curve] == curve

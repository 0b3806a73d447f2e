"""Trials and their curves without a server: which rows are shown, and what best so far means."""

from __future__ import annotations

import json

import numpy as np
import pytest

from shoal.web.jobs import PROGRESS, RUNNING, Job
from shoal.web.trial import MANY, ROWS, _whole_groups


@pytest.mark.parametrize("size", [2, 7, 13, 20, 31])
def test_about_twenty_rows_are_shown_whatever_k_is(size):
    """Whole groups while they fit, where few do a part of one; no row twice, groups together."""
    labels = np.random.default_rng(0).permutation(np.repeat(np.arange(12), size))
    rows = _whole_groups(labels, np.argsort(labels, kind="stable"))
    assert len(set(rows.tolist())) == rows.size
    assert MANY <= rows.size <= ROWS
    shown = labels[rows]
    parts = [group for group in np.unique(shown) if (shown == group).sum() < size]
    assert len(parts) <= 1
    assert np.count_nonzero(np.diff(shown)) == np.unique(shown).size - 1


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

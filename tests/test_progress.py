"""Lines that tell the stage of a long run where stderr is no terminal."""

from __future__ import annotations

import json

from shoal.progress import JsonLines, Progress, StageLines


def told(looks, patience=0.0):
    """The lines of a run: looks are (second, stage, done, total)."""
    lines, now = [], [0.0]
    tell = StageLines(lines.append, 10.0, clock=lambda: now[0], patience=patience)
    for second, stage, done, total in looks:
        now[0] = second
        tell(Progress(stage, done, total, second))
    return lines


def test_a_short_run_has_no_line():
    """Nothing is told of a run that is over before patience is."""
    looks = [(0, "reading", 0, 1), (0.2, "grouping", 5, 10), (0.9, "releasing", 0, 1)]
    assert told(looks, patience=1.0) == []
    assert told([*looks, (1.1, "releasing", 1, 1)], patience=1.0) == ["releasing\n"]


def test_every_stage_has_a_line():
    """Each stage is told when it begins for the first time, and not when it comes again."""
    looks = [(0, "reading", 0, 1), (1, "grouping", 0, 2), (2, "grouping", 1, 2),
             (3, "reading", 0, 1), (4, "grouping", 0, 2), (5, "measuring", 0, 1)]  # fmt: skip
    assert told(looks) == ["reading\n", "grouping\n", "measuring\n"]


def test_stages_are_told_with_what_is_left():
    """A stage that lasts is told when the pause is over, and again after twice the time."""
    looks = [(second, "grouping", second, 100) for second in range(1, 81)]
    assert told([(0, "grouping", 0, 100), *looks]) == [
        "grouping\n",
        "grouping: 10 %, about 90 s left, 10 s\n",
        "grouping: 30 %, about 70 s left, 30 s\n",
        "grouping: 70 %, about 30 s left, 70 s\n",
    ]


def test_a_new_stage_waits_for_the_pause_only():
    """What was told of one stage does not keep the next one waiting."""
    looks = [(0, "grouping", 0, 1), (40, "grouping", 0, 1), (41, "releasing", 0, 1),
             (49, "measuring", 0, 1), (51, "writing", 0, 1), (52, "writing", 1, 1)]  # fmt: skip
    assert told(looks) == [
        "grouping\n", "grouping, 40 s\n", "releasing\n", "measuring\n", "writing\n",
    ]  # fmt: skip


def test_a_search_tells_its_loss():
    """Of a search, which may end any time, the best loss is told."""
    lines, now = [], [0.0]
    tell = StageLines(lines.append, clock=lambda: now[0])
    now[0] = 12.0
    tell(Progress("searching", 3, 4, 12.0, current_loss=9.0, best_loss=8.5))
    now[0] = 25.0
    tell(Progress("searching", 4, 5, 25.0, current_loss=9.0, best_loss=8.25))
    assert lines == ["searching\n", "searching: loss 8.2500 %, 25 s\n"]


def test_progress_as_json():
    """Each line is an object: a stage when it begins and when it is over, others now and then."""
    lines, now = [], [0.0]
    tell = JsonLines(lines.append, clock=lambda: now[0])
    for second, done in ((0.0, 0), (0.1, 1), (0.2, 2), (0.9, 3), (1.0, 4)):
        now[0] = second
        tell(Progress("grouping", done, 4, second, best_loss=8.5 if done == 3 else None))
    told = [json.loads(line) for line in lines]
    assert [one["done"] for one in told] == [0, 3, 4]
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines)
    assert told[1] == {
        "event": "progress", "stage": "grouping", "done": 3, "total": 4, "seconds": 0.9,
        "best_loss": 8.5,
    }  # fmt: skip

"""Lines that tell the stage of a long run where stderr is no terminal."""

from __future__ import annotations

from shoal.progress import Progress, StageLines


def told(looks, pause=10.0):
    """The lines of a run: looks are (second, stage, done, total)."""
    lines, now = [], [0.0]
    tell = StageLines(lines.append, pause, clock=lambda: now[0])
    for second, stage, done, total in looks:
        now[0] = second
        tell(Progress(stage, done, total, second))
    return lines


def test_a_short_run_has_no_line():
    """Nothing is told of a run that takes less than the pause."""
    assert told([(1, "reading", 0, 1), (2, "grouping", 5, 10), (9.9, "releasing", 0, 1)]) == []


def test_stages_are_told_with_what_is_left():
    """A stage is told when the pause is over, and again after twice the time."""
    looks = [(second, "grouping", second, 100) for second in range(1, 81)]
    assert told([(0, "grouping", 0, 100), *looks]) == [
        "grouping: 10 %, about 90 s left, 10 s\n",
        "grouping: 30 %, about 70 s left, 30 s\n",
        "grouping: 70 %, about 30 s left, 70 s\n",
    ]


def test_a_new_stage_waits_for_the_pause_only():
    """Short stages after a long one are told at most every pause."""
    looks = [(0, "grouping", 0, 1), (40, "grouping", 0, 1), (41, "releasing", 0, 1),
             (49, "measuring", 0, 1), (51, "writing", 0, 1), (52, "writing", 1, 1)]  # fmt: skip
    assert told(looks) == ["grouping, 40 s\n", "writing, 51 s\n"]


def test_a_search_tells_its_loss():
    """Of a search, which may end any time, the best loss is told."""
    lines, now = [], [0.0]
    tell = StageLines(lines.append, clock=lambda: now[0])
    now[0] = 12.0
    tell(Progress("searching", 3, 4, 12.0, current_loss=9.0, best_loss=8.5))
    assert lines == ["searching: loss 8.5000 %, 12 s\n"]

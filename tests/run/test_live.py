"""Progress that a function shows: in notebooks, in lines, to a function; and nothing elsewhere."""

from __future__ import annotations

import sys
import time
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import shoal
from shoal.pipeline.live import NotebookBar, reporting
from shoal.progress import Progress

X = np.random.default_rng(0).normal(size=(40, 2))


class Cell:
    """The outputs of a notebook's cell: what `display` shows, and what becomes of it."""

    def __init__(self):
        self.shown = []

    def display(self, bundle, *, raw, display_id):
        assert raw
        assert display_id
        self.shown.append(bundle)
        return SimpleNamespace(update=self.update)

    def update(self, bundle, *, raw):
        assert raw
        self.shown.append(bundle)


@pytest.fixture
def notebook(monkeypatch):
    """An IPython kernel that runs this."""
    cell = Cell()
    shell = SimpleNamespace(kernel=object())
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython, display.display = lambda: shell, cell.display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return SimpleNamespace(cell=cell, shell=shell)


def looks(bar, clock, *several):
    """Show looks, each at a second."""
    for second, *progress in several:
        clock[0] = second
        bar(Progress(*progress[:3], second, **dict(progress[3:])))


def test_a_notebook_gets_one_output():
    """One output is shown, updated no more than five times a second, and emptied in the end."""
    cell, clock = Cell(), [0.0]
    bar = NotebookBar(cell.display, lambda: clock[0])
    looks(
        bar, clock, (0.5, "reading", 0, 1), (1.5, "grouping", 25, 100), (1.6, "grouping", 30, 100),
        (1.8, "grouping", 50, 100), (1.85, "<b>", 0, 1), (2.5, "<b>", 7, 8, ("best_loss", 1.25)),
    )  # fmt: skip
    bar.close()
    assert [one["text/plain"] for one in cell.shown] == [
        "grouping, 25 %, 2 s", "grouping, 50 %, 2 s", "<b>, 2 s", "<b>, loss 1.2500 %, 2 s", "",
    ]  # fmt: skip
    assert 'value="25" max="100"' in cell.shown[0]["text/html"]
    assert "<b>" not in "".join(one["text/html"] for one in cell.shown)


def test_a_short_run_shows_nothing():
    """What takes less than a second leaves no output behind."""
    cell = Cell()
    bar = NotebookBar(cell.display, lambda: 0.0)
    looks(bar, [0.0], (0.0, "reading", 0, 1), (0.1, "grouping", 1, 2))
    bar.close()
    assert cell.shown == []


def test_the_kernel_is_found(notebook, capsys):
    """In a kernel True shows in the cell; stderr and stdout stay empty."""
    with reporting(True) as report:
        report.callback(Progress("grouping", 1, 2, 0.0))
        time.sleep(1.01)
        report.callback(Progress("releasing", 0, 1, 0.0))
    assert [one["text/plain"] for one in notebook.cell.shown] == ["releasing, 1 s", ""]
    assert capsys.readouterr() == ("", "")
    del notebook.shell.kernel  # IPython in a terminal
    with reporting(True) as report:
        report.callback(Progress("grouping", 1, 2, 0.0))
    assert len(notebook.cell.shown) == 2


@pytest.mark.parametrize("call", [
    lambda **more: shoal.anonymize(X, 4, method="mdav", **more),
    lambda **more: shoal.microaggregate(X, 4, **more),
    lambda **more: shoal.refine(X, [0] * 40, 4, **more),
])  # fmt: skip
def test_a_function_gets_progress(call, capsys):
    """A callable gets every Progress, and True beside a callback calls it too; no bar is drawn."""
    got = []
    call(progress=got.append)
    assert any(one.stage == "grouping" for one in got)
    again = []
    call(progress=True, callback=again.append)
    assert {one.stage for one in again} == {one.stage for one in got}
    call(progress=False)
    told = capsys.readouterr()
    assert told.out == ""
    assert not {"\x1b", "\r"} & set(told.err)  # at most lines, as stderr is no terminal


def test_a_callback_still_cancels():
    """True from the callback ends a run whose progress is shown."""
    with pytest.raises(shoal.Canceled):
        shoal.anonymize(X, 4, method="mdav", progress=True, callback=lambda _: True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [({"progress": print, "callback": print}, "not both"), ({"progress": 1}, "True, False or a")],
)
def test_refused(arguments, said):
    """Two functions, and what is none, are refused."""
    with pytest.raises(shoal.RequestError, match=said):
        shoal.anonymize(X, 4, **arguments)

"""Threads of the judge: order, what is raised, and what is left undone."""

from __future__ import annotations

import threading

import pytest

from shoal.judge.limits import ahead, each, limited, limits


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_order_is_that_of_the_items(threads):
    """Results come in the order of the items, whoever is done first."""
    assert list(each(lambda n: n * n, range(50), threads)) == [n * n for n in range(50)]
    assert list(ahead(iter(range(50)), threads)) == list(range(50))


@pytest.mark.parametrize("threads", [1, 3])
def test_what_is_raised_reaches_the_caller(threads):
    """An error of a thread ends the loop where its item would have come."""

    def odd(number):
        if number == 7:
            raise ValueError("seven")
        return number

    for results in (each(odd, range(20), threads), ahead(map(odd, range(20)), threads)):
        with pytest.raises(ValueError, match="seven"):
            assert [next(results) for _ in range(8)]


def test_few_results_wait():
    """No more results than threads are made ahead of what is taken."""
    made = []
    results = each(lambda n: made.append(n) or n, range(1000), 2)
    assert next(results) == 0
    results.close()
    assert len(made) <= 4


def test_limits_hold_in_the_thread_that_reads_ahead():
    """What the caller allows is known where batches are made."""

    def batches():
        for _ in range(3):
            yield limits().batch, threading.current_thread() is threading.main_thread()

    with limited(batch=17, threads=None):
        assert list(ahead(batches(), 2)) == [(17, False)] * 3
        assert limits().threads >= 1

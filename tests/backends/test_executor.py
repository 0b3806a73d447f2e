"""What is made ahead comes in order, one at a time, and leaves nothing behind."""

from __future__ import annotations

import threading
import weakref

import pytest

from shoal.executor import ahead

LONG = 20  # seconds after which a thread that is waited for will not come


class Source:
    """Numbers, one by one; an error in the place of number `bad`."""

    def __init__(self, count, bad=None):
        self.count, self.bad = count, bad
        self.made, self.is_closed = [], False
        self.second = threading.Event()

    def __iter__(self):
        try:
            for number in range(self.count):
                if number == self.bad:
                    raise OSError("no more")
                self.made.append(threading.current_thread())
                if number == 1:
                    self.second.set()
                yield number
        finally:
            self.is_closed = True


@pytest.fixture(autouse=True)
def no_thread_is_left():
    """Every test ends with the threads that it began with."""
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_order(threads, count):
    """All items come, in their order, whoever makes them."""
    assert list(ahead(range(count), threads)) == list(range(count))


def test_one_thread_is_the_caller_s():
    """With one thread nothing is made before it is asked for."""
    source = Source(5)
    for number in ahead(source, 1):
        assert source.made == [threading.current_thread()] * (number + 1)


def test_one_is_made_ahead_and_no_more():
    """While an item is worked on another thread makes the next, and not the one after it."""
    source = Source(20)
    for number in ahead(source, 2):
        assert source.second.wait(LONG)
        assert len(source.made) <= number + 2
    assert threading.current_thread() not in source.made
    assert source.is_closed


def test_an_error_of_the_maker():
    """What came before an error is yielded, then the error is raised."""
    source, taken = Source(5, bad=3), []
    with pytest.raises(OSError, match="no more"):
        taken.extend(ahead(source, 2))
    assert taken == [0, 1, 2]
    assert source.is_closed


def test_an_error_of_the_consumer():
    """An error of whoever takes the items closes their source."""
    source = Source(5)

    def take():
        for _ in ahead(source, 2):
            raise ValueError("cannot take it")

    with pytest.raises(ValueError, match="cannot take it"):
        take()
    assert source.is_closed


def test_an_early_end():
    """Whoever stops early closes the source; an error of what is not taken is nobody's."""
    for source in (Source(5), Source(5, bad=1)):
        items = ahead(source, 2)
        assert next(items) == 0
        items.close()
        assert source.is_closed


def test_nothing_keeps_what_was_taken():
    """An item that was dropped is free while the next is worked on."""

    class Item:
        pass

    kept = []
    for item in ahead((Item() for _ in range(4)), 2):
        assert all(one() is None for one in kept)
        kept.append(weakref.ref(item))
        del item
        assert kept[-1]() is None

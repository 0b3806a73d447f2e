"""One-time download links: a browser that downloads a file sends no header."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from shoal.web.bodies import Refused

SECONDS = 60.0  # that a link is good for
MOST = 100  # links at once; the oldest go
GONE = "this link was used, or is too old: go back to the desk and ask again"


@dataclass(frozen=True)
class Link:
    """A file of a job, to be downloaded or shown as a page, until some moment."""

    job: str
    name: str
    page: bool
    until: float


class Links:
    """The links that were made and not used yet, by their secrets."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST) -> None:
        self._clock, self._most = clock, most
        self._links: dict[str, Link] = {}

    def make(self, job: str, name: str, page: bool = False) -> str:
        """Return the secret of a new link."""
        now = self._clock()
        kept = [(key, link) for key, link in self._links.items() if link.until > now]
        self._links = dict(kept[-(self._most - 1) :])
        key = secrets.token_urlsafe(32)
        self._links[key] = Link(job, name, page, now + SECONDS)
        return key

    def take(self, key: str) -> Link:
        """Return what a link leads to; it is used then."""
        link = self._links.pop(key, None)
        if link is None or link.until <= self._clock():
            raise Refused(404, GONE)
        return link

"""Connections of clients: time limits and numbers.

uvicorn waits for ever for the rest of a request, and for a client that does not read its answer.
Here a connection without a request that came with the token is a stranger's: it has only so much
time, and if there are too many of them the oldest is cut off, so that whoever holds a thousand
halves of requests open takes neither the desk's file handles nor its time.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from shoal.system.current import current
from shoal.web.guard import KNOWN

HEAD = 10.0  # seconds from connecting, or from a first byte, to the end of a request's headers
ANSWER = 30.0  # seconds that a stranger's request may take, with its body and its answer
REST = 5.0  # seconds that the rest of a body may go on coming after the answer
IDLE = 30  # seconds that a connection is kept between two requests
ACCEPTED = 8  # connections at a time, so that none that has just come is cut off
QUEUED = 4096  # connections that the system holds until they are accepted, if it allows so many


def most_strangers() -> int:
    """Return how many strangers may be connected: a part of the file handles that there are."""
    limit = current().handles()
    return 256 if limit is None else max(4 * ACCEPTED, min(256, limit // 8))


class Connection(H11Protocol):
    """A connection with limits on the time of headers, bodies and strangers' answers."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.since = 0.0
        self._phase: object = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def busy(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def stranger(self) -> bool:
        """Whether no request is being answered that came with the token."""
        known = self.busy and self.scope.get("state", {}).get(KNOWN, False)
        return not known and not self.transport.is_closing()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; cut off the oldest stranger if there are too many."""
        super().connection_made(transport)
        self._enter("head", HEAD)
        self.since = self.loop.time()
        every = [one for one in self.connections if isinstance(one, Connection) and one.stranger]
        if len(every) > most_strangers():
            min(every, key=lambda one: one.since).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        self._stop()

    def handle_events(self) -> None:
        """Process the received events."""
        super().handle_events()
        self._follow()

    def on_response_complete(self) -> None:
        """Wait for the rest of a body, or for the next request."""
        super().on_response_complete()
        self._follow()

    def _follow(self) -> None:
        """Set the limit of what is waited for; more bytes of the same do not prolong it."""
        if self.busy:
            self._enter(self.cycle, ANSWER)
        elif self.conn.their_state is h11.SEND_BODY:
            self._enter("rest", REST)
        elif self.conn.trailing_data[0]:
            self._enter("head", HEAD)
        else:
            self._enter("idle", None)  # uvicorn closes it after a while

    def _enter(self, phase: object, seconds: float | None) -> None:
        if phase is self._phase:
            return
        if phase != "head":
            self.since = self.loop.time()
        self._phase = phase
        self._stop()
        if seconds is not None:
            self._timer = self.loop.call_later(seconds, self._give_up)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        """Close the connection; with the token the routes set its limits."""
        if self.stranger:
            self.transport.abort()

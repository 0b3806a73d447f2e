"""`open_desk`: starts the server on 127.0.0.1 and opens the browser."""

from __future__ import annotations

import asyncio
import html
import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from uvicorn.protocols.http.h11_impl import H11Protocol

from shoal.errors import OutputError, RequestError, shown
from shoal.hints import option
from shoal.storage import processes
from shoal.storage.places import cache_folder
from shoal.web.bodies import Refused
from shoal.web.guard import KNOWN, Guard
from shoal.web.links import Links
from shoal.web.routes.choices import add_choices
from shoal.web.routes.downloads import add_downloads, add_links
from shoal.web.routes.files import add_files
from shoal.web.routes.jobs import add_jobs
from shoal.web.routes.ledgers import add_ledgers, add_streams
from shoal.web.routes.pages import add_pages
from shoal.web.session import Session

HEAD = 10.0  # seconds from connecting, or from a first byte, to the end of a request's headers
ANSWER = 30.0  # seconds that a stranger's request may take, with its body and its answer
REST = 5.0  # seconds that the rest of a body may go on coming after the answer
IDLE = 30  # seconds that a connection is kept between two requests
ACCEPTED = 8  # connections at a time, so that none that has just come is cut off
QUEUED = 4096  # connections that the system holds until they are accepted, if it allows so many
HOST = "127.0.0.1"
TRIED = range(8642, 8662)  # ports, where none is named


class Server(uvicorn.Server):
    """A server that takes few connections at a time, while the system holds many for it."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen."""
        await super().startup(sockets)
        for listener in sockets or []:
            listener.listen(QUEUED)


def serve(
    *,
    folder: Path | None = None,
    port: int | None = None,
    browser: bool = True,
    base: Path | None = None,
    limit: int | None = None,
    api: bool = False,
    on_open: Callable[[str], None] = print,
) -> None:
    """Serve until stopped, then remove the session's files; `on_open` is called with the address.

    `folder` holds files to choose from, `base` is where uploads are kept meanwhile, `limit` the
    most bytes of one.
    """
    if folder is not None and not folder.is_dir():
        raise RequestError(f"there is no folder {shown(folder)}")
    os.umask(0o077)
    listener = _listen(port)
    own = int(listener.getsockname()[1])
    token = secrets.token_urlsafe(32)
    try:
        session = Session(base or cache_folder(), folder, limit)
    except OSError as error:
        listener.close()
        raise OutputError(f"no folder for uploads: {error.strerror}") from None
    address = f"http://{HOST}:{own}/#token={token}"  # no browser sends what is after the #
    config = uvicorn.Config(
        make_app(session, token, own, api), log_level="critical", access_log=False, lifespan="on",
        server_header=False, date_header=False, http=Connection, ws="none", backlog=ACCEPTED,
        timeout_keep_alive=IDLE, timeout_graceful_shutdown=2,
    )  # fmt: skip
    on_open(address)
    opening = threading.Timer(0.5, _open, (session.workspace.path, address))
    opening.daemon = True
    if browser:
        opening.start()
    processes.end_with_terminal()
    try:
        with suppress(KeyboardInterrupt):  # which is how a desk is closed
            asyncio.run(Server(config).serve(sockets=[listener]))
    finally:
        opening.cancel()
        listener.close()
        session.workspace.leave()


def _open(folder: Path, address: str) -> None:
    """Open the browser by a file that only its owner reads: others see what commands are given."""
    page = folder / "open.html"
    link = html.escape(address)
    page.write_text(
        '<!doctype html><meta charset="utf-8"><title>Shoal</title>'
        f'<meta http-equiv="refresh" content="0; url={link}"><a href="{link}">Open the desk</a>',
        encoding="utf-8",
    )
    webbrowser.open(page.as_uri())


def _listen(port: int | None) -> socket.socket:
    """Return a socket of this machine alone."""
    for one in TRIED if port is None else [port]:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        processes.take_alone(listener)
        try:
            listener.bind((HOST, one))
        except OSError as error:
            listener.close()
            if port is not None:
                raise RequestError(f"port {port} cannot be taken: {error.strerror}") from None
        else:
            return listener
    raise RequestError(f"no port is free; say {option('port', python='a port')}")


def make_app(
    session: Session, token: str, port: int, api: bool = False, links: Links | None = None
) -> Guard:
    """Return the desk's routes behind their guard."""

    @asynccontextmanager
    async def life(_app: FastAPI) -> AsyncIterator[None]:
        session.begin()
        try:
            yield
        finally:
            await session.close()

    app = FastAPI(
        title="Shoal", docs_url=None, redoc_url=None, lifespan=life, redirect_slashes=False,
        openapi_url="/openapi.json" if api else None,
    )  # fmt: skip
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _unfit)
    app.add_exception_handler(Exception, _unexpected)
    add_pages(app, session)
    add_files(app, session)
    add_jobs(app, session)
    add_downloads(app, session)
    add_links(app, session, links or Links())
    add_choices(app)
    add_ledgers(app, session)
    add_streams(app, session)
    return Guard(app, token, port)


async def _refused(_request: Request, error: Any) -> Response:
    return JSONResponse({"error": error.message}, error.status)


async def _http(_request: Request, error: Any) -> Response:
    messages = {404: "there is nothing at this address", 405: "this cannot be done here"}
    message = messages.get(error.status_code, "the request is not right")
    return JSONResponse({"error": message}, error.status_code)


async def _unfit(_request: Request, _error: Any) -> Response:
    """Answer without what was sent, which the framework would repeat."""
    return JSONResponse({"error": "the request is not right"}, 400)


async def _unexpected(_request: Request, error: Any) -> Response:
    """Answer without the error's own text, which may hold a record's value."""
    message = f"something went wrong that should not ({type(error).__name__})"
    return JSONResponse({"error": message}, 500)


# Connections of clients: time limits and numbers.
#
# uvicorn waits for ever for the rest of a request, and for a client that does not read its answer.
# Here a connection without a request that came with the token is a stranger's: it has only so much
# time, and if there are too many of them the oldest is cut off, so that whoever holds a thousand
# halves of requests open takes neither the desk's file handles nor its time.


def most_strangers() -> int:
    """Return how many strangers may be connected: a part of the file handles that there are."""
    limit = processes.handles()
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

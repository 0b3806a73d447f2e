"""`open_desk`: starts the server on 127.0.0.1 and opens the browser."""

from __future__ import annotations

import asyncio
import html
import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn

from shoal.backends.storage import cache_folder
from shoal.errors import OutputError, RequestError, shown
from shoal.hints import option
from shoal.system.current import current
from shoal.web.app import make_app
from shoal.web.connection import ACCEPTED, IDLE, QUEUED, Connection
from shoal.web.session import Session

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
    current().end_with_terminal()
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
        current().take_alone(listener)
        try:
            listener.bind((HOST, one))
        except OSError as error:
            listener.close()
            if port is not None:
                raise RequestError(f"port {port} cannot be taken: {error.strerror}") from None
        else:
            return listener
    raise RequestError(f"no port is free; say {option('port', python='a port')}")

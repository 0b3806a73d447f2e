"""Guard of requests: this machine's browser, with the token, from the desk's own pages.

Every request passes here before it meets a route, and before a byte of its body is read. A name
that somebody else's page points at 127.0.0.1 has a foreign Host; a form or a script of another page
has a foreign Origin and cannot set the header. The token is in the address's fragment, which no
browser sends, and in the storage of its tab: there is no cookie, which every other server of this
machine would get.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
UPLOAD = "/files"  # the one address that takes bytes
# What a browser asks for by itself, without the header: the empty page and its parts, which are the
# same for everybody, and links, which are secrets of their own.
OPEN = re.compile(r"/|/(?:files|jobs)/[0-9a-f]{32}|/static/(?:[0-9a-f]{32}/)?[\w.-]+|/links/[\w-]+")
LOCKED = b"Open the address that `shoal serve` printed: it holds the token.\n"
KNOWN = "known"  # in a request's state: it came with the token, or by a link that was good


class Guard:
    """Middleware that admits requests of the desk's own pages, and sets headers."""

    def __init__(self, app: App, token: str, port: int) -> None:
        self.app, self.token = app, token
        names = [f"127.0.0.1:{port}", f"localhost:{port}"]
        if port == 80:  # which browsers leave out
            names += ["127.0.0.1", "localhost"]
        self.hosts = frozenset(name.encode() for name in names)
        self.origins = frozenset(f"http://{name}".encode() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        refused = (
            self._foreign(scope, headers) or self._locked(scope, headers) or _shape(scope, headers)
        )
        if refused is not None:
            await _refuse(send, refused)
            return
        await self.app(scope, receive, _with_headers(send))

    def _foreign(self, scope: Scope, headers: dict[bytes, list[bytes]]) -> bytes | None:
        """Refuse another Host or Origin, whatever else is right.

        A page of another place may lead to the desk's first page: the file that opens the browser
        is one.
        """
        host = headers.get(b"host", [])
        if len(host) != 1 or host[0].lower() not in self.hosts:
            return b"foreign host\n"
        if any(origin.lower() not in self.origins for origin in headers.get(b"origin", [])):
            return b"foreign origin\n"
        if scope["path"] == "/" and headers.get(b"sec-fetch-dest") == [b"document"]:
            return None
        sites = headers.get(b"sec-fetch-site", [])
        if any(site not in (b"same-origin", b"none") for site in sites):
            return b"foreign origin\n"
        return None

    def _locked(self, scope: Scope, headers: dict[bytes, list[bytes]]) -> bytes | None:
        """Refuse requests without the token, but for public paths."""
        given = headers.get(b"authorization", [])
        if len(given) == 1:
            kind, _, token = given[0].decode("latin-1").partition(" ")
            if kind.lower() == "bearer" and _same(token.strip(), self.token):
                scope.setdefault("state", {})[KNOWN] = True
                return None
        if scope["method"] == "GET" and OPEN.fullmatch(scope["path"]):
            return None
        return LOCKED


def _shape(scope: Scope, headers: dict[bytes, list[bytes]]) -> bytes | None:
    """Refuse what changes something and is no JSON, nor the bytes of an upload."""
    if scope["method"] in ("GET", "HEAD"):
        return None
    kind = headers.get(b"content-type", [b""])[0].split(b";")[0].strip().lower()
    raw = scope["method"] == "POST" and scope["path"] == UPLOAD
    if kind != (b"application/octet-stream" if raw else b"application/json"):
        return b"wrong content type\n"
    return None


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode("utf-8", "replace"), other.encode())


def _with_headers(send: Send) -> Send:
    """Return a `send` that adds our headers where an answer has none of its own."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            more = [
                (name.encode(), value.encode())
                for name, value in HEADERS.items()
                if name.encode() not in own
            ]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sending


async def _refuse(send: Send, body: bytes) -> None:
    start = {
        "type": "http.response.start",
        "status": 403,
        "headers": [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
        ],
    }
    await _with_headers(send)(start)
    await send({"type": "http.response.body", "body": body})

"""Who may speak to the desk: this machine's own browser, with the token, from its own pages.

Every request passes here before it meets a route. A name that somebody else's page points at
127.0.0.1 has a foreign Host; a form or a script of another page has a foreign Origin, no cookie
(SameSite=Strict) and cannot set the header.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

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
# A redirect would be part of the journey from elsewhere, on which a strict cookie stays behind; a
# page of our own that goes on is not.
ENTRY = (
    b'<!doctype html><html lang="en"><meta charset="utf-8"><title>Shoal</title>'
    b'<meta http-equiv="refresh" content="0; url=/"><p><a href="/">Open the desk</a></p></html>'
)
LOCKED = b"Open the address that `shoal serve` printed: it holds the token.\n"


class Keys:
    """The secrets of one server: the token of its address, the cookie, the word of its pages."""

    def __init__(self) -> None:
        self.token, self.cookie, self.word = (secrets.token_urlsafe(32) for _ in range(3))


class Guard:
    """Lets in what comes from the desk's own pages, and gives every answer its headers."""

    def __init__(self, app: App, keys: Keys, port: int) -> None:
        self.app, self.keys = app, keys
        self.cookie_name = f"shoal-{port}"
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
        entering = self._enters(scope)
        refused = self._foreign(headers, entering)
        if refused is None and entering:
            await _answer(send, 200, ENTRY, self._entry())
            return
        if refused is None:
            refused = self._locked(headers) or self._forged(scope, headers)
        if refused is not None:
            await _answer(send, 403, refused, [])
            return
        await self.app(scope, receive, _with_headers(send))

    def _enters(self, scope: Scope) -> bool:
        """Tell whether somebody comes with the token."""
        if scope["path"] != "/" or scope["method"] != "GET":
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        return bool(given) and _same(given[0], self.keys.token)

    def _foreign(self, headers: dict[bytes, list[bytes]], entering: bool) -> bytes | None:
        """Refuse another Host or Origin, whatever else is right.

        Who comes with the token may come from a page of another place: the file that opens the
        browser is one.
        """
        host = headers.get(b"host", [])
        if len(host) != 1 or host[0].lower() not in self.hosts:
            return b"foreign host\n"
        if any(origin.lower() not in self.origins for origin in headers.get(b"origin", [])):
            return b"foreign origin\n"
        sites = [] if entering else headers.get(b"sec-fetch-site", [])
        if any(site not in (b"same-origin", b"none") for site in sites):
            return b"foreign origin\n"
        return None

    def _locked(self, headers: dict[bytes, list[bytes]]) -> bytes | None:
        """Refuse who has no cookie of ours."""
        for line in headers.get(b"cookie", []):  # where others of this machine may stand, too
            for part in line.decode("latin-1").split(";"):
                name, _, value = part.strip().partition("=")
                if name == self.cookie_name and _same(value, self.keys.cookie):
                    return None
        return LOCKED

    def _forged(self, scope: Scope, headers: dict[bytes, list[bytes]]) -> bytes | None:
        """Refuse what changes something and was not sent by a script of our page."""
        if scope["method"] in ("GET", "HEAD"):
            return None
        word = headers.get(b"x-shoal", [])
        if len(word) != 1 or not _same(word[0].decode("latin-1"), self.keys.word):
            return b"not sent by the page\n"
        kind = headers.get(b"content-type", [b""])[0].split(b";")[0].strip().lower()
        raw = scope["method"] == "POST" and scope["path"] == UPLOAD
        if kind != (b"application/octet-stream" if raw else b"application/json"):
            return b"wrong content type\n"
        return None

    def _entry(self) -> list[tuple[bytes, bytes]]:
        kept = f"{self.cookie_name}={self.keys.cookie}; HttpOnly; SameSite=Strict; Path=/"
        return [(b"content-type", b"text/html; charset=utf-8"), (b"set-cookie", kept.encode())]


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


async def _answer(send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    start = {
        "type": "http.response.start",
        "status": status,
        "headers": [
            *(headers or [(b"content-type", b"text/plain; charset=utf-8")]),
            (b"content-length", str(len(body)).encode()),
        ],
    }
    await _with_headers(send)(start)
    await send({"type": "http.response.body", "body": body})

"""Attacks on the desk: other servers and other users of this machine, and halves of requests."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import re
import resource
import socket
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.cookiejar import CookieJar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from starlette.routing import Route

from desks import Server
from shoal.web.serve import HEAD, make_app
from shoal.web.session import Session
from thorough import spread

ID = "0" * 32
HALVES = 1200
HANDLES = 1024  # files that a process may open, where nobody has said otherwise
PROMPT = HEAD - 1  # seconds within which a client is answered: before strangers' time is over
TAKEN = {"roles": {"quasi_identifiers": ["a", "b"]}, "protect": {"k": 3, "method": "mdav"}}


@pytest.fixture(scope="module")
def job(desk):
    """A release that was made."""
    rows = "".join(f"{i % 7},{i % 5}\n" for i in range(60))
    file = desk.upload("numbers.csv", f"a,b\n{rows}".encode())
    desk.looked(file)
    told = desk.done(desk.start(file, TAKEN))
    assert told["state"] == "done", told["error"]
    return told["id"]


def every_route(folder):
    """Every method and path of the desk, ids in the place of parameters."""
    room = Session(folder)
    app = make_app(room, "token", 1).app
    room.workspace.leave()
    found = [
        (method, re.sub(r"\{[^}]+\}", ID, route.path))
        for route in app.routes
        if isinstance(route, Route)
        for method in sorted(route.methods)
    ]
    assert len(found) > 15
    return found


class Browser:
    """What a browser sends by itself: cookies go to every port of a host, fragments nowhere."""

    def __init__(self):
        self.jar = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def open(self, address):
        """Open an address; return status, headers and body."""
        try:
            with self.opener.open(address, timeout=10) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()


@contextlib.contextmanager
def listener():
    """Somebody else's server on another port of 127.0.0.1, which notes all that it is sent."""
    heard = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append((self.path, dict(self.headers)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port, heard
    finally:
        server.shutdown()
        server.server_close()


def test_another_port_is_sent_nothing_that_opens_the_desk(desk):
    """Another user's server waits for the steward's browser, and sends on what it gets."""
    browser = Browser()
    browser.open(desk.address)
    with listener() as (port, heard):
        browser.open(f"http://127.0.0.1:{port}/")
        [(_, sent)] = heard
    stolen = {name: value for name, value in sent.items() if name.lower() != "host"}
    answer = desk.ask("GET", "/desk.json", None, stolen, plain=True)
    assert answer.status == 403
    assert "Cookie" not in sent
    assert browser.open(f"http://127.0.0.1:{desk.port}/desk.json")[0] == 403


@pytest.mark.slow
def test_no_answer_sets_a_cookie(desk, tmp_path):
    """A cookie from any route, asked with the token or without, would go to every port."""
    query = f"token={desk.token}"
    for method, path in every_route(tmp_path):
        for more in ("", f"?{query}"):
            for plain in (False, True):
                answer = desk.ask(method, path + more, None, plain=plain)
                assert "set-cookie" not in answer.headers, (method, path)


def test_cookies_open_nothing(desk, tmp_path):
    """Whoever knows even the token and sends it as a cookie of any name is not let in."""
    browser = Browser()
    browser.open(desk.address)
    names = [f"shoal-{desk.port}", "shoal", "token", "shoal-token", "session"]
    own = [f"{cookie.name}={cookie.value}" for cookie in browser.jar]
    line = "; ".join([*own, *(f"{name}={desk.token}" for name in names)])
    for method, path in every_route(tmp_path):
        if method == "GET" and re.fullmatch(r"/|/(files|jobs)/0+|/static/.*|/links/.*", path):
            continue
        answer = desk.ask(method, path, None, {"Cookie": line}, plain=True)
        assert answer.status == 403, (method, path)


def test_a_token_in_the_query_opens_nothing(desk):
    """An address with the token in it, from a history or a log, is opened again."""
    browser = Browser()
    here = f"http://127.0.0.1:{desk.port}"
    plain = browser.open(f"{here}/")
    for name in ("token", "shoal-token", "access_token", "authorization"):
        for value in (desk.token, f"Bearer%20{desk.token}"):
            assert browser.open(f"{here}/?{name}={value}")[2] == plain[2]
            assert browser.open(f"{here}/desk.json?{name}={value}")[0] == 403
            assert browser.open(f"{here}/desk.json")[0] == 403


def test_the_token_is_in_no_address_that_is_sent(desk):
    """Logs of servers and proxies hold request lines, and pages tell others where one comes from.

    A browser that asks for the address that was printed shall send no secret in either.
    """
    printed = urlsplit(desk.address)
    assert desk.token not in f"{printed.path}?{printed.query}"
    with listener() as (port, heard):
        Browser().open(desk.address.replace(f":{desk.port}", f":{port}"))
        [(path, sent)] = heard
    assert desk.token not in path
    assert desk.token not in json.dumps(sent)
    answer = desk.ask("GET", "/", plain=True)
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert desk.token.encode() not in answer.body


def test_a_link_works_once(desk, job):
    """The address of a download, as the browser's history keeps it, is opened a second time."""
    path = desk.link(job, "release.csv")
    first = desk.ask("GET", path, plain=True)
    assert (first.status, first.body.splitlines()[0]) == (200, b"a,b")
    for plain in (True, False):
        assert desk.ask("GET", path, plain=plain).status == 404
    page = desk.link(job, "report.html", page=True)
    assert b"<html" in desk.ask("GET", page, plain=True).body
    again = desk.ask("GET", page, plain=True)
    assert again.status == 404
    assert b"<html" not in again.body


def test_an_old_link_is_dead(tmp_path):
    """A link that was made and never used is opened a minute later, or when its job is gone."""
    from shoal.web.links import SECONDS, Links

    assert SECONDS <= 60
    now = 1000.0

    async def attack():
        nonlocal now
        room = Session(tmp_path)
        guard = make_app(room, "token", 1, links=(links := Links(lambda: now)))
        key = links.make(ID, "release.csv")
        now += SECONDS + 0.001
        old = await asked(guard, f"/links/{key}")
        gone = await asked(guard, f"/links/{links.make(ID, 'release.csv')}")
        room.workspace.leave()
        return old, gone

    for status, body in asyncio.run(attack()):
        assert status == 404
        assert set(json.loads(body)) == {"error"}


async def asked(guard, path):
    """Ask an app for an address; return status and body."""
    heard = []
    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(),
        "query_string": b"", "headers": [(b"host", b"127.0.0.1:1")], "http_version": "1.1",
        "scheme": "http", "root_path": "", "server": ("127.0.0.1", 1), "client": ("127.0.0.1", 2),
    }  # fmt: skip

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        heard.append(message)

    await guard(scope, receive, send)
    return heard[0]["status"], b"".join(one.get("body", b"") for one in heard[1:])


@contextlib.contextmanager
def many(port, sent, count=HALVES):
    """Connections that have sent so much and wait; they are closed at the end."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 300
    if hard not in (-1, resource.RLIM_INFINITY) and hard < wanted:
        pytest.skip("this machine gives a process too few files to attack with")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    held = []
    try:
        for number in range(count):
            client = socket.socket()
            held.append(client)
            client.settimeout(PROMPT)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            with contextlib.suppress(OSError):  # the desk may cut off whom it likes
                client.connect(("127.0.0.1", port))
                client.sendall(sent(number) if callable(sent) else sent)
        yield held
    finally:
        for client in held:
            client.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def seconds_for(desk, path):
    """Return how long a proper client waits for an answer; infinite if it gets none."""
    begun = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", desk.port, timeout=PROMPT)
    try:
        connection.request("GET", path, headers=desk.secret)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
    except OSError:
        return float("inf")
    finally:
        connection.close()
    return time.monotonic() - begun


HOST = "Host: 127.0.0.1:{port}\r\n"
BODY = "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{{"
WAYS = {
    "half a request line": "GET /desk.j",
    "half of the headers": "GET / HTTP/1.1\r\n" + HOST + "X-Slow: 1",
    "nothing": "",
    "half of a body without the token": "POST /jobs HTTP/1.1\r\n" + HOST + BODY,
    "half of an upload without the token":
        "POST /files?name=x.csv HTTP/1.1\r\n" + HOST + BODY.replace("json", "octet-stream"),
    "half of a body with a wrong token":
        "POST /jobs HTTP/1.1\r\n" + HOST + "Authorization: Bearer x\r\n" + BODY,
    "half of a chunk":
        "POST /jobs HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\nffff\r\nab",
    "half of a body to the open page":
        "GET / HTTP/1.1\r\n" + HOST + "Content-Length: 1000000\r\n\r\nx",
    "a request that was answered, then silence": "GET / HTTP/1.1\r\n" + HOST + "\r\n",
    "an answer that is never read": "GET /static/vega.js HTTP/1.1\r\n" + HOST + "\r\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def besieged(tmp_path_factory):
    """A desk with few handles, for many attacks one after the other."""
    with Server(tmp_path_factory.mktemp("besieged"), handles=HANDLES) as desk:
        desk.ask("GET", "/static/vega.js")  # is there
        yield desk


@pytest.mark.parametrize("way", spread(WAYS, 3))
@pytest.mark.slow
def test_halves_of_requests_do_not_block_the_desk(besieged, way):
    """1,200 connections without the token hold open what they began; the steward works on."""
    sent = WAYS[way].format(port=besieged.port).encode()
    with many(besieged.port, sent):
        took = [seconds_for(besieged, path) for path in ("/", "/desk.json", "/static/main.js")]
    assert max(took) < PROMPT
    assert seconds_for(besieged, "/desk.json") < PROMPT


def test_a_file_is_worked_on_under_attack(besieged):
    """While 1,200 halves are held and made anew, a file is uploaded, looked at and released."""
    over = threading.Event()

    def attack(port):
        sent = f"POST /files?name=x.csv HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX".encode()
        with many(port, sent) as held:
            at = 0
            while not over.wait(0.005):
                with contextlib.suppress(OSError):
                    held[at].close()
                    held[at] = socket.create_connection(("127.0.0.1", port), PROMPT)
                    held[at].sendall(sent)
                at = (at + 1) % len(held)

    attacker = threading.Thread(target=attack, args=(besieged.port,))
    attacker.start()
    try:
        time.sleep(1)
        rows = "".join(f"{i % 7},{i % 5}\n" for i in range(60))
        file = besieged.upload("numbers.csv", f"a,b\n{rows}".encode())
        assert besieged.looked(file)["state"] == "ready"
        told = besieged.done(besieged.start(file, TAKEN))
    finally:
        over.set()
        attacker.join(30)
    assert told["state"] == "done", told["error"]


def open_after(client, seconds, piece):
    """Tell whether a connection still stands after so long, a byte sent now and then."""
    end = time.monotonic() + seconds
    client.settimeout(1.0)
    while time.monotonic() < end:
        try:
            if piece:
                client.sendall(piece)
            if client.recv(65536) == b"":
                return False
        except TimeoutError:
            continue
        except OSError:
            return False
        time.sleep(0.2)
    return True


@pytest.mark.slow
def test_a_trickle_is_cut_off(desk):
    """One byte a second must not keep a connection, and what the desk holds for it, for ever."""
    head = f"POST /jobs HTTP/1.1\r\nHost: 127.0.0.1:{desk.port}\r\n"
    ways = {
        "headers": head + "X-Slow: ",
        "body": head + "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n",
        "silence": "",
    }

    def stays_open(way):
        with socket.create_connection(("127.0.0.1", desk.port)) as client:
            client.sendall(ways[way].encode())
            return open_after(client, 15.0, b"" if way == "silence" else b"x")

    with ThreadPoolExecutor(len(ways)) as pool:
        assert dict(zip(ways, pool.map(stays_open, ways), strict=True)) == dict.fromkeys(
            ways, False
        )

"""Who may speak to the desk: every route, against foreign names, pages and forms."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.routing import Route

from shoal.web.app import make_app
from shoal.web.desk import Desk
from shoal.web.guard import Keys

ID = "0" * 32


@pytest.fixture(scope="module")
def routes(tmp_path_factory):
    """The whole table of routes: (method, path with ids in the place of parameters)."""
    room = Desk(tmp_path_factory.mktemp("routes"))
    app = make_app(room, Keys(), 1, api=True).app
    room.room.leave()
    table = [
        (method, re.sub(r"\{name:path\}", "release.csv", route.path))
        for route in app.routes
        if isinstance(route, Route)
        for method in sorted(route.methods - {"HEAD"})
    ]
    filled = [
        (method, re.sub(r"\{number\}", "0", re.sub(r"\{(key|name)\}", ID, path)))
        for method, path in table
    ]
    assert len(filled) > 15
    return filled


def state(desk):
    """What is on the desk."""
    told = desk.get("/desk.json")
    return told["files"], told["jobs"]


FOREIGN = [
    {"Host": "evil.test"},
    {"Host": "evil.test:{port}"},
    {"Host": "127.0.0.1.evil.test:{port}"},
    {"Host": "localhost"},
    {"Host": "[::1]:{port}"},
    {"Origin": "https://evil.test"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_foreign_host_or_origin_is_refused_everywhere(desk, routes, headers):
    """W1: on every route, even with the right cookie and word; the answer holds no data."""
    own = {name: value.format(port=desk.port) for name, value in headers.items()}
    entry = [] if "Sec-Fetch-Site" in headers else [("GET", f"/?{desk.address.split('?')[1]}")]
    for method, path in [*routes, *entry]:
        answer = desk.ask(method, path, "{}" if method != "GET" else None, own)
        assert answer.status == 403, (method, path)
        assert answer.body in (b"foreign host\n", b"foreign origin\n")
        assert "set-cookie" not in answer.headers


def test_without_the_cookie_nothing_is_told(desk, routes):
    """No cookie, a wrong one or a wrong token: 403 on every route."""
    wrong = [{}, {"Cookie": desk.cookie[:-1]}, {"Cookie": "shoal=1"}, {"Cookie": "a=\x01;b"},
             {"Cookie": f"{desk.cookie.split('=')[0]}="}]  # fmt: skip
    for headers in wrong:
        for method, path in routes:
            answer = desk.ask(method, path, None, headers, plain=True)
            assert answer.status == 403, (method, path)
            assert b"token" in answer.body
    assert desk.ask("GET", "/?token=wrong", plain=True).status == 403


@pytest.mark.parametrize("other", ['foo={"a": 1}', "a=b c", "é=ü", "a", "=", "shoal=x"])
def test_cookies_of_other_servers_of_this_machine_do_no_harm(desk, other):
    """Cookies are shared by all ports: whatever stands beside ours, we find ours."""
    for line in (f"{other}; {desk.cookie}", f"{desk.cookie}; {other}"):
        assert (
            desk.ask("GET", "/desk.json", None, {"Cookie": line.encode().decode("latin-1")}).status
            == 200
        )


def test_a_missing_or_doubled_host_is_refused(desk):
    """A request without Host, or with two, is none of ours."""
    for lines in ("", f"Host: 127.0.0.1:{desk.port}\r\nHost: 127.0.0.1:{desk.port}\r\n"):
        with socket.create_connection(("127.0.0.1", desk.port)) as client:
            client.sendall(
                f"GET /desk.json HTTP/1.1\r\n{lines}Cookie: {desk.cookie}\r\n\r\n".encode()
            )
            assert client.recv(100).split()[1] in (b"400", b"403")


def test_what_changes_something_needs_the_word_and_its_content_type(desk, routes):
    """W2: without the page's word, or as a form sends it, every such request is 403."""
    before = state(desk)
    changing = [(method, path) for method, path in routes if method != "GET"]
    assert len(changing) >= 9
    forms = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain", None)
    for method, path in changing:
        for headers in ({"X-Shoal": None}, {"X-Shoal": ""}, {"X-Shoal": desk.word[:-1]}):
            answer = desk.ask(method, path, "{}", headers)
            assert (answer.status, answer.body) == (403, b"not sent by the page\n")
        for form in forms:
            answer = desk.ask(method, path, "{}", {"Content-Type": form})
            assert (answer.status, answer.body) == (403, b"wrong content type\n")
    assert state(desk) == before


def test_the_cookie_is_for_this_server_and_no_script(desk):
    """The cookie is HttpOnly, SameSite=Strict, of the port's own name; the token is not in it."""
    answer = desk.ask("GET", f"/?{desk.address.split('?')[1]}", plain=True)
    kept = answer.headers["set-cookie"]
    assert kept.startswith(f"shoal-{desk.port}=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(kept.split("; "))
    assert desk.address.split("token=")[1] not in kept
    assert b'content="0; url=/"' in answer.body
    assert desk.address.split("token=")[1].encode() not in answer.body


def test_every_answer_has_the_policy(desk, routes):
    """No eval, no inline script, nothing from elsewhere: on every route, refused ones too."""
    for method, path in [*routes, ("GET", "/nothing"), ("GET", "/static/main.js")]:
        for plain in (False, True):
            answer = desk.ask(method, path, "{}" if method != "GET" else None, plain=plain)
            policy = answer.headers["content-security-policy"]
            parts = {part.split()[0]: part.split()[1:] for part in policy.split(";")}
            assert parts["default-src"] == ["'none'"]
            assert parts.get("script-src", ["'self'"]) == ["'self'"]
            assert parts["frame-ancestors"] == ["'none'"]
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cache-control"] == "no-store"


def test_only_loopback_is_bound(desk):
    """The server listens on 127.0.0.1 and nowhere else."""
    found = []
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        lines = Path(name).read_text().splitlines()[1:]
        found += [line.split()[1] for line in lines if line.split()[3] == "0A"]
    ours = [place for place in found if int(place.split(":")[1], 16) == desk.port]
    assert ours == [f"0100007F:{desk.port:04X}"]


def test_no_documentation_unless_asked(desk):
    """Pages about the requests are off."""
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert desk.ask("GET", path).status == 404


TRAVERSALS = [
    "../../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%252f..%252fetc%252fpasswd", "....//....//etc/passwd", "..\\..\\etc\\passwd",
    "%2fetc%2fpasswd", "/etc/passwd", "//etc/passwd", "file:///etc/passwd", "%00", "release.csv%00",
    "release.csv%00.json", "..%c0%af..%c0%afetc/passwd", "\\\\host\\share\\file",
    "%5c%5chost%5cshare", "C:%5cWindows%5cwin.ini", "~/.ssh/id_rsa", "%7e/.ssh/id_rsa",
    "a" * 5000, "asked.json", "answer.json", "../asked.json", "made/release.csv",
    "./release.csv", "%2e/release.csv", "release.csv/", "release.csv/..", "RELEASE.CSV", "%0a",
]  # fmt: skip


def test_no_path_of_a_client_is_opened(desk):
    """W4: sixty ways to write a path outside the list of a job are 404, of files and of pages."""
    file = desk.sample()
    job = desk.start(file, {"roles": {"quasi_identifiers": ["age"], "drop": [
        "name", "number", "sex", "postcode", "admission_date", "length_of_stay", "weight",
        "income", "diagnosis", "cost"]}, "protect": {"k": 5, "method": "mdav"}})  # fmt: skip
    told = desk.done(job)
    assert told["state"] == "done", told["error"]
    assert desk.ask("GET", f"/jobs/{job}/files/release.csv").status == 200
    tried = 0
    for way in TRAVERSALS:
        plain = quote(way, safe="%/.:~")
        for path in (f"/jobs/{job}/files/{plain}", f"/static/{plain}",
                     f"/jobs/{job}/charts/{plain}.json", f"/files/{plain}.json",
                     f"/jobs/{plain}.json"):  # fmt: skip
            answer = desk.ask("GET", path)
            assert answer.status in (400, 404), path
            assert b"root:" not in answer.body
            assert set(answer.json) == {"error"}
            assert way.encode() not in answer.body or len(way) < 6
            tried += 1
        if way.lower().endswith(".csv"):
            continue
        assert desk.ask("POST", f"/files?name={plain}", b"a\n", {
            "Content-Type": "application/octet-stream"}).status == 415  # fmt: skip
    assert tried >= 60
    for way in ("/etc/passwd", "../ages.csv", "ages.csv", "tree:../x", f"tree:{ID}", "file:///x"):
        recipe = {"protect": {"k": 3}, "hierarchies": {"age": way}}
        for path, body in (
            (f"/files/{file}/trees", {"column": "age", "rule": way}),
            (f"/files/{file}/preview", {"recipe": recipe}),
            ("/jobs", {"file": file, "recipe": recipe}),
        ):
            answer = desk.ask("POST", path, body)
            assert answer.status == 400, (path, way)
            assert "hierarchy" in answer.json["error"]
    for part in ({"input": {"path": "/etc/passwd"}}, {"input": {"hierarchies": "/etc"}},
                 {"release": {"output": "/tmp/x"}}, {"protect": {"k": 3, "engine": "dask"}},
                 {"roles": {"group": "age"}}, {"search": {}}, {"shoal": "1"}):  # fmt: skip
        recipe = {"protect": {"k": 3}, **part}
        assert (
            "not known here" in desk.post("/jobs", {"file": file, "recipe": recipe}, 400)["error"]
        )
    for entry in ("../census.csv", "/etc/passwd", ID):
        assert desk.ask("POST", "/files/open", {"entry": entry}).status == 404
    assert desk.ask("POST", "/files/open", {"entry": ["x"]}).status == 400


def test_bodies_that_are_no_request(desk):
    """What is no JSON object, or far too large, is refused in one line."""
    for body, status in (("", 400), ("[]", 400), ("{", 400), ("[" * 100_000, 400),
                         (json.dumps({"x": "y" * (2 << 20)}), 413)):  # fmt: skip
        answer = desk.ask("POST", "/jobs", body)
        assert answer.status == status
        assert set(answer.json) == {"error"}

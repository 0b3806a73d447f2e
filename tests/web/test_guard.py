"""Who may speak to the desk: every route, against foreign names, pages and forms."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.routing import Route

from shoal.web.guard import OPEN
from shoal.web.serve import make_app
from shoal.web.session import Session

ID = "0" * 32


@pytest.fixture(scope="module")
def routes(tmp_path_factory):
    """The whole table of routes: (method, path with ids in the place of parameters)."""
    room = Session(tmp_path_factory.mktemp("routes"))
    app = make_app(room, "token", 1, api=True).app
    room.workspace.leave()
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
    """W1: on every route, even with the right token; the answer holds no data."""
    own = {name: value.format(port=desk.port) for name, value in headers.items()}
    for method, path in [*routes, ("GET", "/static/main.js")]:
        answer = desk.ask(method, path, "{}" if method != "GET" else None, own)
        assert answer.status == 403, (method, path)
        assert answer.body in (b"foreign host\n", b"foreign origin\n")


def test_only_the_first_page_is_reached_from_elsewhere(desk, routes):
    """The file that opens the browser leads to the first page, as a page alone; nowhere else."""
    site = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    for method, path in routes:
        first = (method, path) == ("GET", "/")
        for kind in ("document", "iframe", "script", "empty"):
            answer = desk.ask(method, path, None, {**site, "Sec-Fetch-Dest": kind})
            assert (answer.status == 200) == (first and kind == "document"), (path, kind)


def locked(routes):
    """What needs the token."""
    found = [(m, path) for m, path in routes if m != "GET" or not OPEN.fullmatch(path)]
    assert len(found) >= 16
    return found


def test_without_the_token_nothing_is_told(desk, routes):
    """No token, a wrong one, or one in another place: 403 on every route that holds something."""
    token = desk.token
    wrong = [{}, {"Authorization": f"Bearer {token[:-1]}"}, {"Authorization": "Bearer "},
             {"Authorization": token}, {"Authorization": f"Basic {token}"},
             {"Authorization": f"Bearer {token}x"}, {"Authorization": "Bearer \xff\x01"},
             {"Cookie": f"token={token}; shoal-{desk.port}={token}"},
             {"X-Shoal": token}]  # fmt: skip
    for headers in wrong:
        for method, path in [*locked(routes), ("HEAD", "/"), ("POST", "/"), ("GET", "/nothing"),
                             ("GET", f"/jobs/{ID}/report"), ("GET", "/files/x")]:  # fmt: skip
            answer = desk.ask(method, path, None, headers, plain=True)
            assert answer.status == 403, (method, path)
            assert b"token" in answer.body or method == "HEAD"


def test_two_tokens_are_none(desk):
    """A request with the header twice is refused: nobody can tell which one was meant."""
    line = f"Authorization: Bearer {desk.token}\r\n"
    with socket.create_connection(("127.0.0.1", desk.port)) as client:
        client.sendall(f"GET /desk.json HTTP/1.1\r\nHost: 127.0.0.1:{desk.port}\r\n{line}{line}\r\n"
                       .encode())  # fmt: skip
        assert client.recv(100).split()[1] == b"403"


def test_what_is_open_to_all_holds_nothing(desk, routes):
    """Pages are the same bytes whether there is such a file or not, and hold no secret."""
    file = desk.sample()
    shells = [desk.ask("GET", path, plain=True) for path in
              ("/", f"/files/{ID}", f"/jobs/{ID}", f"/files/{file}")]  # fmt: skip
    assert {answer.status for answer in shells} == {200}
    assert len({answer.body for answer in shells}) == 1
    assert desk.token.encode() not in shells[0].body
    assert desk.ask("GET", f"/files/{file}.json", plain=True).status == 403
    assert desk.ask("GET", "/static/main.js", plain=True).status == 200
    assert desk.ask("GET", f"/links/{ID}", plain=True).status == 404
    assert desk.ask("DELETE", f"/files/{file}").status == 200


def test_scripts_are_kept_until_the_desk_is_started_anew(desk, routes):
    """What the page loads may be kept; its address is a secret that nobody can fill before."""
    page = desk.ask("GET", "/", plain=True).body.decode()
    places = set(re.findall(r"/static/([^/\"]*)/", page))
    assert len(places) == 1
    assert re.fullmatch("[0-9a-f]{32}", *places)
    loaded = re.findall(r"(?:src|href)=\"(/static/[^\"]+)\"", page)
    assert any(path.endswith("/main.js") for path in loaded)
    for path in [*loaded, f"/static/{places.pop()}/vega.js"]:
        answer = desk.ask("GET", path, plain=True)
        assert (answer.status, answer.headers["cache-control"]) == (
            200, "private, max-age=86400, immutable")  # fmt: skip
    assert desk.ask("GET", f"/static/{ID}/main.js", plain=True).status == 404
    assert desk.ask("GET", "/", plain=True).headers["cache-control"] == "no-store"


def test_a_missing_or_doubled_host_is_refused(desk):
    """A request without Host, or with two, is none of ours."""
    for lines in ("", f"Host: 127.0.0.1:{desk.port}\r\nHost: 127.0.0.1:{desk.port}\r\n"):
        with socket.create_connection(("127.0.0.1", desk.port)) as client:
            secret = f"Authorization: Bearer {desk.token}\r\n"
            client.sendall(f"GET /desk.json HTTP/1.1\r\n{lines}{secret}\r\n".encode())
            assert client.recv(100).split()[1] in (b"400", b"403")


def test_what_changes_something_needs_its_content_type(desk, routes):
    """W2: as a form sends it, every such request is 403, even with the token."""
    before = state(desk)
    changing = [(method, path) for method, path in routes if method != "GET"]
    assert len(changing) >= 10
    forms = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain", None)
    for method, path in changing:
        for form in forms:
            answer = desk.ask(method, path, "{}", {"Content-Type": form})
            assert (answer.status, answer.body) == (403, b"wrong content type\n")
    assert state(desk) == before


def test_a_script_of_another_page_is_not_let_in_by_asking_first(desk, routes):
    """A browser asks before it sends our header from elsewhere: the answer allows nothing."""
    for _, path in routes:
        answer = desk.ask("OPTIONS", path, None, {
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "authorization"}, plain=True)  # fmt: skip
        assert answer.status == 403
        assert not any(name.startswith("access-control") for name in answer.headers)


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
                     f"/jobs/{plain}.json", f"/links/{plain}"):  # fmt: skip
            answer = desk.ask("GET", path)
            assert answer.status in (400, 404), path
            assert b"root:" not in answer.body
            assert set(answer.json) == {"error"}
            assert way.encode() not in answer.body or len(way) < 6
            tried += 1
        for more in ({}, {"page": True}):
            body = {"name": way, **more}
            assert desk.ask("POST", f"/jobs/{job}/links", body).status in (400, 404), way
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
    for name in (None, 3, ["release.csv"], {}):
        assert desk.ask("POST", f"/jobs/{job}/links", {"name": name}).status == 400
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

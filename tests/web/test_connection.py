"""Connections and links: how long the desk waits, and what opens once."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

from desks import SAMPLE
from shoal.web import bodies, links
from shoal.web.bodies import Refused
from shoal.web.links import Links

ID = "0" * 32
PROMPT = 20.0


@pytest.fixture(scope="module")
def job(desk):
    """A release that was made."""
    recipe = {**SAMPLE, "protect": {"k": 5, "method": "kaim"}}
    told = desk.done(desk.start(desk.sample(), recipe))
    assert told["state"] == "done", told["error"]
    return told["id"]


def test_a_link_is_made_for_the_desk_alone(desk, job):
    """Somebody without the token asks for a link; a foreign page leads to one that was made."""
    body = {"name": "release.csv"}
    kind = {"Content-Type": "application/json"}
    assert desk.ask("POST", f"/jobs/{job}/links", body, kind, plain=True).status == 403
    path = desk.link(job, "release.csv")
    for foreign in ({"Host": "evil.test"}, {"Origin": "https://evil.test"}, {"Origin": "null"},
                    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}):  # fmt: skip
        answer = desk.ask("GET", path, None, foreign, plain=True)
        assert answer.status == 403
        assert b"age" not in answer.body
    assert desk.ask("HEAD", path, plain=True).status == 403
    assert desk.ask("GET", path, plain=True).status == 200  # none of them has used it up


def test_many_guesses_find_no_link(desk, job):
    """Links that stand next to one that was made are tried."""
    path = desk.link(job, "release.csv")
    near = [path[:-1], path + "A", path[:-2] + "AA", path.lower(), "/links/0", f"/links/{ID}"]
    assert all(desk.ask("GET", one, plain=True).status == 404 for one in near if one != path)
    others = {desk.link(job, "release.csv") for _ in range(20)}
    assert len(others) == 20
    assert all(len(one) >= len("/links/") + 43 for one in others)  # 256 bits


def test_a_body_without_the_token_is_not_read(desk):
    """An answer comes before the body does: nobody without the token makes the desk read."""
    with socket.create_connection(("127.0.0.1", desk.port), PROMPT) as client:
        client.sendall(
            f"POST /files?name=x.csv HTTP/1.1\r\nHost: 127.0.0.1:{desk.port}\r\n"
            "Content-Type: application/octet-stream\r\nExpect: 100-continue\r\n"
            "Content-Length: 1000000000\r\n\r\n".encode()
        )
        heard = client.recv(4096)
    assert heard.split()[1] == b"403"


def test_several_requests_on_one_connection(desk):
    """A connection is kept for more requests, also those sent before the answer to the first."""
    one = f"GET /desk.json HTTP/1.1\r\nHost: 127.0.0.1:{desk.port}\r\n"
    one += f"Authorization: Bearer {desk.token}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", desk.port), PROMPT) as client:
        client.sendall(one.encode() * 3 + one.encode()[:30])
        heard = b""
        while heard.count(b"HTTP/1.1 200") < 3:
            heard += client.recv(65536)
        time.sleep(0.3)
        client.sendall(one.encode()[30:])
        while heard.count(b"HTTP/1.1 200") < 4:
            heard += client.recv(65536)


@pytest.mark.slow
def test_a_slow_upload_with_the_token_is_let_finish(desk):
    """Who came with the token has time, longer than any stranger's request."""
    content = b"a,b\n" + b"1,2\n" * 20
    head = (
        f"POST /files?name=x.csv HTTP/1.1\r\nHost: 127.0.0.1:{desk.port}\r\n"
        f"Authorization: Bearer {desk.token}\r\nContent-Type: application/octet-stream\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", desk.port), PROMPT) as client:
        client.sendall(head.encode())
        for at in range(len(content)):
            client.sendall(content[at : at + 1])
            time.sleep(0.4)  # 33 seconds in all
        assert client.recv(4096).split()[1] == b"201"


def test_a_request_that_stops_coming_is_given_up():
    """Even with the token a body has its time: 408."""

    class Slow:
        async def stream(self):
            yield b"{"
            await asyncio.sleep(30)

    with pytest.raises(Refused) as refused:
        asyncio.run(bodies.body_of(Slow(), patience=0.1))
    assert refused.value.status == 408


def test_the_oldest_links_go():
    """So many links are kept at once, and none beyond its time."""
    now = [0.0]
    kept = Links(lambda: now[0], most=3)
    made = [kept.make(ID, str(number)) for number in range(4)]
    with pytest.raises(Refused):
        kept.take(made[0])
    assert [kept.take(key).name for key in made[1:]] == ["1", "2", "3"]
    old = kept.make(ID, "old")
    now[0] = links.SECONDS
    young = kept.make(ID, "young")
    assert kept.take(young).name == "young"
    with pytest.raises(Refused):
        kept.take(old)

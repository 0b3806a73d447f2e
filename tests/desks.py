"""A desk to test: a real server on loopback, and a client that speaks to it as a page does."""

from __future__ import annotations

import http.client
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

import numpy as np

SAMPLE = {
    "roles": {
        "quasi_identifiers": ["age", "sex", "postcode", "income"],
        "identifiers": ["name", "number"],
        "sensitive": ["diagnosis"],
        "drop": ["weight", "cost", "admission_date", "length_of_stay"],
    },
    "protect": {"k": 5, "effort": "quick"},
    "hierarchies": {"postcode": "prefixes:4,3,2"},
}


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        """The answer as JSON."""
        return json.loads(self.body)


@dataclass
class Server:
    """`shoal serve` as a process, and how to speak to it."""

    base: Path
    folder: Path | None = None
    more: tuple[str, ...] = ()
    mask: int = 0o022
    process: subprocess.Popen | None = None
    address: str = ""
    handles: int | None = None
    draws: bool | None = None  # whether reports have charts; if nobody says, as for this process
    surroundings: dict[str, str] | None = None  # those of this process, if nobody says
    said: Path = field(init=False)

    def __enter__(self):
        self.base.mkdir(parents=True, exist_ok=True)
        self.said = self.base / "said.txt"
        command = [sys.executable, "-m", "shoal", "serve", "--no-browser", "--port", "0",
                   "--work", str(self.base / "work"), *self.more]  # fmt: skip
        if self.folder is not None:
            command += ["--folder", str(self.folder)]
        environment = dict(self.surroundings or os.environ)
        if self.draws is not None:
            environment["SHOAL_CHARTS"] = "on" if self.draws else "off"
        with self.said.open("w") as err:
            self.process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=err, stdin=subprocess.DEVNULL,
                umask=self.mask, env=environment,
            )  # fmt: skip
        if self.handles is not None:
            hard = resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE)[1]
            limits = min(self.handles, hard), hard
            resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, limits)
        end = time.monotonic() + 60
        while not (found := re.search(r"http://[\w.:]+/\Wtoken=[\w-]+", self.said.read_text())):
            assert self.process.poll() is None, self.said.read_text()
            assert time.monotonic() < end, "the server does not start"
            time.sleep(0.05)
        self.address = found[0]
        while not self._listens():
            assert time.monotonic() < end, "the server does not listen"
            time.sleep(0.05)
        return self

    def _listens(self):
        try:
            self.ask("GET", "/", plain=True)
        except OSError:
            return False
        return True

    def __exit__(self, *_):
        self.close()

    @property
    def port(self):
        """The port of the server."""
        return int(self.address.split(":")[2].split("/")[0])

    @property
    def work(self):
        """Where uploads and jobs lie."""
        return self.base / "work"

    @property
    def token(self):
        """The secret of the address, as the page takes it from there."""
        return self.address.split("token=")[1]

    @property
    def secret(self):
        """What a page sends with every request."""
        return {"Authorization": f"Bearer {self.token}"}

    def ask(self, method, path, body=None, headers=None, plain=False):
        """Send a request; what a page would send with it goes along, unless it is plain."""
        own = {} if plain else dict(self.secret)
        if not plain and method != "GET":
            own["Content-Type"] = "application/json"
        own |= headers or {}
        if isinstance(body, dict):
            body = json.dumps(body)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, body, {k: v for k, v in own.items() if v is not None})
            answer = connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, headers, answer.read())
        finally:
            connection.close()

    def get(self, path):
        """Return the JSON at an address."""
        answer = self.ask("GET", path)
        assert answer.status == 200, answer.body
        return answer.json

    def post(self, path, body, status=(200, 201)):
        """Send JSON; return what comes back."""
        answer = self.ask("POST", path, body)
        wanted = status if isinstance(status, tuple) else (status,)
        assert answer.status in wanted, (answer.status, answer.body)
        return answer.json

    def upload(self, name, content, status=201):
        """Upload bytes; return the id, or what was said against them."""
        from urllib.parse import quote

        answer = self.ask(
            "POST", f"/files?name={quote(name)}", content,
            {"Content-Type": "application/octet-stream"},
        )  # fmt: skip
        assert answer.status == status, (answer.status, answer.body)
        return answer.json["id"] if status == 201 else answer.json["error"]

    def looked(self, key):
        """Wait until a file was looked at; return what there is to say of it."""
        return self.wait(f"/files/{key}.json", lambda told: told["state"] != "looking")

    def sample(self):
        """Open the embedded sample; return its id."""
        key = self.post("/files/open", {"sample": "patients.csv"})["id"]
        assert self.looked(key)["state"] == "ready"
        return key

    def stays(self, rows=200):
        """Upload the first records of the sample, which take less time; return their id."""
        lines = resources.files("shoal.datasets").joinpath("patients.csv").read_bytes().split(b"\n")
        key = self.upload("patients.csv", b"\n".join([*lines[: rows + 1], b""]))
        assert self.looked(key)["state"] == "ready"
        return key

    def start(self, file, recipe, kind="anonymize", **more):
        """Start a job; return its id."""
        body = {"file": file, "kind": kind, "recipe": recipe, **more}
        return self.post("/jobs", body)["id"]

    def done(self, job, seconds=90.0):
        """Wait until a job has ended; return what there is to say of it."""
        ended = ("done", "failed", "canceled")
        return self.wait(f"/jobs/{job}.json", lambda told: told["state"] in ended, seconds)

    def link(self, job, name, **more):
        """Return the address of a file of a job that works once."""
        return self.post(f"/jobs/{job}/links", {"name": name, **more}, 201)["path"]

    def wait(self, path, right, seconds=60.0):
        """Look at an address until it says what is awaited."""
        end = time.monotonic() + seconds
        while True:
            told = self.get(path)
            if right(told):
                return told
            assert time.monotonic() < end, told
            time.sleep(0.1)

    def close(self, number=signal.SIGINT):
        """End the server; return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(20)

    def clear(self):
        """Remove every file, with its jobs."""
        for file in self.get("/desk.json")["files"]:
            assert self.ask("DELETE", f"/files/{file['id']}").status == 200

    def left(self):
        """Return every file and folder that the desk has on disk."""
        found = [
            os.path.relpath(os.path.join(place, name), self.work)  # noqa: PTH118
            for place, folders, files in os.walk(self.work)  # what goes meanwhile is not there
            for name in (*folders, *files)
        ]
        return sorted(set(found) - {"desk", "desk/lock"})

    def memory(self):
        """Return the most megabytes that the server has taken."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", text)[1]) / 1024


def open_modes(folder):
    """Return what in a folder others than its owner may touch."""
    return [
        path for path in [folder, *folder.rglob("*")]
        if not path.is_symlink() and path.stat().st_mode & 0o077
    ]  # fmt: skip


LONG = {"protect": {"k": 4, "method": "ilsmc+", "time_limit": 60}}


def census_like(rows=3000, seed=0):
    """A csv of numbers that a search takes a while for."""
    rng = np.random.default_rng(seed)
    lines = [",".join(f"{x:.3f}" for x in row) for row in rng.normal(size=(rows, 6))]
    return ("a,b,c,d,e,f\n" + "\n".join(lines) + "\n").encode()


def running(desk, job):
    """Wait until a job searches."""
    return desk.wait(f"/jobs/{job}.json", lambda told: told["anytime"])


def workers_of(desk):
    """Return the processes that work for a server: what its fork server has forked."""
    return [one for server in fork_servers_of(desk) for one in children_of(server)]


def fork_servers_of(desk):
    """Return the process that forks for a server, in a list."""
    return [one for one in children_of(desk.process.pid) if is_worker(one)]


def is_worker(number):
    """Tell whether a process is one that reads tables, or forks those that do."""
    try:
        return b"shoal.web.worker" in (Path("/proc") / str(number) / "cmdline").read_bytes()
    except OSError:
        return False


def children_of(number):
    """Return the processes that a process has started, without those that have ended."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                state, parent = (place / "stat").read_text().rsplit(")", 1)[1].split()[:2]
            except OSError:
                continue
            if int(parent) == number and state != "Z":
                found.append(int(place.name))
    return found


def alive(number):
    """Tell whether a process is there."""
    try:
        return b"shoal" in (Path("/proc") / str(number) / "cmdline").read_bytes()
    except OSError:
        return False

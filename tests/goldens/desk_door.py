"""The door of the desk: requests to a server on loopback, as its page sends them.

An act that names a table uploads it. `do` is `look` (what the desk says of a file that it has
looked at), a question (`preview`, `trial`, `improve`, `risk`), a job (`anonymize`, `compare`),
which is awaited and whose files are fetched, or `request`, which is any request:

- `send`, `path`, `headers`; `body` is JSON, `raw` a text that is sent as it is (latin-1);
- `"{recipe}"` in a body is what the act asks for, `{file}`, `{job}` what was made last, and
  `keep_as = {tree = "id"}` keeps the `id` of an answer as `{tree}`; a place may be deeper,
  `"folder/entries/people.csv/id"`; `{release}` is what a job released, `{run}` its private recipe;
- `until = {state = "done"}` asks again until the answer says so; `unawaited = true` leaves a job;
- `brings = {"wave1.csv" = "wave1"}` writes tables to the desk's folder, `files` texts;
- `hold` with `says` holds the lines of an answer that is no JSON, or of its texts `command`,
  `python` and `toml`; with `hashes` a hash of each entry of a list, with `hash` one of all.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import tempfile
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goldens import asked, files
from goldens.tables import hand_over
from goldens.telling import hash_of, told, without_places

Act = Mapping[str, Any]
QUESTIONS = "preview", "trial", "improve", "risk"
JOBS = "anonymize", "compare"
# drawn anew every time, or estimated from the speed of a machine
DRAWN = {
    "id", "token", "created", "ended", "opened", "started", "seconds", "expected", "told", "stage",
    "points", "limit", "last", "command", "python", "toml", "bytes", "version",
}  # fmt: skip
CELLS = {"rows", "cells", "nodes", "csv"}  # of which a hash is enough
TEXTS = "command", "python", "toml"
PATIENCE = 60.0  # seconds until an answer must say what is awaited


class Desk:
    """A server with a folder of its own, and what the acts of a case made there."""

    def __init__(self, surroundings: Mapping[str, str]) -> None:
        from desks import Server

        self.place = Path(tempfile.mkdtemp(prefix="golden-desk-"))
        self.folder = self.place / "folder"
        self.folder.mkdir()
        self.server = Server(
            self.place / "desk", self.folder, draws=False, surroundings=dict(surroundings)
        )
        self.server.__enter__()
        self.made: dict[str, Any] = {}
        self.before: set[str] = set()

    def close(self) -> None:
        """End the server, and remove what it wrote."""
        self.server.close()
        shutil.rmtree(self.place, ignore_errors=True)

    def begin(self) -> None:
        """Forget what an earlier case made; what the desk keeps until it ends is not told again."""
        self.server.clear()
        self.made = {"port": str(self.server.port), "token": self.server.token}
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        lasting = self.server.get("/ledgers.json"), self.server.get("/streams.json")["streams"]
        self.before = {one["id"] for kept in lasting for one in kept}

    def carry_out(self, act: Act) -> dict[str, Any]:
        """Return what a request brings: the figures of its answer, or of the files of a job."""
        self._bring(act)
        if "table" in act:
            self._upload(act)
        recipe = self._filled(asked.for_recipe(act))
        if act["do"] == "look":
            return self._answer("GET", "/files/{file}.json", act, None)
        body = {"recipe": recipe, **self._filled(act.get("body", {}), recipe)}
        if act["do"] in JOBS:
            return self._job(act, body)
        if act["do"] in QUESTIONS:
            return self._answer("POST", f"/files/{{file}}/{act['do']}", act, body)
        sent = self._filled(act.get("body", {}), recipe)
        if "raw" in act:
            sent = act["raw"].encode("latin-1")
        return self._answer(
            act.get("send", "POST"), act["path"], act, None if act.get("send") == "GET" else sent
        )

    def _bring(self, act: Act) -> None:
        """Write what a case wants in the desk's folder."""
        for name, text in act.get("files", {}).items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        for name, table in act.get("brings", {}).items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory() as place:
                made = hand_over(table, path.suffix[1:], Path(place)).partition("#")[0]
                shutil.move(Path(place) / made, path)

    def _upload(self, act: Act) -> None:
        """Bring a table to the desk, unless it is the last one, and wait until it was looked at."""
        brought = json.dumps([act["table"], act.get("as")])
        if self.made.get("uploaded") == brought:
            return
        with tempfile.TemporaryDirectory() as place:
            name = hand_over(act["table"], act.get("as", "csv"), Path(place)).partition("#")[0]
            key = self.server.upload(name, (Path(place) / name).read_bytes())
        self.made |= {"uploaded": brought, "file": key}
        self.server.looked(key)

    def _filled(self, value: Any, recipe: Any = None) -> Any:
        """Return what is sent, with what earlier acts made in its place."""
        if value == "{recipe}":
            return recipe
        if isinstance(value, str):
            return re.sub(r"\{(\w+)\}", lambda found: self.made.get(found[1], found[0]), value)
        if isinstance(value, Mapping):
            return {key: self._filled(one, recipe) for key, one in value.items()}
        return [self._filled(one, recipe) for one in value] if isinstance(value, list) else value

    def _answer(self, method: str, path: str, act: Act, body: Any) -> dict[str, Any]:
        headers = {
            name: None if value == "none" else value
            for name, value in self._filled(act.get("headers", {})).items()
        }
        end = time.monotonic() + PATIENCE
        while True:
            answer = self.server.ask(method, self._filled(path), body, headers)
            if not act.get("until") or _says(answer.json, act["until"]):
                break
            assert time.monotonic() < end, answer.json
            time.sleep(0.1)
        for name, place in act.get("keep_as", {}).items() if answer.status < 400 else ():
            self.made[name] = _at(answer.json, self._filled(place))
        if method == "POST" and path.startswith("/files") and answer.status == 201:
            self.made |= {"file": answer.json["id"], "uploaded": ""}
            self.server.looked(answer.json["id"])
        return {"status": answer.status, **self._told(answer, act.get("hold", ()))}

    def _told(self, answer: Any, hold: Any) -> dict[str, Any]:
        """Return what an answer says, by names."""
        kind = answer.headers.get("content-type", "").partition(";")[0]
        if kind == "text/html" and (
            found_in := re.search(rb"/static/([0-9a-f]{32})/", answer.body)
        ):
            self.made["start"] = found_in[1].decode()  # of the addresses that a page names
        if kind == "application/x-ndjson":
            told_last = json.loads(answer.body.splitlines()[-1])
            return {"type": kind, **self._figures(told_last, hold)}
        if kind == "application/json":
            said = answer.json
            if answer.status >= 400:
                return {"error": without_places(said["error"], str(self.place))}
            return self._figures(said, hold)
        found: dict[str, Any] = {"type": kind}
        if answer.status == 403:
            return {**found, "error": answer.body.decode().strip()}
        if "says" in hold:
            found["says"] = _lines(answer.body.decode("utf-8"))
        return found

    def _figures(self, said: Any, hold: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if isinstance(said, Mapping) and isinstance(said.get("error"), str):
            found["error"] = without_places(said["error"], str(self.place))
        if "says" in hold and isinstance(said, Mapping):
            for name in TEXTS:
                if name in said:
                    found[f"answer: {name}"] = _lines(said[name])
        if "hash" in hold:
            return {**found, "answer: hash": hash_of(said)}
        plain = self._without_drawn(said)
        for name, value in told(_hashed(plain) if "hashes" in hold else plain).items():
            found[f"answer: {name}"] = value
        return found

    def _without_drawn(self, said: Any) -> Any:
        """Return an answer without what is drawn anew every time, and what earlier cases left."""
        if isinstance(said, Mapping):
            cells = {f"hash of {name}": hash_of(said[name]) for name in sorted(CELLS & {*said})}
            plain = {
                key: self._without_drawn(one)
                for key, one in said.items()
                if key not in DRAWN and key not in CELLS and not _is_id(one)
            }
            if isinstance(said.get("key"), str):
                plain = {"name": said["key"], **plain}
            return plain | cells
        if not isinstance(said, list):
            return said
        return [
            self._without_drawn(one)
            for one in said
            if not (isinstance(one, Mapping) and one.get("id") in self.before)
        ]

    def _job(self, act: Act, body: dict[str, Any]) -> dict[str, Any]:
        body = {"file": self.made.get("file"), "kind": act["do"], **body}
        started = self.server.ask("POST", "/jobs", body)
        if started.status != 201:
            said = without_places(started.json["error"], str(self.place))
            return {"status": started.status, "error": said}
        self.made["job"] = job = started.json["id"]
        for name in act.get("keep_as", ()):
            self.made[name] = job
        if act.get("unawaited"):
            return {"status": started.status}
        done = self.server.done(job, PATIENCE)
        found = {"state": done["state"]}
        if done["state"] != "done":
            return {**found, "error": without_places(done["error"]["said"], str(self.place))}
        with tempfile.TemporaryDirectory() as place:
            return found | self._made(job, done["result"], Path(place))

    def _made(self, job: str, result: Mapping[str, Any], place: Path) -> dict[str, Any]:
        """Return what the files of a job hold, which are fetched as a person would."""
        out = place / "out"
        out.mkdir()
        listed, inside = sorted(one["name"] for one in result["files"]), []
        for name in listed:
            content = self.server.ask("GET", f"/jobs/{job}/files/{name}").body
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            if name.startswith("release."):
                self.made["release"] = base64.b64encode(content).decode()
            if name.endswith(".zip"):
                with zipfile.ZipFile(path) as packed:
                    packed.extractall(place / ("out.private" if "private" in name else "packed"))
                    inside += [f"{name}/{one}" for one in sorted(packed.namelist())]
        if (recipe := place / "out.private" / "run.toml").exists():
            self.made["run"] = recipe.read_text("utf-8")
        found = files.told_of(f"{out}/")
        return {
            "listed": [*listed, *inside],
            **{k: v for k, v in found.items() if not k.endswith("files")},
        }


def _lines(text: str) -> list[str]:
    """Return the lines of a text, without those that say which version wrote it."""
    lines = (line.rstrip() for line in without_places(text).splitlines())
    return [line for line in lines if line and not line.startswith('shoal = "')]


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{32}", value) is not None


def _hashed(said: Any) -> Any:
    """Return an answer with a hash of each entry of its lists, by name."""
    if isinstance(said, Mapping):
        return {key: _hashed(one) for key, one in said.items()}
    if not isinstance(said, list) or not any(isinstance(one, Mapping) for one in said):
        return said
    found: dict[str, Any] = {}
    for number, one in enumerate(said, 1):
        names = (str(one[key]) for key in ("name", "kind", "column") if key in one)
        found[next(names, str(number))] = hash_of(told(one))
    return found


def _at(said: Any, place: str) -> Any:
    """Return what is at a place of an answer; a name finds the entry of a list."""
    for part in place.split("/"):
        if isinstance(said, list) and not part.isdigit():
            said = next(one for one in said if one.get("name") == part)
        else:
            said = said[int(part)] if isinstance(said, list) else said[part]
    return said if isinstance(said, str) else str(said)


def _says(said: Any, wanted: Any) -> bool:
    """Tell whether an answer says what is awaited, at whatever depth."""
    if isinstance(wanted, Mapping):
        return all(name in said and _says(said[name], one) for name, one in wanted.items())
    if isinstance(wanted, list):
        return len(said) == len(wanted) and all(map(_says, said, wanted))
    return said == wanted

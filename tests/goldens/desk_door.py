"""The door of the desk: requests to a server on loopback, as its page sends them.

An act that names a table uploads it; a run or a comparison is a job, which is awaited and whose
files are fetched; `do = "request"` sends any request. Later acts of a case name what earlier ones
made: `{file}`, `{job}`, `{ledger}`, `{stream}` in an address or a body.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goldens import asked, files
from goldens.tables import hand_over
from goldens.telling import hash_of, told, without_places

QUESTIONS = "preview", "trial", "improve", "draft"
JOBS = "anonymize", "compare"


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
        self.made: dict[str, str] = {}

    def close(self) -> None:
        """End the server, and remove what it wrote."""
        self.server.close()
        shutil.rmtree(self.place, ignore_errors=True)

    def begin(self) -> None:
        """Forget what an earlier case made."""
        self.server.clear()
        self.made = {}
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def carry_out(self, act: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a request brings: the figures of its answer, or of the files of a job."""
        for name, text in act.get("files", {}).items():
            (self.folder / name).write_text(text, "utf-8")
        brought = json.dumps([act.get("table"), act.get("as"), act.get("files")])
        if "table" in act and self.made.get("brought") != brought:
            self.made["brought"] = brought
            self.upload(act)
        body = self._filled({"recipe": asked.for_recipe(act), **act.get("body", {})})
        if act["do"] in JOBS:
            return self._job(act, body)
        if act["do"] in QUESTIONS:
            return self._answer("POST", f"/files/{self.made['file']}/{act['do']}", body)
        path = self._filled(act.get("path", ""))
        sent = None if act.get("send", "POST") == "GET" else self._filled(act.get("body", {}))
        return self._answer(act.get("send", "POST"), path, sent)

    def upload(self, act: Mapping[str, Any]) -> None:
        """Bring a table to the desk, and wait until it was looked at."""
        with tempfile.TemporaryDirectory() as place:
            name = hand_over(act["table"], act.get("as", "csv"), Path(place)).partition("#")[0]
            key = self.server.upload(name, (Path(place) / name).read_bytes())
        self.made["file"] = key
        self.server.looked(key)

    def _filled(self, value: Any) -> Any:
        if isinstance(value, str):
            return re.sub(r"\{(\w+)\}", lambda found: self.made.get(found[1], found[0]), value)
        if isinstance(value, Mapping):
            return {key: self._filled(one) for key, one in value.items()}
        return [self._filled(one) for one in value] if isinstance(value, list) else value

    def _answer(self, method: str, path: str, body: Any) -> dict[str, Any]:
        answer = self.server.ask(method, path, body)
        found: dict[str, Any] = {"status": answer.status}
        kind = answer.headers.get("content-type", "").partition(";")[0]
        if kind != "application/json":
            return {**found, "type": kind}
        said = answer.json
        if answer.status >= 400:
            return {**found, "error": without_places(said["error"], str(self.place))}
        if isinstance(said, dict) and path in ("/ledgers", "/streams") and "id" in said:
            self.made[path.strip("/").removesuffix("s")] = said["id"]
        return found | {
            f"answer: {name}": value for name, value in told(_without_ids(said)).items()
        }

    def _job(self, act: Mapping[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        body = {"file": self.made["file"], "kind": act["do"], **body}
        started = self.server.ask("POST", "/jobs", body)
        if started.status != 201:
            said = without_places(started.json["error"], str(self.place))
            return {"status": started.status, "error": said}
        self.made["job"] = job = started.json["id"]
        done = self.server.done(job)
        found = {"state": done["state"]}
        if done["state"] != "done":
            return {**found, "error": without_places(done["error"]["said"], str(self.place))}
        with tempfile.TemporaryDirectory() as place:
            return found | self._made(job, done["result"], Path(place))

    def _made(self, job: str, result: Mapping[str, Any], place: Path) -> dict[str, Any]:
        """Return what the files of a job hold, which are fetched as a person would."""
        out = place / "out"
        out.mkdir()
        listed = sorted(one["name"] for one in result["files"])
        for name in listed:
            content = self.server.ask("GET", f"/jobs/{job}/files/{name}").body
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            if name.endswith(".zip"):
                with zipfile.ZipFile(path) as packed:
                    packed.extractall(place / ("out.private" if "private" in name else "packed"))
        found = files.told_of(f"{out}/")
        return {"listed": listed, **{k: v for k, v in found.items() if not k.endswith("files")}}


def _without_ids(said: Any) -> Any:
    """Return an answer without what is drawn anew every time."""
    if isinstance(said, Mapping):
        drawn = {"id", "token", "created", "ended", "seconds", "expected", "cells", "rows"}
        cells = {"hash of rows": hash_of(said["rows"])} if "rows" in said else {}
        return {key: _without_ids(one) for key, one in said.items() if key not in drawn} | cells
    return [_without_ids(one) for one in said] if isinstance(said, list) else said

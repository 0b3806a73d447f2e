"""Hierarchies of an opened file: built or checked by a worker, and kept where they are files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shoal.system.current import current
from shoal.web.errors import Refused
from shoal.web.open_file import Opened
from shoal.web.questions import Questions
from shoal.web.request import HierarchyRequest

TREES, TREE = 200, 20 << 20  # hierarchies of a file, and the bytes of one


async def answered(questions: Questions, file: Opened, request: HierarchyRequest,
                   busy: Iterable[str]) -> dict[str, Any]:  # fmt: skip
    """Build or check a hierarchy; one given as text that covers the column is kept.

    `busy` are the files of trees that jobs still read.
    """
    job: dict[str, Any] = {"kind": "tree", "path": file.source}
    job["input"] = {**file.reading, **request.input}
    job |= {"column": request.column, "rule": request.rule, "held": str(file.place)}
    with questions.for_a_while() as place:
        given = place / "tree.csv"
        if request.text is not None:
            content = request.text.encode("utf-8")
            if len(content) > TREE:
                raise Refused(413, "the hierarchy is larger than this desk takes")
            given.write_bytes(content)
            job["rule"] = str(given)
        answer = await questions.ask(job, place)
        if file.state == "gone":
            raise Refused(404, "there is no such file on the desk")
        answer["id"] = None
        if request.text is not None:
            answer["rule"] = "a file"
            if not answer["uncovered"]:
                answer["id"] = _kept(file, request, given, answer["levels"], set(busy))
        elif request.rule in (tree["path"] for tree in file.trees.values()):
            answer["rule"] = "a file"
        return answer


def _kept(file: Opened, request: HierarchyRequest, given: Path, levels: int, busy: set[str]) -> str:
    """Keep a hierarchy; the same text is one tree, and of too many the oldest go."""
    assert request.text is not None
    content = f"{request.column}\0{request.text}".encode()
    key = hashlib.blake2b(content, digest_size=16).hexdigest()
    kept = file.place / f"tree-{key}.csv"
    current().replace(given, kept)
    file.trees.pop(key, None)
    file.trees[key] = {"column": request.column, "levels": levels, "path": str(kept)}
    old = [one for one, tree in file.trees.items() if tree["path"] not in busy]
    for one in old[: max(0, len(file.trees) - TREES)]:
        Path(file.trees.pop(one)["path"]).unlink(missing_ok=True)
    return key

"""Routes of files: opened, read, drafted, asked about, kept as settings, finished."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from starlette.requests import ClientDisconnect

from shoal.web.bodies import Refused, body_of
from shoal.web.estimates import read_tab
from shoal.web.request import as_toml, from_toml, read_fraction, read_tree
from shoal.web.session import QUESTIONED, Session
from shoal.web.uploads import check_ready

TREE_BODY = 32 << 20


def add_files(app: FastAPI, session: Session) -> None:
    """What is done with a file before a run."""

    @app.post("/files", status_code=201)
    async def upload(request: Request, name: str = "") -> Response:
        try:
            opened = await session.upload(name[:1000], request.stream())
        except ClientDisconnect:
            raise Refused(400, "the upload was broken off") from None
        return JSONResponse({"id": opened.id}, 201)

    @app.post("/files/open", status_code=201)
    async def open_file(request: Request) -> Response:
        body = await body_of(request)
        sample, entry = (body.get(key) for key in ("sample", "entry"))
        if not all(one is None or isinstance(one, str) for one in (sample, entry)):
            raise Refused(400, "name a sample or an entry")
        opened = await session.open(sample, entry)
        return JSONResponse({"id": opened.id}, 201)

    @app.put("/files/{key}/draft")
    async def draft(key: str, request: Request) -> Response:
        file = session.file(key)
        file.draft = await body_of(request)
        return JSONResponse({})

    @app.post("/files/{key}/look")
    async def look(key: str, request: Request) -> Response:
        file = session.file(key)
        body = await body_of(request)
        session.look_again(file, body.get("input") or {}, body.get("table"))
        return JSONResponse({})

    @app.post("/files/{key}/trees")
    async def tree(key: str, request: Request) -> Response:
        file = session.file(key)
        return JSONResponse(
            await session.tree(file, read_tree(await body_of(request, TREE_BODY), file.trees))
        )

    for kind in QUESTIONED:
        app.post(f"/files/{{key}}/{kind}")(_question(session, kind))

    @app.post("/files/{key}/settings")
    async def keep(key: str, request: Request) -> Response:
        file = session.file(key)
        check_ready(file)
        body = await body_of(request)
        return JSONResponse({"toml": as_toml(file, body.get("recipe") or {}, session.ledgers)})

    @app.post("/files/{key}/settings/open")
    async def take(key: str, request: Request) -> Response:
        file = session.file(key)
        text = (await body_of(request)).get("text")
        if not isinstance(text, str):
            raise Refused(400, "the settings are a text")
        return JSONResponse(from_toml(file, text, session.ledgers))

    @app.delete("/files/{key}")
    async def finish(key: str) -> Response:
        await session.finish(session.file(key))
        return JSONResponse({})


def _question(session: Session, kind: str) -> Callable[..., Coroutine[Any, Any, Response]]:
    """Return the route of a question about a recipe."""

    async def ask(key: str, request: Request) -> Response:
        file = session.file(key)
        body = await body_of(request)
        tab = read_tab(body.get("tab"))
        more: dict[str, Any] = {"rows": True} if body.get("rows") is True else {}
        if (fraction := body.get("fraction")) is not None:
            more["fraction"] = read_fraction(fraction)
        work = session.question(file, kind, body.get("recipe") or {}, tab, **more)
        return JSONResponse(await _while_there(request, work))

    return ask


async def _while_there(request: Request, work: Coroutine[Any, Any, Any]) -> Any:
    """Return what is being worked out for a page; a page that has left ends the work."""
    task = asyncio.create_task(work)
    left = asyncio.create_task(_left(request))
    try:
        await asyncio.wait({task, left}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Refused(400, "the request was broken off")
        return await task
    finally:
        left.cancel()
        task.cancel()
        await asyncio.gather(task, left, return_exceptions=True)


async def _left(request: Request) -> None:
    """Wait until the client of a request has disconnected."""
    while (await request.receive())["type"] != "http.disconnect":
        pass

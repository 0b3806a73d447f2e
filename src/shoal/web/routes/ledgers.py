"""Routes of ledgers: list, begin or bring one, say what it holds, keep it, judge its releases."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from shoal.storage.private_folder import ENDINGS
from shoal.web.bodies import Refused, body_of
from shoal.web.request import RELEASE, asked_settings
from shoal.web.series.ledger_actions import add, forget, judge, texts_of, withdraw
from shoal.web.session import Session
from shoal.web.uploads import check_ready, tree_names

LARGEST = 128 << 20  # bytes of a ledger, or of releases, that are brought in
ACTIONS = {"withdraw": withdraw, "forget": forget, "add": add, "verdict": judge}


def add_ledgers(app: FastAPI, session: Session) -> None:
    """Add the routes of ledgers."""
    ledgers = session.ledgers

    @app.get("/ledgers.json")
    async def every() -> Response:
        return JSONResponse([one.to_json() for one in ledgers.every().values()])

    @app.post("/ledgers", status_code=201)
    async def make(request: Request) -> Response:
        body = await body_of(request, LARGEST, 300.0)
        if body.get("ledger") is None:
            return JSONResponse(ledgers.begin(body.get("name")).to_json(), 201)
        known = ledgers.bring(body.get("name"), body["ledger"], body.get("key"))
        try:
            await session.look_into(known)
        except Refused:
            ledgers.forget(known)
            raise
        return JSONResponse(known.to_json(), 201)

    @app.get("/ledgers/{key}.json")
    async def holds(key: str) -> Response:
        return JSONResponse(await session.look_into(ledgers.of(key)))

    @app.post("/ledgers/{key}/{action}")
    async def do(key: str, action: str, request: Request) -> Response:
        known = ledgers.of(key)
        body = await body_of(request, LARGEST, 300.0)
        if action == "take":
            return JSONResponse(texts_of(known))
        if action not in ACTIONS:
            raise Refused(404, "there is nothing at this address")
        return JSONResponse(await ACTIONS[action](session, known, body))


def add_streams(app: FastAPI, session: Session) -> None:
    """Add the routes of streams."""
    streams = session.streams

    @app.get("/streams.json")
    async def every() -> Response:
        return JSONResponse(streams.to_json())

    @app.post("/streams", status_code=201)
    async def start(request: Request) -> Response:
        body = await body_of(request)
        file = session.file(str(body.get("file")))
        check_ready(file)
        settings = asked_settings(file, RELEASE, body.get("recipe") or {}, session.ledgers)
        if tree_names(settings["hierarchies"]):
            raise Refused(
                409,
                "a stream at the desk takes hierarchies by rules, as files of the desk go with it; "
                "use `shoal stream` for others",
            )
        run = streams.start(body.get("source"), settings, _asked(body))
        return JSONResponse(run.to_json(), 201)

    @app.post("/streams/{key}/stop")
    async def stop(key: str) -> Response:
        return JSONResponse((await streams.stop(key)).to_json())


def _asked(body: dict[str, Any]) -> dict[str, Any]:
    """Return what a page asks of a stream beside its recipe."""
    batch, delay, form = body.get("batch"), body.get("delay") or None, body.get("format") or "csv"
    if type(batch) is not int or batch < 2:
        raise Refused(400, "a batch has at least 2 records")
    if delay is not None and not isinstance(delay, str):
        raise Refused(400, "the delay is a text: 5000, 30s, 15min, 2h, 1d")
    if form not in ENDINGS:
        raise Refused(400, f"format must be one of {', '.join(ENDINGS)}")
    own = {"batch": batch, "delay": delay, "format": form}
    return {"stream": own, "follow": body.get("follow") is True}

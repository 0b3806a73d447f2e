"""Routes of ledgers: list, begin or bring one, say what it holds, keep it, judge its releases."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from shoal.web.bodies import body_of
from shoal.web.errors import Refused
from shoal.web.series.ledger_actions import add, forget, judge, texts_of, withdraw
from shoal.web.session import Session

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

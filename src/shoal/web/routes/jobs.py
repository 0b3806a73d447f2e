"""Routes of jobs: started, followed, stopped, removed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from shoal.storage.private_folder import ENDINGS
from shoal.web.bodies import Refused, body_of
from shoal.web.jobs import QUEUED, RUNNING, Job
from shoal.web.session import Session

LINES = "application/x-ndjson"
OFTEN = 0.2  # seconds between two looks at a job
SILENCE = 10.0  # seconds after which a line comes even if nothing has changed
KINDS = "anonymize", "compare"


def add_jobs(app: FastAPI, session: Session) -> None:
    """What is done with a run."""

    @app.post("/jobs", status_code=201)
    async def start(request: Request) -> Response:
        body = await body_of(request)
        file = session.file(str(body.get("file")))
        kind = body.get("kind", "anonymize")
        if kind not in KINDS:
            raise Refused(400, f"a job is one of {', '.join(KINDS)}")
        form = body.get("format") or "csv"
        if form not in ENDINGS:
            raise Refused(400, f"format must be one of {', '.join(ENDINGS)}")
        more: dict[str, Any] = {"format": form}
        if kind == "compare":
            more = {"compare": _compared(body.get("compare"))}
        job = session.start(file, kind, body.get("recipe") or {}, more)
        return JSONResponse({"id": job.id}, 201)

    @app.get("/jobs/{key}/events")
    async def events(key: str, after: int = 0) -> Response:
        job = session.job(key)
        return StreamingResponse(follow(session, job, max(0, after)), media_type=LINES)

    @app.post("/jobs/{key}/stop")
    async def stop(key: str, request: Request) -> Response:
        job = session.job(key)
        body = await body_of(request)
        await session.queue.stop(job, keep=body.get("keep") is True)
        return JSONResponse({})

    @app.delete("/jobs/{key}")
    async def remove(key: str) -> Response:
        await session.queue.remove(session.job(key))
        return JSONResponse({})


def _compared(body: Any) -> dict[str, Any]:
    """Return what is to be compared, checked."""
    body = body if isinstance(body, dict) else {}
    sizes, methods, budget = (body.get(key) for key in ("k", "methods", "budget"))

    def listed(given: Any, right: Callable[[Any], bool], most: int) -> bool:
        return isinstance(given, list) and 0 < len(given) <= most and all(map(right, given))

    if not listed(sizes, lambda one: type(one) is int and one > 1, 20):
        raise Refused(400, "k is a list of whole numbers from 2 on")
    if methods is not None and not listed(methods, lambda one: isinstance(one, str), 50):
        raise Refused(400, "methods is a list of names")
    if budget is not None and not (type(budget) in (int, float) and 0 < budget < 1e7):
        raise Refused(400, "budget is a number of seconds above 0")
    return {"k": sizes, "methods": methods, "budget": budget}


async def follow(session: Session, job: Job, after: int) -> AsyncIterator[str]:
    """Yield the job as JSON, its curve from point `after` on, as often as it changes."""
    last, quiet = "", 0.0
    while job.id in session.jobs:
        told = job.to_json(session.queue.ahead(job), after)
        line = json.dumps(told)
        if line != last or quiet >= SILENCE:
            after += len(told["curve"])
            last, quiet = json.dumps({**told, "curve": []}), 0.0
            yield f"{line}\n"
        if told["state"] not in (QUEUED, RUNNING):
            return
        await asyncio.sleep(OFTEN)
        quiet += OFTEN

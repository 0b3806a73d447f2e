"""Routes of what a page can choose from: steps with their fields, and presets."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from shoal.settings.presets import PRESETS
from shoal.web.bodies import body_of
from shoal.web.request import read_step, step_forms


def add_choices(app: FastAPI) -> None:
    """Add the routes of what can be chosen."""

    @app.get("/steps.json")
    async def steps() -> Response:
        return JSONResponse(step_forms())

    @app.get("/presets.json")
    async def presets() -> Response:
        return JSONResponse([asdict(one) for one in PRESETS.values()])

    @app.post("/steps/check")
    async def check(request: Request) -> Response:
        return JSONResponse(read_step((await body_of(request)).get("step")))

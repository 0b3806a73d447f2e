"""Routes of pages, of the desk as JSON, and of what the browser loads for them."""

from __future__ import annotations

import json
import secrets
from importlib import resources
from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse

from shoal.errors import pip_install
from shoal.web.bodies import Refused
from shoal.web.request import form_options
from shoal.web.session import Session

SCRIPT = "text/javascript"
NO_CHARTS = f"Charts are drawn after {pip_install('charts')}; the tables hold the same figures."
FOR_THIS_START = {"cache-control": "private, max-age=86400, immutable"}
STATIC = {".js": SCRIPT, ".css": "text/css", ".svg": "image/svg+xml"}


def add_pages(app: FastAPI, session: Session) -> None:
    """Pages are one empty page, the same for all: what they show is behind the token.

    Its scripts have an address that is drawn when the desk starts, so that the browser may keep
    them, and another program that once had this port cannot have put its own in their place.
    """
    start = secrets.token_hex(16)
    file = resources.files("shoal.web").joinpath("static/index.html")
    page = file.read_text(encoding="utf-8").replace("/static/", f"/static/{start}/")
    _add_static(app, session, start)

    @app.get("/")
    async def home() -> Response:
        return HTMLResponse(page)

    @app.get("/files/{key}")
    async def file_page(key: str) -> Response:
        if key.endswith(".json"):
            return JSONResponse(session.file(key.removesuffix(".json")).to_json())
        return HTMLResponse(page)

    @app.get("/jobs/{key}")
    async def job_page(key: str, after: int = 0) -> Response:
        if key.endswith(".json"):
            job = session.job(key.removesuffix(".json"))
            return JSONResponse(job.to_json(session.queue.ahead(job), max(0, after)))
        return HTMLResponse(page)

    @app.get("/desk.json")
    async def desk_twin() -> Response:
        return JSONResponse(session.to_json())

    @app.get("/methods.json")
    async def methods() -> Response:
        return JSONResponse((await session.about())["methods"])

    @app.get("/options.json")
    async def options() -> Response:
        return JSONResponse(form_options())


def _add_static(app: FastAPI, session: Session, start: str) -> None:
    """Scripts, style and pictures; the library of charts is made by a worker."""
    static = {
        file.name: file.read_bytes()
        for file in resources.files("shoal.web").joinpath("static").iterdir()
        if Path(file.name).suffix in STATIC
    }

    @app.get("/static/{key}/{name}")
    async def kept(key: str, name: str) -> Response:
        if key != start:
            raise Refused(404, "there is nothing at this address")
        answer = await browser(name)
        answer.headers.update(FOR_THIS_START)
        return answer

    @app.get("/static/{name}")
    async def browser(name: str) -> Response:
        if name == "vega.js":
            library = (await session.about())["vega"]
            if library is None:
                return Response(f"window.shoalCharts = {json.dumps(NO_CHARTS)};", media_type=SCRIPT)
            return FileResponse(library, media_type=SCRIPT)
        if name not in static:
            raise Refused(404, "there is nothing at this address")
        return Response(static[name], media_type=STATIC[Path(name).suffix])

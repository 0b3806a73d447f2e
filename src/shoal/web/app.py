"""Routes of the web application: each parses, calls the session, answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, StreamingResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from shoal.backends.private_folder import ENDINGS
from shoal.errors import pip_install
from shoal.web.bodies import body_of
from shoal.web.choices import add_choices
from shoal.web.errors import Refused
from shoal.web.estimates import read_tab
from shoal.web.events import LINES, follow
from shoal.web.guard import KNOWN, Guard
from shoal.web.ledger_routes import add_ledgers
from shoal.web.links import Links
from shoal.web.messages import CHARTS, MADE, PACKED, PRIVATE
from shoal.web.open_file import check_ready
from shoal.web.request import form_options, read_tree
from shoal.web.saved_settings import as_toml, from_toml
from shoal.web.session import QUESTIONED, Session

TREE_BODY = 32 << 20
KINDS = "anonymize", "compare"
SCRIPT = "text/javascript"
NO_CHARTS = f"Charts are drawn after {pip_install('charts')}; the tables hold the same figures."
STATIC = {".js": SCRIPT, ".css": "text/css", ".svg": "image/svg+xml"}
REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)


def make_app(
    session: Session, token: str, port: int, api: bool = False, links: Links | None = None
) -> Guard:
    """Return the desk's routes behind their guard."""

    @asynccontextmanager
    async def life(_app: FastAPI) -> AsyncIterator[None]:
        session.begin()
        try:
            yield
        finally:
            await session.close()

    app = FastAPI(
        title="Shoal", docs_url=None, redoc_url=None, lifespan=life, redirect_slashes=False,
        openapi_url="/openapi.json" if api else None,
    )  # fmt: skip
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _unfit)
    app.add_exception_handler(Exception, _unexpected)
    _pages(app, session)
    _files(app, session)
    _jobs(app, session)
    _papers(app, session)
    _links(app, session, links or Links())
    add_choices(app)
    add_ledgers(app, session)
    _static(app, session)
    return Guard(app, token, port)


async def _refused(_request: Request, error: Any) -> Response:
    return JSONResponse({"error": error.message}, error.status)


async def _http(_request: Request, error: Any) -> Response:
    messages = {404: "there is nothing at this address", 405: "this cannot be done here"}
    message = messages.get(error.status_code, "the request is not right")
    return JSONResponse({"error": message}, error.status_code)


async def _unfit(_request: Request, _error: Any) -> Response:
    """Answer without what was sent, which the framework would repeat."""
    return JSONResponse({"error": "the request is not right"}, 400)


async def _unexpected(_request: Request, error: Any) -> Response:
    """Answer without the error's own text, which may hold a record's value."""
    message = f"something went wrong that should not ({type(error).__name__})"
    return JSONResponse({"error": message}, 500)


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


def _pages(app: FastAPI, session: Session) -> None:
    """Pages are one empty page, the same for all: what they show is behind the token."""
    page = resources.files("shoal.web").joinpath("static/index.html").read_text(encoding="utf-8")

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


def _files(app: FastAPI, session: Session) -> None:
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
        more = {"rows": True} if body.get("rows") is True else {}
        work = session.question(file, kind, body.get("recipe") or {}, tab, **more)
        return JSONResponse(await _while_there(request, work))

    return ask


def _jobs(app: FastAPI, session: Session) -> None:
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


def _papers(app: FastAPI, session: Session) -> None:
    @app.get("/jobs/{key}/files/{name:path}")
    async def download(key: str, name: str) -> Response:
        return _download(session, key, name)

    @app.get("/jobs/{key}/report")
    async def report(key: str) -> Response:
        return _shown(session, key, "report.html")

    @app.get("/jobs/{key}/charts/{number}.json")
    async def chart(key: str, number: int) -> Response:
        job = session.job(key)
        known = [] if job.result is None else [one["id"] for one in job.result["charts"]]
        if number not in known:
            raise Refused(404, "there is no such chart")
        path = job.place / CHARTS / f"{number}.json"
        return Response(path.read_bytes(), media_type="application/json")

    @app.get("/methods.json")
    async def methods() -> Response:
        return JSONResponse((await session.about())["methods"])

    @app.get("/options.json")
    async def options() -> Response:
        return JSONResponse(form_options())


def _links(app: FastAPI, session: Session, links: Links) -> None:
    @app.post("/jobs/{key}/links", status_code=201)
    async def link(key: str, request: Request) -> Response:
        session.job(key)
        body = await body_of(request)
        name, page = body.get("name"), body.get("page") is True
        if not isinstance(name, str) or (page and name != "report.html"):
            raise Refused(400, "name a file of the job")
        _made(session, key, name)
        return JSONResponse({"path": f"/links/{links.make(key, name, page)}"}, 201)

    @app.get("/links/{key}")
    async def follow(key: str, request: Request) -> Response:
        link = links.take(key)
        request.scope.setdefault("state", {})[KNOWN] = True
        return (_shown if link.page else _download)(session, link.job, link.name)


def _static(app: FastAPI, session: Session) -> None:
    static = {
        file.name: file.read_bytes()
        for file in resources.files("shoal.web").joinpath("static").iterdir()
        if Path(file.name).suffix in STATIC
    }

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


def _download(session: Session, key: str, name: str) -> Response:
    path = _made(session, key, name)
    return FileResponse(
        path, media_type="application/octet-stream", filename=path.name,
        content_disposition_type="attachment",
    )  # fmt: skip


def _shown(session: Session, key: str, name: str) -> Response:
    text = _made(session, key, name).read_text(encoding="utf-8")
    return HTMLResponse(text, headers={"content-security-policy": REPORT_POLICY})


def _made(session: Session, key: str, name: str) -> Path:
    """Return a file that a job made: one of its list, under its own name."""
    job = session.job(key)
    known = [] if job.result is None else [one["name"] for one in job.result["files"]]
    if name not in known:
        raise Refused(404, "there is no such file of this job")
    return job.place / name if name in (PACKED, PRIVATE) else job.place / MADE / name

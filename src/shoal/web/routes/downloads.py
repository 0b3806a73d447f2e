"""Routes of what a job made: files, the report, charts, and links that work once."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse

from shoal.web.bodies import Refused, body_of
from shoal.web.guard import KNOWN
from shoal.web.jobs import CHARTS, MADE, PACKED, PRIVATE
from shoal.web.links import Links
from shoal.web.session import Session

REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)


def add_downloads(app: FastAPI, session: Session) -> None:
    """What a job made, for those who have the token."""

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


def add_links(app: FastAPI, session: Session, links: Links) -> None:
    """The same without the token, once."""

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

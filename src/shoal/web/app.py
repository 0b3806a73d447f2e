"""The web application: its routes behind their guard, and what is said of errors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from shoal.web.errors import Refused
from shoal.web.guard import Guard
from shoal.web.links import Links
from shoal.web.routes.choices import add_choices
from shoal.web.routes.downloads import add_downloads, add_links
from shoal.web.routes.files import add_files
from shoal.web.routes.jobs import add_jobs
from shoal.web.routes.ledgers import add_ledgers
from shoal.web.routes.pages import add_pages
from shoal.web.routes.streams import add_streams
from shoal.web.session import Session


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
    add_pages(app, session)
    add_files(app, session)
    add_jobs(app, session)
    add_downloads(app, session)
    add_links(app, session, links or Links())
    add_choices(app)
    add_ledgers(app, session)
    add_streams(app, session)
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

"""The command serve: opens the desk, the web interface."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.app import WORK, app
from shoal.cli.command import ShoalCommand
from shoal.cli.display import say


@app.command(cls=ShoalCommand, rich_help_panel=WORK)
def serve(
    folder: Annotated[
        Path | None, typer.Option(help="A folder of files to choose from on the page.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="The port. Default: the first free from 8642."),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open a browser; print the address alone.")
    ] = False,
    work: Annotated[
        Path | None,
        typer.Option(help="Where uploads lie while the desk is open. Default: the user's cache."),
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option(help="The largest upload (20GB). Default: what the disk holds."),
    ] = None,
    api: Annotated[
        bool, typer.Option("--api", help="Describe the requests at /openapi.json, too.")
    ] = False,
) -> None:
    """Open the desk: a page on this machine for everything that the command line does.

    Only this machine reaches it, in a tab with the address that is printed; nothing leaves it.
    Ctrl-C closes the desk and removes what was uploaded.

    Example: `shoal serve --folder data/`
    """
    from shoal.extras import check_extra

    check_extra("web", "the desk is served by FastAPI and Uvicorn")

    from shoal.table.memory import read_memory
    from shoal.web.serve import serve as open_desk

    def on_open(address: str) -> None:
        say(f"The desk is open at\n\n  {address}\n\nCtrl-C closes it.", always=True)

    open_desk(
        folder=folder,
        port=port,
        browser=not no_browser,
        base=work,
        limit=None if limit is None else int(read_memory(limit)),
        api=api,
        on_open=on_open,
    )

"""The command completion."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli.app import KNOW, app
from shoal.cli.command import ShoalCommand
from shoal.cli.output import write_stdout
from shoal.errors import RequestError, nearest_names, shown

SHELLS = "bash", "zsh", "fish", "powershell"


@app.command(cls=ShoalCommand, rich_help_panel=KNOW)
def completion(
    shell: Annotated[
        str,
        typer.Argument(
            metavar="SHELL",
            help=f"One of {', '.join(SHELLS)}.",
            autocompletion=lambda: list(SHELLS),
        ),
    ],
) -> None:
    """Print a script by which a shell completes commands, options, methods and columns.

    For bash: `shoal completion bash > ~/.local/share/bash-completion/completions/shoal`; for zsh:
    `eval "$(shoal completion zsh)"` in ~/.zshrc; for fish:
    `shoal completion fish > ~/.config/fish/completions/shoal.fish`.

    Example: `shoal completion bash`
    """
    from typer._completion_shared import get_completion_script

    if shell not in SHELLS:
        raise RequestError(
            f"{shown(shell)} is no shell that is known{nearest_names(shell, SHELLS)}"
        )
    script = get_completion_script(prog_name="shoal", complete_var="_SHOAL_COMPLETE", shell=shell)
    write_stdout(script + "\n")

"""The command presets."""

from __future__ import annotations

import json
from dataclasses import asdict

from shoal.cli.app import KNOW, app
from shoal.cli.command import ShoalCommand
from shoal.cli.options import JsonFlag
from shoal.cli.output import write_stdout


@app.command(cls=ShoalCommand, rich_help_panel=KNOW)
def presets(as_json: JsonFlag = False) -> None:
    """List thresholds by custom: k, what is measured, and the source of each.

    `shoal anonymize --preset NAME` takes its k from one. A larger -k is stricter and wins, a
    smaller one is an error. They are customs of agencies and offices, not legal advice.

    Example: `shoal presets`
    """
    from shoal.settings.presets import ADVICE
    from shoal.settings.presets import presets as every_preset

    every = list(every_preset().values())
    if as_json:
        write_stdout(json.dumps([asdict(one) for one in every], indent=2) + "\n")
        return
    for one in every:
        needs = ", and --dominance p" if one.dominance else ""
        write_stdout(
            f"{one.name}: k = {one.k}{needs}\n  {one.title}\n  {one.meaning}\n"
            f"  measured: {', '.join(one.measures)}\n  {one.source}\n\n"
        )
    write_stdout(f"{ADVICE}\n")

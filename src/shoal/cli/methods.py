"""The commands methods and warmup."""

from __future__ import annotations

import json
from dataclasses import asdict

from shoal.cli.app import KNOW, app
from shoal.cli.command import ShoalCommand
from shoal.cli.display import say
from shoal.cli.options import JsonFlag
from shoal.cli.output import write_stdout


@app.command(cls=ShoalCommand, rich_help_panel=KNOW)
def methods(as_json: JsonFlag = False) -> None:
    """List the methods: kind, cost and source of each.

    Example: `shoal methods`
    """
    from shoal.methods.registry import AUTO, AUTO_MIXED
    from shoal.methods.registry import methods as every_method

    every = every_method()
    if as_json:
        keys = ("name", "kind", "summary", "cost", "citation")
        write_stdout(
            json.dumps([{key: getattr(m, key) for key in keys} for m in every], indent=2) + "\n"
        )
        return
    for method in every:
        chosen = {AUTO: "numbers", AUTO_MIXED: "categories or missing cells"}
        what = chosen.get(method.name)
        auto = f"  (auto chooses this one for {what})" if what else ""
        needs = f"  (needs shoal[{method.extra}])" if method.extra else ""
        write_stdout(
            f"{method.name}{auto}{needs}\n  {method.summary}\n"
            f"  {method.kind}; {method.cost}\n  {method.citation}\n\n"
        )


@app.command(cls=ShoalCommand, rich_help_panel=KNOW)
def warmup() -> None:
    """Compile every method now, so that the first run hardly waits for it.

    Example: `shoal warmup`
    """
    from shoal.pipeline.warmup import warmup as compile_all

    for name, seconds in compile_all().items():
        say(f"{name}: {seconds:.2f} s")


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

"""The commands about release packs: certificate check, certificate schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.app import app
from shoal.cli.options import JsonFlag, Orders, SensitiveTrees, read_orders, split_pairs
from shoal.cli.speak import say, tell_verdict

certificate = typer.Typer(
    name="certificate",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Check a release pack that `shoal anonymize --pack` made.",
)
app.add_typer(certificate, name="certificate")


@certificate.command()
def check(
    folder: Annotated[Path, typer.Argument(help="The folder of a release pack.")],
    hierarchy: SensitiveTrees = None,
    order: Orders = None,
    as_json: JsonFlag = False,
) -> None:
    """Verify a pack again, from its files alone: exit code 0 if all holds, 3 if it does not.

    Every file is compared with its hash, the groups of the release are counted anew, report and
    recipe must agree with the certificate.

    Example: `shoal certificate check out/`
    """
    from shoal.release.packing.recheck import check_pack

    found = check_pack(
        folder, trees=split_pairs(hierarchy, "--hierarchy", first=True), orders=read_orders(order)
    )
    tell_verdict(found, as_json)


@certificate.command()
def schema() -> None:
    """Print the JSON schema of a certificate.

    Example: `shoal certificate schema`
    """
    from shoal.release.packing.certificate import schema_json

    say(schema_json())

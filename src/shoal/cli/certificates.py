"""The commands about release packs: certificate check, sign, key, schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.app import AGAIN, app
from shoal.cli.command import ShoalCommand
from shoal.cli.display import say
from shoal.cli.group import HelpfulGroup
from shoal.cli.options import JsonFlag, SensitiveTrees, Tabled, takes
from shoal.cli.output import echo_verdict, write_stdout
from shoal.errors import RequestError

certificate = typer.Typer(
    name="certificate",
    cls=HelpfulGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Check a release pack that `shoal anonymize --pack` made.",
)
app.add_typer(certificate, name="certificate", rich_help_panel=AGAIN)


@certificate.command(cls=Tabled)
@takes("orders")
def check(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A release pack.")],
    hierarchy: SensitiveTrees = None,
    original: Annotated[
        Path | None,
        typer.Option(help="Prove that the release was made of this file; needs --private."),
    ] = None,
    private: Annotated[
        Path | None, typer.Option(help="The private folder of the pack: PACK.private/.")
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(help="The public key (Ed25519, PEM) by which the pack must be signed."),
    ] = None,
    as_json: JsonFlag = False,
    **options: Any,
) -> None:
    """Verify a pack again, from its files alone: exit code 0 if all holds, 3 if it does not.

    Every file is compared with its hash, the groups of the release are counted anew, and every
    field of the certificate is made again of the other files; only a signature protects the time
    when it was issued, and tells who wrote it all.

    Example: `shoal certificate check out/ --original stays.csv --private out.private/`
    """
    from shoal.release.pack.recheck import check_pack
    from shoal.settings.parse import split_pairs

    if original is not None and private is None:
        raise RequestError("--original takes --private FOLDER, the private folder of the pack")
    checked = check_pack(
        folder, trees=split_pairs(hierarchy, "--hierarchy", first=True), original=original,
        private=private, key=key, **options,
    )  # fmt: skip
    for origin in checked.origins:
        say(origin)
    echo_verdict(checked, as_json)


@certificate.command(cls=Tabled)
@takes("force")
def sign(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A release pack.")],
    key: Annotated[Path, typer.Option(help="The private key to sign with (Ed25519, PEM).")],
    **options: Any,
) -> None:
    """Sign the certificate of a pack: writes certificate.sig.

    Example: `shoal certificate sign out/ --key steward.pem`
    """
    from shoal.release.pack.certificate import load_certificate
    from shoal.release.pack.place import NAME, SIGNATURE
    from shoal.release.pack.signing import sign as signature
    from shoal.storage.staging import Staging

    load_certificate(folder)
    with Staging(force=options.get("force", False)) as staging:
        staging.check(folder / SIGNATURE)
        staging.add(folder / SIGNATURE, signature((folder / NAME).read_bytes(), key))
        staging.commit()
    say(f"wrote {folder / SIGNATURE}")


@certificate.command(cls=ShoalCommand)
def key(
    target: Annotated[
        Path, typer.Argument(metavar="FILE", help="Where the private key goes: NAME.pem.")
    ],
) -> None:
    """Make a key to sign with: NAME.pem, which is private, and NAME.pub.pem, for who checks.

    Example: `shoal certificate key steward.pem`
    """
    from shoal.release.pack.signing import make_keys

    public = make_keys(target)
    say(f"wrote {target} (private: keep it) and {public} (to hand out)")


@certificate.command(cls=ShoalCommand)
def schema() -> None:
    """Print the JSON schema of a certificate.

    Example: `shoal certificate schema`
    """
    from shoal.release.pack.certificate import schema_json

    write_stdout(schema_json())

"""Result of `anonymize`: a verified release with all that is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar, cast

from shoal.partition import Partition
from shoal.release.intervals import for_frame
from shoal.report.plots import Plots
from shoal.report.report import Report
from shoal.series.series import Series
from shoal.settings import Settings
from shoal.table.table import Table

FrameT = TypeVar("FrameT")


@dataclass(frozen=True)
class Result(Generic[FrameT]):
    """A verified release, with its report, partition and settings.

    `data` has the caller's type of dataframe, with its rows in the caller's order, so that before
    and after can be compared. That order links every row to its original: what is published is
    written by `save`, which shuffles, or is what `shuffled` returns. Of a file or an array, `data`
    is a `Table`; lists and dicts come back as such. Under a ledger, `pending` is the entry that
    `save` notes there.
    """

    data: FrameT
    report: Report
    partition: Partition
    table: Table
    settings: Settings
    pending: Series | None = None

    def save(
        self,
        path: str | Path,
        *,
        force: bool = False,
        format: str | None = None,  # noqa: A002 - the usual word
        report: bool = True,
        keep_order: bool | None = None,
        order_seed: int | None = None,
        spreadsheet_safe: bool | None = None,
    ) -> Path:
        """Write release, report.json and report.html to a folder, verified, or nothing.

        A path that ends in a format (`F.parquet`) is the release itself, with F.report.json and
        F.report.html beside it. In FOLDER.private/ (F.private/) go the exact report, the recipe
        that repeats the run (run.toml) and the key that proves which input it was: not to be
        published.

        `format` of the file in a folder is csv (the default), csv.gz, parquet, feather, arrow,
        jsonl, xlsx, sav, zsav, dta or xpt; the last five take `shoal[formats]`. `report=False`
        leaves out the page. The rows are shuffled by the operating system's randomness unless
        `keep_order`; `order_seed` is for tests. `spreadsheet_safe` puts an apostrophe before texts
        of a csv file that a spreadsheet would run as formulas. Returns the release's path.
        """

        from shoal.release.save import save
        from shoal.release.targets import Targets

        targets = Targets.to(Path(path), format)
        return save(
            self,
            targets,
            force=force,
            with_page=report,
            keep_order=keep_order,
            order_seed=order_seed,
            spreadsheet_safe=spreadsheet_safe,
        )

    def pack(
        self,
        folder: str | Path,
        *,
        force: bool = False,
        format: str = "csv",  # noqa: A002 - the usual word
        keep_order: bool | None = None,
        order_seed: int | None = None,
        spreadsheet_safe: bool | None = None,
        sign: str | Path | None = None,
    ) -> Path:
        """Write a release pack: data, dictionary, report, recipe, certificate; whole or nothing.

        No file of it names the input but by a commitment, whose key is in FOLDER.private/, beside
        it; `shoal.check_pack` (or `shoal certificate check`) verifies everything again. `sign` is
        a private key (Ed25519, PEM) that signs the certificate. The options are those of `save`.
        """
        from shoal.release.pack.folder import write_pack

        return write_pack(
            self,
            Path(folder),
            kind=format,
            force=force,
            keep_order=keep_order,
            order_seed=order_seed,
            spreadsheet_safe=spreadsheet_safe,
            sign=sign,
        )

    def shuffled(self, *, seed: int | None = None) -> FrameT:
        """Return the release to publish: rows in random order, in the caller's type of dataframe.

        The order is the operating system's randomness; `seed` is for tests. No index, and no order
        of categories, tells the one that the rows had.
        """
        from shoal.release.write import row_order

        made = for_frame(self.table, self.settings.release.intervals)
        return cast(FrameT, made.shuffled(row_order(self.table.rows, seed=seed)))

    @property
    def plot(self) -> Plots:
        """Charts: `plot.column("age")`, `.sizes()`, `.losses()`, `.pair("a", "b")`, `.loss()`."""
        return Plots(self.report, lambda: self.table)

    def summary(self) -> str:
        """Return the report's summary."""
        return self.report.summary()

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return self.report._repr_html_()

    def __repr__(self) -> str:
        return f"<Result: {self.summary().splitlines()[0]}>"

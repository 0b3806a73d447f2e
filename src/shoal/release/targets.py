"""Targets: the paths of a release, and what must hold of them before any work is done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import RequestError, shown
from shoal.storage import private_folder
from shoal.storage.staging import Staging
from shoal.table.files.formats import check_kind


@dataclass(frozen=True)
class Targets:
    """Paths of the files of a release, and of its private folder.

    `output` is what the recipe notes, as seen from the private folder: a file or a folder.
    """

    release: Path
    report: Path
    page: Path
    private: Path
    kind: str
    output: str

    @classmethod
    def in_folder(cls, folder: Path, kind: str = "csv") -> Targets:
        """Return release.csv, report.json, report.html in a folder; what is private beside it."""
        check_kind(kind)
        own = private_folder.private_folder(folder)
        names = f"release.{kind}", private_folder.REPORT, private_folder.PAGE
        output = f"../{own.name.removesuffix(private_folder.SUFFIX)}/"
        release, report, page = (folder / name for name in names)
        return cls(release, report, page, own, kind, output)

    @classmethod
    def of_file(cls, path: Path, kind: str) -> Targets:
        """Return a file of a kind, F.report.json and F.report.html; what is private beside it."""
        check_kind(kind)
        stem = private_folder.stem_of(path.name)
        endings = ".report.json", ".report.html", private_folder.SUFFIX
        report, page, own = (path.with_name(f"{stem}{ending}") for ending in endings)
        return cls(path, report, page, own, kind, f"../{path.name}")

    @classmethod
    def to(cls, path: Path, kind: str | None) -> Targets:
        """Return the targets of a file, if the path ends in a format, else of a folder."""
        named = None if path.is_dir() else private_folder.kind_of(path.name)
        if named is None:
            return cls.in_folder(path, kind or "csv")
        if kind is not None and kind != named:
            raise RequestError(f"{shown(path)}: the name ends in .{named}, the format is {kind}")
        return cls.of_file(path, named)

    @classmethod
    def of(cls, output: str) -> Targets:
        """Return the targets of `-o`: F.csv, F.parquet, F.sav and so on, or a folder DIR/."""
        path = Path(output)
        if not output.isprintable():
            raise RequestError(f"{shown(output)}: the output's name is not plain UTF-8")
        if output.endswith(("/", os.sep)) or os.path.isdir(path):  # noqa: PTH112 - never raises
            return cls.in_folder(path)
        if (kind := private_folder.kind_of(path.name)) is not None:
            return cls.of_file(path, kind)
        raise RequestError(
            f"{shown(output)}: write to a name that ends in .{', .'.join(private_folder.ENDINGS)}, "
            "to a folder (ending in /), or to - for the screen"
        )

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that may be made: the private one, and that of the release if it is one."""
        return (self.private, *([self.release.parent] if self.output.endswith("/") else []))

    def staging(self, force: bool) -> Staging:
        """Return a staging that may make the folders."""
        return Staging(force=force, folders=self.folders)

    def check(self, staging: Staging, inputs: Iterable[Path], with_page: bool = True) -> None:
        """Refuse what must not be overwritten or cannot be written, before any work is done."""
        pages = {self.page, self.private / private_folder.PAGE}
        own = (self.private / name for name in private_folder.FILES)
        for target in (*own, self.report, self.page, self.release):
            if with_page or target not in pages:
                staging.check(target, *inputs)

    def leave_no_page(self, force: bool, with_page: bool) -> None:
        """Remove a page about another release: it must not stand beside this one."""
        if force and not with_page:
            for page in (self.page, self.private / private_folder.PAGE):
                page.unlink(missing_ok=True)

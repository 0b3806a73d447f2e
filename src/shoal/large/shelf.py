"""A release of many files: a folder of Parquet parts, their manifest, report and recipe.

All of it is made in the folder of the run, where nobody looks, and gets its place when everything
is verified: at a path by one rename, at a URL file by file, the manifest last. A folder without a
manifest is no release.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import OutputError, RequestError, shown
from shoal.large.work import Work
from shoal.release.pack import Targets
from shoal.release.staging import uninterrupted
from shoal.storage import Folder, Remote, Storage, check_url, is_url, plain, storage

MANIFEST = "manifest.json"
SCHEMA = "shoal.manifest/1"
PAPERS = ("report.json", "report.html", "run.toml")


@dataclass(frozen=True)
class Shelf:
    """Where a release of many files goes."""

    place: str
    force: bool

    @classmethod
    def of(cls, output: str, force: bool) -> Shelf:
        """Return the shelf that `-o` names: a folder or a URL."""
        place = plain(output)
        if not place.isprintable():
            raise RequestError(f"{shown(output)}: the output's name is not plain UTF-8")
        if is_url(place):
            check_url(place)
        if place.lower().endswith((".csv", ".csv.gz", ".parquet")) or place == "-":
            raise RequestError(
                f"{shown(output)}: with an engine a release is a folder of Parquet files; "
                "name one, as in -o release/"
            )
        return cls(place.rstrip("/") or "/", force)

    @property
    def is_url(self) -> bool:
        """Whether it is at a URL."""
        return is_url(self.place)

    @property
    def targets(self) -> Targets:
        """Where the papers go; the release itself is known by its manifest."""
        folder = Path() if self.is_url else Path(self.place)
        manifest, (report, page, recipe) = folder / MANIFEST, (folder / name for name in PAPERS)
        return Targets(manifest, report, page, recipe, "parquet", "./")

    def full(self, name: str) -> str:
        """Return the path or URL of a file."""
        return storage(self.place).full(name)

    @property
    def manifest(self) -> Path | str:
        """Where the manifest is."""
        return f"{self.place}/{MANIFEST}" if self.is_url else Path(self.place) / MANIFEST

    @property
    def target(self) -> Path | str:
        """What the folder of the run is named after."""
        return self.place if self.is_url else Path(self.place)

    def check(self) -> None:
        """Refuse what must not be overwritten, before any work is done."""
        if self.is_url:
            self._check_names(Remote(self.place), Remote(self.place).names())
            return
        path = Path(self.place)
        try:
            if path.is_symlink():
                raise OutputError(f"{shown(path)}: this is a link; name the folder itself")
            if not path.exists():
                return
            if not path.is_dir():
                raise OutputError(f"{shown(path)}: this is a file; an engine writes a folder")
            self._check_names(Folder(path), [entry.name for entry in path.iterdir()])
        except OSError as error:
            raise OutputError(f"{shown(path)}: cannot be written: {error.strerror}") from None

    def _check_names(self, folder: Storage, names: list[str]) -> None:
        """Let a folder be replaced that holds a release of ours and nothing else."""
        if not names:
            return
        if not self.force:
            raise OutputError(f"{shown(self.place)} exists; say --force to replace it")
        ours = {MANIFEST, *PAPERS, *listed_in(folder)}
        if foreign := set(names) - ours:
            raise OutputError(
                f"{shown(self.place)}: {len(foreign)} files in it are of no release of ours; "
                "name another folder"
            )

    def stage(self, work: Work) -> Folder | Remote:
        """Return the folder in which the release is made."""
        found: Folder | Remote
        if isinstance(work.storage, Remote):
            found = Remote(work.storage.full("release"))
        else:
            found = Folder(work.folder / "release")
        found.make()
        return found

    def commit(self, staged: Storage, names: list[str]) -> None:
        """Bring what was made to its place."""
        try:
            with uninterrupted():
                if self.is_url:
                    self._send(staged, names)
                else:
                    self._rename(staged, Path(self.place))
        except OSError as error:
            reason = error.strerror or "the storage does not take it"
            raise OutputError(f"{shown(self.place)}: cannot be written: {reason}") from None

    def _send(self, staged: Storage, names: list[str]) -> None:
        target = Remote(self.place)
        target.make()
        self.check()
        before = [MANIFEST, *listed_in(target)]
        target.remove(*before)
        for name in sorted(names, key=lambda name: name == MANIFEST):
            target.take(staged, name)

    def _rename(self, staged: Storage, target: Path) -> None:
        assert isinstance(staged, Folder)
        made = staged.path
        mask = os.umask(0o077)
        os.umask(mask)
        target.parent.mkdir(parents=True, exist_ok=True)
        if made.stat().st_dev != target.parent.stat().st_dev:
            made = _copied(made, target)
        for entry in made.iterdir():
            entry.chmod(0o666 & ~mask)
        made.chmod(0o777 & ~mask)
        old = None
        self.check()  # somebody may have been there meanwhile
        if target.exists() and any(target.iterdir()):
            old = target.with_name(f".{target.name[:80]}.{os.getpid()}.old")
            target.rename(old)
        try:
            made.rename(target)
        except OSError as error:
            if old is not None:
                old.rename(target)
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                raise OutputError(f"{shown(target)} exists; say --force to replace it") from None
            raise
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)


def _copied(made: Path, target: Path) -> Path:
    """Return a copy of a folder beside its target, on the disk where that is."""
    copy = target.with_name(f".{target.name[:80]}.{os.getpid()}.shoal-tmp")
    try:
        shutil.copytree(made, copy)
    except BaseException:
        shutil.rmtree(copy, ignore_errors=True)
        raise
    return copy


def listed_in(folder: Storage) -> list[str]:
    """Return the parts that the manifest of a folder lists; none where it has none of ours."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        with folder.open(MANIFEST) as file:
            told = json.loads(file.read())
        if told["schema"] == SCHEMA:
            return [str(part["file"]) for part in told["parts"]]
    return []


class Papers:
    """What `add_papers` writes to, as it would to a Staging."""

    def __init__(self, staged: Storage) -> None:
        self.staged = staged
        self.names: list[str] = []

    def add(self, target: Path, content: bytes) -> Path:
        """Write a file."""
        with self.staged.writing(target.name) as file:
            file.write(content)
        self.names.append(target.name)
        return target


def manifest(parts: list[dict[str, Any]], told: dict[str, Any]) -> bytes:
    """Return the manifest of a release: what is in it, and what it keeps."""
    records = sum(part["records"] for part in parts)
    whole = {"schema": SCHEMA, **told, "records": records, "parts": parts}
    return (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode()

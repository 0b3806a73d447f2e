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
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import OutputError, RequestError, shown
from shoal.large.work import MARK, Work
from shoal.release.judge.folder import MANIFEST, SCHEMA
from shoal.release.pack import Targets
from shoal.release.staging import uninterrupted
from shoal.storage import Folder, Remote, Storage, check_url, is_url, plain, storage

PAPERS = ("report.json", "report.html", "run.toml")
UNFINISHED = re.compile(r"part-[0-9]{5}-[0-9a-f]{8}\.parquet")


@dataclass(frozen=True)
class Shelf:
    """Where a release of many files goes: an absolute path, or a URL."""

    place: str
    force: bool

    @classmethod
    def of(cls, output: str, force: bool) -> Shelf:
        """Return the shelf that `-o` names: a folder or a URL."""
        place = plain(output)
        if not place.isprintable():
            raise RequestError(f"{shown(output)}: the output's name is not plain UTF-8")
        if place.lower().endswith((".csv", ".csv.gz", ".parquet")) or place == "-":
            raise RequestError(
                f"{shown(output)}: with an engine a release is a folder of Parquet files; "
                "name one, as in -o release/"
            )
        if is_url(place):
            check_url(place)
            return cls(place.rstrip("/"), force)
        return cls(os.path.abspath(place), force)  # noqa: PTH100 - without following links

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

    def check(self, inputs: Iterable[str] = ()) -> None:
        """Refuse what must not be overwritten, before any work is done: `inputs` above all."""
        place = _real(self.place)
        for one in map(_real, inputs):
            if one == place or one.startswith(f"{place}/"):
                raise OutputError(f"{shown(self.place)}: the input lies there; name another folder")
        if self.is_url:
            try:
                self._check_names(Remote(self.place), Remote(self.place).names())
            except OSError as error:
                reason = error.strerror or type(error).__name__
                raise OutputError(f"{shown(self.place)}: cannot be written: {reason}") from None
            return
        path = Path(self.place)
        try:
            if path.is_symlink():
                raise OutputError(f"{shown(path)}: this is a link; name the folder itself")
            if not path.exists():
                return
            if not path.is_dir():
                raise OutputError(f"{shown(path)}: this is a file; an engine writes a folder")
            if path.is_mount():
                raise OutputError(f"{shown(path)}: this is a disk; name a folder on it")
            self._check_names(Folder(path), [entry.name for entry in path.iterdir()])
        except OSError as error:
            raise OutputError(f"{shown(path)}: cannot be written: {error.strerror}") from None

    def _check_names(self, folder: Storage, names: list[str]) -> None:
        """Let a folder be replaced that holds a release of ours and nothing else."""
        if not names:
            return
        if not self.force:
            raise OutputError(f"{shown(self.place)} exists; say --force to replace it")
        if foreign := set(names) - ours_in(folder, names):
            raise OutputError(
                f"{shown(self.place)}: {len(foreign)} files in it are of no release of ours; "
                "name another folder"
            )

    def stage(self, work: Work) -> Folder | Remote:
        """Return the folder in which the release is made."""
        found: Folder | Remote = type(work.storage)(work.storage.full("release"))
        found.make()
        return found

    def commit(self, staged: Folder | Remote, names: list[str], done: Callable[[], None]) -> None:
        """Bring what was made to its place; when it is there, and before old files go, `done`."""
        try:
            with uninterrupted():
                self.check()  # somebody may have been there meanwhile
                if self.is_url:
                    self._send(staged, names, done)
                else:
                    self._rename(staged, names, Path(self.place), done)
        except OSError as error:
            reason = error.strerror or "the storage does not take it"
            raise OutputError(f"{shown(self.place)}: cannot be written: {reason}") from None

    def _send(self, staged: Storage, names: list[str], done: Callable[[], None]) -> None:
        """Send all files, the manifest last; only then old ones go."""
        target = Remote(self.place)
        target.make()
        before = target.names()
        sent: list[str] = []
        try:
            for name in sorted(names, key=lambda name: name == MANIFEST):
                sent.append(name)
                target.take(staged, name)
        except BaseException:
            target.remove(*(name for name in sent if name not in before))
            raise
        done()
        target.remove(*(name for name in before if name not in names))

    def _rename(
        self, staged: Folder | Remote, names: list[str], target: Path, done: Callable[[], None]
    ) -> None:
        mask = os.umask(0o077)
        os.umask(mask)
        target.parent.mkdir(parents=True, exist_ok=True)
        made = self._beside(staged, names, target)
        old, mode = None, 0o777 & ~mask
        try:
            for entry in made.iterdir():
                if entry.name in names:
                    entry.chmod(0o666 & ~mask)
                else:  # of a worker that was lost while it wrote
                    entry.unlink()
            if target.exists():
                mode = target.stat().st_mode & 0o777
                old = target.with_name(f".{target.name[:80]}.{os.getpid()}.old{MARK}")
                target.rename(old)
            made.chmod(mode)
            made.rename(target)
        except BaseException as error:
            if old is not None and not target.exists():
                old.rename(target)
            if isinstance(staged, Remote) or made != staged.path:
                shutil.rmtree(made, ignore_errors=True)
            if isinstance(error, OSError) and error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                raise OutputError(f"{shown(target)} exists; say --force to replace it") from None
            raise
        done()
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)

    def _beside(self, staged: Folder | Remote, names: list[str], target: Path) -> Path:
        """Return the folder that was made, or a copy on the disk where its target is."""
        disk = target.parent.stat().st_dev
        if isinstance(staged, Folder) and staged.path.stat().st_dev == disk:
            return staged.path
        copy = Folder(target.with_name(f".{target.name[:80]}.{os.getpid()}.new{MARK}"))
        copy.make()
        try:
            for name in names:
                with staged.open(name) as source, copy.writing(name) as sink:
                    shutil.copyfileobj(source, sink, 2**24)
        except BaseException:
            copy.clear()
            raise
        return copy.path


def _real(place: str) -> str:
    return place if is_url(place) else os.path.realpath(place)


def ours_in(folder: Storage, names: Iterable[str]) -> set[str]:
    """Return which files of a folder are of a release of ours: its manifest says so.

    A part that was sent to a URL by a run that was killed has a name that tells.
    """
    listed = listed_in(folder)
    unfinished = {name for name in names if UNFINISHED.fullmatch(name)}
    if listed is None:
        return unfinished
    return {MANIFEST, *PAPERS, *listed, *unfinished}


def listed_in(folder: Storage) -> list[str] | None:
    """Return the parts that the manifest of a folder lists; None where it has none of ours."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        with folder.open(MANIFEST) as file:
            told = json.loads(file.read())
        if told["schema"] == SCHEMA:
            return [name for part in told["parts"] if "/" not in (name := str(part["file"]))]
    return None


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

"""Output folder of many files: Parquet parts, their manifest and report.

What is private (the exact report, the recipe, the key) goes to a folder beside it.
All of it is made in the folder of the run, and moved to its place when everything
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.errors import OutputError, RequestError, exists, shown
from shoal.judge.papers import SCHEMA
from shoal.judge.source import MANIFEST
from shoal.pipeline.regions.run_folder import MARK, RunFolder
from shoal.release.targets import Targets
from shoal.storage import system
from shoal.storage.names import is_plain_name, is_url
from shoal.storage.places import Folder, Remote, Storage, check_url, is_inside, plain, storage
from shoal.storage.private_folder import (
    ENDINGS,
    FILES,
    PAGE,
    REPORT,
    SUFFIX,
    private_folder,
)
from shoal.storage.staging import Staging, check_above, uninterrupted

PAPERS = (REPORT, PAGE)
UNFINISHED = re.compile(r"part-[0-9]{5}-[0-9a-f]{8}\.parquet")


@dataclass(frozen=True)
class OutputFolder:
    """Output folder of a release of many files: an absolute path, or a URL."""

    place: str
    force: bool

    @classmethod
    def of(cls, output: str, force: bool) -> OutputFolder:
        """Return the output folder that `-o` names: a path or a URL."""
        place = plain(output)
        if not place.isprintable():
            raise RequestError(f"{shown(output)}: the output's name is not plain UTF-8")
        if place.lower().endswith(tuple(f".{one}" for one in ENDINGS)) or place == "-":
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
        if self.is_url:
            manifest, report, page = (Path(name) for name in (MANIFEST, REPORT, PAGE))
            return Targets(manifest, report, page, Path(), "parquet", f"{self.place}/")
        targets = Targets.in_folder(Path(self.place), "parquet")
        return replace(targets, release=Path(self.place) / MANIFEST)

    @property
    def private(self) -> str:
        """Where the private folder is: a path or a URL beside it."""
        return self.place + SUFFIX if self.is_url else str(private_folder(Path(self.place)))

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
        if any(_lies_in(one, self.place) for one in inputs):
            raise OutputError(f"{shown(self.place)}: the input lies there; name another folder")
        if self.is_url:
            try:
                self._check_names(Remote(self.place), Remote(self.place).names())
                if not self.force and set(FILES) & set(Remote(self.private).names()):
                    raise exists(self.private)
            except OSError as error:
                reason = error.strerror or type(error).__name__
                raise OutputError(f"{shown(self.place)}: cannot be written: {reason}") from None
            return
        path = Path(self.place)
        check_above(path)
        staging = Staging(force=self.force, folders=[Path(self.private)])
        for name in FILES:
            staging.check(Path(self.private) / name)
        try:
            if path.is_symlink():
                raise OutputError(f"{shown(path)}: this is a link; name the folder itself")
            if not path.exists():
                return
            if not path.is_dir():
                raise OutputError(f"{shown(path)}: this is a file; an engine writes a folder")
            if os.path.ismount(path):  # Path.is_mount is not there on every system
                raise OutputError(f"{shown(path)}: this is a disk; name a folder on it")
            self._check_names(Folder(path), [entry.name for entry in path.iterdir()])
        except OSError as error:
            raise OutputError(f"{shown(path)}: cannot be written: {error.strerror}") from None

    def _check_names(self, folder: Storage, names: list[str]) -> None:
        """Let a folder be replaced that holds a release of ours and nothing else."""
        if not names:
            return
        if not self.force:
            raise exists(self.place)
        if foreign := set(names) - ours_in(folder, names):
            raise OutputError(
                f"{shown(self.place)}: {len(foreign)} files in it are of no release of ours; "
                "name another folder"
            )

    def stage(self, work: RunFolder) -> Folder | Remote:
        """Return the folder in which the release is made."""
        stage: Folder | Remote = type(work.storage)(work.storage.full("release"))
        stage.make()
        return stage

    def commit(
        self,
        staged: Folder | Remote,
        names: list[str],
        own: Mapping[Path, bytes],
        done: Callable[[], None],
    ) -> None:
        """Move the release to its place; call `done` before old files are removed.

        `own` are the private files, by their targets.
        """
        try:
            with uninterrupted():
                self.check()  # the folder may have changed meanwhile
                if self.is_url:
                    with self._sent_beside({path.name: text for path, text in own.items()}):
                        self._send(staged, names, done)
                    return
                with Staging(force=self.force, folders=[Path(self.private)]) as staging:
                    for target, text in own.items():
                        staging.add(target, text, private=True)
                    place = Path(self.place)
                    staging.commit(then=lambda: self._rename(staged, names, place, done))
                for name in set(FILES) - {target.name for target in own}:  # of another release
                    (Path(self.private) / name).unlink(missing_ok=True)
        except OSError as error:
            reason = error.strerror or "the storage does not take it"
            raise OutputError(f"{shown(self.place)}: cannot be written: {reason}") from None

    @contextlib.contextmanager
    def _sent_beside(self, own: Mapping[str, bytes]) -> Iterator[None]:
        """Send the private files to their own folder; where the rest fails, they go back."""
        target = Remote(self.private)
        target.make()
        before = {}
        for name in set(FILES) & set(target.names()):
            with target.open(name) as file:
                before[name] = file.read()
        try:
            _put(target, own)
            yield
        except BaseException:
            _put(target, before)
            target.remove(*(name for name in own if name not in before))
            raise
        target.remove(*(name for name in before if name not in own))

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
            system.move_folder(made, target)
        except BaseException as error:
            if old is not None and not target.exists():
                old.rename(target)
            if isinstance(staged, Remote) or made != staged.path:
                shutil.rmtree(made, ignore_errors=True)
            if isinstance(error, OSError) and error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                raise exists(target) from None
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


def _put(target: Remote, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        with target.writing(name) as file:
            file.write(content)


def _lies_in(one: str, place: str) -> bool:
    if is_url(one) or is_url(place):
        return one == place or one.startswith(f"{place}/")
    return is_inside(Path(one), Path(place))


def ours_in(folder: Storage, names: Iterable[str]) -> set[str]:
    """Return the files of a folder that belong to a release, by its manifest.

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
            content = json.loads(file.read())
        if content["schema"] == SCHEMA:
            return [name for part in content["parts"] if is_plain_name(name := str(part["file"]))]
    return None


def manifest(parts: list[dict[str, Any]], figures: dict[str, Any]) -> bytes:
    """Return the manifest of a release: what is in it, and what it keeps."""
    records = sum(part["records"] for part in parts)
    whole = {"schema": SCHEMA, **figures, "records": records, "parts": parts}
    return (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode()

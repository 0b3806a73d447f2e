"""Output folder of many files: Parquet parts, their manifest and report.

What is private (the exact report, the recipe, the key) goes to a folder beside it.
All of it is made in the folder of the run, and moved to its place when everything
is verified: at a path by one rename, at a URL file by file, the manifest last. A folder without a
manifest is no release.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from shoal.errors import OutputError, RequestError, exists, shown
from shoal.judge.papers import SCHEMA
from shoal.judge.source import MANIFEST
from shoal.pipeline.regions.run_folder import MARK
from shoal.release.targets import Targets
from shoal.storage import system
from shoal.storage.names import is_plain_name, is_url
from shoal.storage.places import Folder, Remote, Storage, check_url, is_inside, plain, storage
from shoal.storage.private_folder import ENDINGS, FILES, PAGE, REPORT, SUFFIX, private_folder
from shoal.storage.staging import Staging, check_above, uninterrupted

PAPERS = (MANIFEST, REPORT, PAGE)
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
            manifest, report, page = map(Path, PAPERS)
            return Targets(manifest, report, page, Path(), "parquet", f"{self.place}/")
        targets = Targets.in_folder(Path(self.place), "parquet")
        return replace(targets, release=Path(self.place) / MANIFEST)

    @property
    def private(self) -> str:
        """Where the private folder is: a path or a URL beside it."""
        return self.place + SUFFIX if self.is_url else str(private_folder(Path(self.place)))

    def check(self, inputs: Iterable[str] = ()) -> None:
        """Refuse what must not be overwritten, before any work is done: `inputs` above all."""
        if any(_lies_in(one, self.place) for one in inputs):
            raise OutputError(f"{shown(self.place)}: the input lies there; name another folder")
        with self._told():
            if not self.is_url:
                self._check_path(Path(self.place))
            elif not self.force and set(FILES) & set(storage(self.private).names()):
                raise exists(self.private)
            self._check_names()

    def _check_path(self, path: Path) -> None:
        check_above(path)
        staging = Staging(force=self.force, folders=[Path(self.private)])
        for name in FILES:
            staging.check(Path(self.private) / name)
        if path.is_symlink():
            raise OutputError(f"{shown(path)}: this is a link; name the folder itself")
        if path.exists() and not path.is_dir():
            raise OutputError(f"{shown(path)}: this is a file; an engine writes a folder")
        if os.path.ismount(path):  # Path.is_mount is not there on every system
            raise OutputError(f"{shown(path)}: this is a disk; name a folder on it")

    def _check_names(self) -> None:
        """Let a folder be replaced that holds a release of ours and nothing else."""
        folder = storage(self.place)
        with suppress(FileNotFoundError):
            names = set(folder.entries())
            if names and not self.force:
                raise exists(self.place)
            if foreign := names - ours_in(folder, names):
                raise OutputError(
                    f"{shown(self.place)}: {len(foreign)} files in it are of no release of ours; "
                    "name another folder"
                )

    def commit(
        self, staged: Storage, names: Sequence[str], own: Mapping[Path, bytes],
        done: Callable[[], None],
    ) -> None:  # fmt: skip
        """Move the release to its place; call `done` before old files are removed.

        `own` are the private files, by their targets.
        """
        with self._told(), uninterrupted():
            self.check()  # the folder may have changed meanwhile
            if self.is_url:
                self._send(staged, names, {path.name: text for path, text in own.items()}, done)
                return
            with Staging(force=self.force, folders=[Path(self.private)]) as staging:
                for target, text in own.items():
                    staging.add(target, text, private=True)
                staging.commit(then=partial(self._rename, staged, names, done), release=True)
            for name in set(FILES) - {target.name for target in own}:  # of another release
                (Path(self.private) / name).unlink(missing_ok=True)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell in words that the folder cannot be written."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or "the storage does not take it"
            raise OutputError(f"{shown(self.place)}: cannot be written: {reason}") from None

    def _send(
        self, staged: Storage, names: Sequence[str], own: Mapping[str, bytes],
        done: Callable[[], None],
    ) -> None:  # fmt: skip
        """Send all files, the manifest last; only then old ones go."""
        target, private = Remote(self.place), Remote(self.private)
        before = target.names()
        in_turn = sorted(names, key=lambda name: name == MANIFEST)
        with (
            _replacing(private, own, lambda name: _put(private, name, own[name])),
            _replacing(target, in_turn, lambda name: target.take(staged, name)),
        ):
            done()
        private.remove(*(set(FILES) - own.keys()))
        target.remove(*(set(before) - set(names)))

    def _rename(self, staged: Storage, names: Iterable[str], done: Callable[[], None]) -> None:
        """Give the release its name as a whole, from a folder beside it."""
        mask = os.umask(0o077)
        os.umask(mask)
        target, mode = Path(self.place), 0o777 & ~mask
        hidden = f".{target.name[:80]}.{secrets.token_hex(4)}"
        made = Folder(target.with_name(f"{hidden}.new{MARK}"))
        old = target.with_name(f"{hidden}.old{MARK}")
        made.make()
        try:
            for name in names:
                _bring(staged, name, made)
                (made.path / name).chmod(0o666 & ~mask)
            if target.exists():
                mode = target.stat().st_mode & 0o777
                target.rename(old)
            made.path.chmod(mode)
            system.move_folder(made.path, target)
        except BaseException as error:
            if old.exists() and not target.exists():
                old.rename(target)
            made.clear()
            if isinstance(error, OSError) and error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                raise exists(target) from None
            raise
        done()
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _replacing(target: Remote, names: Iterable[str], put: Callable[[str], None]) -> Iterator[None]:
    """Put files into a folder; where that or the rest fails, papers of before come back."""
    target.make()
    there = set(target.names())
    before: dict[str, bytes] = {}
    begun: set[str] = set()
    for name in there & {*PAPERS, *FILES}:
        with target.open(name) as file:
            before[name] = file.read()
    try:
        for name in names:
            begun.add(name)
            put(name)
        yield
    except BaseException:
        for name in before.keys() & begun:
            _put(target, name, before[name])
        target.remove(*(begun - there))
        raise


def _put(target: Storage, name: str, content: bytes) -> None:
    with target.writing(name) as file:
        file.write(content)


def _bring(staged: Storage, name: str, made: Folder) -> None:
    """Bring a file to a folder: by a link, so that it costs nothing; from elsewhere as a copy."""
    try:
        os.link(staged.full(name), made.full(name))
    except OSError:  # it is at a URL, on another disk, or there are no links
        with staged.open(name) as source, made.writing(name) as sink:
            shutil.copyfileobj(source, sink, 2**24)


def _lies_in(one: str, place: str) -> bool:
    if is_url(one) or is_url(place):
        return one == place or one.startswith(f"{place}/")
    return is_inside(Path(one), Path(place))


def ours_in(folder: Storage, names: Iterable[str]) -> set[str]:
    """Return the files of a folder that belong to a release, by its manifest.

    A part that was sent to a URL by a run that was killed has a name that tells.
    """
    ours = {name for name in names if UNFINISHED.fullmatch(name)}
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        with folder.open(MANIFEST) as file:
            content = json.loads(file.read())
        if content["schema"] == SCHEMA:
            listed = [str(part["file"]) for part in content["parts"]]
            ours |= {*PAPERS, *filter(is_plain_name, listed)}
    return ours

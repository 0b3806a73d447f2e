"""Names and places as Windows and others have them, tried on whatever machine."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from shoal.judge import reading
from shoal.storage import names
from shoal.table.files.opening import parted
from shoal.table.hierarchy.specify import is_file
from shoal.web.uploads import kept_name


@pytest.mark.parametrize("path", [
    r"C:\data\x.csv", "C:/data/x.csv", "c://data/x.csv", "C:x.csv", r"\\server\share\x.csv",
    "//server/share/x.csv", r"\\?\C:\data\x.csv", "/data/x.csv", "x.csv",
])  # fmt: skip
def test_a_drive_is_no_scheme(path):
    """What begins with a drive, a server or a folder is a path, never a URL."""
    assert not names.is_url(path)
    assert names.name_of(path, PureWindowsPath) == "x.csv"


@pytest.mark.parametrize("url", ["s3://b/x.csv", "memory://x.csv", "simplecache::s3://b/x.csv"])
def test_urls(url):
    """What has a scheme is a URL on every system, with the same name."""
    assert names.is_url(url)
    for flavor in (PurePosixPath, PureWindowsPath):
        assert names.name_of(url, flavor) == "x.csv"
        assert names.folder_of(url, flavor) == url.removesuffix("/x.csv")


def test_last_parts():
    """A name is the last part of a path by its own separators; a root is all of itself."""
    assert names.name_of(r"a\b.csv", PurePosixPath) == r"a\b.csv"
    assert names.name_of("a\\b\\", PureWindowsPath) == "b"
    assert names.name_of("C:\\", PureWindowsPath) == "C:\\"
    assert names.name_of("/", PurePosixPath) == "/"
    assert names.folder_of(r"C:\a\b.csv", PureWindowsPath) == "C:\\a"
    assert names.folder_of("/a/b.csv", PurePosixPath) == "/a"
    assert names.folder_of("manifest.json", PureWindowsPath) == "."


@pytest.mark.parametrize(("url", "path"), [
    ("file:///C:/data/x.csv", "C:/data/x.csv"), ("file://localhost/C:/x.csv", "C:/x.csv"),
    ("file://server/share/x.csv", "//server/share/x.csv"), ("file:///data/x.csv", "/data/x.csv"),
])  # fmt: skip
def test_urls_of_files(url, path):
    """A URL of a file is a path with its drive or server on Windows, and plain elsewhere."""
    assert names.path_of_url(url, PureWindowsPath) == path
    assert names.path_of_url("file:///data/x.csv", PurePosixPath) == "/data/x.csv"


@pytest.mark.parametrize(("path", "reason"), [
    ("con", "device"), ("NUL.csv", "device"), (r"C:\out\aux.tar.gz", "device"),
    ("Com1 .csv", "device"), ("lpt¹", "device"), (r"out\prn\x.csv", "device"),
    ("x.csv.", "a dot"), ("x.csv ", "a space"), (r"out.\x.csv", "a dot"),
    ("x.csv:stream", "signs"), ("a*.csv", "signs"), ('"x".csv', "signs"), ("a\tb.csv", "signs"),
])  # fmt: skip
def test_names_that_windows_changes(path, reason):
    """A name that Windows would take for a device, cut, or not have is refused there alone."""
    assert reason in names.problem_of(PureWindowsPath(path))
    assert names.problem_of(PurePosixPath(path)) is None
    assert not names.is_plain_name(path)


@pytest.mark.parametrize("path", [
    r"C:\out\x.csv", r"\\server\share\x.csv", r"..\x.csv", r".\console.csv", "null.csv", ".x.csv",
    "C:x.csv", "com.csv", "größe.csv",
])  # fmt: skip
def test_names_that_windows_keeps(path):
    """Ordinary names, also with drives and servers before them, are let through."""
    assert names.problem_of(PureWindowsPath(path)) is None


@pytest.mark.parametrize("name", [
    "", ".", "..", "a/b", r"a\b", r"..\b", "C:x", "C:", r"\\s\h\x", "/x", "x.csv:y", "nul", "x.",
])  # fmt: skip
def test_members_of_packs(name):
    """A name in a pack that leads elsewhere on some system is no plain one on any."""
    assert not names.is_plain_name(name)
    assert names.is_plain_name("release.csv")
    assert names.is_plain_name("part-00000.parquet")


@pytest.mark.parametrize("file", ["C:/data/x.db", r"C:\data\x.sqlite", r"\\server\share\x.duckdb"])
def test_tables_of_databases(file):
    """A drive before a database and a # before its table do not get in each other's way."""
    path, table = parted(f"{file}#patients")
    assert (str(path), table) == (file, "patients")
    assert reading.database_of(f"{file}#patients") == (Path(file), "patients")
    assert parted(file) == (path, "")


def test_hierarchies_with_a_drive():
    """A hierarchy whose rule begins with a drive is a file, not a rule."""
    assert is_file(r"C:\trees\age.csv")
    assert not is_file("widths:5,10")


@pytest.mark.parametrize(("name", "kept"), [
    ("CON.csv", "tableCON.csv"), ("nul.x.csv", "tablenul.x.csv"), (r"C:\a\b.csv", "b.csv"),
    ("a:b?.csv", "a_b_.csv"), ("x. .csv", "x.csv"), ("console.csv", "console.csv"),
])  # fmt: skip
def test_uploads_get_names_for_every_system(name, kept):
    """The desk keeps and hands out files by names that every system has."""
    assert kept_name(name, ".csv") == kept

"""Names of files and places, whatever the system: paths, drives, URLs, names that are reserved.

Functions that take paths apart take a flavor, so that Windows paths are understood in the same way
wherever that is tried; without one it is that of this machine.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath, PureWindowsPath
from urllib.parse import urlsplit

DRIVE = re.compile(r"/*([A-Za-z]:.*)", re.S)
PIPED = "shoal-stdin-"  # begins the name of a folder for what came from stdin while a command runs
SIGNS = frozenset('<>:"|?*')  # in no name on Windows
RESERVED = frozenset({
    "con", "prn", "aux", "nul", "conin$", "conout$",
    *(f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³"),
})  # fmt: skip


def is_url(text: str) -> bool:
    """Tell whether a text is a URL, not a path; what is before :// in one letter is a drive."""
    scheme, slashes, _ = text.partition("://")
    return bool(slashes) and not (len(scheme) == 1 and scheme.isalpha())


def path_of_url(url: str, flavor: type[PurePath] = PurePath) -> str:
    """Return the path that a URL of a file (file://…) stands for."""
    parts = urlsplit(url)
    if not isinstance(flavor(), PureWindowsPath):
        return parts.path
    if parts.netloc not in ("", "localhost"):
        return f"//{parts.netloc}{parts.path}"
    drive = DRIVE.fullmatch(parts.path)
    return drive[1] if drive else parts.path


def name_of(location: str, flavor: type[PurePath] = PurePath) -> str:
    """Return the last part of a path or URL; all of it where it has no parts."""
    if is_url(location):
        return location.rstrip("/").rpartition("/")[2] or location
    return flavor(location).name or location


def folder_of(location: str, flavor: type[PurePath] = PurePath) -> str:
    """Return the folder of what lies at a path or URL."""
    if is_url(location):
        return location.rpartition("/")[0]
    return str(flavor(location).parent)


def is_same(one: Path, other: Path) -> bool:
    """Tell whether two paths lead to one file; none that cannot be looked at does."""
    try:
        return one.samefile(other)
    except OSError:
        return False


def is_piped(path: str) -> bool:
    """Tell whether a file holds what came from stdin, and is gone when the run is over."""
    return Path(path).parent.name.startswith(PIPED)


def is_reserved(name: str) -> bool:
    """Tell whether Windows takes a name for a device, whatever its ending."""
    return name.partition(".")[0].rstrip(" ").lower() in RESERVED


def problem_of(path: PurePath) -> str | None:
    """Return why Windows would write to another place than a path says; None where it does not.

    Elsewhere all names are meant as they are.
    """
    if not isinstance(path, PureWindowsPath):
        return None
    for name in path.parts[1:] if path.anchor else path.parts:
        if is_reserved(name):
            return "the name is that of a device"
        if name not in (".", "..") and name.endswith((".", " ")):
            return "no name ends with a dot or a space"
        if any(sign in SIGNS or sign < " " for sign in name):
            return "no name has such signs"
    return None


def is_plain_name(name: str) -> bool:
    """Tell whether a name means one file of a folder, and the same one on every system."""
    own = PureWindowsPath(name)
    return bool(own.name) and own.name == name != ".." and problem_of(own) is None

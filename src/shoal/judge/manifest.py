"""The manifest of a release of many files: which files, and how many records and classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from shoal.errors import listed, shown

MANIFEST = "manifest.json"
SCHEMA = "shoal.manifest/1"
KEYS = ("schema", "versions", "k", "columns", "quasi_identifiers", "classes", "records", "parts")


class Part(NamedTuple):
    """A file as the manifest has it."""

    file: str
    sha256: str
    records: Any
    bytes: Any


class Manifest(NamedTuple):
    """Content of a manifest, and the records and bytes of its files as found."""

    content: Mapping[str, Any]
    parts: Sequence[Part]
    records: Sequence[int] = ()
    bytes: Sequence[int] = ()

    @property
    def quasi_identifiers(self) -> list[str]:
        """The quasi-identifiers by which it counts classes."""
        return list(self.content["quasi_identifiers"])

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings on keys that are not checked."""
        more = [key for key in self.content if key not in KEYS]
        return (f"{MANIFEST} says what is not checked: {listed(more)}",) if more else ()

    def problems(self, header: Sequence[str], sizes: Mapping[int, int]) -> list[str]:
        """Return which numbers are not what was counted; sizes has the classes of each size."""
        content, problems = self.content, []
        smallest, classes = min(sizes, default=0), sum(sizes.values())
        records = sum(size * many for size, many in sizes.items())
        if not _is_count(content["k"]) or content["k"] > smallest:
            problems.append(f"{MANIFEST} says a k that the smallest class, of {smallest}, has not")
        for what, counted in (("classes", classes), ("records", records)):
            if not _is_count(content[what]) or content[what] != counted:
                problems.append(
                    f"{MANIFEST} says another number of {what} than there are: {counted}"
                )
        if content["columns"] != list(header):
            problems.append(f"{MANIFEST} says other columns than there are")
        for part, own, size in zip(self.parts, self.records, self.bytes, strict=True):
            if (part.records, part.bytes) != (own, size) or isinstance(part.records, bool):
                problems.append(f"{MANIFEST} says other records or bytes of {shown(part.file)}")
        return problems


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0

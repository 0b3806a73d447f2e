"""Packed text files: gzip, bzip2, Zstandard, and zip with one file in it."""

from __future__ import annotations

import bz2
import gzip
import zipfile
import zlib
from typing import Any, BinaryIO, cast

from shoal.errors import InputError

TEXTS = (".csv", ".tsv", ".txt")
PACKINGS = {".gz": "gzip", ".bz2": "bzip2", ".zst": "Zstandard", ".zip": "zip"}
DAMAGED = (OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile, NotImplementedError,
           RuntimeError)  # fmt: skip


def packing(name: str) -> str:
    """Return the ending of a packed text file's name, "" where it has none."""
    lower = name.lower()
    return next((end for end in PACKINGS if lower.endswith(end)), "")


def is_text_name(name: str) -> bool:
    """Tell whether a name is one of a text file, packed or not.

    Of a zip file, whose packer often leaves out the ending of what is in it, that one tells.
    """
    ending = packing(name)
    return ending == ".zip" or name.lower().removesuffix(ending).endswith(TEXTS)


class Unpacked:
    """The text of a packed file, some bytes at a time; a damaged one is an InputError."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._name, self._ending = name, packing(name)
        try:
            self._file = _opened(file, self._ending, name)
        except InputError:
            raise
        except DAMAGED:
            raise self._damaged() from None

    def read(self, size: int) -> bytes:
        """Return the next bytes, none at the end."""
        try:
            return bytes(self._file.read(size))
        except InputError:  # of the file that is packed
            raise
        except DAMAGED:
            raise self._damaged() from None

    def _damaged(self) -> InputError:
        return InputError(f"{self._name}: not a whole {PACKINGS[self._ending]} file")


def _opened(file: BinaryIO, ending: str, name: str) -> Any:
    if ending == ".gz":
        return gzip.GzipFile(fileobj=file, mode="rb")
    if ending == ".bz2":
        return bz2.BZ2File(file, "rb")
    if ending == ".zst":
        import pyarrow as pa

        return pa.CompressedInputStream(pa.PythonFile(cast(Any, file), mode="r"), "zstd")
    archive = zipfile.ZipFile(file)
    inside = [one for one in archive.infolist() if not one.is_dir()]
    if len(inside) != 1:
        raise InputError(f"{name}: a zip file of {len(inside)} files; pack one table alone")
    if not is_text_name(inside[0].filename) or packing(inside[0].filename):
        raise InputError(f"{name}: what is packed in it is no .csv, .tsv or .txt file")
    return archive.open(inside[0])

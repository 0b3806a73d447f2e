"""Files as they come in: within limits, to a private place, or not at all."""

from __future__ import annotations

import asyncio
import gzip
import io
import os
import socket
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.web import uploads
from shoal.web.bodies import Refused
from shoal.web.uploads import ENDINGS, Allowance, Watch, ending_of, kept_name, take_in


async def pieces(*parts):
    """Yield the pieces of a body."""
    for part in parts:
        yield part


def taken(folder, ending, *parts, **limits):
    """Take a body in; return the file's bytes."""
    path = folder / f"t{ending}"
    allowed = Allowance(**{"size": 10**9, **limits})
    asyncio.run(take_in(pieces(*parts), path, ending, allowed))
    return path.read_bytes()


def bomb(megabytes):
    """A gzip file that unpacks to so many megabytes of short lines."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as file:
        for _ in range(megabytes):
            file.write(b"0,0\n" * (1 << 18))
    return packed.getvalue()


@given(st.binary(min_size=1, max_size=400), st.lists(st.integers(1, 50), max_size=20))
def test_bytes_are_kept_as_they_came(tmp_path_factory, content, cuts):
    """Whatever the pieces, the file on disk is what was sent, and only its owner reads it."""
    folder = tmp_path_factory.mktemp("t")
    content = b"a,b\n" + content
    parts, at = [], 0
    for cut in cuts:
        parts.append(content[at : at + cut])
        at += cut
    assert taken(folder, ".csv", *parts, content[at:]) == content
    assert (folder / "t.csv").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("ending", "content", "status", "said"),
    [
        (".csv", b"", 400, "empty"),
        (".csv", b"PK\x03\x04whatever", 415, "zip archive or workbook"),
        (".csv", b"\x1f\x8b\x08\x00", 415, "is a gzip file"),
        (".csv", b"PAR1xxxx", 415, "is a Parquet file"),
        (".csv.gz", b"a,b\n1,2\n", 415, "is no gzip file"),
        (".csv.gz", b"\x1f\x8b\x08\x00broken broken broken", 400, "broken"),
        (".parquet", b"a,b\n", 415, "no Parquet"),
        (".csv", b",".join([b"c"] * 10_001) + b"\n1\n", 413, "columns"),
        (".csv", b"a\n" + b"x" * ((1 << 24) + 2), 413, "line"),
        (".csv", b"x" * ((1 << 24) + 2), 413, "line"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused(tmp_path, ending, content, status, said):
    """Each with its status and a line that says why; nothing is left on disk."""
    parts = [content[i : i + 65_536] for i in range(0, len(content), 65_536)]
    with pytest.raises(Refused, match=said) as refused:
        taken(tmp_path, ending, *parts)
    assert refused.value.status == status
    assert list(tmp_path.iterdir()) == []


def test_too_many_bytes_or_lines(tmp_path):
    """The limit on bytes holds as they come, and the one on lines."""
    with pytest.raises(Refused, match="larger") as refused:
        taken(tmp_path, ".csv", b"a\n", b"1\n" * 100, size=100)
    assert refused.value.status == 413
    with pytest.raises(Refused, match="lines"):
        taken(tmp_path, ".csv", b"a\n", b"1\n" * 100, rows=99)
    with pytest.raises(Refused, match="disk") as refused:
        taken(tmp_path, ".csv", b"a\n1\n", reserve=1 << 60)
    assert refused.value.status == 507
    assert list(tmp_path.iterdir()) == []


def test_a_body_that_stops_coming_is_given_up(tmp_path):
    """A slow body is refused after a while, and what had come is gone."""

    async def slow():
        yield b"a,b\n"
        await asyncio.sleep(30)
        yield b"1,2\n"

    with pytest.raises(Refused, match="stopped coming") as refused:
        asyncio.run(take_in(slow(), tmp_path / "t.csv", ".csv", Allowance(10**9, patience=0.1)))
    assert refused.value.status == 408
    assert list(tmp_path.iterdir()) == []


def test_compressed_tables_are_fine(tmp_path):
    """An ordinary compressed table passes, also one of several members."""
    rows = b"".join(b"%d,%d\n" % (i, i * i) for i in range(50_000))
    content = gzip.compress(b"a,b\n" + rows) + gzip.compress(rows)
    watch = Watch(".csv.gz", Allowance(10**9))
    for at in range(0, len(content), 10_000):
        watch.see(content[at : at + 10_000])
    watch.end()
    assert watch.lines == 100_001
    assert taken(tmp_path, ".csv.gz", content) == content


def test_a_bomb_is_refused_at_once(desk):
    """W5: a few kilobytes that unpack to gigabytes: 413, and the server stays small."""
    content = bomb(100) * 40  # members one after the other: 4 GB
    assert len(content) < 10_000_000
    assert "unpacks to far more" in desk.upload("b.csv.gz", content, 413)
    assert desk.memory() < 300
    assert desk.get("/desk.json")["files"] == []


@pytest.mark.parametrize("name", ["a.rds", "a.7z", "a", "", "a.csv.exe", "../../x.pickle"])
def test_other_kinds_are_not_taken(desk, name):
    """Only tables: csv, Parquet, workbooks, databases and files of statistics programs."""
    assert desk.upload(name, b"a\n1\n", 415) == uploads.TAKEN


def test_an_upload_that_breaks_off_leaves_nothing(desk):
    """A client that goes away in the middle: its part of the file is gone."""
    head = (
        f"POST /files?name=x.csv HTTP/1.1\r\nHost: 127.0.0.1:{desk.port}\r\n"
        f"Authorization: Bearer {desk.token}\r\nContent-Type: application/octet-stream\r\n"
        "Content-Length: 5000000\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", desk.port)) as client:
        client.sendall(head.encode() + b"a,b\n" + b"1,2\n" * 100_000)
        time.sleep(0.3)
    end = time.monotonic() + 60
    while any(name.startswith("desk-") and "/files/" in name for name in desk.left()):
        assert time.monotonic() < end, desk.left()
        time.sleep(0.1)
    assert desk.get("/desk.json")["files"] == []


@pytest.mark.slow
def test_parquet_bombs_and_broken_files_fail_in_the_worker(desk, tmp_path):
    """A Parquet file that claims billions of cells, or is broken, is an error in one line."""
    whole = tmp_path / "wide.parquet"
    pq.write_table(pa.table({f"c{i}": pa.array([1]) for i in range(10_001)}), whole)
    flat = pa.nulls(5_000_000, pa.int8())
    pq.write_table(pa.table({f"c{i}": flat for i in range(30)}), tmp_path / "flat.parquet",
                   compression="zstd", row_group_size=5_000_000)  # fmt: skip
    assert (tmp_path / "flat.parquet").stat().st_size < 700_000
    told = desk.looked(desk.upload("flat.parquet", (tmp_path / "flat.parquet").read_bytes()))
    assert "more rows or columns" in told["error"]
    key = desk.upload("wide.parquet", whole.read_bytes())
    told = desk.looked(key)
    assert told["state"] == "failed"
    assert "more rows or columns" in told["error"]
    key = desk.upload("broken.parquet", b"PAR1" + os.urandom(500) + b"PAR1")
    assert "broken" in desk.looked(key)["error"]


@given(st.text(max_size=300), st.sampled_from(ENDINGS))
def test_names_on_disk_are_plain(stem, ending):
    """Whatever a file is called, on disk it has one plain part, and its ending."""
    name = kept_name(stem + ending, ending)
    assert name.endswith(ending)
    assert ending_of(name) == ending
    assert "/" not in name
    assert name.isprintable()
    assert not name.startswith((".", "-"))
    assert len(name.encode()) <= 100


def test_a_dictionary_that_stands_for_gigabytes_is_told_in_words(desk, tmp_path):
    """A small Parquet file with one long text that many records name is refused by the limit."""
    path = tmp_path / "small.parquet"
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 2_000, pa.int32()), ["x" * 2_000_000])
    pq.write_table(pa.table({"a": texts, "b": range(2_000)}), path, compression="zstd")
    told = desk.looked(desk.upload("small.parquet", path.read_bytes()))
    assert told["state"] == "failed"
    assert told["error"] == ("small.parquet: unpacks to more than 200 times its size; not a table")

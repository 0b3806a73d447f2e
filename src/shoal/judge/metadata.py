"""Metadata of Parquet and Arrow files: what is more than a schema is refused.

pandas, Spark and polars write a schema of their own, mostly in JSON; all of its texts must be keys
of such a schema, names of columns, or made of words of types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from shoal.errors import shown
from shoal.judge.checks import more

KNOWN = re.compile(
    rb"pandas|ARROW:extension:.*|PARQUET:field_id|_PL_CATEGORICAL2?"
    rb"|org\.apache\.spark\.(version|timeZone|sql\.parquet\.row\.metadata|legacy\w+)"
)  # not polars' enums: they name their values
KEYS = frozenset(
    """
    index_columns column_indexes columns attributes partition_columns creator pandas_version name
    field_name pandas_type numpy_type metadata kind start stop step library version type fields
    num_categories ordered timezone encoding precision scale nullable subtype closed freq
    """.split()  # noqa: SIM905 - a list would have a line a word
)
WORDS = KEYS | frozenset(
    """
    unicode string str object bytes bool boolean categorical category mixed empty int uint float
    decimal date time datetime datetimetz timedelta interval period range utf large binary python
    pyarrow fastparquet duration timestamp double dictionary values indices ns us ms s m d u y q w
    h nan left right both neither sparse struct long integer short byte ntz index level none true
    false legacy corrected exception utc etc jan feb mar apr may jun jul aug sep oct nov dec sun
    mon tue wed thu fri sat pandas arrow uuid json 0 1 8 16 32 64 128
    """.split()  # noqa: SIM905
)
TEXT, WORD = re.compile(r'"(?:[^"\\]|\\.)*"'), re.compile(r"[^\W\d_]+|\d+")
VERSION = re.compile(r'("(?:pandas_)?version": ?)"\d[\w.+]{0,20}"')
COUNT = re.compile(r'("(?:start|stop|step|num_categories|precision|scale)": ?)-?\d{1,19}\b')
SIGNS = re.compile(r"(?:[\s{}\[\]:,]|true|false|null)*")  # of JSON beside texts


def check_metadata(schema: Any, more_of_file: Mapping[bytes, bytes], name: str) -> None:
    """Refuse metadata of a file, its schema or a field that hold more than a schema."""
    words = WORDS | set(WORD.findall(" ".join(map(str, schema.types)).casefold()))
    every = [*more_of_file.items(), *(schema.metadata or {}).items()]
    every += [item for field in _fields(schema) for item in (field.metadata or {}).items()]
    for key, value in every:
        where = _foreign(key, value, schema.names, words)
        if where is not None:
            what = f"the metadata {shown(key.decode('utf-8', 'replace'))}{where}"
            raise more(name, what, "drop them with replace_schema_metadata(None) of pyarrow, "
                       "attrs.clear() and reset_index(drop=True) of pandas")  # fmt: skip


def _foreign(key: bytes, value: bytes, names: list[str], words: frozenset[str]) -> str | None:
    """Return under which key metadata have what is no schema; None if they are one."""
    text, where = value.decode("utf-8", "replace"), ""
    if not text.startswith("{"):
        text = f'"version": "{text}"' if key.endswith(b".version") else json.dumps(text)
    text = VERSION.sub(r"\1", text, count=2)
    text, counts = COUNT.subn(r"\1", text)
    if not KNOWN.fullmatch(key) or counts > 3 + 2 * len(names):
        return where
    if not SIGNS.fullmatch(TEXT.sub("", text)):
        return where
    for found in TEXT.findall(text):
        own = json.loads(found, strict=False)
        where = f" ({own})" if own in KEYS else where
        is_known = own in KEYS or own in names
        if not is_known and not words.issuperset(WORD.findall(own.casefold())):
            return where
    return None


def _fields(kind: Any) -> Iterator[Any]:
    """Yield the fields of a schema or struct, and those in them."""
    for field in kind:
        yield field
        if str(field.type).startswith("struct"):
            yield from _fields(field.type)

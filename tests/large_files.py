"""Files that are small, and by estimate too large for the least memory that can be given."""

from __future__ import annotations

LITTLE = "500MB"
PADDED, LONG = 52, 100_000  # records with a long text, and its length
PADDING = "padding"


def padded(path):
    """Add a column of long texts to a csv file, which then does not fit in LITTLE memory.

    Only its first records have such a text. They tell how large a record is: a region has no more
    than 1,000.
    """
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    long = -(-PADDED * LONG // min(len(lines), PADDED)) * "x"
    texts = [long] * PADDED + [""] * len(lines)
    rows = [f"{line},{text}" for line, text in zip(lines, texts, strict=False)]
    path.write_text("\n".join([f"{first},{PADDING}", *rows]) + "\n", encoding="utf-8")
    return path

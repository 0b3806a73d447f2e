"""The page of large tables, made of csv files alone."""

from __future__ import annotations

import platform

import shoal
from telling import FRAME, read, table, wrapped, write_page

COLORS = {"fast": "#0072B2", "mdav": "#D55E00", "ilsmc+": "#009E73"}


def chart(rows):
    """Return seconds over the number of records, a line a method."""
    values = [
        {"method": r["method"], "records": int(r["records"]), "seconds": float(r["seconds"])}
        for r in rows
    ]
    names = [name for name in COLORS if any(v["method"] == name for v in values)]
    color = {"field": "method", "type": "nominal", "sort": names,
             "scale": {"domain": names, "range": [COLORS[name] for name in names]}}  # fmt: skip
    logarithmic = {"type": "log"}
    return {
        **FRAME, "width": 420, "height": 260, "data": {"values": values},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "records", "type": "quantitative", "scale": logarithmic,
                  "axis": {"title": "records", "format": "~s"}},
            "y": {"field": "seconds", "type": "quantitative", "scale": logarithmic,
                  "axis": {"title": "seconds"}},
            "color": color,
        },
    }  # fmt: skip


def write(folder):
    """Write docs/scale/README.md and its chart."""
    opening = (
        "`fast` cuts a table into blocks, groups and searches each, and mends the borders along "
        "other cuts. Clustered records of eight columns, k = 10, two cores, kernels compiled "
        f"before. Made by `make scale` with shoal {shoal.__version__}, Python "
        f"{platform.python_version()}; every number was measured, and the csv files beside this "
        "page hold all of them."
    )
    told, charts = {}, {}
    rows = read(folder, "sizes")
    if rows:
        charts["sizes"] = chart(rows)
        told["sizes"] = [
            "## By size",
            wrapped(
                "Seconds, those of the CPU, the peak memory of the whole process and the loss "
                "(SSE/SST, percent). `benchmarks/scale/scale.py sizes` writes this part."
            ),
            table(
                ["method", "records", "seconds", "CPU", "peak, GB", "loss"],
                [[r["method"], f"{int(r['records']):,}", r["seconds"], r["cpu"], r["peak_gb"],
                  f"{float(r['loss']):.4f}"] for r in rows],
            ),
        ]  # fmt: skip
    rows = read(folder, "baseline")
    if rows:
        told["baseline"] = [
            "## Beside a plain mdav",
            wrapped(
                "100,000 records, in one process, the better of two runs each. "
                "`benchmarks/scale/scale.py baseline` writes this part."
            ),
            table(["who", "seconds", "loss"],
                  [[r["who"], r["seconds"], f"{float(r['loss']):.4f}"] for r in rows]),
        ]  # fmt: skip
    told["workers"] = [
        "## Workers",
        wrapped(
            "The same groups come out whoever runs the blocks: one, two or four threads, or "
            "processes. `benchmarks/scale/scale.py workers` checks it."
        ),
    ]
    rows = read(folder, "threads")
    if rows:
        told["threads"] = [
            "## Threads",
            wrapped(
                "Records of two decimals on one thread: CPU seconds in all, those of what one "
                "thread does while others would wait, and the time of two threads over that of "
                "one, the median of five. `benchmarks/scale/scale.py threads` writes this part."
            ),
            table(["records", "CPU", "alone", "two over one"],
                  [[f"{int(r['records']):,}", r["cpu"], r["alone"], r["two_over_one"]]
                   for r in rows]),
        ]  # fmt: skip
    rows = read(folder, "whole")
    if rows:
        told["whole"] = [
            "## From a file to its release",
            wrapped(
                "A million records of eight quasi-identifiers and a text, k = 10: read, grouped, "
                "measured, written, read back and verified, by this version and by an older one "
                "beside it, the lower of two times each. Releases and figures must be the same. "
                "`SHOAL_OLD=FOLDER benchmarks/scale/scale.py whole` writes this part."
            ),
            table(["file", "older, seconds", "seconds", "ratio"],
                  [[r["file"], r["old_seconds"], r["seconds"], r["ratio"]] for r in rows]),
        ]  # fmt: skip
    rows = read(folder, "mixed")
    if rows:
        told["mixed"] = [
            "## Words and missing cells",
            wrapped(
                "Four columns of numbers and six of words, one with a hierarchy, three percent of "
                "the cells missing, from Parquet to a verified release with its report. "
                "`benchmarks/scale/scale.py mixed` writes this part."
            ),
            table(["method", "records", "columns", "seconds", "peak, GB", "ILoss, percent"],
                  [[r["method"], f"{int(r['records']):,}", r["columns"], r["seconds"],
                    r["peak_gb"], f"{float(r['iloss']):.3f}"] for r in rows]),
        ]  # fmt: skip
    rows = read(folder, "files")
    if rows:
        told["files"] = [
            "## Files larger than the memory allowed",
            wrapped(
                "From a Parquet file to a verified release with its report: records are parted "
                "into regions of a million, each is grouped, groups move to other regions and are "
                "mended, and the rows are shuffled and written. The peak is that of the whole "
                "process, kernels included. `SHOAL_OLD=FOLDER benchmarks/scale/scale.py files` "
                "writes this part; the older version in that folder does the same after this one."
            ),
            table(["what", "records", "seconds", "peak, GB", "loss"],
                  [[r["what"], f"{int(r['records']):,}", r["seconds"], r["peak_gb"],
                    f"{float(r['loss']):.4f}" if r["loss"] else "–"] for r in rows]),
        ]  # fmt: skip
    rows = read(folder, "verifying")
    if rows:
        told["verifying"] = [
            "## Verifying by streaming",
            wrapped(
                "A Parquet file whose classes of ten are scattered over all of it. "
                "`benchmarks/scale/scale.py verifying` writes this part."
            ),
            table(["records", "classes", "file, GB", "seconds", "peak, GB"],
                  [[f"{int(r['records']):,}", f"{int(r['classes']):,}", r["file_gb"],
                    r["seconds"], r["peak_gb"]] for r in rows]),
        ]  # fmt: skip
    write_page(folder, "Large tables", opening, told, charts)

"""What benchmarks of several parts share: bars, csv files, the page and the frame of its charts."""

from __future__ import annotations

import csv
import sys
import textwrap
import time
from typing import NamedTuple

FRAME = {
    "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
    "background": "white",
    "padding": 12,
    "config": {
        "font": "Helvetica, Arial, sans-serif",
        "view": {"stroke": None},
        "axis": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal",
                 "gridColor": "#e4e4e4"},
        "legend": {"title": None, "labelFontSize": 12, "labelLimit": 300, "orient": "bottom"},
        "headerFacet": {"title": None, "labelFontSize": 13, "labelFontWeight": "bold"},
        "title": {"fontSize": 13, "anchor": "middle"},
    },
}  # fmt: skip


class Bar(NamedTuple):
    """What is asked, and what was measured."""

    what: str
    measured: float
    sign: str
    asked: float

    @property
    def met(self):
        """Whether the measured number is on the right side."""
        compared = {
            "<": self.measured < self.asked,
            "<=": self.measured <= self.asked,
            ">": self.measured > self.asked,
            ">=": self.measured >= self.asked,
        }
        return compared[self.sign]

    def __str__(self):
        return (
            f"{'ok  ' if self.met else 'MISS'}  {self.what:<66} {number(self.measured):>8} "
            f"(bar {self.sign} {number(self.asked)})"
        )


def number(value):
    """Return a number with about four digits."""
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.4g}"


def write(folder, name, rows):
    """Write a csv file; the first row is its head."""
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def measure(folder, name, part):
    """Run one part, print and write what it found; return how many bars it missed."""
    print(name, flush=True)
    start = time.perf_counter()
    bars, tables = part()
    for bar in bars:
        print(bar)
    print(f"      {name}: {time.perf_counter() - start:.0f} s", flush=True)
    for table, rows in tables.items():
        write(folder, table, rows)
    if bars:
        told = [
            [bar.what, f"{bar.measured:.6g}", bar.sign, bar.asked, "yes" if bar.met else "no"]
            for bar in bars
        ]
        write(folder, f"bars_{name}", [["what", "measured", "sign", "bar", "met"], *told])
    return sum(not bar.met for bar in bars)


def read(folder, name):
    """Return the rows of a csv file as dicts; none if the part was never run."""
    path = folder / f"{name}.csv"
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def several(rows, *keys):
    """Return the different values of some columns, in their order."""
    return list(dict.fromkeys(tuple(row[key] for key in keys) for row in rows))


def table(head, rows, left=1):
    """Return a Markdown table; all but the first columns are aligned right."""
    lines = [head, ["---"] * left + ["--:"] * (len(head) - left), *rows]
    escaped = ([cell.replace("|", "\\|") for cell in cells] for cells in lines)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in escaped)


def wrapped(text):
    """Return a paragraph in lines of at most 100 signs."""
    return textwrap.fill(
        " ".join(text.split()), 100, break_on_hyphens=False, break_long_words=False
    )


def definitions(title, every):
    """Return figures as a part of a page: what each means, its formula, its source."""
    parts = [f"## {title}"]
    for one in every:
        meaning = one.sentence.replace("{value}", "*x*").replace("{rest}", "*y*")
        parts += [
            f"### {one.title}",
            f"`{one.key}`, {one.unit}, {one.better} is better.",
            wrapped(meaning),
            wrapped(f"Formula: {one.formula}"),
            wrapped(f"Source: {one.source}."),
        ]
    return parts


def percent(text):
    """Return a loss of a csv file with two digits, or more where it is small."""
    value = float(text)
    return f"{value:.2f}" if value >= 1 or value == 0 else f"{value:.3f}"


def asked(parts):
    """Return the parts that the command line names, all where it names none."""
    unknown = [name for name in sys.argv[1:] if name not in parts]
    if unknown:
        sys.exit(f"there is no part {unknown[0]}; there are {', '.join(parts)}")
    return [name for name in parts if name in sys.argv[1:] or not sys.argv[1:]]


def run(folder, parts, write, always=None):
    """Measure the parts that are asked for, and those that always are, and write the page.

    The exit code says whether every bar is met.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {name: parts[name] for name in asked(parts)} | (always or {})
    missed = sum(measure(folder, name, part) for name, part in wanted.items())
    write(folder)
    return 1 if missed else 0


def write_page(folder, title, opening, told, charts):
    """Write README.md and its charts.

    `told` has of every part a heading, a paragraph and more, `charts` of some parts the spec of a
    chart, which comes after the paragraph.
    """
    import vl_convert

    bars = [
        [part, bar["what"], f"{bar['sign']} {number(float(bar['bar']))}",
         number(float(bar["measured"])), bar["met"]]
        for part in told for bar in read(folder, f"bars_{part}")
    ]  # fmt: skip
    text = [f"# {title}", wrapped(opening), "## Bars",
            table(["part", "what", "bar", "measured", "met"], bars, left=2)]  # fmt: skip
    for part, (head, first, *rest) in told.items():
        text += [head, first]
        if part in charts:
            drawn = vl_convert.vegalite_to_svg(charts[part])
            (folder / f"{part}.svg").write_text(drawn, encoding="utf-8")
            text.append(f"![{head.lstrip('# ')}]({part}.svg)")
        text += rest
    (folder / "README.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")

"""A page for every method: idea, formula, picture on a toy table, cost, printed figures, source."""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import shoal
from shoal.methods.problem import Info

DOCS = Path(__file__).parents[1]
IDEAS = tomllib.loads((DOCS / "methods" / "ideas.toml").read_text(encoding="utf-8"))
COLORS = ("#1f5f8b", "#e07a3f", "#2e9e6a", "#a2559c", "#c98a1b", "#5b6b7b", "#d1493f", "#3aa0a8")
K = 4


def toy(records: int) -> np.ndarray:
    """Return a small table of two columns: five clusters of unequal size and some loners."""
    rng = np.random.default_rng(11)
    centers = np.array([[2.0, 2.0], [7.5, 2.5], [5.0, 6.0], [1.5, 8.0], [8.5, 8.0]])
    which = rng.choice(5, records, p=[0.3, 0.2, 0.25, 0.15, 0.1])
    return np.round(centers[which] + rng.normal(0, 0.9, (records, 2)), 2)


def hull(points: np.ndarray) -> np.ndarray:
    """Return the convex hull of points, counterclockwise (Andrew's monotone chain)."""
    rows = sorted(map(tuple, points.tolist()))
    if len(set(rows)) < 3:
        return np.array(rows)

    def half(ordered: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        chain: list[tuple[float, ...]] = []
        for p in ordered:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2], chain[-1]
                if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > 0:
                    break
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return np.array(half(rows) + half(rows[::-1]))


def picture(points: np.ndarray, labels: np.ndarray, title: str) -> str:
    """Return groups of points as an SVG: a hull around each, its mean as a cross."""
    width, height, margin = 460, 420, 20
    low, high = points.min(axis=0), points.max(axis=0)
    scale = min(
        (width - 2 * margin) / (high[0] - low[0]), (height - 2 * margin) / (high[1] - low[1])
    )
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'width="{width}" height="{height}"><title>{title}</title>'
        f'<rect width="{width}" height="{height}" fill="#fff"/>'
    ]

    def place(p: np.ndarray) -> str:
        x, y = scale * (p - low)
        return f"{margin + x:.1f},{height - margin - y:.1f}"

    for group in np.unique(labels):
        own = points[labels == group]
        color = COLORS[int(group) % len(COLORS)]
        corners = " ".join(place(p) for p in hull(own))
        out.append(
            f'<polygon points="{corners}" fill="{color}" fill-opacity=".13" stroke="{color}" '
            'stroke-width="10" stroke-opacity=".13" stroke-linejoin="round"/>'
        )
        for p in own:
            x, y = place(p).split(",")
            out.append(f'<circle cx="{x}" cy="{y}" r="4.5" fill="{color}"/>')
        x, y = place(own.mean(axis=0)).split(",")
        out.append(f'<text x="{x}" y="{y}" dy="5" text-anchor="middle" fill="#1c2733">+</text>')
    return "".join([*out, "</svg>\n"])


def entry(name: str) -> tuple[str, str]:
    """Return idea and formula of a method."""
    if name in IDEAS:
        return IDEAS[name]["idea"].strip(), IDEAS[name]["formula"]
    stem, suffix = re.fullmatch(r"(.*?)([23]\+?)", name).groups()
    base = IDEAS[stem]
    return f"{base['idea'].strip()} {IDEAS['suffix'][suffix]['idea'].strip()}", base["formula"]


def printed() -> dict[str, list[dict[str, str]]]:
    """Return the printed figures by method, ours beside them."""
    found: dict[str, list[dict[str, str]]] = {}
    for year in ("2007", "2018"):
        with (DOCS / "published" / f"{year}.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found.setdefault(row["method"], []).append(row | {"year": year})
    return found


def grouped(info: Info) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the toy table, the groups of a method, and the loss."""
    points = toy(20 if info.name == "exact" else 40)
    matrix = points[:, :1] if info.columns == 1 else points
    options = {"max_iterations": 1 if info.name == "best" else 200} if info.is_search else {}
    if info.name == "exact":
        options = {}
    found = shoal.microaggregate(matrix, K, method=info.name, seed=1, **options)
    return points, np.asarray(found.labels), found.information_loss


def page(info: Info, figures: list[dict[str, str]], folder: Path) -> Iterator[str]:
    """Yield the lines of a method's page; its picture is written beside it."""
    idea, formula = entry(info.name)
    points, labels, loss = grouped(info)
    file = f"{stem(info.name)}.svg"
    title = f"The groups of {info.name} on a toy table, k = {K}"
    (folder / file).write_text(picture(points, labels, title), encoding="utf-8")
    yield from (f"(method-{stem(info.name)})=", f"# `{info.name}`", "", f"*{info.summary}.*", "")
    yield from (idea, "", "$$", formula, "$$", "")
    yield from (f"![{title}]({file})", "")
    what = "generalization loss (ILoss)" if info.on_nodes else "information loss (100 · SSE/SST)"
    axis = " It groups the first column alone." if info.columns == 1 else ""
    yield f"{len(points)} records of two columns in groups of at least {K}:"
    yield f"{what} {loss:.2f} %.{axis}"
    yield from ("", "| | |", "|---|---|", f"| kind | {info.kind} |", f"| cost | {info.cost} |")
    if info.extra:
        yield f'| needs | `pip install "shoal[{info.extra}]"` |'
    yield from (f"| source | {info.citation} |", "")
    yield from ("```python", f'shoal.anonymize(data, k=5, method="{info.name}")', "```", "")
    if figures:
        yield from (
            "## Printed figures",
            "",
            "Information loss in percent, from [the page of all "
            "of them](/published/README.md), which `make published` writes.",
            "",
        )
        yield from ("| paper | table | k | printed | ours |", "|---|---|--:|--:|--:|")
        for row in figures:
            cells = (row["year"], row["table"], row["k"], row["printed"])
            yield f"| {' | '.join(cells)} | {float(row['found']):.3f} |"
        yield ""


def stem(name: str) -> str:
    """Return a name for files: a plus sign is spelled out."""
    return name.replace("+", "-plus")


def write(folder: Path) -> None:
    """Write the page of every method, and the table of all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = printed()
    lines = ["# All methods", "", "| method | kind | what it does |", "|---|---|---|"]
    every = shoal.methods()
    for info in every:
        text = "\n".join(page(info, figures.get(info.name, []), folder))
        (folder / f"{stem(info.name)}.md").write_text(text, encoding="utf-8")
        lines.append(f"| [`{info.name}`]({stem(info.name)}.md) | {info.kind} | {info.summary} |")
    lines += ["", "```{toctree}", ":hidden:", *(stem(info.name) for info in every), "```", ""]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")


def gallery(folder: Path) -> None:
    """Write the page of all pictures, each with the line that makes its groups."""
    lines = ["# Groups of every method", "", "The same toy table, k = 4.", ""]
    lines += ["::::{grid} 1 2 2 3", ":gutter: 2", ""]
    for info in shoal.methods():
        code = f'shoal.microaggregate(points, {K}, method="{info.name}")'
        lines += [":::{grid-item-card}", f":link: methods/{stem(info.name)}", ":link-type: doc"]
        lines += [f"![{info.name}](methods/{stem(info.name)}.svg)", "", f"`{code}`", ":::", ""]
    lines += ["::::", ""]
    (folder / "gallery.md").write_text("\n".join(lines), encoding="utf-8")


def front(file: Path) -> None:
    """Write the picture of the README: the groups of `ilsmc+` on the toy table."""
    points = toy(40)
    labels = shoal.microaggregate(points, K, method="ilsmc+", seed=1).labels
    title = f"Similar records in groups of at least {K}; each releases its mean (+)"
    file.write_text(picture(points, np.asarray(labels), title), encoding="utf-8")


if __name__ == "__main__":
    front(DOCS / "_static" / "groups.svg")

"""Common frame of pages: style, content policy, escaping."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from shoal.errors import shown

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2733; --soft: #5b6b7b; --line: #d8dee5;
  --tile: #f3f6f9; --good: #1f7a4d; --bad: #b3261e; --but: #a15c00; }
@media (prefers-color-scheme: dark) { :root { --paper: #14191f; --ink: #e4e9ee; --soft: #9aa8b5;
  --line: #303a45; --tile: #1d242c; --good: #63c394; --bad: #ff8a80;
  --but: #e8b04b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 66rem; padding: 1.5rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p { max-width: 44rem; } .soft { color: var(--soft); font-size: .9rem; }
.private { border: 2px solid var(--bad); border-radius: .5rem; padding: .5rem .8rem; }
.verdict { border-left: 5px solid var(--good); padding: .4rem 0 .4rem .9rem; margin: 1rem 0; }
.verdict.no { border-color: var(--bad); } .verdict.but { border-color: var(--but); }
.verdict p { margin: .2rem 0; font-size: 1.08rem; }
.answers { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr));
  gap: .8rem; margin: 1rem 0; }
.answer { background: var(--tile); border-radius: .5rem; padding: .8rem 1rem; min-width: 0;
  border-left: 5px solid var(--line); }
.answer.yes { border-color: var(--good); } .answer.no { border-color: var(--bad); }
.answer.but { border-color: var(--but); }
.answer h2 { font-size: .95rem; font-weight: 600; color: var(--soft); margin: 0 0 .2rem; }
.answer p { margin: .15rem 0; overflow-wrap: anywhere; } .answer strong.big { font-size: 1.3rem; }
.answer ul { margin: .2rem 0; padding-left: 1.1rem; }
td.what { min-width: 16rem; } td.value { white-space: nowrap; text-align: right; }
summary { cursor: pointer; margin: .6rem 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem; }
figure { margin: 0; min-width: 0; break-inside: avoid; }
figcaption { color: var(--soft); font-size: .9rem; }
svg { max-width: 100%; height: auto; }
.table { overflow-x: auto; } table { border-collapse: collapse; min-width: 100%; }
th, td { text-align: left; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.name, li, dd { overflow-wrap: anywhere; } td.name { min-width: 9.5rem; }
ul { padding-left: 1.2rem; max-width: 46rem; } li { margin: .25rem 0; }
code { background: var(--tile); padding: .1rem .35rem; border-radius: .25rem;
  overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; }
@media (max-width: 32rem) { body { padding: 1rem; } dl { grid-template-columns: 1fr; }
  dd { margin-bottom: .5rem; } }
@media print { :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --tile: #f4f4f4;
  --good: #1f7a4d; color-scheme: light; } body { max-width: none; padding: 0; font-size: 11pt; }
  h2 { break-after: avoid; } tr { break-inside: avoid; } }
"""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def escape(text: str) -> str:
    """Return a text for the page: no control signs, nothing that a browser could act on."""
    return html.escape(shown(text, 2000)[1:-1])


def document(title: str, body: Iterable[str]) -> str:
    """Return a whole page."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in body if part)
        + "\n</body>\n</html>\n"
    )


def figure(svg: str | None, caption: str = "") -> str:
    """Return a chart with its caption."""
    text = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{svg or 'This chart could not be drawn.'}{text}</figure>"


def number(value: float | str | None) -> str:
    """Return a figure, or a dash where there is none."""
    if value is None:
        return "–"
    return escape(value) if isinstance(value, str) else f"{value:,.6g}"


def bullets(lines: Sequence[str]) -> str:
    """Return a list of plain lines."""
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"

"""The report as a page, and its charts."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.measures.histogram import counted, edges_of, is_whole, shown_histogram
from shoal.report.charts import report_charts
from shoal.report.draw import _idle as idle
from shoal.report.draw import _waiting as waiting
from shoal.report.draw import ahead, begin, draw
from shoal.report.html import document
from shoal.report.renderer import FIRST, Renderer

DRAWS = True  # charts


class Outline(HTMLParser):
    """Collects tags and attributes, and checks that every tag is closed."""

    VOID = frozenset(("meta", "br", "hr", "img", "input", "link"))

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.open, self.text = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.extend(attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def outline(page):
    parser = Outline()
    parser.feed(page)
    assert parser.open == []
    return parser


@pytest.fixture(scope="module")
def result():
    stays = shoal.datasets.load_patients()
    left_out = ["postcode", "sex", "weight", "cost"]
    return shoal.anonymize(stays, k=5, drop=left_out, max_iterations=1000)


@pytest.fixture(scope="module")
def page(result):
    return result.report.to_html()


def test_self_contained(page):
    """No script, no handler, no address to fetch from; small; allowed to load nothing."""
    found = outline(page)
    assert not {"script", "link", "iframe", "object", "embed", "img"} & set(found.tags)
    for name, value in found.attributes:
        assert not name.startswith("on")
        if name in ("src", "href", "xlink:href", "action", "data"):
            assert value.startswith("#"), (name, value)
    assert "default-src 'none'" in page
    assert not re.search(r"@import|url\(", page)
    assert len(page.encode()) < 1_000_000


def test_says_what_matters(page, result):
    """Plain words on top, charts, costs, what the guarantee covers and not, how to repeat it."""
    text = " ".join(" ".join(outline(page).text).split())
    for words in (
        "shared by at least 5 records",
        f"2,000 records in {result.partition.groups} groups of 5 to ",
        "Is it safe? Yes, as far as was asked", "By which model? k-anonymity: 5, asked: at least 5",
        "How much was lost?", "What could still go wrong? The best of 3 linkage attacks",
        "What it cost", "Before and after", "Column by column", "How the groups were found",
        "What the guarantee covers",
        "What it does not cover", "How to repeat it", "shoal run run.toml", "shoal verify",
        "admission_date", "Dropped as identifiers name, number",
    ):  # fmt: skip
        assert words in text, words
    assert page.count("<svg") == 4 + 4 + 1


def test_written_beside_the_release(result, tmp_path):
    """report.html is written with the release, or left out on request."""
    result.save(tmp_path / "with")
    text = (tmp_path / "with" / "report.html").read_text()
    report = json.loads((tmp_path / "with" / "report.json").read_text())
    assert report["release"]["sha256"] in text
    assert report["input"]["commitment"] in text
    exact = json.loads((tmp_path / "with.private" / "report.json").read_text())
    assert exact["input"]["sha256"] in (tmp_path / "with.private" / "report.html").read_text()
    assert exact["input"]["sha256"] not in text
    result.save(tmp_path / "without", report=False)
    assert not (tmp_path / "without" / "report.html").exists()


def test_names_are_escaped(tmp_path):
    """Hostile column names are text everywhere: in the page, its charts and the notebook form."""
    hostile = [
        "<script>alert(1)</script>",
        "a&b\"'",
        "=1+1",
        "__proto__",
        "../x",
        "</svg><b>",
        "\x1b[31mred",
        "two\nlines",
    ]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.normal(size=12) for name in hostile})
    result = shoal.anonymize(frame, k=3)
    page = result.report.to_html()
    found = outline(page)
    assert "script" not in found.tags
    assert page.count("</b>") == 0  # the page has none of its own
    text = " ".join(found.text)
    for name in hostile[:6]:
        assert name in text
    assert "\x1b" not in "".join(re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL))
    assert "<script" not in result._repr_html_()
    result.save(tmp_path)


def test_commands_can_be_pasted(tmp_path):
    """Commands in the page are quoted for the shell, whatever the names."""
    frame = pd.DataFrame({"x'; touch pwned; '": np.arange(6.0), "b,c": np.arange(6.0) ** 2})
    shoal.anonymize(frame, k=3).save(tmp_path)
    text = " ".join(outline((tmp_path / "report.html").read_text()).text)
    command = text[text.index("shoal verify release") :].split("\n")[0]
    words = shlex.split(command)
    assert words[:6] == ["shoal", "verify", "release.csv", "-k", "3", "--quasi"]
    assert words[6].startswith("x'; touch pwned; ',\"b,c\"")
    exact = tmp_path.with_name(f"{tmp_path.name}.private") / "report.html"
    assert "--input FILE" in exact.read_text()
    assert "--input FILE" not in text


def test_notebook_form(result):
    """A notebook shows the verdict and the table of columns."""
    text = " ".join(outline(result._repr_html_()).text)
    assert "shared by at least" in text
    assert "admission_date" in text
    assert "<svg" not in result._repr_html_()


def test_charts_hold_aggregates_only(result):
    """Charts are plain JSON with a few rows of counts, never one a record."""
    charts = report_charts(result.report)
    assert json.loads(json.dumps(charts)) == charts
    for name, spec in charts.items():
        assert len(spec["data"]["values"]) <= (400 if name == "loss curve" else 60)


@pytest.mark.slow
def test_a_chart_that_cannot_be_drawn():
    """A renderer that refuses or dies costs a chart, not the report."""
    bad = {"mark": "nonsense", "data": {"values": []}}
    deadly = {**FIRST, "title": "\x1b"}
    assert draw([bad]) == [None]
    first, second, third = draw([FIRST, deadly, {**FIRST, "title": "after it"}])
    assert first.startswith("<svg")
    assert (second, third) == (None, None)


def test_page_without_charts(result, monkeypatch):
    """Where nothing can be drawn the page says so and is whole."""
    monkeypatch.setattr(document, "draw", lambda specs: [None] * len(specs))
    text = " ".join(outline(result.report.to_html()).text)
    assert text.count("This chart could not be drawn.") == 9
    assert "How to repeat it" in text


ENGINE = """
import json

def vegalite_to_svg(spec):
    return f"<svg>{json.dumps(spec)}</svg>"
"""


@pytest.fixture
def quick(tmp_path, monkeypatch):
    """No renderer has drawn before; new ones have an engine that starts at once and draws texts."""
    kept = idle[:]
    idle.clear()
    (tmp_path / "vl_convert.py").write_text(ENGINE)
    places = [str(tmp_path), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, places)))
    yield
    while idle:
        idle.pop().close()
    idle.extend(kept)


def test_renderer_started_ahead_is_used_or_ended(quick):
    """A renderer started ahead draws what is asked for; one that is not needed is ended."""
    with ahead():
        (renderer,) = waiting
    assert renderer.process.poll() is not None
    assert idle == []
    with ahead():
        (renderer,) = waiting
        assert draw([FIRST])[0].startswith("<svg")
        assert idle == [renderer]
    with ahead(wanted=False):
        assert waiting == []


def test_charts_that_are_begun(quick):
    """What was begun is drawn once and given with the rest, in the order it is asked for."""
    others = [{**FIRST, "title": f"chart {i}"} for i in range(3)]
    alone = draw([FIRST, *others])
    with ahead():
        begin(lambda: [others[1], FIRST])
        begin(lambda: [others[0]])  # a renderer is told once
        assert draw([FIRST, *others]) == alone
    with ahead():
        begin(lambda: [FIRST])
        (process,) = waiting
    assert process.process.poll() is not None
    begin(lambda: [FIRST])  # nobody waits
    large = {**FIRST, "usermeta": {"text": "x" * 300_000}}
    with ahead():
        begin(lambda: [large, FIRST])
        assert [svg[:4] for svg in draw([FIRST, large])] == ["<svg"] * 2


def test_a_renderer_draws_again(quick):
    """The next charts are drawn by the renderer that drew the last ones, also if begun ahead."""
    assert draw([FIRST])[0].startswith("<svg")
    (renderer,) = idle
    assert draw([FIRST, FIRST])[1].startswith("<svg")
    with ahead():
        begin(lambda: [FIRST])
        assert draw([FIRST])[0].startswith("<svg")
    assert idle == [renderer]
    with ahead():
        begin(lambda: [FIRST])  # drawn, and nobody asks for it
    assert idle == []
    assert renderer.process.returncode is not None


def test_a_renderer_that_went_idle_is_replaced(quick):
    """One that ended itself after its work, just as it is asked for more, is replaced."""
    draw([FIRST])
    with ahead():
        waiting[-1].process.kill()
        assert draw([FIRST])[0].startswith("<svg")
    idle[0].process.kill()
    idle[0].process.wait()
    assert draw([FIRST])[0].startswith("<svg")


def test_a_renderer_without_work_ends_itself(quick):
    """After its first charts it waits for a while, not for ever."""
    code = "from shoal.report import renderer; renderer.main(0.2)"
    renderer = Renderer((sys.executable, "-c", code))
    assert renderer.draw([FIRST])[0].startswith("<svg")
    assert renderer.process.wait(timeout=60) == 0
    renderer.close()


@pytest.mark.parametrize("size", [1, 20_000])
def test_a_renderer_that_died(size, quick):
    """What was begun with a renderer that is gone is not drawn, and nothing else happens."""
    large = {**FIRST, "data": {"values": [{"x": 1, "y": "a"}] * size}}
    with ahead():
        renderer = waiting[-1]
        renderer.process.kill()
        renderer.process.wait()
        begin(lambda: [large])
        assert draw([large, FIRST]) == [None, None]
    assert renderer.process.returncode is not None


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped here")
def test_a_renderer_that_does_not_answer(quick):
    """One that does not even read is given up in time."""
    large = {**FIRST, "data": {"values": [{"x": 1, "y": "a"}] * 20_000}}
    with ahead():
        renderer = waiting[-1]
        renderer.timeout = 0.5
        renderer.process.send_signal(signal.SIGSTOP)
        begin(lambda: [large])
        assert draw([large]) == [None]
    assert renderer.process.returncode is not None


def test_a_renderer_that_died_drawing():
    """A line that is not whole is no chart; those before it are."""
    said = 'import sys; sys.stdin.readline(); sys.stdout.write(\'"<svg>"\\n"<sv\')'
    renderer = Renderer((sys.executable, "-c", said))
    assert renderer.draw([FIRST, {**FIRST, "title": "next"}]) == ["<svg>", None]


def test_many_columns():
    """With many columns only those that lost most are drawn, and the page says so."""
    matrix = np.random.default_rng(1).normal(size=(40, 30))
    page = shoal.anonymize(matrix, k=4).report.to_html()
    assert page.count("<svg") == 4 + 12 + 1
    assert "Shown are the 12 columns that lost most" in page
    assert len(page.encode()) < 1_000_000


@pytest.mark.parametrize(
    "values",
    [np.full(8, 3.0), np.arange(8.0), np.linspace(-1, 1, 8) * 1.7e308, np.arange(8) * 1e-320,
     np.arange(8.0) + 1e17, np.array([0.0] * 7 + [1e300])],
)  # fmt: skip
def test_odd_columns_make_a_page(values):
    """Constant, huge, tiny and lopsided columns make a page all the same."""
    matrix = np.column_stack([values, np.arange(8.0)])
    outline(shoal.anonymize(matrix, k=4).report.to_html())


def test_one_column_of_each_kind(write):
    """Dates, times, booleans and decimals are drawn."""
    rows = "".join(
        f"{i % 2 == 0},2024-01-{i + 1:02d},2024-01-01T{i:02d}:30,{i}.25\n".replace(
            "True", "true").replace("False", "false") for i in range(12)
    )  # fmt: skip
    path = write("t.csv", "flag,day,moment,price\n" + rows)
    page = shoal.anonymize(path, k=4).report.to_html()
    assert page.count("<svg") == 4 + 4 + 1
    assert "2024-01" in page


def test_dates_at_the_ends_of_the_calendar(write):
    """The first and the last day that can be written are drawn too."""
    rows = "0001-01-01\n" * 3 + "9999-12-31\n" * 3
    report = shoal.anonymize(write("t.csv", "d\n" + rows), k=3).report
    assert outline(report.to_html()).tags.count("svg") == 4
    assert report.columns[0].mean_before == "5000-07-02"


def test_histogram_hides_the_few():
    """Bins of the original with fewer than k records are empty, and no extreme value shows."""
    before = np.concatenate([np.repeat(np.arange(10.0), 6), [3.0], [1e9], [-1e9]])
    after = np.concatenate([np.repeat(np.arange(10.0), 6), [3.0] * 3])

    def histogram(before, after, k, bins):
        edges = edges_of(float(after.min()), float(after.max()), is_whole(after), bins)
        return shown_histogram(edges, counted(before, edges), counted(after, edges), k)

    found = histogram(before, after, k=7, bins=10)
    assert found.edges[0] == -0.5
    assert found.edges[-1] == 9.5
    assert found.before == [7, 0, 0, 7, 0, 0, 0, 0, 0, 7]
    lone = np.array([0.0] * 50 + [10.0] * 49 + [5.0] * 2 + [20.0] * 50)
    hidden = histogram(lone, lone, k=5, bins=21)
    assert hidden.hidden == 2
    assert len(lone) - sum(hidden.before) >= 5
    assert found.after == [6, 6, 6, 9, 6, 6, 6, 6, 6, 6]
    assert found.hidden == 7

"""Attacks on the report that stands beside a release: equations, differences, small tables."""

from __future__ import annotations

import itertools
import json
import math
import re
import statistics

import numpy as np
import pytest

from thorough import spread


def table(rng, rows, columns=("age", "visits", "pay")):
    """Return people as rows of whole numbers."""
    return [
        dict(
            zip(columns, (int(v) for v in rng.integers((18, 0, 900), (90, 40, 9_000))), strict=True)
        )
        for _ in range(rows)
    ]


def crowd(seed, rows):
    """Return people of whom the last is unlike the mean: no guess of it is right by chance."""
    return [*table(np.random.default_rng(seed), rows - 1), {"age": 88, "visits": 38, "pay": 8_765}]


def written(people):
    names = list(people[0])
    lines = [",".join(names), *(",".join(str(one[n]) for n in names) for one in people)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def published(shoal, write, tmp_path):
    """Release people and return what stands beside the release: the report, as JSON."""

    def run(people, k, *more):
        count = len(list(tmp_path.iterdir()))
        source = write(f"people{count}.csv", written(people))
        out = tmp_path / f"out{count}"
        done = shoal("anonymize", source, "-k", k, "-o", f"{out}/", "--method", "mdav", *more)
        assert done.code == 0, done.err
        return json.loads((out / "report.json").read_text(encoding="utf-8"))

    return run


def sums(report):
    """Return what a report says of the sums of the original's columns, by every way it may."""
    rows = report["release"]["records"]
    found = {}
    for column in report["columns"]:
        if isinstance(column.get("mean_before"), int | float):
            found.setdefault(column["name"], []).append(rows * column["mean_before"])
    for one in report.get("totals", []):
        if one.get("before") is not None:
            found.setdefault(one["column"], []).append(one["before"])
    for column in (report.get("measures") or {}).get("columns", []):
        if column.get("mean_before") is not None:
            found.setdefault(column["name"], []).append(rows * column["mean_before"])
    return found


def squares(report):
    """Return the sums of squares that variances give."""
    rows = report["release"]["records"]
    means = {c["name"]: c.get("mean_before") for c in report["columns"]}
    every = [*report["columns"], *(report.get("measures") or {}).get("columns", [])]
    return {
        c["name"]: c["variance_before"] * (rows - 1) + rows * means[c["name"]] ** 2
        for c in every
        if c.get("variance_before") is not None and means.get(c["name"]) is not None
    }


def learned(first, second, truth):
    """Return the columns of which two reports of a growing table give somebody's value."""
    one, two = sums(first), sums(second)
    return [
        name
        for name, value in truth.items()
        if any(
            abs(abs(b - a) - value) < 0.5
            for a, b in zip(one.get(name, ()), two.get(name, ()), strict=True)
        )
    ]


@pytest.mark.parametrize("seed", spread(range(4), 2))
def test_one_person_more(published, seed):
    """Two reports, before and after one person came: the differences of totals are theirs."""
    people = crowd(seed, 200)
    assert learned(published(people[:-1], 5), published(people, 5), people[-1]) == []


@pytest.mark.parametrize("seed", spread(range(2), 1))
def test_one_person_less(published, seed):
    """The same with one person who left, in the middle of the table."""
    people = crowd(10 + seed, 150)
    people[70], people[-1] = people[-1], people[70]
    rest = people[:70] + people[71:]
    assert learned(published(people, 4), published(rest, 4), people[70]) == []


@pytest.mark.parametrize("seed", spread(range(2), 1))
def test_two_people_more(published, seed):
    """Sums and sums of squares of two people who came are two equations for two values."""
    people = table(np.random.default_rng(20 + seed), 200)
    first, second = published(people[:-2], 5), published(people, 5)
    found = []
    one, two, low, high = sums(first), sums(second), squares(first), squares(second)
    for name in people[0]:
        if name not in low or name not in high:
            continue
        total, square = two[name][0] - one[name][0], high[name] - low[name]
        root = math.sqrt(max(2 * square - total * total, 0.0))
        guess = sorted(((total - root) / 2, (total + root) / 2))
        truth = sorted(person[name] for person in people[-2:])
        if all(abs(g - t) < 0.5 for g, t in zip(guess, truth, strict=True)):
            found.append(name)
    assert found == []


def test_one_person_more_out_of_core(published):
    """The same of a file that is grouped region by region."""
    people = crowd(5, 4_000)
    two = [
        published(some, 5, "--engine", "threads", "--method", "fast")
        for some in (people[:-1], people)
    ]
    assert learned(*two, people[-1]) == []


def test_one_person_more_in_a_pack(shoal, write, tmp_path):
    """The same of two packs."""
    people = crowd(6, 120)
    two = []
    for number, some in enumerate((people[:-1], people)):
        source, pack = write(f"in{number}.csv", written(some)), tmp_path / f"pack{number}"
        assert shoal("anonymize", source, "-k", 4, "--method", "mdav", "--pack", pack).code == 0
        two.append(json.loads((pack / "report.json").read_text(encoding="utf-8")))
    assert learned(*two, people[-1]) == []


SMALL = range(1, 13)


def possible(report, release, name):
    """Return the originals (a multiset a group) that fit release and report in one column.

    Every figure that the report gives is taken as an equation.
    """
    groups = {}
    for row in release:
        groups.setdefault(tuple(row.items()), []).append(float(row[name]))
    each = []
    for values in groups.values():
        every = itertools.combinations_with_replacement(SMALL, len(values))
        fitting = [g for g in every if round(statistics.fmean(g)) == round(values[0])]
        each.append((values[0], fitting))
    column = next(c for c in report["columns"] if c["name"] == name)
    found = []
    for chosen in itertools.product(*(fitting for _, fitting in each)):
        every = [v for group in chosen for v in group]
        if _fits(column, report, chosen, [value for value, _ in each], every):
            found.append(chosen)
    return found


def _fits(column, report, chosen, released, every):
    mean, variance = column.get("mean_before"), column.get("variance_before")
    if mean is not None and not report_equal(column, "mean_before", statistics.fmean(every), mean):
        return False
    if variance is not None and abs(statistics.variance(every) - variance) > 1e-6:
        return False
    lost = column.get("information_loss")
    if lost is not None:
        center = statistics.fmean(every)
        sst = sum((v - center) ** 2 for v in every)
        sse = sum((v - r) ** 2 for group, r in zip(chosen, released, strict=True) for v in group)
        if abs((100 * sse / sst if sst else 0.0) - lost) > 1e-6:
            return False
    if not _fits_measures(report.get("measures") or {}, column["name"], chosen, released, every):
        return False
    bars = column.get("histogram")
    if bars is not None and bars.get("before") and not bars.get("hidden"):
        step = bars.get("step") or 1
        counts = np.histogram(np.clip(every, bars["edges"][0], bars["edges"][-1]), bars["edges"])[0]
        if [int(c // step * step) for c in counts] != [int(c) for c in bars["before"]]:
            return False
    value = column.get("loss", {}).get("value")
    if value is not None:
        low, high = min(released), max(released)
        clipped = [min(max(v, low), high) for v in every]
        ends = [r for group, r in zip(chosen, released, strict=True) for _ in group]
        exact = 100 * statistics.fmean(abs(a - b) for a, b in zip(clipped, ends, strict=True))
        step = column["loss"]["step"]
        if not value - step < exact / max(high - low, 1e-9) <= value + 1e-9:
            return False
    return True


def _fits_measures(measures, name, chosen, released, every):
    """Tell whether an original fits quantiles (means of k values around them) and IL1s."""
    column = next((c for c in measures.get("columns", []) if c["name"] == name), None)
    if column is not None:
        k, ordered = measures["k"], sorted(every)
        for share, told in zip(
            (0.05, 0.25, 0.5, 0.75, 0.95), column["quantiles_before"], strict=True
        ):
            place = share * (len(ordered) - 1)
            begin = max(0, min(round(place - (k - 1) / 2), len(ordered) - k))
            if abs(statistics.fmean(ordered[begin : begin + k]) - told) > 1e-6:
                return False
    told = measures.get("utility", {}).get("il1s", {}).get("by", {}).get(name)
    if told is not None and len(set(every)) > 1:
        apart = [abs(v - r) for group, r in zip(chosen, released, strict=True) for v in group]
        scale = math.sqrt(2) * statistics.stdev(every)
        if abs(statistics.fmean(apart) / scale - told) > 1e-6:
            return False
    return True


def report_equal(column, key, exact, told):
    step = (column.get("steps") or {}).get(key)
    return abs(exact - told) < 1e-6 if not step else told <= exact + 1e-9 < told + step


@pytest.mark.parametrize("seed", spread(range(4), 2))
def test_small_tables(published, shoal, tmp_path, seed):
    """n = 6, k = 3: the figures of the report as equations leave a single possible original."""
    rng = np.random.default_rng(100 + seed)
    people = [{"a": int(rng.integers(1, 13)), "b": int(rng.integers(1, 13))} for _ in range(6)]
    report = published(people, 3)
    lines = (tmp_path / "out0" / "release.csv").read_text(encoding="utf-8").split()
    names = lines[0].split(",")
    release = [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]
    unique = [name for name in names if len(possible(report, release, name)) == 1]
    alone = [name for name in names if len(possible(silent(report), release, name)) == 1]
    assert unique == alone  # what the release alone leaves open, the report leaves open too


def silent(report):
    """Return the report as if it said nothing of the original."""
    keys = ("name",)
    columns = [{key: c[key] for key in keys} for c in report["columns"]]
    return {"columns": columns}


def extremes(lines):
    return [None if cell in ("*", "") else [float(x) for x in re.findall(r"-?\d+\.?\d*", cell)]
            for cell in lines]  # fmt: skip


@pytest.mark.parametrize("largest", spread([5_000, 61_234, 250_000, 999_999, 3_141_592], 2))
def test_a_suppressed_extreme(shoal, write, tmp_path, largest):
    """The range that ILoss and NCP divide by gives an extreme value that is suppressed itself."""
    rng = np.random.default_rng(3)
    rows = [f"{int(rng.integers(20, 60))},{int(rng.integers(1_000, 3_000))}" for _ in range(60)]
    rows += [f"95,{largest}", "95,", "96,", "95,", "96,"]  # one group, whose income becomes *
    source = write("in.csv", "age,income\n" + "\n".join(rows) + "\n")
    out = tmp_path / "out"
    done = shoal("anonymize", source, "-k", 5, "-o", f"{out}/", "--method", "kaim",
                 "--aggregate", "generalize")  # fmt: skip
    assert done.code == 0, done.err
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    text = (out / "release.csv").read_text(encoding="utf-8")
    cells = [re.match(r'("[^"]*"|[^,]*),("[^"]*"|[^,]*)$', line)[2].strip('"')
             for line in text.splitlines()[1:]]  # fmt: skip
    assert str(largest) not in text
    told = extremes(cells)
    wide = [ends[-1] - ends[0] for ends in told if ends is not None]
    least = min(ends[0] for ends in told if ends is not None)
    guesses = []
    column = next(c for c in report["columns"] if c["name"] == "income")
    for unit, rate in ((1.0, column.get("information_loss")), *_rates(report)):
        for stars in range(len(cells)):  # how many of the * were there
            left = (rate or 0.0) * len(cells) / 100 - stars
            if left > 1e-9:
                whole = sum((w + unit) if w else 0.0 for w in wide) / left - unit
                guesses.append(least + whole)
    assert not any(abs(guess - largest) < 0.51 for guess in guesses)


def _rates(report):
    utility = (report.get("measures") or {}).get("utility", {})
    for key, unit in (("iloss", 1.0), ("ncp", 0.0)):
        if "by" in utility.get(key, {}):
            yield unit, utility[key]["by"].get("income")


def test_no_exact_figure_is_published(shoal, write, tmp_path):
    """Whoever searches what is published for the exact figures of the original finds none."""
    from shoal import anonymize

    rng = np.random.default_rng(8)
    source = write("in.csv", written(table(rng, 300)))
    out = tmp_path / "out"
    assert shoal("anonymize", source, "-k", 5, "--method", "mdav", "-o", f"{out}/").code == 0
    exact = anonymize(source, k=5, method="mdav").report
    numbers = {exact.information_loss, exact.information_loss_released}
    for column in exact.columns:
        numbers |= {column.information_loss, column.mean_before, column.variance_before}
    numbers |= {r for row in exact.correlations["before"] for r in row if r not in (None, 1.0)}
    for key in ("sse_sst", "il1s", "means", "variances", "quantiles", "propensity"):
        numbers.add(exact.measures["utility"][key]["value"])
    texts = [path.read_text(encoding="utf-8") for path in out.iterdir() if path.is_file()
             and path.suffix in (".json", ".html", ".toml")]  # fmt: skip
    assert texts
    exact_texts = [f"{n:.6g}" for n in numbers if n is not None]
    exact_texts = [text for text in exact_texts if len(text.strip("-0.")) > 4]
    assert len(exact_texts) > 8
    found = [one for one in exact_texts if any(one in text for text in texts)]
    assert found == []


def test_roundings_at_several_k_nest(published):
    """Reports at several k are intersected: no figure is narrowed below its finest step."""
    people = table(np.random.default_rng(9), 900)
    intervals = {}
    for k in (2, 3, 5, 9, 20, 40):
        report = published(people, k)
        for column in report["columns"]:
            step = (column.get("steps") or {}).get("mean_before", 0.0)
            if column.get("mean_before") is not None:
                key = column["name"]
                intervals.setdefault(key, []).append((column["mean_before"], step))
    for every in intervals.values():
        low = max(value for value, _ in every)
        high = min(value + step for value, step in every)
        finest = min(step for _, step in every)
        assert high - low >= finest * (1 - 1e-9) > 0

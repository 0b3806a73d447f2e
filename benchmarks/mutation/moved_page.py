"""The page of `moved.py`: how many mutants each side notices, and every one that only one does."""

from __future__ import annotations

import csv
import json
from collections import Counter

import page
import running

import telling

WORK = running.WORK / "moved"
LEFT_OUT = "the same test is there and was left out, by its file's share or its time"
NOTICED = {"noticed", "timeout", "died"}
SIDES, MODES = ("before", "after"), ("compiled", "interpreted")
OUTCOMES = ("noticed", "timeout", "died", "survived", "not reached")


def read(path):
    """Return the lines of a file, each from JSON."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return [json.loads(line) for line in text.splitlines()]


def outcomes(side, ends=("found", "more")):
    """Return what became of every mutant of a side, by its number; what is noticed stays so."""
    found = {}
    for end in ends:
        for mode in MODES:
            for row in read(WORK / f"{side}-{mode}-{end}" / "mutants.jsonl"):
                if row["outcome"] != "not reached" or row["number"] not in found:
                    found[row["number"]] = row
    return found


def differing(side):
    """Return the mutants that only the other side notices, with equal patience."""
    ours, theirs = (outcomes(s) for s in (side, *({*SIDES} - {side})))
    return [
        number for number in sorted(theirs)
        if theirs[number]["outcome"] in NOTICED
        and ours.get(number, {}).get("outcome", "") not in {*NOTICED, ""}
    ]  # fmt: skip


def ran(side, mode, ends=("found", "more")):
    """Return of every test of a side whether it ran and passed without a mutant."""
    found = {}
    for end in ends:
        for test in read(WORK / f"{side}-{mode}-{end}" / "tests.jsonl"):
            found[test["test"]] = found.get(test["test"], False) or test["ok"]
    return found


def tests_of(side):
    """Return how many tests and test functions of a side there are, and how many of them ran."""
    said = []
    for mode in MODES:
        found = ran(side, mode)
        functions = {test.partition("[")[0] for test in found}
        passed = {test.partition("[")[0] for test, ok in found.items() if ok}
        said.append(f"{mode} {sum(found.values())} of {len(found)} tests, "
                    f"of {len(passed)} of {len(functions)} functions")  # fmt: skip
    return ", ".join(said)


def reasons():
    """Return what was found out by hand about mutants that one side alone notices."""
    path = page.FOLDER / "moved_reasons.csv"
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {int(row["number"]): row["why"] for row in csv.DictReader(file)}


def notes():
    """Return what was written by hand about the run."""
    path = page.FOLDER / "moved_notes.txt"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def called(test):
    """Return the name of a test's function."""
    return test.rpartition("::")[2].partition("[")[0]


def namesakes(side, ends):
    """Return of every test function of a side which of its cases were run."""
    found = {}
    for mode in MODES:
        for test, ok in ran(side, mode, ends).items():
            found.setdefault((mode, called(test)), []).append(ok)
    return found


def guessed(rows, numbers, side):
    """Return what the names of tests say about mutants that a side does not notice."""
    (other,) = {*SIDES} - {side}
    first, both = namesakes(side, ("found",)), namesakes(side, ("found", "more"))
    theirs, more, why = outcomes(other), outcomes(side, ("more",)), {}
    for number in numbers:
        key = rows[number]["mode"], called(theirs[number]["by"])
        cases = (both if number in more else first).get(key)
        if cases is None:
            why[number] = "the test that notices it is new"
        elif all(cases):
            why[number] = "the same test runs, with other cases or times"
        else:
            why[number] = LEFT_OUT
    return why


def room(row):
    """Return the part of the house that a mutant is in now."""
    return row["after"]["file"].split("/")[1].removesuffix(".py")


def counted(rows, found):
    """Return how many mutants each side notices, room by room and in all."""
    tried, noticed = Counter(map(room, rows)), {side: Counter() for side in SIDES}
    for row in rows:
        for side in SIDES:
            noticed[side][room(row)] += found[side][row["number"]]["outcome"] in NOTICED
    lines = [[name, n, *(noticed[side][name] for side in SIDES)] for name, n in tried.items()]
    whole = ["all", len(rows), *(sum(noticed[side].values()) for side in SIDES)]
    return [[str(cell) for cell in line] for line in [*sorted(lines), whole]]


def listed(rows, numbers, again, why):
    """Return a table of mutants: where, what, what more patience shows, and why."""
    by_number = {row["number"]: row for row in rows}
    lines = []
    for number in numbers:
        change, more = by_number[number]["after"], again.get(number, {})
        told = more.get("outcome", "not run again")
        if more.get("by"):
            told += f" by `{more['by'].removeprefix('tests/')}`"
        lines.append([
            f"{change['file'].removeprefix('shoal/')}:{change['line']}", change["where"],
            page.code(change["old"]), page.code(change["new"]), told, why.get(number, ""),
        ])  # fmt: skip
    head = ["file", "where", "was", "became", "run again", "why"]
    return telling.table(head, lines, left=6) if lines else "None."


def write(commands):
    """Write the page and the table of all mutants."""
    rows, drawn = read(WORK / "mutants.jsonl"), json.loads((WORK / "drawn.json").read_text())
    found = {side: outcomes(side) for side in SIDES}
    again = {side: outcomes(side, ("again",)) for side in SIDES}
    lost, gained = differing("after"), differing("before")
    why = {**guessed(rows, lost, "after"), **guessed(rows, gained, "before"), **reasons()}
    conceded = [number for number in gained if why[number] == LEFT_OUT]
    sums = [
        [side, *(str(Counter(r["outcome"] for r in found[side].values())[o]) for o in OUTCOMES),
         str(sum(r["outcome"] in NOTICED for r in found[side].values())),
         str(sum({**found[side], **again[side]}[n]["outcome"] in NOTICED for n in found[side]))]
        for side in SIDES
    ]  # fmt: skip
    text = [
        "# The same mutants before and after the rebuild",
        telling.wrapped(opening(rows, drawn)),
        "\n".join(f"    {line}" for line in commands),
        telling.table(["tests", *OUTCOMES, "noticed in all", "run again"], sums),
        telling.wrapped(ending()),
        telling.wrapped(judged(found, again, lost, conceded)),
        telling.wrapped(notes()),
        "## By room", telling.table(["room", "mutants", *SIDES], counted(rows, found)),
        "## Noticed before only", listed(rows, lost, again["after"], why),
        "## Noticed after only", listed(rows, gained, again["before"], why),
    ]  # fmt: skip
    (page.FOLDER / "moved.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")
    telling.write(page.FOLDER, "moved", [
        ["number", "mode", "before", "after", "where", "was", "became", "noticed before by",
         "noticed after by"],
        *([row["number"], row["mode"],
           *(f"{row[s]['file']}:{row[s]['line']}" for s in SIDES), row["after"]["where"],
           row["after"]["old"], row["after"]["new"],
           *(found[s][row["number"]]["by"] or found[s][row["number"]]["outcome"] for s in SIDES)]
          for row in rows),
    ])  # fmt: skip
    print(*sums, f"lost: {lost}", f"gained: {gained}", sep="\n")


def opening(rows, drawn):
    """Return what was done."""
    modes = Counter(row["mode"] for row in rows)
    ours, theirs = drawn["mutants"]
    return f"""Modules moved, functions got other names and many tests were drawn together. Do the
        tests still find mistakes? {drawn["paired"]} of the {ours} mutants in function bodies of
        {drawn["commits"][0]} are found again in {drawn["commits"][1]} (which has {theirs}), by the
        name of the function or by its body; {len(rows)} of them were drawn with the seed
        {drawn["seed"]}, of every file its share. {modes["compiled"]} are run as they are;
        {modes["interpreted"]} lie in modules that are compiled and are run interpreted, by the
        tests of kernels and methods. Each is held against the tests of `make test` that execute it,
        quickest first, for 5 seconds of tests at most, interpreted for 2. A file gives as many of
        its tests as 12 seconds hold, interpreted 4, in an order drawn by a seed; a test may take 6
        seconds, interpreted 1.5. What no test notices may then be held against one case of each
        test function of which none ran (`more`)."""


def judged(found, again, lost, conceded):
    """Return the two numbers that are compared, with all that is conceded to the tests before."""
    before, after = (sum(r["outcome"] in NOTICED for r in found[s].values()) for s in SIDES)
    back = sum(again["after"].get(n, {}).get("outcome") in NOTICED for n in lost)
    return f"""Noticed with equal time: {before} before, {after} after. The tests before are slower,
        so that more of them were left out: of the mutants noticed after only, {len(conceded)} are
        noticed by a test that was there before and did not run. If all of these are
        taken as noticed before, and those that are noticed when they are run again as noticed
        after, it is {before + len(conceded)} before and {after + back} after. Mutants that
        neither side notices in this time were not held against all cases that were left out."""


def ending():
    """Return which tests were run, what the numbers mean, and what was left out."""
    return f"""Tests that ran and passed without a mutant: before {tests_of("before")}; after
        {tests_of("after")}. *Run again*: mutants that one side alone
        notices are run again on the other with 15 seconds of tests, after with the tests that
        were added because of them (`again`). Left out on both sides: tests with a desk, a browser,
        Dask or Spark, those that kill or fork servers, those that read the sources or the pages,
        and one case whose data starts threads while tests are collected. Tests that fail are not
        made smaller by hypothesis. A mutant whose tests do not end counts as noticed
        (timeout)."""

"""What the program says at the desk: every sentence of the judge's page has a German form."""

from __future__ import annotations

import ast
import re

from browsers import ENGLISH
from shoal.measures.definitions import DEFINITIONS
from shoal.methods.registry import methods
from shoal.settings.presets import PRESETS

# where the sentences come from that a finished release is shown with; what they raise is an error
SOURCES = (
    "measures/compute.py", "methods/auto.py", "methods/enforce/constraints.py",
    "pipeline/regions/release.py", "partition.py", "pipeline/plan/design.py",
    "pipeline/plan/columns.py", "pipeline/plan/notes.py", "pipeline/plan/steps.py",
    "report/build.py", "report/chunk.py", "report/guarantees.py", "series/frame.py",
    "pipeline/group.py", "series/series.py", "pipeline/series_groups.py", "release/prepare.py",
    "table/dialects/writing_notes.py", "table/integer_codes.py", "table/similar_names.py",
    "judge/requirement.py", "web/charts.py",
)  # fmt: skip
# what is put together of several texts, and what no page of the desk shows
BEGINS = ("{}, ", ",", ";", ":", "(", " ", "{}{}", "{}; ", "they ", "- ")
ELSEWHERE = (
    "leave it out ({})", "release it as the mean", "groups that are given hold every",
    "it leaves out single records",
    "{} records in {} groups of", "records of a group", "more than", "preset ",
    "all records", "all {} records of a stratum", "own category", "other groups",
    "no grouping loses", "{} must be", "{} of {} groups did not", "the method did no more",
    "the least change", "a model trained", "two releases of", "categories, trees, intervals",
    "search: loss", "In no group is", "counts records", "records were grouped", "Minimality",
    "Survey weights", "{} of {} records are left out", "{} cells of {}", "{} {}: every",
    "{}: mended", "{}: made anew", "costs and risks", "spellings of", "missing cells do",
    "survey weights", "Every group holds at least {} different combinations", "p % rule",
    "numbers of 16", "whole numbers, written", "not known to be near", "at most {} % above",
    "as they are", "datum.", "times written", "a release of a series", "whom somebody",
    "{}: merged", "rows in the same order", "giving groups their values", "within strata, the",
    "{} of {} groups of {} were merged", "{}: groups of at least", "a whole number of", "a number ",
    "{count} sheets hold",
)  # fmt: skip


REFUSING = (
    "web/uploads.py", "web/session.py", "web/jobs.py", "web/tables.py", "web/estimates.py",
    "web/series/ledgers.py", "web/series/ledger_actions.py", "web/series/streams.py",
    "web/trial.py",
)  # fmt: skip
BY_HAND = (  # what only requests that no page sends are told
    "a tab is a short text", "another estimate", "the recipe's part", "the file {}, whatever",
    "the recipe names files",
)  # fmt: skip
DEEPER = (  # where what a page asks for is refused, far below the desk
    "pipeline/plan/aggregators.py", "pipeline/plan/constraints.py", "pipeline/plan/design.py",
    "pipeline/plan/plan.py", "pipeline/plan/columns.py",
    "methods/problem.py", "methods/enforce/constraints.py",
    "methods/enforce/rules.py", "methods/enforce/values.py", "methods/enforce/wider.py",
    "table/csv_text/scan.py", "table/dialects/dialect.py", "table/dialects/notation.py",
    "table/dialects/transcode.py", "table/dialects/propose.py", "table/encode.py",
    "table/encode_nodes.py", "table/files/spreadsheets.py", "table/hierarchy/tree.py",
    "table/hierarchy/listed.py", "table/hierarchy/specify.py", "table/levels.py",
    "table/ordinal.py", "table/rounding.py", "table/steps/dates.py", "table/steps/extremes.py",
    "table/steps/step.py", "table/steps/noise.py", "table/steps/numbers.py", "table/steps/pram.py",
    "table/steps/rare.py", "table/steps/recode.py", "table/steps/round.py", "table/steps/swaps.py",
    "table/survey.py", "settings/model.py", "judge/requirement.py", "pipeline/preview.py",
)  # fmt: skip
OTHER_DOORS = (  # what only Python and the command line are told, and what is said in two ways
    "{}: {}; leave it out",
    "{}: {} {}, and no identifier",
    "date_format must",
    "orders must be",
    "{} has no file named like",
    "{} must be at least 2",
    "{} = 1 gives no protection",
    "{} must be FILE.csv",
)


def texts_in(node, errors=False):
    """The sentences in a piece of code, with places for what is filled in; docstrings are none."""
    if isinstance(node, ast.Raise) and not errors:
        return []
    if isinstance(node, ast.JoinedStr):
        parts = (one.value if isinstance(one, ast.Constant) else "{}" for one in node.values)
        return ["".join(parts)]
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    inner = list(ast.iter_child_nodes(node))
    is_docstring = [isinstance(getattr(one, "value", 0), ast.Constant) and isinstance(one, ast.Expr)
                    for one in inner]  # fmt: skip
    every = [text for one, skipped in zip(inner, is_docstring, strict=True) if not skipped
             for text in texts_in(one, errors)]  # fmt: skip
    return [text for text in every if len(re.findall(r"\b[a-z]{2,}\b", text)) > 2]


def parsed(repository, name):
    """The code of a module."""
    return ast.parse((repository / "src/shoal" / name).read_text(encoding="utf-8"))


def sentences(repository):
    """Every sentence that the page of a release may show, with figures and names filled in."""
    every = [one.sentence.format(value="1.23 %", rest="4.5") for one in DEFINITIONS.values()]
    every += [f"{one.verdict(12)}. Source: X" for one in PRESETS.values()]
    for name in SOURCES:
        every += [text.replace("{}", "'x'") for text in texts_in(parsed(repository, name))
                  if not text.startswith((*BEGINS, *ELSEWHERE))]  # fmt: skip
    joined = repository / "tests/web/sentences.txt"  # those that are put together
    return [*dict.fromkeys([*every, *joined.read_text(encoding="utf-8").splitlines()])]


def check_german(page, every):
    """No word of English is left of some sentences."""
    german = page.tab.evaluate(
        "async ([address, every]) => {"
        " const { germanOf } = await import(address);"
        " return every.map((one) => germanOf(one)); }",
        [page.module("sentences.js"), every],
    )
    left = [text for text, own in zip(every, german, strict=True)
            if ENGLISH.search(own) or own == text]  # fmt: skip
    assert not left, "\n".join(left)


def test_every_sentence_of_the_report_has_a_german_form(repository, page):
    """No word of English is left in what a German page says of a release."""
    every = sentences(repository)
    assert len(every) > 150
    check_german(page, every)


def refusals(repository, names, but):
    """What some modules raise, but for some, with names and figures filled in."""
    every = []
    for name in names:
        raised = [one for one in ast.walk(parsed(repository, name)) if isinstance(one, ast.Raise)]
        every += [text for one in raised for text in texts_in(one, errors=True)]
    return [text.replace("{}", "'x'") for text in every if not text.startswith(but)]


def test_every_refusal_has_a_german_form(repository, page):
    """What the desk refuses, and what it asks for, is told in German."""
    own, deeper = refusals(repository, REFUSING, BY_HAND), refusals(repository, DEEPER, OTHER_DOORS)
    assert len(own) > 40
    assert len(deeper) > 180
    check_german(page, [*own, *deeper, "t.csv has no column 'y'; did you mean 'x' or 'z'?"])


def test_every_method_is_told_in_german(page):
    """What kind a method is, what it does and costs, as the expert's choice says it."""
    check_german(page, [text for one in methods() for text in (one.kind, one.summary, one.cost)])


def test_every_measure_has_a_title(repository):
    """A measure goes by what people call it, in English as its definition does."""
    text = (repository / "src/shoal/web/static/en.js").read_text(encoding="utf-8")
    titles = dict(re.findall(r'^  "measure\.([^"]+)": "(.+)",$', text, re.MULTILINE))
    assert titles == {key: one.title for key, one in DEFINITIONS.items()}


def test_numbers_are_written_as_german_writes_them(page):
    """Figures within sentences have the German signs; names of columns stay as they are."""
    said = page.tab.evaluate(
        "async (address) => { const { germanOf } = await import(address);"
        " return [germanOf('1,234 groups hold equal records, whose values are released '"
        "   + 'as they were'), germanOf(\"'records' is rounded to multiples of 0.5\")]; }",
        page.module("sentences.js"),
    )
    assert said[0].startswith("1.234 Gruppen enthalten gleiche")
    assert said[1] == "'records' ist auf Vielfache von 0,5 gerundet"

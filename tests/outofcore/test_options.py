"""Every option has the effect by regions that it has in memory, or is refused by its name."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import ShoalError
from shoal.hints import Message
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.regions.budget import Budget
from shoal.pipeline.regions.request import FileRequest
from shoal.pipeline.regions.run import release_file
from shoal.pipeline.stages import READS, READS_BY_REGION
from shoal.pipeline.state import BESIDE, Reads, check_read, needs_all_records
from shoal.release.targets import Targets
from shoal.settings import build
from shoal.settings.table import TABLE
from shoal.settings.tree import tree_of
from thorough import spread

USUAL = {"k": 5, "quasi_identifiers": ["age", "height"], "sensitive": ["ill"], "method": "fast"}
TREES = {"quasi_identifiers": ["age", "zip"], "method": "kaim-fast"}
SERIES = {"person": "id", "ledger": "series.ledger"}
ASKED = {
    "k": {"k": 9}, "preset": {"preset": "threshold-5"}, "l_kind": {"l": 2, "l_kind": "entropy"},
    "l": {"l": 2}, "c": {"l": 2, "l_kind": "recursive", "c": 3.0}, "t": {"t": 0.9},
    "alpha": {"alpha": 0.9}, "beta": {"beta": 9.0},
    "beta_kind": {"beta": 9.0, "beta_kind": "basic"},
    "delta": {"delta": 9.0}, "e": {"e": {"ill": 1.0}}, "l_of": {"l_of": {"ill,pay": 2}},
    "dominance": {"dominance": {"age": 1.0}}, "k_of": {"k_of": {"age": 9}},
    "missing_sensitive": {"missing_sensitive": "value"}, "count": {"count": "records"},
    "enforce": {"enforce": "merge"}, "allow_k1": {"allow_k1": True},
    "small_strata": {"small_strata": "merge"}, "identifiers": {"identifiers": ["zip"]},
    "quasi_identifiers": {"quasi_identifiers": ["age"], "other": ["height"]},
    "sensitive": {"sensitive": []}, "other": {"other": ["pay"]}, "drop": {"drop": ["zip"]},
    "group": {"group": "zip", "method": "auto"}, "weight": {"weight": "pay"}, "by": {"by": ["zip"]},
    "household": {"household": "zip"}, "person": {"person": "id"},
    "keep_unique": {"other": ["cost"], "keep_unique": ["cost"]},
    "hierarchies": {**TREES, "hierarchies": {"zip": "prefixes:1"}},
    "orders": {**TREES, "orders": {"zip": ["101", "102", "203"]}},
    "steps": {"steps": ["round pay -2"]}, "method": {"method": "mdav"},
    "effort": {"effort": "best"},
    "start": {"start": "mdav"}, "max_iterations": {"max_iterations": 3}, "runs": {"runs": 2},
    "time_limit": {"time_limit": 1.0}, "refine": {"refine": "decompose"}, "seed": {"seed": 3},
    "column_weights": {"column_weights": {"age": 9.0}}, "suppress": {"suppress": 0.05},
    "search": {"search": {"samples": 3}}, "secret": {"secret": "0f" * 32},
    "delimiter": {"delimiter": "tab"}, "encoding": {"encoding": "cp1252"},
    "decimal": {"decimal": ","}, "thousands": {"thousands": "."},
    "date_format": {"date_format": {"born": "%d.%m.%Y"}}, "skip_lines": {"skip_lines": 1},
    "comment": {"comment": "#"}, "quote": {"quote": "'"}, "widths": {"widths": [5, 9]},
    "missing": {"missing": ["", "40"]}, "types": {"types": {"zip": "text"}},
    "sheet": {"sheet": "one"}, "hierarchy_folder": {"hierarchy_folder": "trees"},
    "incomplete": {"incomplete": "delete"}, "allow_empty": {"allow_empty": True},
    "aggregate": {"aggregate": "median"}, "numbers": {"numbers": "interval", "method": "auto"},
    "intervals": {"numbers": "interval", "method": "auto", "intervals": "columns"},
    "decimals": {"decimals": {"height": 0}}, "keep_order": {"keep_order": True},
    "spreadsheet_safe": {"spreadsheet_safe": True}, "dialect": {"decimal": ",", "dialect": "plain"},
    "round": {"round": {"pay": 50}}, "totals": {"totals": "totals.csv"},
    "totals_within": {"totals_within": 0.5}, "weights_as": {"weight": "pay", "weights_as": "exact"},
    "group_column": {"group_column": "class"}, "ledger": SERIES,
    "withhold": {**SERIES, "withhold": 0.5}, "changing": {**SERIES, "changing": ["ill"]},
    "counterfeits": {**SERIES, "counterfeits": 0.1},
    "over_series": {**SERIES, "over_series": "sets"}, "stable": {**SERIES, "stable": True},
    "expect_overlap": {**SERIES, "expect_overlap": 0.8}, "memory": {"memory": "1GB"},
    "engine": {"engine": "threads"},
}  # fmt: skip


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Write 400 people; one height is missing, an illness looks like a formula."""
    rng = np.random.default_rng(1)
    columns = {
        "id": [f"p{i}" for i in range(400)],
        "age": rng.integers(18, 90, 400).tolist(),
        "height": ["", *(f"{h:.1f}" for h in rng.normal(170, 9, 399))],
        "zip": rng.choice(["101", "102", "203"], 400).tolist(),
        "ill": rng.choice(["flu", "=gout", "none"], 400).tolist(),
        "pay": (100 * rng.integers(10, 40, 400) + 30).tolist(),
        "born": rng.choice(["01.02.1960", "03.04.1950"], 400).tolist(),
        "cost": [f"{c:.4f}" for c in rng.normal(50, 9, 400)],
    }
    path = tmp_path_factory.mktemp("options") / "in.csv"
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


def in_memory(source, settings, out):
    """Release a file that is read whole."""
    result = anonymize_with(source, settings, kind="csv")
    result.save(out, report=False, order_seed=1)
    return result.report


def by_regions(source, settings, out):
    """Release the same file by regions."""
    request = FileRequest(Targets.of(str(out)), with_page=False, shuffle_seed=1)
    return release_file(source, settings, Budget(150, piece=5_000), request).report


def outcome(release, source, asked, out):
    """Return the lines that are released and what is said of them, or what is said instead."""
    kept = ("id", "cost", "zip", "born")
    rest = {"drop": [name for name in kept if name not in str([*asked.values()])]}
    try:
        report = release(source, build(tree_of({**USUAL, **rest, **asked})), out)
    except ShoalError as error:
        return str(error)
    return out.read_text(), report.notes, report.verdict


def test_every_option_is_tried():
    """A new option is tried: there is a value for it that is not its default."""
    assert set(ASKED) == {name for name, entry in TABLE.items() if entry.part not in BESIDE}


@pytest.mark.parametrize("name", spread(ASKED, 20))
def test_an_option_is_carried_out_by_regions_or_refused(source, tmp_path, name):
    """What an option changes in memory it changes by regions, too, or it is refused."""
    asked = ASKED[name]
    without = {key: value for key, value in asked.items() if key != name}
    if name in USUAL:
        without[name] = USUAL[name]
    found = outcome(by_regions, source, asked, tmp_path / "regions.csv")
    if isinstance(found, str) and ("at once" in found or "is made without" in found):
        return
    same = [
        outcome(each, source, with_it, tmp_path / f"{each.__name__}-{place}.csv")
        for place, with_it in enumerate((asked, without))
        for each in (in_memory, by_regions)
    ]
    if same[0] != same[2]:
        assert same[1] != same[3], f"{name} is ignored by regions"
    if isinstance(same[0], str) or isinstance(found, str):
        assert same[0] == found


def unread(every, path):
    """Return what stages read, but for an option."""
    return [Reads(tuple({*own.paths} - {path}), own.needs, own.whole) for own in every]


def test_an_option_that_no_stage_reads_fails_at_once():
    """A new option that no stage declares fails where stages are imported, with a sentence."""
    with pytest.raises(TypeError, match="no stage reads the option totals"):
        check_read(unread(READS, "release.totals"))


def test_what_no_stage_by_regions_reads_is_refused_by_its_name():
    """An option that only a stage in memory reads is refused, also where nobody wrote a word."""
    settings = build(tree_of({**USUAL, "round": {"pay": 50}}))
    assert needs_all_records(settings, READS, READS_BY_REGION) is None
    known = unread(READS_BY_REGION, "release.round")
    assert str(Message(needs_all_records(settings, READS, known))) == "round"

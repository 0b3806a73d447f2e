"""Five yearly releases of adult under a ledger: what each loses, and how many are withheld.

    python benchmarks/series/series.py [sets] [worlds] [records=10000] [effort=quick] [measure=no]
        [counterfeits=0.1]

Needs adult.csv and adult_hierarchies/ in the folder SHOAL_DATA. Every year a fifth of the people
leave and as many others come. Each release is compared with an independent one of the same people
that is l-diverse by itself. Prints a table a promise, and the bars: withheld at most 5 %, every
loss at most 1.6 times (1.35 on average is the aim), all in at most 120 s. The seconds of
the processor stand beside those of the clock, which are others on a busy machine. With measure=no
neither utility nor risk is measured; counterfeits are for worlds.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1]))
import shoal
from reference import adult, trees
from shoal.errors import PrivacyError
from shoal.pipeline.anonymize import anonymize_with
from shoal.settings.tree import settings_and_run

QUASI = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
OCCUPATION = "occupation"
K, L, YEARS, OVERLAP = 5, 2, 5, 0.8
WITHHELD, MOST, AIM, SECONDS = 0.05, 1.6, 1.35, 120.0


def people():
    """Return the records that have an occupation, each a person."""
    table = adult()
    columns = {name: table[name].values for name in [*QUASI, OCCUPATION]}
    whole = pa.table({"person": [f"p{row}" for row in range(table.rows)], **columns})
    return whole.filter(whole[OCCUPATION].is_valid())


def yearly(count, records):
    """Return the rows of each year: most of the year before, and new ones."""
    random = np.random.default_rng(1)
    order = random.permutation(count)
    now, used = order[:records], records
    years = [now]
    for _ in range(YEARS - 1):
        stays = random.permutation(now)[: int(OVERLAP * records)]
        come = order[used : used + records - stays.size]
        now, used = np.concatenate([stays, come]), used + come.size
        years.append(now)
    return years


def settings_for(effort, **series):
    """Return what every release is asked for."""
    options = {
        "k": K, "l": L, "quasi_identifiers": QUASI, "sensitive": [OCCUPATION],
        "hierarchies": trees(QUASI), "effort": effort, **series,
    }  # fmt: skip
    return settings_and_run(options)[0]


def one_series(whole, years, model, effort, alone, measured, counterfeits):
    """Release every year under a ledger; return a row for each, and the seconds of all."""
    rows = []
    seconds = np.zeros(2)  # of the clock, of the processor
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        series = {"person": "person", "withhold": 0.5, "over_series": model}
        if counterfeits and model == "worlds":
            series["counterfeits"] = counterfeits
        asked = settings_for(effort, ledger=place / "adult.ledger", **series)
        for number, year in enumerate(years):
            start = np.array([time.perf_counter(), time.process_time()])
            try:
                result = anonymize_with(whole.take(year), asked, measured=measured)
            except PrivacyError as error:
                print(f"  year {number + 1}: {error}")
                break
            result.save(place / str(number), report=False)
            seconds += np.array([time.perf_counter(), time.process_time()]) - start
            loss = result.partition.information_loss
            own = independent(whole.take(year), effort, alone, number)
            false = len(result.pending.counterfeits)
            rows.append((number + 1, result.pending.withheld, loss, own, false))
            print(f"  {model}, year {rows[-1]}, {seconds.round(1)} s", file=sys.stderr, flush=True)
        files = [place / str(number) / "release.csv" for number in range(len(rows))]
        judged = shoal.verify_series(files, place / "adult.ledger")
    return rows, seconds, judged


def independent(table, effort, alone, number):
    """Return the loss of a release that knows of no other; each year's once."""
    if number not in alone:
        bare = table.drop_columns(["person"])
        result = anonymize_with(bare, settings_for(effort), measured=False)
        alone[number] = result.partition.information_loss
    return alone[number]


def main(words):
    """Print the tables."""
    named = dict(word.split("=") for word in words if "=" in word)
    records, effort = int(named.get("records", 10_000)), named.get("effort", "quick")
    measured = named.get("measure", "yes") == "yes"
    models = [word for word in words if "=" not in word] or ["sets", "worlds"]
    whole = people()
    counterfeits = float(named.get("counterfeits", 0))
    years, alone = yearly(whole.num_rows, records), {}
    for model in models:
        rows, seconds, judged = one_series(
            whole, years, model, effort, alone, measured, counterfeits
        )
        ratios = [loss / own for _, _, loss, own, _ in rows]
        print(f"\n## {model}: {records:,} records a year, k = {K}, l = {L}, effort {effort}\n")
        print("| year | withheld | counterfeits | loss, % | independent, % | ratio |")
        print("|--:|--:|--:|--:|--:|--:|")
        for (year, withheld, loss, own, false), ratio in zip(rows, ratios, strict=True):
            shares = f"{withheld / records:.1%} | {false / records:.1%}"
            print(f"| {year} | {shares} | {loss:.2f} | {own:.2f} | {ratio:.2f} |")
        most = max(withheld for _, withheld, *_ in rows) / records
        print(
            f"\nwithheld at most {most:.1%} (bar {WITHHELD:.0%}); ratio at most {max(ratios):.2f} "
            f"(bar {MOST}), {np.mean(ratios):.2f} on average (aim {AIM}); {seconds[0]:.0f} s in "
            f"all (bar {SECONDS:.0f}), {seconds[1]:.0f} s of the processor; the judge: "
            f"{judged.summary().splitlines()[0]}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])

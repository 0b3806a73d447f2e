"""Figures 5 to 9 of the TFRP paper, information loss over k, and what its text says of them.

Chang, Li and Huang (2007), section 4.2: six methods on tarragona, census and EIA (figures 5 to 7,
reference tables, SHOAL_DATA), and on blocks of two pictures (figures 8 and 9, here pictures of our
own). The figures print no numbers, the text some: each is held against ours. `make study` runs it;
docs/studies gets a page, a CSV file and the charts (`losses_page.py`).
"""

from __future__ import annotations

from pathlib import Path

import losses_page
from pictures import blocks, picture

import shoal

METHODS = {
    "Diameter": "diameter", "Diameter+": "diameter-phase2", "Centroid": "centroid",
    "Centroid+": "centroid-phase2", "TFRP_I": "tfrp1", "TFRP": "tfrp",
}  # fmt: skip
TABLES = {"tarragona": "tarragona", "census": "census", "EIA": "eia10"}
SIZES = (*range(3, 11), *range(15, 51, 5))
PICTURE_SIZES = range(10, 81, 10)
SEEDS = {"first": 1, "second": 2}
DOCS = Path(__file__).parents[2] / "docs" / "studies"

# differences in percentage points, all above what the text compares with, and one loss
AT_45 = {"Diameter": 6.94, "Diameter+": 2.86, "Centroid": 4.29, "Centroid+": 2.49, "TFRP_I": 0.57}
AT_9 = {"Centroid": 0.28, "Diameter": 0.45, "Centroid+": 1.01, "Diameter+": 1.03, "TFRP": 1.20}
TFRP_I_AT_9 = 3.35


def losses(name, table, sizes):
    """The loss of every method at every k, by (name, the paper's name of the method, k)."""
    found = {}
    for k in sizes:
        for printed, method in METHODS.items():
            partition = shoal.microaggregate(table, k, method=method)
            found[name, printed, k] = partition.information_loss
        shown = "  ".join(f"{one} {found[name, one, k]:.3f}" for one in METHODS)
        print(f"{name}  k = {k}  {shown}", flush=True)
    return found


def by_phase_one(table, k):
    """Losses of Diameter+ and Centroid+ where large groups are split by phase I of TFRP."""
    return {
        f"{printed}+": shoal.refine(
            table, shoal.microaggregate(table, k, method=METHODS[printed]).labels, k, how="phase2"
        ).information_loss
        for printed in ("Diameter", "Centroid")
    }


def least(found, name, k):
    """The method that loses least."""
    return min(METHODS, key=lambda one: found[name, one, k])


def most(found, name, k):
    """The method that loses most."""
    return max(METHODS, key=lambda one: found[name, one, k])


def numbers(found):
    """Losses that follow from the text: (place, method, printed, found)."""
    tfrp = found["census", "TFRP", 45]
    after = [("census, k = 45", one, round(26.721 + more, 2), found["census", one, 45])
             for one, more in AT_45.items()]  # fmt: skip
    after += [("EIA, k = 9", one, round(TFRP_I_AT_9 - less, 2), found["EIA", one, 9])
              for one, less in AT_9.items()]  # fmt: skip
    return [
        ("census, k = 45", "TFRP", 26.72, tfrp),
        *after,
        ("EIA, k = 9", "TFRP_I", TFRP_I_AT_9, found["EIA", "TFRP_I", 9]),
    ]


def where(sizes, holds):
    """Those of some sizes for which something does not hold."""
    return [k for k in sizes if not holds(k)]


def claims(found):
    """What the text says of the figures: (claim, where it should hold, where it does not)."""
    pairs = ("Diameter", "Diameter+"), ("Centroid", "Centroid+"), ("TFRP_I", "TFRP")
    told = [
        (f"phase II lowers the loss on {name}", SIZES,
         where(SIZES, lambda k, name=name: all(
             found[name, two, k] < found[name, one, k] for one, two in pairs)))
        for name in TABLES
    ]  # fmt: skip
    eight = (5, 7, 9, 20, 35, 40, 45, 50)
    last = [k for k in SIZES if k >= 10]
    rest = [k for k in SIZES if k > 3]

    def compared(k):
        return [found["EIA", one, k] - found["EIA", "TFRP", k] for one in ("Diameter", "Centroid")]

    return [
        *told,
        ("TFRP_I loses most on tarragona", (3, 4),
         where((3, 4), lambda k: most(found, "tarragona", k) == "TFRP_I")),
        ("TFRP loses least on tarragona", rest,
         where(rest, lambda k: least(found, "tarragona", k) == "TFRP")),
        ("TFRP loses least on census", last,
         where(last, lambda k: least(found, "census", k) == "TFRP")),
        ("TFRP loses least on EIA", eight,
         where(eight, lambda k: least(found, "EIA", k) == "TFRP")),
        ("TFRP loses less than Diameter and Centroid on EIA", (5, 7),
         where((5, 7), lambda k: min(compared(k)) > 0)),
        ("Diameter and Centroid lose less than TFRP on EIA", (6,),
         where((6,), lambda k: max(compared(k)) < 0)),
        ("TFRP_I loses most on EIA", (3, 4, 5, 6),
         where((3, 4, 5, 6), lambda k: most(found, "EIA", k) == "TFRP_I")),
    ]  # fmt: skip


def main():
    """Measure all losses; write."""
    found = {}
    for name, table in TABLES.items():
        found |= losses(name, shoal.datasets.load(table), SIZES)
    for name, seed in SEEDS.items():
        image = picture(seed)
        for side in (2, 4):
            found |= losses(f"{name} picture, {side} × {side}", blocks(image, side), PICTURE_SIZES)
    split = by_phase_one(shoal.datasets.load("census"), 45)
    losses_page.write(DOCS, found, METHODS, numbers(found), claims(found), split)


if __name__ == "__main__":
    main()

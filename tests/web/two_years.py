"""A walk through the desk: this year's file is published after last year's, from the page alone."""

from __future__ import annotations

import random

from browsers import expect

RUN = 1_200  # seconds that a run may take


def _stays(walk):
    """Write last year's stays and this year's: most people are in both, a year older."""
    rng = random.Random(7)
    people = [
        (f"P{i:05d}", rng.randrange(18, 90), rng.choice("fm"), 100 * rng.randrange(10, 60) + 7)
        for i in range(900)
    ]
    for year, some in ((2025, people[:700]), (2026, people[150:])):
        lines = ["patient,age,sex,postcode,days,diagnosis,cost"]
        for patient, age, sex, postcode in some:
            diagnosis = rng.choice(["flu", "asthma", "diabetes", "heart failure", "fracture"])
            lines.append(f"{patient},{age + year - 2025},{sex},{postcode},{rng.randrange(1, 30)},"
                         f"{diagnosis},{rng.randrange(500, 9000)}")  # fmt: skip
        (walk.folder / f"stays_{year}.csv").write_text("\n".join(lines) + "\n")


def _year(walk, year, ledger):
    """Publish the stays of a year under a ledger, which is chosen or begun by `ledger`."""
    page = walk.page
    page.upload(walk.folder / f"stays_{year}.csv")
    page.on("rows").wait_for()
    walk.see(f"{year}-open")
    for step in ("columns", "risk", "protection"):
        walk.next(step, year)
    page.unfold("series")
    walk.clicks += 1
    walk.see(f"{year}-ledger-before")
    ledger()
    expect(page.on("series-person")).to_have_value("0")  # the one column that names people
    walk.ready("protection")
    walk.see(f"{year}-ledger")
    for step in ("preview", "run"):
        walk.next(step, year)
    walk.click("run")
    page.tab.wait_for_url("**/jobs/*")
    verdict = page.verdict(RUN)
    walk.scroll()
    walk.see(f"{year}-judge")
    walk.next("take", year)
    return verdict


def years(walk):
    """This year's stays after last year's: a ledger is begun with one and chosen for the other."""
    page = walk.page
    _stays(walk)

    def begin():
        page.unfold("ledger-new")
        page.on("ledger-name").fill("stays")
        walk.click("ledger-begin")
        expect(page.on("ledger-holds")).to_contain_text("this one will be the first")

    def choose():
        page.on("ledger").select_option(label="stays.ledger")
        expect(page.on("ledger-holds")).to_contain_text("stays_2025.csv")

    _year(walk, 2025, begin)
    page.tab.goto(f"http://127.0.0.1:{page.desk.port}/")
    return _year(walk, 2026, choose)

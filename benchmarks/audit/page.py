"""The page of the audit, made of its csv files alone."""

from __future__ import annotations

import platform

import shoal
from telling import read, several, table, wrapped, write_page

NAIVE = "a naive rule"


FIGURES = ("by_classes", "by_method", "by_both", "gain")


def minimality_text(there):
    """The worst posteriors; methods with the same figures share a line."""
    rows = there["minimality"]
    lines = {}
    for asked, ill, method in several(rows, "asked", "sensitive", "method"):
        of = {"asked": asked, "sensitive": ill, "method": method}
        some = [row for row in rows if of.items() <= row.items()]
        figures = tuple(f"{max(float(row[key]) for row in some):.3f}" for key in FIGURES)
        refused = any(int(row["refused"]) for row in some)
        name = method if method == NAIVE else f"`{method}`"
        lines.setdefault((asked, ill, figures, refused), []).append(name)
    places = [line[:2] for line in several(rows, "asked", "sensitive")]
    lines = dict(sorted(lines.items(), key=lambda line: places.index(line[0][:2])))
    cells = [
        [asked, ill, ", ".join(names), *figures, "some" if refused else "none"]
        for (asked, ill, figures, refused), names in lines.items()
    ]
    worlds = sum(int(row["worlds"]) for row in rows)
    return [
        "## Minimality",
        wrapped("""A method that does no more than it must gives away why it had to. If records
            are generalized only where too many of a group are ill, then whoever sees generalized
            records, and knows the rule, knows who was ill (Wong, Fu, Wang and Pei 2007). The
            auditor takes six people whose quasi-identifiers everyone knows, releases every table
            that there could be (two of the six are ill, or three, or nobody knows how many), and
            counts of all tables with the same release in how many a person is ill. All numbers
            are the worst over all releases, people and sets of quasi-identifiers: five where two
            are ill, two where three are, one where nobody knows how many."""),
        table(["asked", "known before", "methods", "by the classes", "by the method", "by both",
               "gain", "refused"], cells, left=3),
        wrapped("""*By the classes*: how sure someone can be of an illness who knows who is in
            which class, and not the method: the largest share of the ill in a class. *By the
            method*: who knows the method, its settings and its seed, and sees the release. *By
            both*: who is told the classes too. *Gain* is the most that the method adds to the
            classes, for any one person. *Refused* are worlds for which there is no such release:
            an error, no table."""),
        wrapped("""**With k alone** the sensitive column has no say in the groups: the gain is 0
            for every method, and what a class shows, it shows to everyone. That is why classes of
            one illness reach 1: k-anonymity says nothing about them."""),
        wrapped("""**With l = 2** every class holds both values, and by the classes alone nobody is
            surer than the share in a class. But the groups depend on the sensitive values, and
            whoever knows the method can be sure of an illness, as with the naive rule: **no method
            with l is safe against people who know it and everybody's quasi-identifiers**, and none
            is called so; the same must be expected of t and alpha, which are not measured here.
            Merging groups that lack values
            (`enforce="merge"`), in the place of exchanging records, tells less with methods that
            do not search. The report of every release says so under *Minimality*."""),
        wrapped(f"""{worlds:,} worlds were released for this table."""),
    ]  # fmt: skip


def downcoding_text(there):
    """The generalized cells that can be undone, by domain and method."""
    cells = [
        [row["domain"], row["records"], f"`{row['method']}`" if row["method"] != NAIVE else NAIVE,
         *(f"{float(row[key]):.3f}" for key in ("one", "known", "posterior", "alone")),
         f"{int(row['tables']):,}"]
        for row in there["downcoding"]
    ]  # fmt: skip
    return [
        "## Downcoding",
        wrapped("""A generalized value can sometimes be narrowed down from the release alone,
            without knowing anybody: the least generalization was sought, so originals that would
            have needed less are ruled out (Cohen 2022). The auditor releases every table of four
            or six records over a small domain, k = 2, and looks at all tables with the same
            release. *tree*: four values below two nodes below a root; *tree and sign*: with another
            column of two values; *ranges*: the numbers 1 to 5, released as least and greatest."""),
        table(["domain", "records", "method", "one original", "class known", "sure of it",
               "by the cell", "tables"], cells, left=3),
        wrapped("""*One original*: the share of generalized cells that only one original is
            consistent with. *Class known*: the share in classes whose originals are all known, but
            for who of the class has which: a range of two records ends in both of them, and two
            different values below a node of two are both. *Sure of it*: how likely the true
            original of a cell is, on average, for whoever knows the method; *by the cell*: for
            whoever knows only what the cell says. Records of a class are released alike, and their
            common generalization is needed by at least two of them: so no cell of our methods has
            one original only. The naive rule gives each value the lowest node above two records;
            it is there to show that the auditor finds what it looks for."""),
        wrapped("""Larger k and larger classes leave more open; fixed intervals (`widths`, `cuts`)
            in the place of ranges show no value of a record. `tests/attacks/test_audit.py` holds
            those of four records with tree and sign, and of ranges of five, as ceilings."""),
    ]  # fmt: skip


TEXTS = {"minimality": minimality_text, "downcoding": downcoding_text}


def write(folder):
    """Write the page, of the parts that were measured."""
    there = {name: rows for name in TEXTS if (rows := read(folder, name))}
    opening = f"""Shoal {shoal.__version__}: what someone who knows the method can tell from a
        release, by going through every table there could have been. Toy tables are small enough
        for that, and too small for comfort: k is 2 and the groups are as small as groups can be.
        The figures compare methods, and are no estimate for tables of thousands. Made by `make
        audit` with Python {platform.python_version()}; the csv files beside this page hold all
        of them, `tests/auditor.py` is the auditor, which knows nothing of Shoal."""
    told = {part: TEXTS[part](there) for part in TEXTS if part in there}
    write_page(folder, "An audit of possible worlds", opening, told, {})

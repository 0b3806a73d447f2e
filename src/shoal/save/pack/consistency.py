"""Consistency of a pack: its papers against each other and against the release."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError, shown
from shoal.hints import option
from shoal.judge.csv_text import Written
from shoal.judge.engine import Engine, quoted
from shoal.judge.reading import files_of, opened
from shoal.judge.requirement import OF_COLUMNS
from shoal.judge.verdict import Verification
from shoal.judge.verify import verify
from shoal.release.claims import requirements_beyond_k
from shoal.report.fields import MOST, SAFE
from shoal.report.reload import load_report
from shoal.save.commitments import Commitments, same
from shoal.save.pack.certificate import (
    DICTIONARY,
    README,
    SCHEMA_NAME,
    Certificate,
    certificate_of,
    promises,
    schema_json,
)
from shoal.save.pack.readme import readme
from shoal.save.pack.recipe import lacks
from shoal.settings import COMMITTED, Settings, load, split_key
from shoal.table.files.opening import digest_of
from shoal.table.hierarchy.specify import is_file
from shoal.version import __version__


@dataclass(frozen=True)
class Papers:
    """The papers of a pack: certificate, report, recipe, dictionary."""

    place: Path
    made: Certificate
    report: dict[str, Any]
    recipe: Settings
    types: dict[str, str]

    @classmethod
    def of(cls, place: Path, made: Certificate) -> Papers:
        """Read them."""
        report = json.loads((place / "report.json").read_text(encoding="utf-8"))
        text = (place / DICTIONARY).read_text(encoding="utf-8")
        lines = csv.DictReader(io.StringIO(text, newline=""))
        types = {line["column"]: line["type"] for line in lines}
        return cls(place, made, report, load(place / made.recipe), types)

    def compared(
        self,
        trees: Mapping[str, str],
        orders: Mapping[str, Sequence[str]],
        known: Commitments | None,
        done: list[str],
        left: list[str],
    ) -> list[str]:
        """Verify the release anew, and the papers against it; return what does not hold."""
        given, problems = self._given(trees, orders, known, left)
        if problems:
            return problems
        verification = self._verified(given)
        if isinstance(verification, str):
            return [verification]
        try:
            problems = [
                *verification.problems,
                *self._certificate(verification),
                *self._papers(verification),
            ]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            problems = ["the report is about something else than the certificate"]
        if problems and self.made.versions.get("shoal") != __version__:
            problems.append(
                f"this is shoal {__version__}; check the pack with the version it names"
            )
        if not problems:
            done.append(
                f"{verification.records:,} records in {verification.classes:,} classes, the "
                f"smallest of {verification.k}: k = {self.made.claims.k} holds"
            )
            done += [
                f"{one.label}: {one.found_text}, asked {one.asked:g}" for one in verification.models
            ]
            done.append("certificate, report, recipe and README say the same")
        return problems

    def _given(
        self,
        trees: Mapping[str, str],
        orders: Mapping[str, Sequence[str]],
        known: Commitments | None,
        left: list[str],
    ) -> tuple[dict[str, Any], list[str]]:
        """Return trees and orders that verify takes: those of the recipe, and those given."""
        recipe, needs, problems = self.recipe, self.made.claims.needs, []
        requirement = recipe.requirement
        by_t = [n for n in recipe.roles.sensitive if requirement.threshold("t", n) is not None]
        given: dict[str, Any] = {
            "hierarchies": {n: recipe.hierarchies[n] for n in by_t if n in recipe.hierarchies},
            "orders": {n: list(recipe.orders[n]) for n in by_t if n in recipe.orders},
        }
        for name in needs.get("hierarchies", ()):
            recipe_rule = recipe.hierarchies.get(name, "")
            if name not in trees:
                problems.append(
                    f"t-closeness of {shown(name)} needs its hierarchy: say "
                    f"{option('hierarchies', python='trees')}"
                )
                continue
            rule = given["hierarchies"][name] = trees[name]
            if known is None:
                left.append(_uncompared("hierarchy", name))
            elif not is_file(rule) or not same(
                COMMITTED + known.of_hierarchy(name, digest_of(Path(rule))), recipe_rule
            ):
                problems.append(f"the hierarchy of {shown(name)} is not the one that was certified")
        for name in needs.get("orders", ()):
            if name not in orders:
                problems.append(
                    f"t-closeness of {shown(name)} needs its order: say {option('orders')}"
                )
                continue
            order = given["orders"][name] = list(orders[name])
            if known is None:
                left.append(_uncompared("order", name))
            elif not same(COMMITTED + known.of_order(name, order), recipe.orders[name][0]):
                problems.append(f"the order of {shown(name)} is not the one that was certified")
        return {what: rule for what, rule in given.items() if rule}, problems

    def _verified(self, given: Mapping[str, Any]) -> Verification | str:
        """Verify the release against the claims of the certificate; else return why not."""
        claims, release = self.made.claims, self.made.release
        arguments = claims.model_dump(exclude={"needs", "k_of"})
        arguments["l_of"] = {split_key(key): least for key, least in claims.l_of.items()}
        if not claims.l_of and all(getattr(claims, what) is None for what in OF_COLUMNS):
            arguments = {"k": claims.k, "quasi_identifiers": claims.quasi_identifiers}
        try:
            return verify(
                self.place / release.file,
                **arguments,
                **given,
                k_of={split_key(key): k for key, k in claims.k_of.items()},
                **release.text,
                kind=release.kind,
                records=release.records,
                columns=release.columns,
                keep=release.columns,
            )
        except ShoalError as error:
            return f"what is claimed cannot be verified: {error.marked}"

    def _certificate(self, verification: Verification) -> list[str]:
        """Make the certificate again of the other files; return the fields where it differs."""
        made = self.made
        again = certificate_of(
            self.report, self.recipe, self.types, verification, made.files, made.issued
        )
        return [
            f"the certificate's {name.rstrip('_')} is not what report, recipe and release say"
            for name in type(made).model_fields
            if getattr(made, name) != getattr(again, name)
        ]

    def _papers(self, verification: Verification) -> list[str]:
        """Compare report, recipe and README with each other and with the released file."""
        report, recipe, made = self.report, self.recipe, self.made
        release, problems = report["release"], []
        hidden = {*recipe.roles.identifiers, *recipe.roles.drop}
        same_ = (
            report["k"] == recipe.protect.k
            and release["sha256"] == made.files[made.release.file].sha256
            and release["order"] == made.release.order
            and (release["records"], release["columns"])
            == (verification.records, made.release.columns)
            and report["verification"]["k"] == verification.k
            and report["asked"] == requirements_beyond_k(recipe.requirement)
            and report["guarantee"] == promises(report, recipe, verification.k)
            and report["input"]["commitment"] == recipe.input.commitment
            and report["verdict"] == made.verdict
        )
        if not same_:
            problems.append("the report is about something else than recipe and release")
        if recipe.input.path is not None or hidden & set(made.release.columns):
            problems.append("the recipe is of something else than the certificate")
        own_report, _ = load_report(self.place / "report.json")
        if own_report.verdict != made.verdict or (
            made.verdict == SAFE and self._singled_out() > MOST
        ):
            problems.append("the verdict is not what report and release say")
        texts = {SCHEMA_NAME: schema_json(), README: readme(own_report, recipe, lacks(recipe))}
        for name, text in texts.items():
            if (self.place / name).read_bytes() != text.encode("utf-8"):
                problems.append(f"{name} is not what report and recipe say")
        return problems

    def _singled_out(self) -> float:
        """Return the share of records that kept columns single out in their class, at least.

        Cells of csv that are one number count as equal, whatever their kind was.
        """
        release, roles = self.made.release, self.recipe.roles
        grouped = self.made.claims.quasi_identifiers
        kept = [n for n in release.columns if n not in (*grouped, *roles.sensitive)]
        if not kept:
            return 0.0
        path = self.place / release.file
        with Engine(files_of(path, release.kind)) as engine:
            source = opened(engine, path, release.kind, Written(**release.text))
            cells = [quoted(name) for name in (*grouped, *kept)]
            if source.as_text:
                cells = [f"coalesce(TRY_CAST({one} AS DOUBLE)::VARCHAR, {one})" for one in cells]
            alone, every = engine.rows(
                "SELECT count(*) FILTER (n = 1), coalesce(sum(n), 0) FROM ("
                f"SELECT count(*) AS n FROM {source.table} GROUP BY {', '.join(cells)})"
            )[0]
        return 100.0 * int(alone) / max(int(every), 1)


def _uncompared(what: str, name: str) -> str:
    return (
        f"whether the {what} of {shown(name)} is the one that was certified cannot be told without "
        f"the private folder: say {option('private')}"
    )

"""The search log as a section of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.html.frame import escape, figure

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields


def search(report: ReportFields, svgs: dict[str, str | None]) -> str:
    """How the groups were searched for: the loss curve, and what brought the gain."""
    log = report.search
    if log is None:
        if report.bound is None:
            return ""
        text = escape(report.bound["told"])
        return f"<h2>How the groups were found</h2>\n<p>The grouping is {text}.</p>"
    runs = f"{log['runs']} searches of " if log["runs"] > 1 else ""
    on_trees, rounds = "regroup" in log["gains"], "programme" in log["gains"]
    first = f"{log['loss_first_optimum']:.4f} % at the first local optimum and "
    text = (
        f"The loss of the groups fell from {log['loss_start']:.4f} % at the start to "
        f"{'' if on_trees else first}{log['loss_end']:.4f} % "
        f"at the end, in {runs}{log['iterations']:,} {'rounds' if rounds else 'iterations'} and "
        f"{log['seconds']:.1f} seconds; ended by: {escape(log['stopped_by'])}."
    )
    if report.bound is not None:
        text += f" The grouping is {escape(report.bound['told'])}."
    head = "".join(f"<th class=n>{label}</th>" for label in ("applied", "new best", "gain"))
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td class=n>{part['applied']:,.0f}</td>"
        f"<td class=n>{_count(part.get('improved'))}</td><td class=n>{part['gain']:.4f} %</td></tr>"
        for name, part in log["gains"].items()
    )
    curve = ""
    if "loss curve" in svgs:
        steps = "rounds" if rounds else "iterations"
        caption = f"The best loss so far; the axis of {steps} is logarithmic."
        curve = f'<div class="charts">{figure(svgs["loss curve"], caption)}</div>'
    return (
        f'<h2>How the groups were found</h2>\n<p>{text}</p>{curve}<div class="table"><table>'
        f'<tr><th>step</th>{head}</tr>{rows}</table></div><p class="soft">'
        f"{ON_TREES if on_trees else IN_ROUNDS if rounds else ON_NUMBERS}</p>"
    )


ON_NUMBERS = (
    "Gains of a perturbation (dissolve, distill) are what its iterations took off the best loss; "
    "those of a move (shift, swap) are summed over all groupings the search went through, and undo "
    "what perturbations cost."
)


def _count(number: float | None) -> str:
    return "–" if number is None else f"{number:,.0f}"


IN_ROUNDS = (
    "Searches find groups; dives choose among the fractions of a linear programme over all groups; "
    "the integer programme combines the groups that cost least; neighborhoods are groups that were "
    "freed and grouped anew. Applied: how often; new best: how often that lost less."
)
ON_TREES = (
    "A perturbation (dissolve a group, form or split groups around a record anew) may add to the "
    "loss at first, less and less later (simulated annealing); then the search returns to the best "
    "groups so far, groups of 2k records and more are split, and shifts and swaps follow."
)

"""What a measure means: one sentence for a decision, the formula, and where it comes from.

The documentation's page is made of these, the reports quote the sentences.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Definition:
    """A measure in words; `sentence` holds {value} and {rest} where the figures go.

    `side` is utility or risk, `unit` percent, number or count, `better` which way is good.
    """

    key: str
    title: str
    side: str
    unit: str
    better: str
    sentence: str
    formula: str
    source: str

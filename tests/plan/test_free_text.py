"""Free text in kept columns."""

from __future__ import annotations

import pytest

import shoal
from shoal.errors import RequestError

AGES = [20, 21, 22, 40, 41, 42]
NOTES = [f"patient number {n} came with a cough from ward {n}" for n in range(6)]


@pytest.mark.parametrize("role", ["sensitive", "other"])
def test_free_text_is_refused(role):
    """A kept column of unique sentences is refused in one line that says how to leave it out."""
    with pytest.raises(RequestError, match="drop") as caught:
        shoal.anonymize({"age": AGES, "notes": NOTES}, 3, method="mdav",
                        quasi_identifiers=["age"], **{role: ["notes"]})  # fmt: skip
    assert "cough" not in str(caught.value)


def test_free_text_is_dropped_or_allowed():
    """It can be left out, by a step too, or released on request; sentences that repeat are none."""
    options = {"method": "mdav", "quasi_identifiers": ["age"]}
    made = shoal.anonymize({"age": AGES, "notes": NOTES}, 3, steps=["drop notes"], **options)
    assert list(made.data) == ["age"]
    with pytest.warns(shoal.PrivacyWarning):
        made = shoal.anonymize({"age": AGES, "notes": NOTES}, 3, other=["notes"],
                               keep_unique=["notes"], **options)  # fmt: skip
    assert made.data["notes"] == NOTES
    answers = ["I agree with this in every way", "I do not agree with this at all"] * 3
    made = shoal.anonymize({"age": AGES, "a": answers}, 3, sensitive=["a"], **options)
    assert sorted(made.data["a"]) == sorted(answers)

"""Ordinal words in use, the least first, in six languages: none, mild, moderate, severe."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

FEWEST = 3  # different words that show a scale
SCALES = (
    "none, mild, moderate, severe, very severe",
    "never, rarely, sometimes, often, always",
    "very low, low, medium, high, very high",
    "low, moderate, high",
    "poor, fair, good, very good, excellent",
    "very bad, bad, fair, good, very good",
    "strongly disagree, disagree, neutral, agree, strongly agree",
    "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
    "small, medium, large",
    "primary, secondary, tertiary",
    "keine, leicht, mittel, schwer, sehr schwer",
    "keine, leicht, mäßig, stark, sehr stark",
    "nie, selten, manchmal, oft, immer",
    "sehr niedrig, niedrig, mittel, hoch, sehr hoch",
    "gering, mittel, hoch",
    "sehr schlecht, schlecht, mittelmäßig, gut, sehr gut",
    "klein, mittel, groß",
    "aucun, léger, modéré, sévère, très sévère",
    "jamais, rarement, parfois, souvent, toujours",
    "très faible, faible, moyen, élevé, très élevé",
    "bas, moyen, haut",
    "très mauvais, mauvais, moyen, bon, très bon",
    "petit, moyen, grand",
    "ninguno, leve, moderado, grave, muy grave",
    "ninguno, leve, moderado, severo, muy severo",
    "nunca, rara vez, a veces, a menudo, siempre",
    "muy bajo, bajo, medio, alto, muy alto",
    "muy malo, malo, regular, bueno, muy bueno",
    "geen, licht, matig, ernstig, zeer ernstig",
    "nooit, zelden, soms, vaak, altijd",
    "zeer laag, laag, gemiddeld, hoog, zeer hoog",
    "laag, midden, hoog",
    "zeer slecht, slecht, matig, goed, zeer goed",
    "nessuno, lieve, moderato, grave, molto grave",
    "mai, raramente, a volte, spesso, sempre",
    "molto basso, basso, medio, alto, molto alto",
    "pessimo, scarso, sufficiente, buono, ottimo",
)
SPELLINGS: tuple[Callable[[str], str], ...] = (str.lower, str.capitalize, str.title, str.upper)


@cache
def _scales() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(scale.split(", ")) for scale in SCALES)


def scale_of(values: Collection[str]) -> tuple[str, ...] | None:
    """Return the scale, spelled as the values are, that holds all of them; None where none does.

    Its words are those of this file, whether or not a record has them.
    """
    known = set(values)
    if len(known) < FEWEST:
        return None
    for scale in _scales():
        for spelled in SPELLINGS:
            words = tuple(map(spelled, scale))
            if known.issubset(words):
                return words
    return None

"""Steps beside grouping, the slow way: one record after the other, in fractions and dates."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from datetime import date
from fractions import Fraction


def words(secret, use, count):
    """Return random whole numbers of 53 bits from SHAKE-256."""
    text = json.dumps(["shoal-steps/1", secret, *use]).encode()
    stream = hashlib.shake_256(text).digest(8 * count)
    return [int.from_bytes(stream[8 * i : 8 * i + 8], "little") >> 11 for i in range(count)]


def normals(secret, use, count):
    """Return normal numbers by Box and Muller, of pairs from the two halves of the uniforms."""
    half = (count + 1) // 2
    drawn = [word / 2**53 for word in words(secret, use, 2 * half)]
    radius = [math.sqrt(-2 * math.log1p(-u)) for u in drawn[:half]]
    angle = [2 * math.pi * u for u in drawn[half:]]
    both = [r * math.cos(a) for r, a in zip(radius, angle, strict=True)]
    both += [r * math.sin(a) for r, a in zip(radius, angle, strict=True)]
    return both[:count]


def half_even(value, unit):
    """Return the nearest multiple of a unit, of two the even one."""
    return round(Fraction(value) / Fraction(unit)) * Fraction(unit)


def top_mean(values, at):
    """Return whole numbers with those above a threshold at their mean, rounded half to even."""
    beyond = [value for value in values if value > at]
    mean = round(Fraction(sum(beyond), len(beyond))) if beyond else None
    return [mean if value > at else value for value in values]


def top_limit(values, share, k):
    """Return the threshold of a share: an order statistic, rounded down to a step of 1, 2 or 5."""
    ordered = sorted(values)
    some = math.ceil(Fraction(str(share)) * len(ordered))
    place = len(ordered) - some - 1
    width = ordered[min(len(ordered) - 1, place + k)] - ordered[max(0, place - k)]
    if not width:
        return ordered[place]
    steps = [m * Fraction(10) ** e for e in range(-12, 20) for m in (1, 2, 5)]
    step = min(one for one in steps if one >= width)
    return math.floor(Fraction(ordered[place]) / step) * step


def age_at(born, at):
    """Return the completed years of somebody at a date."""
    return at.year - born.year - ((at.month, at.day) < (born.month, born.day))


def first_day(day, period):
    """Return the first day of the period that a date lies in."""
    if period == "decade":
        return date(day.year - day.year % 10, 1, 1)
    months = {"month": 1, "quarter": 3, "year": 12}[period]
    return date(day.year, (day.month - 1) // months * months + 1, 1)


def merged(values, least, label):
    """Return texts with rare ones merged; the next rarest too, while all are fewer than needed."""
    counts = Counter(value for value in values if value is not None)
    order = sorted(counts, key=lambda value: (counts[value], value))
    gone = [value for value in order if counts[value] < least and value != label]
    if not gone:
        return list(values)
    rest = [value for value in order if value not in gone and value != label]
    while sum(counts[value] for value in {*gone, label}) < least and rest:
        gone.append(rest.pop(0))
    return [label if value in gone else value for value in values]


def linked(known, released, classes):
    """Return how often the nearest record of a class is one's own, in percent: one number each."""
    mean = sum(known) / len(known)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in known) / len(known)) or 1.0
    chance = 0.0
    for i, x in enumerate(known):
        mine = [j for j in range(len(known)) if classes[j] == classes[i]]
        far = {j: ((x - released[j]) / deviation) ** 2 for j in mine}
        near = [j for j in mine if far[j] <= min(far.values()) + 1e-9]
        chance += (i in near) / len(near)
    return 100 * chance / len(known)

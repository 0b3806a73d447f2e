"""What a release costs and what it gives away, by plain loops over lists of rows.

A table is a list of rows, a missing cell is None. `numbers` says of every column whether its
originals are numbers; a released number is a number, or the text of one, of an interval [a,b] or
[a,b), or of a star. Where a measure does not apply the answer is None. Shares are percents.
"""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from statistics import mean, stdev, variance

TIE = 1 + 1e-9


# --- cells and classes


def is_star(cell):
    """Whether a released cell says nothing."""
    return cell is None or cell == "*"


def said(cell):
    """The least and the greatest that a released number can be; None where it says nothing."""
    if is_star(cell):
        return None
    if isinstance(cell, str) and cell.startswith("["):
        low, high = cell[1:-1].split(",")
        return float(low), float(high)
    return float(cell), float(cell)


def middle(cell):
    """The released number, of an interval its middle; None where nothing is said."""
    span = said(cell)
    return None if span is None else (span[0] + span[1]) / 2


def column(rows, j):
    """One column."""
    return [row[j] for row in rows]


def present(values):
    """What is not missing."""
    return [value for value in values if value is not None]


def classes(release):
    """The records of every class, in order of first appearance."""
    found = {}
    for i, row in enumerate(release):
        found.setdefault(tuple(row), []).append(i)
    return list(found.values())


def spread(values):
    """The standard deviation (n - 1) of what is not missing, 0 where there are not two values."""
    there = present(values)
    return stdev(there) if len(there) > 1 else 0.0


def spreads(original, numbers):
    """The standard deviation of every column of numbers, 0 for the others."""
    return [spread(column(original, j)) if numbers[j] else 0.0 for j in range(len(numbers))]


def varying(original, numbers):
    """The columns of numbers that vary."""
    return [j for j, s in enumerate(spreads(original, numbers)) if s > 0]


def pairs(original, release, j):
    """The original and the released number of all cells that are numbers before and after."""
    both = [(x, middle(y)) for x, y in zip(column(original, j), column(release, j), strict=True)]
    return [(x, y) for x, y in both if x is not None and y is not None]


def share(part, whole):
    """Percent; None of nothing."""
    return 100 * part / whole if whole else None


# --- risks that the release alone tells


def prosecutor(release):
    """The smallest class."""
    return 100 / min(len(group) for group in classes(release))


def above(release, size):
    """Records in classes of fewer than so many."""
    return share(sum(len(g) for g in classes(release) if len(g) < size), len(release))


def sample_uniques(release):
    """Records alone in their class."""
    return above(release, 2)


def alone(rows):
    """Records whose row no other record has."""
    every = [tuple(row) for row in rows]
    return 100 * sum(every.count(row) == 1 for row in every) / len(every)


def alone_in_class(release, kept):
    """Records whose kept cells no other record of their class has."""
    return alone([(*row, *own) for row, own in zip(release, kept, strict=True)])


def expected_inverse(f, total):
    """E[1/F | f] of a negative binomial F >= f with p = f / total, term by term."""
    p = f / total
    if p >= 1:
        return 1 / f
    terms, size, weight = [], f, p**f
    while size < total or weight > 1e-20:  # from the mean f / p = total on they only fall
        terms.append(weight / size)
        weight *= size / (size - f + 1) * (1 - p)
        size += 1
    return math.fsum(terms)


def inverses(release, weights):
    """Of every class its size and the expected 1 / F."""
    return [
        (len(g), expected_inverse(len(g), math.fsum(weights[i] for i in g)))
        for g in classes(release)
    ]


def marketer(release, weights=None):
    """The mean over records of 1 / F; without weights F is the class's size."""
    if weights is None:
        return share(sum(len(g) * Fraction(1, len(g)) for g in classes(release)), len(release))
    return share(math.fsum(f * inverse for f, inverse in inverses(release, weights)), len(release))


def journalist(release, weights):
    """The largest expected 1 / F of a class."""
    return 100 * max(inverse for _, inverse in inverses(release, weights))


def population_uniques(release, weights):
    """The sum of 1 / w over the records alone in their class, by n."""
    alone = [g[0] for g in classes(release) if len(g) == 1]
    return share(math.fsum(1 / weights[i] for i in alone), len(release))


def certain_inference(release, sensitive):
    """Records with a value whose class has no other; `sensitive` is a list of columns."""
    found = []
    for values in sensitive:
        certain = 0
        for group in classes(release):
            having = [values[i] for i in group if values[i] is not None]
            if len(set(having)) == 1:
                certain += len(having)
        found.append(share(certain, len(release)))
    return max(found)


def class_inference(release, sensitive):
    """How much oftener the class's most frequent value is right than the table's."""
    found = []
    for values in sensitive:
        right = sum(max(Counter(values[i] for i in g).values()) for g in classes(release))
        found.append(100 * (right - max(Counter(values).values())) / len(release))
    return max(found)


def tenths(values):
    """Where nine cuts lie, on a straight line between the two values around each; each once."""
    order, cuts = sorted(values), set()
    for tenth in range(1, 10):
        place = (len(order) - 1) * (tenth / 10)
        low = math.floor(place)
        high, t = min(low + 1, len(order) - 1), place - low
        wide = order[high] - order[low]
        cuts.add(order[low] + wide * t if t < 0.5 else order[high] - wide * (1 - t))
    return sorted(cuts)


def learned_from(original, release, numbers):
    """What a model sees: of every column its few values before and after, and how many there are.

    None where the last bit of a cut would decide.
    """
    found = []
    for j, is_number in enumerate(numbers):
        if is_number:
            after = [middle(cell) for cell in column(release, j)]
            cuts = tenths(present(after)) if present(after) else []
            every = present(column(original, j)) + present(after)
            if any(
                v != cut and abs(v - cut) < 1e-9 * max(1, abs(v)) for v in every for cut in cuts
            ):
                return None

            def tenth(v, cuts=cuts):
                return None if v is None else sum(1 for cut in cuts if cut <= v)

            parts = [[tenth(v) for v in part] for part in (column(original, j), after)]
            found.append((*parts, len(cuts) + 1))
        else:
            before = column(original, j)
            said_ = [None if is_star(cell) else cell for cell in column(release, j)]
            found.append((before, said_, len(set(present(before)))))
    return found


def model_inference(original, release, numbers, truth, folds):
    """How much oftener naive Bayes is right than the base rate, on folds it was not trained on.

    `truth` is the sensitive column, the same before and after, `folds` says which fold a record is
    in. None where two guesses are equally likely, so that the last bit would decide.
    """
    columns = learned_from(original, release, numbers)
    if columns is None:
        return None
    kinds, rows = sorted(set(present(truth))), range(len(truth))
    right = base = tested = 0
    for fold in range(5):
        train = [i for i in rows if folds[i] != fold and truth[i] is not None]
        prior = {s: Fraction(sum(truth[i] == s for i in train) + 1) for s in kinds}
        usual = max(kinds, key=lambda s: (prior[s], -kinds.index(s)))
        for i in rows:
            if folds[i] != fold or truth[i] is None:
                continue
            scores = dict(prior)
            for before, after, values in columns:
                if before[i] is None:
                    continue
                known = [t for t in train if after[t] is not None]
                for s in kinds:
                    own = [t for t in known if truth[t] == s]
                    hits = sum(after[t] == before[i] for t in own)
                    scores[s] *= Fraction(hits + 1, len(own) + values)
            best = [s for s in kinds if scores[s] == max(scores.values())]
            if len(best) > 1:
                return None
            tested += 1
            right += best[0] == truth[i]
            base += usual == truth[i]
    return 100 * Fraction(right - base, tested) if tested else None


# --- linkage


def linked(distances, sizes, own):
    """1 / (records of all nearest classes) where the own class is one of these, else 0."""
    least = min(distances)
    nearest = [c for c, d in enumerate(distances) if d <= least * TIE]
    return Fraction(1, sum(sizes[c] for c in nearest)) if own in nearest else Fraction(0)


def linkage(release, distance):
    """The mean over originals; distance(i, j) is that of the original i and the released j."""
    groups = classes(release)
    sizes = [len(group) for group in groups]
    total = Fraction(0)
    for own, group in enumerate(groups):
        for i in group:
            total += linked([distance(i, other[0]) for other in groups], sizes, own)
    return float(share(total, len(release)))


def category_distance(value, cell):
    """0 where the released cell covers the value (flat), 1 where it does not."""
    return 0.0 if is_star(cell) or cell == value else 1.0


def number_distance(x, cell, s):
    """How far x lies from what was released, by s; 1 where a missing cell has got a number."""
    span = said(cell)
    if span is None or s == 0:
        return 0.0
    if x is None:
        return 1.0
    return max(span[0] - x, x - span[1], 0.0) / s


def squared_distance(mine, theirs, numbers, s, columns):
    """The sum over some columns: of numbers the square, of categories 0 or 1."""
    return math.fsum(
        number_distance(mine[j], theirs[j], s[j]) ** 2
        if numbers[j]
        else category_distance(mine[j], theirs[j])
        for j in columns
    )


def distance_linkage(original, release, numbers):
    """Linked to the nearest released record."""
    s = spreads(original, numbers)
    every = range(len(numbers))
    return linkage(
        release, lambda i, j: squared_distance(original[i], release[j], numbers, s, every)
    )


def ranks(values):
    """Mean ranks of equals by the number of values; None where there is none."""
    there = present(values)
    found = []
    for value in values:
        if value is None:
            found.append(None)
            continue
        below = sum(1 for other in there if other < value)
        equal = sum(1 for other in there if other == value)
        found.append(Fraction(2 * below + equal + 1, 2 * len(there)))
    return found


def rank_linkage(original, release, numbers):
    """Linked to the released record whose ranks are nearest in the column that differs most."""
    columns = range(len(numbers))
    before = [ranks(column(original, j)) if numbers[j] else None for j in columns]
    after = [
        ranks([middle(cell) for cell in column(release, j)]) if numbers[j] else None
        for j in columns
    ]

    def distance(i, other):
        found = Fraction(0)
        for j in columns:
            if not numbers[j]:
                found = max(found, category_distance(original[i][j], release[other][j]))
            elif after[j][other] is not None:
                missing = before[j][i] is None
                found = max(found, 1 if missing else abs(before[j][i] - after[j][other]))
        return found

    return linkage(release, distance)


def blocks(release):
    """The columns in groups whose released values determine each other."""
    rows = [release[group[0]] for group in classes(release)]
    found = []
    for j in range(len(release[0])):
        for block in found:
            first = block[0]
            together = {(row[first], row[j]) for row in rows}
            if len(together) == len({row[first] for row in rows}) == len({row[j] for row in rows}):
                block.append(j)
                break
        else:
            found.append([j])
    return found


def pointed(mine, rows, block, numbers, s):
    """The numbers of the classes that a block points to; rows are one released row a class."""
    if len(block) == 1 and numbers[block[0]]:
        x, values = mine[block[0]], [middle(row[block[0]]) for row in rows]
        below, over = [v for v in values if v <= x], [v for v in values if v >= x]
        ends = {max(below)} if below else set()
        ends |= {min(over)} if over else set()
        ends = {x} if x in ends else ends
        return [c for c, value in enumerate(values) if value in ends]
    distances = [squared_distance(mine, row, numbers, s, block) for row in rows]
    return [c for c, d in enumerate(distances) if d <= min(distances) * TIE]


def block_linkage(original, release, numbers):
    """Linked to the nearest of the classes that most blocks of columns point to."""
    s = spreads(original, numbers)
    groups = classes(release)
    rows = [release[group[0]] for group in groups]
    sizes = [len(group) for group in groups]
    total = Fraction(0)
    for own, group in enumerate(groups):
        for i in group:
            points = Counter()
            for block in blocks(release):
                points.update(pointed(original[i], rows, block, numbers, s))
            most = max(points.values())
            far = [
                squared_distance(original[i], row, numbers, s, range(len(numbers)))
                if points[c] == most
                else math.inf
                for c, row in enumerate(rows)
            ]
            total += linked(far, sizes, own)
    return float(share(total, len(release)))


# --- disclosure of values


def interval_disclosure(original, release, numbers):
    """Cells within 1, …, 10 % of a standard deviation of the released number."""
    shares = []
    for percent in range(1, 11):
        inside = every = 0
        for j in varying(original, numbers):
            s = spread(column(original, j))
            for x, y in pairs(original, release, j):
                inside += abs(x - y) <= percent * s / 100
                every += 1
        if not every:
            return None
        shares.append(Fraction(100 * inside, every))
    return float(mean(shares))


def rank_interval_disclosure(original, release, numbers):
    """Cells between the released values p n / 200 places below and above the released number."""
    shares = []
    for percent in range(1, 11):
        inside = every = 0
        for j, is_number in enumerate(numbers):
            if not is_number:
                continue
            order = sorted(present([middle(cell) for cell in column(release, j)]))
            places = -(-percent * len(order) // 200)
            for x, y in pairs(original, release, j):
                first = order.index(y)
                last = len(order) - 1 - order[::-1].index(y)
                low = order[max(first - places, 0)]
                high = order[min(last + places, len(order) - 1)]
                inside += low <= x <= high
                every += 1
        if not every:
            return None
        shares.append(Fraction(100 * inside, every))
    return float(mean(shares))


def tolerance(values):
    """Half a unit of whole numbers, of floats 10⁻⁹ of the standard deviation."""
    there = present(values)
    return 0.5 if all(isinstance(x, int) for x in there) else 1e-9 * spread(there)


def member_errors(original, release, j):
    """|m (x′ - mean of the class)| of all cells that are numbers before and after, exactly."""
    found = []
    for group in classes(release):
        own = [original[i][j] for i in group if original[i][j] is not None]
        span = said(release[group[0]][j])
        if span is None or span[0] != span[1]:
            continue
        error = abs(len(own) * Fraction(repr(span[0])) - sum(Fraction(repr(x)) for x in own))
        found += [float(error)] * len(own)
    return found


def is_tight(original, release, j):
    """Whether all released intervals end at the least and the greatest of their class."""
    for group in classes(release):
        own = [original[i][j] for i in group if original[i][j] is not None]
        span = said(release[group[0]][j])
        if span is not None and own and span != (min(own), max(own)) and span[0] != span[1]:
            return False
    return True


def alone_at_an_end(original, release, j):
    """Of all cells that are released as an interval, whether they are the only ones at an end."""
    found = []
    for group in classes(release):
        own = [original[i][j] for i in group if original[i][j] is not None]
        span = said(release[group[0]][j])
        if span is not None and span[0] != span[1]:
            found += [x in span and own.count(x) == 1 for x in own]
    return found


def known_members(original, release, numbers):
    """Numbers that follow from the release and all other members of the class.

    Of all that were there: a suppressed one is not recovered.
    """
    recovered = every = 0
    for j, is_number in enumerate(numbers):
        if is_number:
            least = tolerance(column(original, j))
            errors = member_errors(original, release, j)
            ends = alone_at_an_end(original, release, j)
            recovered += sum(error < least for error in errors)
            recovered += sum(ends) if is_tight(original, release, j) else 0
            every += len(present(column(original, j)))
    return share(recovered, every)


def exact_values(original, release, numbers):
    """Cells of a class that has one value, and releases it."""
    exact = every = 0
    for group in classes(release):
        for j, is_number in enumerate(numbers):
            own = [original[i][j] for i in group]
            cell = release[group[0]][j]
            every += len(present(own))
            if None in own or len(set(own)) > 1:
                continue
            same = said(cell) == (own[0], own[0]) if is_number else cell == own[0]
            exact += len(group) * same
    return share(exact, every)


def last_digit(values):
    """The largest power of ten, 10⁻¹² to 1, of which all are multiples; None if there is none."""
    exact = [Decimal(repr(x)) for x in present(values)]
    for power in range(13):
        unit = Decimal(1).scaleb(-power)
        if all(x % unit == 0 for x in exact):
            return unit
    return None


def extra_digits(original, release, numbers):
    """Released numbers that are no multiple of the original's last digit."""
    extra = every = 0
    for j, is_number in enumerate(numbers):
        unit = last_digit(column(original, j)) if is_number else None
        if unit is None:
            continue
        for cell in column(release, j):
            span = said(cell)
            if span is not None and span[0] == span[1]:
                extra += Decimal(repr(span[0])) % unit != 0
                every += 1
    return share(extra, every)


def dominance(original, release, numbers):
    """Classes of which the second largest unit can tell the largest to within 10 %."""
    found = []
    for j, is_number in enumerate(numbers):
        if not is_number or min(present(column(original, j))) < 0:
            continue
        dominated = 0
        for group in classes(release):
            own = sorted(x for x in (original[i][j] for i in group) if x is not None)[::-1]
            if own and own[0] > 0:
                dominated += 100 * math.fsum(own[2:]) / own[0] < 10
        found.append(share(dominated, len(classes(release))))
    return max(found, default=None)


# --- utility


def shown(original, release, numbers):
    """The originals without the numbers of which the release says nothing."""
    return [
        [None if is_number and is_star(y) else x
         for x, y, is_number in zip(mine, theirs, numbers, strict=True)]
        for mine, theirs in zip(original, release, strict=True)
    ]  # fmt: skip


def sse_sst(original, release, numbers):
    """The mean over columns of the variation lost; a suppressed cell has lost everything."""
    lost = []
    for j in varying(original, numbers):
        both = pairs(original, release, j)
        told = Fraction(len(both), len(present(column(original, j))))
        center = mean([x for x, _ in both]) if both else 0.0
        sse, sst = sum((x - y) ** 2 for x, y in both), sum((x - center) ** 2 for x, _ in both)
        lost.append(float(told) * (100 * sse / sst if sst else 0.0) + 100 * float(1 - told))
    return mean(lost) if lost else None


def il1s(original, release, numbers):
    """The mean of |x - x′| by √2 s."""
    found = []
    for j in varying(original, numbers):
        s = spread(column(original, j))
        found += [abs(x - y) / (math.sqrt(2) * s) for x, y in pairs(original, release, j)]
    return mean(found) if found else None


def released_numbers(release, j):
    """What a column releases, as numbers."""
    return present([middle(cell) for cell in column(release, j)])


def shift_of_mean(original, release, j):
    """|x̄′ - x̄| / s of one column."""
    before = present(column(original, j))
    return abs(mean(released_numbers(release, j)) - mean(before)) / stdev(before)


def share_of_variance(original, release, j):
    """100 s′² / s² of one column."""
    return 100 * variance(released_numbers(release, j)) / variance(present(column(original, j)))


def quantile(values, q):
    """The quantile, on a straight line between the two values around it."""
    order = sorted(values)
    place = q * (len(order) - 1)
    low = math.floor(place)
    high = min(low + 1, len(order) - 1)
    return order[low] + (place - low) * (order[high] - order[low])


def shift_of_quantile(original, release, j):
    """The largest |q′ - q| / s of one column, for a release with a class of one."""
    before, after = present(column(original, j)), released_numbers(release, j)
    shifts = [abs(quantile(after, q) - quantile(before, q)) for q in (0.05, 0.25, 0.5, 0.75, 0.95)]
    return max(shifts) / stdev(before)


def gap_of_distribution(original, release, j):
    """The largest difference of the shares of records up to a value."""
    before, after = present(column(original, j)), released_numbers(release, j)
    gap = Fraction(0)
    for at in {*before, *after}:
        mine = Fraction(sum(1 for x in before if x <= at), len(before))
        theirs = Fraction(sum(1 for x in after if x <= at), len(after))
        gap = max(gap, abs(mine - theirs))
    return float(gap)


def means(original, release, numbers):
    """The largest shift of a mean."""
    every = varying(original, numbers)
    return max((shift_of_mean(original, release, j) for j in every), default=None)


def variances(original, release, numbers):
    """The smallest share of a variance."""
    every = varying(original, numbers)
    return min((share_of_variance(original, release, j) for j in every), default=None)


def quantiles(original, release, numbers):
    """The largest shift of a quantile."""
    every = varying(original, numbers)
    return max((shift_of_quantile(original, release, j) for j in every), default=None)


def distributions(original, release, numbers):
    """The largest gap of a distribution."""
    every = [j for j, is_number in enumerate(numbers) if is_number]
    return max((gap_of_distribution(original, release, j) for j in every), default=None)


def correlation(rows):
    """Pearson's correlation of pairs; None where one of them does not vary."""
    rows = [(x, y) for x, y in rows if x is not None and y is not None]
    if len(rows) < 2:
        return None
    center = [mean(part) for part in zip(*rows, strict=True)]
    both = math.fsum((x - center[0]) * (y - center[1]) for x, y in rows)
    own = [math.fsum((row[i] - center[i]) ** 2 for row in rows) for i in (0, 1)]
    return both / math.sqrt(own[0] * own[1]) if min(own) > 0 else None


def correlations(original, release, numbers):
    """The largest change of a correlation, over the pairs that have one before and after."""
    found = []
    for i, j in combinations([j for j, is_number in enumerate(numbers) if is_number], 2):
        before = correlation([(row[i], row[j]) for row in original])
        after = correlation([(middle(row[i]), middle(row[j])) for row in release])
        if before is not None and after is not None:
            found.append(abs(after - before))
    return max(found, default=None)


def contingency(original, release, numbers):
    """The largest total variation distance of a table of two columns of categories (flat).

    A star is spread as the originals of its column are.
    """
    found = []
    for i, j in combinations([j for j, is_number in enumerate(numbers) if not is_number], 2):
        shares = [Counter(column(original, c)) for c in (i, j)]
        cells = Counter()
        for row in original:
            cells[row[i], row[j]] += Fraction(1, len(original))
        for row in release:
            spots = [
                {v: Fraction(n, len(original)) for v, n in every.items()}
                if row[c] == "*"
                else {row[c]: Fraction(1)}
                for c, every in zip((i, j), shares, strict=True)
            ]
            for one, p in spots[0].items():
                for other, q in spots[1].items():
                    cells[one, other] -= p * q / len(release)
        found.append(float(100 * sum(abs(p) for p in cells.values()) / 2))
    return max(found, default=None)


def cell_losses(original, release, j, is_number, unit):
    """ILoss (unit > 0 of whole numbers) or NCP (unit 0) of all cells of a column of intervals."""
    values = sorted(set(column(original, j)))
    found = []
    for x, cell in zip(column(original, j), column(release, j), strict=True):
        if not is_number:
            found.append(float(cell == "*" and len(values) > 1))
        elif cell == "*":
            found.append(1.0)
        else:
            low, high = said(cell)
            whole = values[-1] - values[0] + unit
            found.append(0.0 if low == high == x else (high - low + unit) / whole)
    return found


def iloss(original, release, numbers):
    """ILoss of complete tables of intervals and flat categories."""
    found = []
    for j, is_number in enumerate(numbers):
        whole = is_number and all(isinstance(x, int) for x in column(original, j))
        found += cell_losses(original, release, j, is_number, int(whole))
    return 100 * mean(found)


def ncp(original, release, numbers):
    """NCP of complete tables of intervals and flat categories."""
    found = []
    for j, is_number in enumerate(numbers):
        found += cell_losses(original, release, j, is_number, 0)
    return 100 * mean(found)


def discernibility(release, left_out=0):
    """The sum of the squared sizes of the classes; who was left out counts as all records."""
    squares = sum(len(group) ** 2 for group in classes(release))
    return squares + left_out * (len(release) + left_out)


def class_ncp(original, release, j, is_number):
    """NCP of a complete column of single values: what the originals of every class span."""
    values = column(original, j)
    wide = max(values) - min(values) if is_number else len(set(values)) - 1
    found = 0.0
    for group in classes(release):
        own = [values[i] for i in group]
        span = max(own) - min(own) if is_number else len(set(own)) - 1
        found += len(own) * (span / wide if wide else 0.0)
    return 100 * found / len(values)

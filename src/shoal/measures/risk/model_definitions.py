"""What the measures of further attacks and of models of sensitive values mean."""

from __future__ import annotations

from shoal.measures.definition import Definition

MODELS = (
    Definition(
        "assignment_linkage", "linked one to one", "risk", "percent", "lower",
        "Whoever holds all original quasi-identifiers and gives every record to one person, so "
        "that all distances together are least, links {value} of them rightly ({rest}).",
        "Mean over originals of the chance 1/c, c the records of their class, if the assignment "
        "with the least sum of distances (as by distance) gives them to it, else 0; originals that "
        "are equal share theirs, and ties are decided in favor of the attacker. Exactly for few "
        "records, by an auction within a stated share of the least sum for more, of a sample of "
        "the classes beyond.",
        "Herranz, Nin, Rodríguez and Tassa 2015, Data Knowl. Eng. 100; Bertsekas and Castañon 1989",
    ),
    Definition(
        "partial_linkage", "linked by some of the columns", "risk", "percent", "lower",
        "Whoever knows only some of the quasi-identifiers links {value} of the records with those "
        "that help most ({rest}).",
        "As by distance, of every set of m quasi-identifiers, m the least of 3 and one less than "
        "there are; the largest over sets. Where there are many sets, some are drawn.",
        "Mohammed, Fung, Hung and Lee 2009, KDD (LKC-privacy)",
    ),
    Definition(
        "nearest_inference", "guessing from the nearest groups", "risk", "percent", "lower",
        "Whoever holds all original quasi-identifiers, takes the nearest classes and guesses their "
        "most frequent sensitive value is right in {value} more of the cases than by guessing from "
        "the whole table ({rest}).",
        "100 (mean over originals with a value of 1/v if theirs is among the v most frequent of "
        "the nearest classes, by distance, else 0 − share of the table's most frequent value); of "
        "several sensitive columns the largest.",
        "Domingo-Ferrer and Torra 2003; Machanavajjhala and others 2006",
    ),
    Definition(
        "likeness", "gain in a sensitive value (β)", "risk", "number", "lower",
        "In the worst class the share of a sensitive value is above that in the whole release by "
        "{value} times the latter ({rest}): whoever finds the class learns as much.",
        "Largest (q − p) / p over classes and values, q and p the shares of a value in the class "
        "and in the release, among those that are there: the β of basic β-likeness.",
        "Cao and Karras 2012, PVLDB 5(11)",
    ),
    Definition(
        "disclosure", "change of a sensitive share (δ)", "risk", "number", "lower",
        "The share of a sensitive value in a class differs from that in the whole release by a "
        "factor of e to the power of {value} at most, where it occurs ({rest}).",
        "Largest |ln(q / p)| over classes and values that occur in them, q and p as for β; "
        "δ-disclosure privacy is broken by any δ where some value does not occur in a class.",
        "Brickell and Shmatikov 2008, KDD",
    ),
    Definition(
        "class_range", "range of sensitive numbers in a class", "risk", "percent", "higher",
        "In the worst class the sensitive numbers lie within {value} of their whole range "
        "({rest}): whoever finds the class knows about how large they are.",
        "Smallest range of a class in percent of that of the release, and the fewest different "
        "numbers of a class: the e and the k of (k,e)-anonymity; of several columns the smallest.",
        "Zhang, Koudas, Srivastava and Yu 2007, ICDE",
    ),
    Definition(
        "combined_diversity", "combinations of sensitive values in a class", "risk", "count",
        "higher",
        "Every class holds at least {value} different combinations of sensitive values.",
        "Fewest different combinations of the values of all sensitive columns in a class; one with "
        "a missing value is none.",
        "Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006, ICDE",
    ),
)  # fmt: skip

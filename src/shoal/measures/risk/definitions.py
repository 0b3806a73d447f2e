"""What every measure of risk means."""

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
RISK = (
    Definition(
        "prosecutor", "highest risk (prosecutor)", "risk", "percent", "lower",
        "Whoever knows all quasi-identifiers of a person and that the person is in the release "
        "picks the right record with a chance of at most {value}.",
        "100 / the smallest class of the release.",
        "El Emam and Dankar 2008, J. Am. Med. Inform. Assoc. 15(5)",
    ),
    Definition(
        "above_0.2", "records with a risk above 20 %", "risk", "percent", "lower",
        "{value} of the records are in classes of fewer than 5, which data custodians rarely "
        "release.",
        "Share of records in classes of fewer than 5.",
        "El Emam and Dankar 2008",
    ),
    Definition(
        "above_0.09", "records with a risk above 9 %", "risk", "percent", "lower",
        "{value} of the records are in classes of fewer than 11, the least size that the European "
        "Medicines Agency and Health Canada recommend for public releases.",
        "Share of records in classes of fewer than 11.",
        "European Medicines Agency 2018, guidance on policy 0070; Health Canada 2019",
    ),
    Definition(
        "marketer", "average risk (marketer)", "risk", "percent", "lower",
        "Whoever links all people of the population to the release finds {value} of the records "
        "rightly on average.",
        "100 · mean of 1 / F over the records, F the population's records of the class: the "
        "class's own where no survey weights are given, else as for the journalist.",
        "Dankar and El Emam 2010, PAIS",
    ),
    Definition(
        "stratum_marketer", "average risk of a stratum, the highest", "risk", "percent", "lower",
        "Of the records of stratum {rest}, where that is most, {value} are found rightly on "
        "average by whoever links all people of the population to the release.",
        "The average risk (marketer) over the records of each stratum; the highest counts.",
        "Dankar and El Emam 2010, PAIS",
    ),
    Definition(
        "journalist", "highest risk in the population (journalist)", "risk", "percent", "lower",
        "Whoever looks for anybody in the population behind the sample picks the right record with "
        "a chance of at most {value}.",
        "100 · largest E[1/F | f]: f the class in the release, F that in the population, negative "
        "binomial with p = f / Σw (w survey weights): p ∫₀¹ u^(f−1) / (p + (1−p) u) du.",
        "Benedetti and Franconi 1998; El Emam and Dankar 2008",
    ),
    Definition(
        "sample_uniques", "records alone in their class", "risk", "percent", "lower",
        "{value} of the released records are the only ones with their combination: any may be "
        "found by who knows the combination.",
        "Share of records in classes of one.",
        "Skinner and Elliot 2002, J. R. Statist. Soc. B 64(4)",
    ),
    Definition(
        "original_uniques", "originals alone with their combination", "risk", "percent", "lower",
        "{value} of the original records are the only ones with their combination of "
        "quasi-identifiers: this is what a release without grouping would give away.",
        "Share of originals whose combination of quasi-identifiers occurs once.",
        "Skinner and Elliot 2002, J. R. Statist. Soc. B 64(4)",
    ),
    Definition(
        "population_uniques", "records alone in the population", "risk", "percent", "lower",
        "An estimated {value} of the released records are the only ones of the whole population "
        "with their combination.",
        "100 · Σ over classes of one of P(F = 1 | f = 1) = 1/w, / n.",
        "Benedetti and Franconi 1998; Skinner and Elliot 2002",
    ),
    Definition(
        "distance_linkage", "linked by distance", "risk", "percent", "lower",
        "Whoever holds all original quasi-identifiers links {value} of them to their own record, "
        "by taking the nearest.",
        "Mean over originals of 1/m if the own record is among the m nearest released ones, else 0;"
        " distance: √Σ(d/s)² over numbers (d to the interval where one is released, s the "
        "original's standard deviation), plus 0 or 1 a category that is covered or not.",
        "Pagliuca and Seri 1999; Domingo-Ferrer and Torra 2003",
    ),
    Definition(
        "rank_linkage", "linked by ranks", "risk", "percent", "lower",
        "Whoever compares the ranks of original and released values links {value} of the records.",
        "As by distance, the distance being the largest over columns of |rank(x)/n − rank(x′)/n′| "
        "(mean ranks of equals; categories 0 or 1).",
        "Nin, Herranz and Torra 2008, Data Knowl. Eng. 64(1)",
    ),
    Definition(
        "block_linkage", "linked by groups of columns", "risk", "percent", "lower",
        "Whoever knows that columns were grouped separately, and looks for the records that every "
        "group of columns points to, links {value} of them.",
        "Columns whose released values determine each other are a block. A block of one column of "
        "numbers points to the released values next below and above x, any other to its nearest "
        "released combination. Linked is who most blocks point to, of those the nearest; 1/m.",
        "Nin, Herranz and Torra 2008, J. Artif. Intell. Res. 31; Nin and Torra 2009",
    ),
    Definition(
        "kept_linkage", "linked by kept columns", "risk", "percent", "lower",
        "{value} of the records are the only ones of their class with their values in the columns "
        "that are kept: whoever knows these values of a person finds the record.",
        "Share of records whose combination of released cells in other columns and survey weights "
        "no other record of their class has; missing cells are a value. By column: that column "
        "alone.",
        "Elliot, Manning and Ford 2002, Int. J. Uncertainty Fuzziness Knowl.-Based Syst. 10(5)",
    ),
    Definition(
        "kept_uniques", "alone by kept columns", "risk", "percent", "lower",
        "{value} of the records are the only ones of all with their values in the columns that are "
        "kept, whatever their class.",
        "Share of records whose combination of released cells in other columns and survey weights "
        "no other record has. By column: that column alone.",
        "Elliot, Manning and Ford 2002",
    ),
    Definition(
        "sensitive_uniques", "alone by sensitive columns", "risk", "percent", "lower",
        "{value} of the records are the only ones of their class with their sensitive values: "
        "whoever knows these already finds the record; values that differ are what diversity asks "
        "for.",
        "Share of records whose combination of released cells in sensitive columns no other record "
        "of their class has. By column: that column alone.",
        "Elliot, Manning and Ford 2002",
    ),
    Definition(
        "interval_disclosure", "interval disclosure", "risk", "percent", "lower",
        "{value} of the original numbers lie in a narrow interval around their released ones: for "
        "these, not knowing whose record it is protects little.",
        "Mean over p = 1, …, 10 of the share of cells with |x − x′| ≤ p/100 · s.",
        "Mateo-Sanz, Sebé and Domingo-Ferrer 2004, LNCS 3050",
    ),
    Definition(
        "rank_interval_disclosure", "interval disclosure by ranks", "risk", "percent", "lower",
        "{value} of the original numbers lie between released values that are a few ranks from "
        "their own.",
        "Mean over p = 1, …, 10 of the share of cells with x between the released values ⌈p n/200⌉ "
        "places below the first and above the last that equals x′, in order.",
        "Mateo-Sanz, Sebé and Domingo-Ferrer 2004",
    ),
    Definition(
        "certain_inference", "certain inference (homogeneity)", "risk", "percent", "lower",
        "The sensitive value of {value} of the people is certain to whoever finds their class, "
        "though not which record is theirs ({rest}).",
        "Share of records with a value of the column whose class holds no other value of it, "
        "whatever its spelling; missing cells are no value, and their records are not counted, "
        "though theirs is likely that of the class. Of several sensitive columns the largest.",
        "Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006, ICDE",
    ),
    Definition(
        "class_inference", "guessing from the class", "risk", "percent", "lower",
        "Whoever finds a person's class and guesses its most frequent sensitive value is right in "
        "{value} more of the cases than by guessing from the whole table ({rest}).",
        "100 (Σ over classes of the largest count − the table's largest count) / n; of several "
        "sensitive columns the largest.",
        "Wong, Li, Fu and Wang 2006, KDD; Machanavajjhala and others 2006",
    ),
    Definition(
        "model_inference", "guessing by a model", "risk", "percent", "lower",
        "A model trained on the release guesses the sensitive value of people it has not seen "
        "right in {value} more of the cases than the base rate ({rest}); this is what the data "
        "teach about anybody, in the release or not.",
        "100 (accuracy of naive Bayes − share of the most frequent value), five folds: trained on "
        "released records, tested on the originals of others. Numbers in tenths, sensitive numbers "
        "in fifths; a generalized cell is spread over what it covers; counts + 1.",
        "Kifer 2009, SIGMOD",
    ),
    Definition(
        "known_members", "recovered by who knows all others", "risk", "percent", "lower",
        "Whoever knows all other members of a class recovers {value} of the numbers of the last "
        "one exactly; medians, fewer digits or fixed intervals hinder it.",
        "Share of cells with |m (x′ − mean of the class)| below half the original's last digit "
        "(of floats 10⁻⁹ s), m the class's size; of released ranges, where the value is the only "
        "one at an end.",
        "Domingo-Ferrer and Mateo-Sanz 2002; Hundepool and others 2012, section 4.2",
    ),
    Definition(
        "exact_values", "released exactly", "risk", "percent", "lower",
        "{value} of the cells are released as they were, because all of their class share the "
        "value.",
        "Share of cells that were there, in classes of one value, released as it is.",
        "Machanavajjhala and others 2006",
    ),
    Definition(
        "extra_digits", "more digits than the data", "risk", "percent", "lower",
        "{value} of the released numbers have more digits than the original's, which tell their "
        "sum; round them to fewer decimals.",
        "Share of released numbers that are no multiple of the largest power of ten, 10⁻¹² to 1, "
        "of which all the column's originals are.",
        "Hundepool and others 2012, section 4.2",
    ),
    Definition(
        "dominance", "dominated means (p % rule, p = 10)", "risk", "percent", "lower",
        "In {value} of the classes one unit makes up so much of a mean that the second largest can "
        "tell it to within 10 %.",
        "Share of classes with 100 (T − x₁ − x₂) / x₁ < 10 in a column of numbers that are not "
        "negative; of several columns the largest.",
        "Cox 1981; Hundepool and others 2012, section 4.2.2",
    ),
    *MODELS,
)  # fmt: skip

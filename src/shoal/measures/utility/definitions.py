"""What every measure of utility means."""

from shoal.measures.definition import Definition

UTILITY = (
    Definition(
        "sse_sst",
        "variation lost (SSE/SST)",
        "utility",
        "percent",
        "lower",
        "The release has lost {value} of the variation of its numbers: what is built on "
        "differences between records loses as much.",
        "Mean over the columns of numbers that vary of 100 (a Σ(x − x′)² / Σ(x − x̄)² + 1 − a), x′ "
        "the released number or the middle of an interval, over the cells that say something; a is "
        "their share: a suppressed cell has lost everything, whatever it was.",
        "Domingo-Ferrer and Mateo-Sanz 2002, IEEE Trans. Knowl. Data Eng. 14(1)",
    ),
    Definition(
        "il1s",
        "IL1s",
        "utility",
        "number",
        "lower",
        "A released number is {rest} standard deviations from its original on average (IL1s "
        "{value}); beyond about 0.5 of them single values mean little.",
        "Mean over records and columns of |x − x′| / (√2 s), s the original's standard deviation "
        "(n − 1); over the cells that are numbers before and after.",
        "Yancey, Winkler and Creecy 2002, LNCS 2316; Mateo-Sanz, Domingo-Ferrer and Sebé 2005",
    ),
    Definition(
        "means",
        "largest shift of a mean",
        "utility",
        "number",
        "lower",
        "No mean moved by more than {value} standard deviations; estimates of means can be used "
        "where that is small beside their own error.",
        "Largest |x̄′ − x̄| / s over the columns of numbers; with survey weights all three are "
        "weighted. Where pairs are known, these and the next four leave out originals whose "
        "release says nothing: figures of all would give those away.",
        "Hundepool and others 2012, Statistical Disclosure Control, section 3.9",
    ),
    Definition(
        "variances",
        "smallest share of a variance kept",
        "utility",
        "percent",
        "higher",
        "Of the variance of every column at least {value} is left: spreads, errors and tests that "
        "are computed from the release are too small by that much.",
        "Smallest 100 s′² / s² over the columns of numbers that vary.",
        "Hundepool and others 2012, section 3.9",
    ),
    Definition(
        "correlations",
        "largest change of a correlation",
        "utility",
        "number",
        "lower",
        "No correlation of two columns of numbers changed by more than {value}; regressions on the "
        "release change accordingly.",
        "Largest |r′ − r| (Pearson) over the pairs of columns of numbers, each over its complete "
        "records.",
        "Domingo-Ferrer and Torra 2001, in Confidentiality, Disclosure and Data Access",
    ),
    Definition(
        "quantiles",
        "largest shift of a quantile",
        "utility",
        "number",
        "lower",
        "No 5, 25, 50, 75 or 95 % quantile moved by more than {value} standard deviations; the "
        "outer ones are the first to suffer, as groups pull extremes inwards.",
        "Largest |q′ − q| / s over the columns of numbers and the five quantiles. Each quantile is "
        "the mean of the k values around it, so that no record's value is told (k = 1: the "
        "quantile itself); of 3 k where ranges are released, whose ends are known: of fewer such "
        "numbers a report has neither this nor means, variances, correlations and distributions.",
        "Woo, Reiter, Oganian and Karr 2009, J. Privacy and Confidentiality 1(1)",
    ),
    Definition(
        "distributions",
        "largest gap of a distribution",
        "utility",
        "number",
        "lower",
        "The share of records below any value differs by at most {value} between release and "
        "original.",
        "Largest Kolmogorov–Smirnov distance sup |F′(x) − F(x)| over the columns of numbers.",
        "Woo, Reiter, Oganian and Karr 2009",
    ),
    Definition(
        "propensity",
        "propensity score (pMSE)",
        "utility",
        "number",
        "lower",
        "A model that tries to tell released records from original ones has pMSE {value}, between "
        "0 (cannot) and 0.25 (always): near 0 the release behaves as the original does.",
        "Σ(p̂ − c)² / N over originals and released records together, c the share of released ones, "
        "p̂ from a logistic regression on all columns, the squares of numbers and, of up to eight, "
        "their products.",
        "Woo, Reiter, Oganian and Karr 2009; Snoke, Raab, Nowok, Dibben and Slavkovic 2018",
    ),
    Definition(
        "regression",
        "R² kept by a regression",
        "utility",
        "percent",
        "higher",
        "Regressions trained on the release explain {value} of what those trained on the original "
        "do ({rest}): below about 90 % conclusions may differ.",
        "100 ΣR²(release) / ΣR²(original) over the targets, each R² on originals that neither "
        "model was trained on; targets are the kept columns of numbers, else the "
        "quasi-identifiers, with R²(original) of at least 0.05; least squares on the other "
        "quasi-identifiers, ridge 10.",
        "Hundepool and others 2012, section 3.9; Torra 2017, Data Privacy, section 7.3",
    ),
    Definition(
        "classification",
        "accuracy kept by a classifier",
        "utility",
        "percent",
        "higher",
        "Classifiers trained on the release reach {value} of the accuracy of those trained on the "
        "original ({rest}).",
        "100 Σ accuracy(release) / Σ accuracy(original) over the targets, each on originals that "
        "neither was trained on; targets are the kept columns of categories, else the "
        "quasi-identifiers; logistic regressions, one against the rest, ridge 10.",
        "Fung, Wang, Chen and Yu 2010, ACM Computing Surveys 42(4), section 4.2; Torra 2017",
    ),
    Definition(
        "contingency",
        "largest change of a table of two columns",
        "utility",
        "percent",
        "lower",
        "In no table of two columns of categories did more than {value} of the records move to "
        "another cell.",
        "Largest total variation distance 100 · ½ Σ|p′ − p| over the pairs of columns of "
        "categories; a generalized cell is spread evenly over the values it covers, one that says "
        "nothing as the originals are.",
        "Gomatam, Karr and Sanil 2005, Statistical Science 20(2)",
    ),
    Definition(
        "iloss",
        "ILoss",
        "utility",
        "percent",
        "lower",
        "A cell has lost {value} of what it said on average: 0 as it was, 100 % nothing left.",
        "Mean over the cells of columns that cover their originals: numbers (greatest − least + "
        "unit) / the same of the column; categories values below the released node / values of the "
        "tree; 0 for a cell that is as it was or was missing.",
        "Wang, Li and Zhu: KAIM (incomplete microdata); Byun, Kamra, Bertino and Li 2007",
    ),
    Definition(
        "ncp",
        "NCP",
        "utility",
        "percent",
        "lower",
        "A released cell leaves open {value} of the range of its column on average; methods that "
        "release means and methods that generalize can be compared by it.",
        "Mean over cells: numbers (greatest − least) / the same of the column; categories (values "
        "below − 1) / (values of the tree − 1). A mean, median, mode or medoid leaves open what "
        "the originals of its class span: of categories (different ones − 1) / (those of the "
        "column − 1). Only where pairs are known, or every column is generalized.",
        "Xu, Wang, Pei, Wang, Shi and Fu 2006, KDD",
    ),
    Definition(
        "discernibility",
        "discernibility",
        "utility",
        "count",
        "lower",
        "Every record looks like {rest} others on average (discernibility {value}): fewer means "
        "finer groups.",
        "Σ|class|² over the classes of the release; a record that was left out counts as all "
        "records.",
        "Bayardo and Agrawal 2005, ICDE",
    ),
)

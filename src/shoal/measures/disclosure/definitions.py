"""What every figure of a table's own risk means."""

from __future__ import annotations

from shoal.measures.definition import Definition

_NEGATIVE = "Benedetti and Franconi 1998, NTTS; Hundepool and others 2012, section 3.3"
_DANKAR = "Dankar, El Emam, Neisa and Roffey 2012, BMC Med. Inform. Decis. Mak. 12:66"
_EACH = (
    Definition(
        "sample_uniques", "records alone with their combination", "risk", "percent", "lower",
        "{value} of the records are the only ones with their combination of quasi-identifiers: "
        "whoever knows it finds the record.",
        "Share of records that no other record matches (f = 1).",
        "Skinner and Elliot 2002, J. R. Statist. Soc. B 64(4)",
    ),
    Definition(
        "below_k", "records in classes of fewer than k", "risk", "percent", "lower",
        "{value} of the records share their combination with so few that they are fewer than k "
        "together ({rest}).",
        "Share of records with f < k.",
        "Samarati and Sweeney 1998",
    ),
    Definition(
        "prosecutor", "highest risk (prosecutor)", "risk", "percent", "lower",
        "Whoever knows that a person is in the file, and all quasi-identifiers, picks the right "
        "record with a chance of at most {value}.",
        "100 / the smallest f.",
        "El Emam and Dankar 2008, J. Am. Med. Inform. Assoc. 15(5)",
    ),
    Definition(
        "average", "average risk (prosecutor)", "risk", "percent", "lower",
        "Whoever looks for everybody who is in the file picks the right record in {value} of the "
        "cases.",
        "100 · mean of 1/f over the records.",
        "El Emam and Dankar 2008",
    ),
    Definition(
        "journalist", "highest risk in the population (journalist)", "risk", "percent", "lower",
        "Whoever looks for anybody in the population behind the file picks the right record with a "
        "chance of at most {value}.",
        "100 · the largest r: 1/F where a population is given, else E[1/F | f], F − f negative "
        "binomial with p = f/F̂, F̂ the weights of the matching records, or f / sampling fraction.",
        f"{_NEGATIVE}; El Emam and Dankar 2008",
    ),
    Definition(
        "marketer", "average risk in the population (marketer)", "risk", "percent", "lower",
        "Whoever links all people of the population to the file is right in {value} of the "
        "records on average.",
        "100 · mean of r over the records, r as for the journalist.",
        "Dankar and El Emam 2010, PAIS",
    ),
    Definition(
        "expected", "expected right links", "risk", "count", "lower",
        "Whoever links all records is expected to link {value} of them rightly.",
        "Sum of r over the records: 1/f where nothing is known of the population.",
        _NEGATIVE,
    ),
    Definition(
        "above", "records above the threshold", "risk", "percent", "lower",
        "{value} of the records have a risk above {rest}.",
        "Share of records with r above the threshold.",
        "European Medicines Agency 2018, guidance on policy 0070 (0.09); Hundepool and others 2012",
    ),
    Definition(
        "household", "average risk of a record with its household", "risk", "percent", "lower",
        "Of an average record somebody of its household is linked rightly with a chance of "
        "{value}, which gives away the others.",
        "100 · mean over the records of 1 − Π (1 − r) over the members of the household.",
        "Hundepool and others 2012, section 3.3.3",
    ),
    Definition(
        "special_uniques", "special uniques", "risk", "percent", "lower",
        "{value} of the records are unique by some of the quasi-identifiers alone, whatever the "
        "others hold ({rest}).",
        "Share of records with a minimal sample unique of fewer columns than all; sets up to the "
        "size that is looked for.",
        "Elliot, Manning and Ford 2002, Int. J. Uncertainty Fuzziness Knowl.-Based Syst. 10(5)",
    ),
    Definition(
        "dis", "unique matches that are right (DIS)", "risk", "percent", "lower",
        "Of the links of somebody in the population to a record that alone matches, {value} are "
        "right ({rest}).",
        "100 · π U / (π U + (1 − π) P): U unique records, P in pairs, π the sampling fraction.",
        "Skinner and Elliot 2002, J. R. Statist. Soc. B 64(4)",
    ),
    Definition(
        "population_uniques", "people unique in the population", "risk", "percent", "lower",
        "An estimated {value} of the people of the population are the only ones with their "
        "combination ({rest}).",
        "Pitman's model for sampling fractions up to 0.1 (Zayatz's where it has no answer), else "
        "the smaller one of Zayatz's and of the slide negative binomial.",
        _DANKAR,
    ),
    Definition(
        "model_alone", "sample uniques that are population uniques (log-linear)", "risk", "count",
        "lower",
        "Of the unique records an estimated {value} are unique in the population, too ({rest}).",
        "Σ over f = 1 of exp(−(1 − π) λ), λ by a Poisson log-linear model of the cells.",
        "Skinner and Holmes 1998, J. Off. Stat. 14(4); Skinner and Shlomo 2008",
    ),
    Definition(
        "model_right", "unique records linked rightly (log-linear)", "risk", "count", "lower",
        "Of the unique records an estimated {value} are linked rightly by whoever picks one of "
        "those in the population that match.",
        "Σ over f = 1 of (1 − exp(−(1 − π) λ)) / ((1 − π) λ).",
        "Elamir and Skinner 2006, J. Off. Stat. 22(3)",
    ),
    Definition(
        "k_map", "smallest class in the population (k-map)", "risk", "count", "higher",
        "Every record matches at least {value} people of the population table.",
        "The smallest F over the records: how many of the population table match.",
        "Sweeney 2001, Computational Disclosure Control; El Emam and Dankar 2008",
    ),
    Definition(
        "delta_presence", "being in the file, at most (δ-presence)", "risk", "percent", "lower",
        "Whoever knows a person's quasi-identifiers from the population table is at most {value} "
        "sure that the person is in the file ({rest}).",
        "100 · the largest f/F over the classes of the population table, and the smallest.",
        "Nergiz, Atzori and Clifton 2007, SIGMOD",
    ),
)  # fmt: skip

DISCLOSURE = {definition.key: definition for definition in _EACH}

"""Citations of methods."""

MDAV_2005 = (
    "Domingo-Ferrer and Torra 2005, Ordinal, continuous and heterogeneous k-anonymity through "
    "microaggregation, DMKD 11(2)"
)
MST_2005 = (
    "Laszlo and Mukherjee 2005, Minimum spanning tree partitioning algorithm for "
    "microaggregation, IEEE TKDE 17(7)"
)
TFRP_2007 = (
    "Chang, Li and Huang 2007, TFRP: an efficient microaggregation algorithm for statistical "
    "disclosure control, JSS 80(11)"
)
GSMS_2013 = (
    "Panagiotakis and Tziritas 2013, Successive group selection for microaggregation, "
    "IEEE TKDE 25(5)"
)
DECOMPOSE_2018 = (
    "Khomnotai, Lin, Peng and Santra 2018, Iterative group decomposition for refining "
    "microaggregation solutions, Symmetry 10(7)"
)
PLUS_2018 = f"{DECOMPOSE_2018}; order and moving centroids are our own"
LS_2015 = (
    "Laszlo and Mukherjee 2015, Iterated local search for microaggregation, Journal of Systems and "
    "Software 100"
)
ILSMC_2020 = (
    "Bierman 2020, Improvements to iterated local search for microaggregation, doctoral "
    "dissertation, Nova Southeastern University"
)
OUR_2020 = f"{ILSMC_2020}; made faster in ways of our own"
K_MEMBER_2007 = (
    "Byun, Kamra, Bertino and Li 2007, Efficient k-anonymization using clustering techniques, "
    "DASFAA"
)
FULL_DOMAIN = (
    "Samarati 2001, Protecting respondents' identities in microdata release, IEEE TKDE 13(6); "
    "LeFevre, DeWitt and Ramakrishnan 2005, Incognito: efficient full-domain k-anonymity, SIGMOD; "
    "Kohlmayer, Prasser, Eckert, Kemper and Kuhn 2012, Flash: efficient, stable and optimal "
    "k-anonymity, PASSAT"
)
KAIM = "KAIM: k-anonymity for incomplete microdata, by information entropy distance"
TOP_DOWN = (
    "our own; splitting sets of records is Mondrian's: LeFevre, DeWitt and Ramakrishnan 2006, "
    "Mondrian multidimensional k-anonymity, ICDE"
)
KAIM_PLUS = (
    f"{KAIM}; groups split from the top down and improved by a local search of our own, with "
    "simulated annealing: Kirkpatrick, Gelatt and Vecchi 1983, Optimization by simulated "
    "annealing, Science 220"
)
KAIM_FAST = f"{KAIM}; blocks and their mending are our own"
LARGE = (
    f"{MDAV_2005}; local search: {ILSMC_2020}; cuts of Friedman, Bentley and Finkel 1977, ACM "
    "TOMS 3(3); blocks and their mending are our own"
)
COLUMNS = (
    "Column generation: Aloise, Hansen and Liberti 2012, An improved column generation algorithm "
    "for minimum sum-of-squares clustering, Mathematical Programming 131; subset-row cuts: Jepsen "
    f"and others 2008, Operations Research 56(2); search: {ILSMC_2020}"
)
LOCAL_SUPPRESSION = (
    "Meyerson and Williams 2004, On the complexity of optimal k-anonymity, PODS; bound: Held, "
    "Wolfe and Crowder 1974, Mathematical Programming 6; the search is our own"
)

// Words that several pages share: roles, measures, rules of trees.

export const ROLES = [
  ["quasi-identifier", "Quasi-identifier",
    "could be looked up elsewhere: replaced by its group’s mean, interval or common category"],
  ["identifier", "Identifier", "names a person: dropped"],
  ["sensitive", "Sensitive", "what must not be learned about a person: kept as it is"],
  ["other", "Other", "kept as it is"],
  ["drop", "Leave out", "not in the release"],
];

const TITLES = {
  sse_sst: "variation lost (SSE/SST)",
  il1s: "IL1s",
  means: "largest shift of a mean",
  variances: "smallest share of a variance kept",
  correlations: "largest change of a correlation",
  quantiles: "largest shift of a quantile",
  distributions: "largest gap of a distribution",
  propensity: "propensity score (pMSE)",
  regression: "R² kept by a regression",
  classification: "accuracy kept by a classifier",
  contingency: "largest change of a table of two columns",
  iloss: "ILoss",
  ncp: "NCP",
  discernibility: "discernibility",
  prosecutor: "highest risk (prosecutor)",
  "above_0.2": "records with a risk above 20 %",
  "above_0.09": "records with a risk above 9 %",
  marketer: "average risk (marketer)",
  stratum_marketer: "average risk of a stratum, the highest",
  journalist: "highest risk in the population (journalist)",
  sample_uniques: "records alone in their class",
  population_uniques: "records alone in the population",
  distance_linkage: "linked by distance",
  rank_linkage: "linked by ranks",
  block_linkage: "linked by groups of columns",
  kept_linkage: "linked by kept columns",
  kept_uniques: "alone by kept columns",
  sensitive_uniques: "alone by sensitive columns",
  interval_disclosure: "interval disclosure",
  rank_interval_disclosure: "interval disclosure by ranks",
  certain_inference: "certain inference (homogeneity)",
  class_inference: "guessing from the class",
  model_inference: "guessing by a model",
  known_members: "recovered by who knows all others",
  exact_values: "released exactly",
  extra_digits: "more digits than the data",
  dominance: "dominated means (p % rule, p = 10)",
  assignment_linkage: "linked one to one",
  partial_linkage: "linked by some of the columns",
  nearest_inference: "guessing from the nearest groups",
  likeness: "gain in a sensitive value (β)",
  disclosure: "change of a sensitive share (δ)",
  class_range: "range of sensitive numbers in a class",
  combined_diversity: "combinations of sensitive values in a class",
};

/** Return what people call a measure; one that is new here goes by its key. */
export function titleOf(key) {
  return Object.hasOwn(TITLES, key) ? TITLES[key] : key.replaceAll("_", " ");
}

export const LINKAGES = ["distance_linkage", "rank_linkage", "block_linkage"];

const NUMBERS = [
  ["widths:5,10", "intervals of width 5, then 10"],
  ["cuts:18,30,65", "intervals between these numbers"],
  ["quantiles:20,5", "20 intervals with as many records each, then 5"],
  ["balanced", "halves of halves of the values"],
];
const DATES = [
  ["dates", "month, quarter, year"],
  ["dates:month,year", "month, year"],
  ["balanced", "halves of halves of the values"],
];
const TEXTS = [
  ["prefixes:3,2", "the first 3 signs, then the first 2"],
  ["flat", "the value, or nothing"],
];

/** Return the rules that fit a column, each with what it does. */
export function rulesFor(column) {
  if (column.kind === "date" || column.kind === "datetime") return DATES;
  if (column.kind === "boolean") return [["flat", "the value, or nothing"]];
  return isPlaced(column) ? NUMBERS : TEXTS;
}

/** Return the rule of a column for which nobody says one. */
export function automaticRule(column) {
  return isPlaced(column) ? "balanced" : "flat";
}

function isPlaced(column) {
  return column.numeric && column.kind !== "boolean";
}

export const STATES = {
  queued: "waiting",
  running: "running",
  done: "done",
  failed: "failed",
  canceled: "canceled",
};

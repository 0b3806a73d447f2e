"""What a case asks, in one neutral form, and how each door says it.

A case names what is meant (`privacy.l`, `columns.age.hierarchy`); the table below is the only place
that knows what Python, the command line and recipes call it today. A renamed option changes a line
here, and no case.
"""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

# what is meant | the keyword of Python | the option of the command line | the key of a recipe
VOCABULARY = """
quasi                   quasi_identifiers   --quasi             roles.quasi_identifiers
sensitive               sensitive           --sensitive         roles.sensitive
identifiers             identifiers         --identifier        roles.identifiers
keep                    other               --other             roles.other
drop                    drop                --drop              roles.drop
allow_unique            keep_unique         --keep-unique       roles.keep_unique
group                   group               --group             roles.group
people.person           person              --person            roles.person
people.household        household           --household         roles.household
people.count            count               --count             protect.count
survey.weight           weight              --weight            roles.weight
survey.by               by                  --by                roles.by
survey.small            small_strata        --small-strata      protect.small_strata
survey.released         weights_as          --weights-as        release.weights_as
columns.hierarchy       hierarchies         --hierarchy         hierarchies
columns.order           orders              --order             orders
columns.weight          column_weights      --column-weight     protect.column_weights
columns.aggregate       aggregate           --aggregate         release.aggregate
columns.decimals        decimals            --decimals          release.decimals
columns.round           round               --round             release.round
columns.type            types               --type              input.types
columns.date            date_format         --date-format       input.date_format
columns.l               l                   --l                 protect.l
columns.t               t                   --t                 protect.t
columns.alpha           alpha               --alpha             protect.alpha
columns.beta            beta                --beta              protect.beta
columns.delta           delta               --delta             protect.delta
columns.e               e                   --e                 protect.e
columns.dominance       dominance           --dominance         protect.dominance
privacy.k               k                   --k                 protect.k
privacy.preset          preset              --preset            protect.preset
privacy.l               l                   --l                 protect.l
privacy.l_kind          l_kind              --l-kind            protect.l_kind
privacy.c               c                   --c                 protect.c
privacy.t               t                   --t                 protect.t
privacy.alpha           alpha               --alpha             protect.alpha
privacy.beta            beta                --beta              protect.beta
privacy.beta_kind       beta_kind           --beta-kind         protect.beta_kind
privacy.delta           delta               --delta             protect.delta
privacy.e               e                   --e                 protect.e
privacy.l_of            l_of                --l-of              protect.l_of
privacy.k_of            k_of                --k-of              protect.k_of
privacy.dominance       dominance           --dominance         protect.dominance
privacy.missing         missing_sensitive   --missing-sensitive protect.missing_sensitive
privacy.enforce         enforce             --enforce           protect.enforce
privacy.allow_k1        allow_k1            --allow-k1          protect.allow_k1
steps                   steps               --step              steps
method                  method              --method            protect.method
effort                  effort              --effort            protect.effort
search.start            start               --start             protect.start
search.iterations       max_iterations      --max-iterations    protect.max_iterations
search.seconds          time_limit          --time-limit        protect.time_limit
search.runs             runs                --runs              protect.runs
search.how              refine              --how               protect.refine
search.details          search              --                  search
seed                    seed                --seed              protect.seed
secret                  secret              --                  secret
suppress                suppress            --suppress          protect.suppress
incomplete              incomplete          --incomplete        protect.incomplete
allow_empty             allow_empty         --allow-empty       protect.allow_empty
release.aggregate       aggregate           --aggregate         release.aggregate
release.numbers         numbers             --numbers           release.numbers
release.intervals       intervals           --intervals         release.intervals
release.decimals        decimals            --decimals          release.decimals
release.keep_order      keep_order          --keep-order        release.keep_order
release.spreadsheet     spreadsheet_safe    --spreadsheet-safe  release.spreadsheet_safe
release.dialect         dialect             --dialect           release.dialect
release.totals          totals              --totals            release.totals
release.totals_within   totals_within       --totals-within     release.totals_within
release.group_column    group_column        --group-column      release.group_column
release.format          format              --format            stream.format
series.ledger           ledger              --ledger            series.ledger
series.withhold         withhold            --withhold          series.withhold
series.counterfeits     counterfeits        --counterfeits      series.counterfeits
series.changing         changing            --changing          series.changing
series.promise          over_series         --over-series       series.over_series
series.stable           stable              --stable            series.stable
series.overlap          expect_overlap      --expect-overlap    series.expect_overlap
stream.batch            batch               --batch             stream.batch
stream.delay            delay               --delay             stream.delay
reading.delimiter       delimiter           --delimiter         input.delimiter
reading.encoding        encoding            --encoding          input.encoding
reading.decimal         decimal             --decimal           input.decimal
reading.thousands       thousands           --thousands         input.thousands
reading.date            date_format         --date-format       input.date_format
reading.skip            skip_lines          --skip-lines        input.skip_lines
reading.comment         comment             --comment           input.comment
reading.quote           quote               --quote             input.quote
reading.widths          widths              --widths            input.widths
reading.missing         missing             --missing           input.missing
reading.sheet           sheet               --sheet             input.sheet
reading.trees           hierarchies         --hierarchies       input.hierarchies
run.threads             threads             --threads           -
run.memory              memory              --memory            protect.memory
run.engine              engine              --engine            protect.engine
run.work                work                --work              -
run.scheduler           scheduler           --scheduler         -
run.report              report              --report            -
run.force               force               --force             -
run.show_values         -                   --show-values       -
run.keep                keep                --keep              -
run.sql                 sql                 --sql               -
"""
WORDS = {line.split()[0]: line.split()[1:] for line in VOCABULARY.strip().splitlines()}
APART = {  # of a case itself, not of what it asks
    "do", "table", "as", "to", "files", "hold", "doors", "acts", "words", "operands", "also",
    "omit", "slow", "stdin", "result", "about", "body", "path", "send", "env", "needs",
    "also_saved", "alone", "edit", "look", "raw", "headers", "keep_as", "until", "unawaited",
    "brings",
}  # fmt: skip
PARTS = {word.split(".")[0] for word in WORDS if "." in word}
REPEATED = {"reading.missing", "steps"}  # options said once for each value
APART |= {"raw", "headers", "keep_as", "until", "unawaited", "brings"}  # of the desk's acts


def meant(act: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what an act asks for: the name of what is meant, and its value."""
    facts: dict[str, dict[str, Any]] = {}
    for part, value in act.items():
        if part in APART:
            continue
        if part == "columns":
            for column, said in value.items():
                for fact, one in said.items():
                    facts.setdefault(f"columns.{fact}", {})[column] = one
        elif isinstance(value, Mapping) and part in PARTS:
            yield from ((f"{part}.{name}", one) for name, one in value.items())
        else:
            yield part, value
    yield from facts.items()


def for_python(act: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of Python functions."""
    found: dict[str, Any] = {}
    for name, value in meant(act):
        word = WORDS[name][0]
        if name in ("privacy.k_of", "privacy.l_of"):
            value = {tuple(columns): k for columns, k in value}  # noqa: PLW2901
        found[word] = {**found[word], **value} if isinstance(found.get(word), dict) else value
    return found | act.get("also", {})


def for_recipe(act: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a recipe, as files and the desk have them."""
    tree: dict[str, Any] = {}
    for name, value in meant(act):
        part, _, field = WORDS[name][2].partition(".")
        if name in ("privacy.k_of", "privacy.l_of"):
            value = {_csv(columns): k for columns, k in value}  # noqa: PLW2901
        if name in ("survey.by", "allow_unique") and isinstance(value, str):
            value = [value]  # noqa: PLW2901
        if field:
            tree.setdefault(part, {})[field] = value
        else:
            tree[part] = value
    return tree


def for_command(act: Mapping[str, Any]) -> list[str]:
    """Return the words of the command line."""
    words: list[str] = []
    for name, value in meant(act):
        words += _words(name, WORDS[name][1], value)
    for name, value in act.get("also", {}).items():
        words += _words(name, f"--{name.replace('_', '-')}", value)
    return words


def _words(name: str, option: str, value: Any) -> list[str]:
    if option == "--report" and value is False:
        return ["--no-report"]
    if isinstance(value, bool):
        return [option] if value else []
    if name in ("privacy.k_of", "privacy.l_of"):
        return [f"{option}={_csv(columns)}={k}" for columns, k in value]
    if name == "steps":
        value = [_step(step) for step in value]
    if isinstance(value, Mapping):
        pairs = ((key, _csv(one) if isinstance(one, list) else one) for key, one in value.items())
        return [f"{option}={key}={one}" for key, one in pairs]
    if isinstance(value, list):
        return [f"{option}={one}" for one in (value if name in REPEATED else [_csv(value)])]
    return [f"{option}={value}"]


def _csv(values: list[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(values)
    return line.getvalue()


def _step(step: Mapping[str, Any]) -> str:
    words, last = [str(step["kind"])], []
    for name, value in step.items():
        if isinstance(value, Mapping):
            last = [f"{old}={new}" for old, new in value.items()]
        elif name != "kind":
            said = _csv(value) if isinstance(value, list) else value
            words.append(f"{name}={('yes' if said else 'no') if isinstance(said, bool) else said}")
    return shlex.join([*words, *last])

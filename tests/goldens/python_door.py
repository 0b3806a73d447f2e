"""The door of Python: an act becomes a call of a public function, and what comes back is told."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import shoal
from goldens import asked, files
from goldens.tables import hand_over
from goldens.telling import cells_of, chart_of, hash_of, labels_of, told, without_places

Act = Mapping[str, Any]
Found = dict[str, Any]


def carry_out(act: Act) -> Found:
    """Return what an act brings, or the error that it is refused with; in the current folder."""
    data = hand_over(act["table"], act.get("as", "csv"), Path()) if "table" in act else None
    options = asked.for_python(act)
    if stage := act.get("result", {}).get("stops"):  # whoever is told how far it is says: enough
        options["callback"] = lambda progress: stage is True or stage in progress.stage
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = VERBS[act["do"]](act, data, options)
        except shoal.ShoalError as error:
            return {"error": f"{type(error).__name__}: {error}"}
    named = sorted(
        {w.category.__name__ for w in warned if issubclass(w.category, shoal.ShoalWarning)}
    )
    found = {**found, **files.looked_at(act.get("look", []))}
    return found | ({"warns": named} if named else {})


def _anonymize(act: Act, data: Any, options: Found) -> Found:
    if "to" in act:
        data = act["operands"][0] if data is None else data
        shoal.anonymize_file(data, act["to"], **options)
        return files.told_of(act["to"])
    result = shoal.anonymize(act["operands"][0] if data is None else data, **options)
    found = told(result.report.to_dict()) | {
        "groups": labels_of(result.partition.labels),
        "loss of the search": result.partition.information_loss,
        "cells": cells_of(result.table),
        "type": _type(result.data),
        "answer": hash_of(_cells(result.data)),
    }
    saved = {"save": result.save, "pack": result.pack}
    for verb, where in act.get("result", {}).items():
        if verb == "plot":
            found |= {f"chart {name}": chart_of(_chart(result, name)) for name in where}
        elif verb == "summary":
            found["says"] = [*str(result).splitlines(), repr(result)]
        elif verb == "shuffled":
            found["answer shuffled"] = hash_of(_cells(result.shuffled(seed=where)))
        else:
            saved[verb](where, **act.get("also_saved", {}))
            found |= files.told_of(where)
    return found


def _chart(result: Any, name: str) -> Any:
    what, _, column = name.partition(" ")
    made = getattr(result.plot, what)
    return (made(*column.split()) if column else made()).spec


def _cells(data: Any) -> Any:
    """Return the cells of data as plain values, read from them without the program."""
    if isinstance(data, shoal.Table):
        return cells_of(data)
    for plain in ("to_pydict", "tolist"):  # of Arrow and of arrays
        if hasattr(data, plain):
            return getattr(data, plain)()
    if hasattr(data, "collect"):
        data = data.collect()
    if hasattr(data, "to_dict"):
        index = [str(one) for one in data.index] if hasattr(data, "index") else []
        return [index, {name: [str(cell) for cell in data[name]] for name in data.columns}]
    return data


def _type(data: Any) -> str:
    """Return the type of released data, with the types of its columns."""
    name = f"{type(data).__module__.split('.')[0]}.{type(data).__name__}"
    kinds = data.schema.types if "pyarrow" in name else getattr(data, "dtypes", None)
    if kinds is None or name.endswith("LazyFrame"):
        return name
    kinds = kinds.tolist() if hasattr(kinds, "tolist") else list(kinds)
    return f"{name}: {', '.join(map(str, kinds))}"


def _partition(found: Any) -> Found:
    log = found.search
    return {
        "groups": labels_of(found.labels), "loss": found.information_loss, "method": found.method,
        "smallest": min(map(len, found.members())),
        **({"iterations": log.iterations} if log is not None else {}),
    }  # fmt: skip


def _microaggregate(act: Act, data: Any, options: Found) -> Found:
    return _partition(shoal.microaggregate(data, **options))


def _refine(act: Act, data: Any, options: Found) -> Found:
    labels = shoal.microaggregate(data, options["k"], method=act["result"]["first"]).labels
    if "refine" in options:  # as anonymize calls it
        options["how"] = options.pop("refine")
    return _partition(shoal.refine(data, labels, **options))


def _columns(act: Act, data: Any, options: Found) -> Found:
    found = shoal.microaggregate_columns(data, **options)
    groups = {f"groups of {n}": labels_of(found.labels[:, at]) for at, n in enumerate(found.names)}
    return groups | {
        "type": _type(found.data), "answer": hash_of(_cells(found.data)),
        "loss": found.information_loss, "says": str(found).splitlines(),
    }  # fmt: skip


def _plain(function: Callable[..., Any], first: str = "") -> Callable[[Act, Any, Found], Found]:
    """Return a verb that tells what a function's result says of itself as a tree."""

    def verb(act: Act, data: Any, options: Found) -> Found:
        operands = [data] if data is not None else []
        result = function(*operands, *act.get("operands", ()), **options)
        found = told(result.to_dict() if hasattr(result, "to_dict") else result)
        if "summary" in act.get("result", {}):
            found["says"] = str(result).splitlines()
        if hasattr(result, "reason"):  # of a comparison
            found["says"] = _reasons(result)
        if "plot" in act.get("result", {}):
            found["chart of runs"] = chart_of(result.plot().spec)
        if "data" in act.get("result", {}):
            found["type"] = _type(result.data)
        return found

    return verb


def _reasons(result: Any) -> list[str]:
    """Return why a run is recommended, and why others have no figures."""
    tree = result.to_dict()
    return [str(tree["reason"]), *(str(one["said"]) for one in tree["points"] if one["said"])]


def _bound(act: Act, data: Any, options: Found) -> Found:
    found = shoal.lower_bound(data, **options)
    return {
        "bound": found.information_loss, "sse": found.sse, "complete": found.complete,
        "loss": found.loss_name,
    }  # fmt: skip


def _read(act: Act, data: Any, options: Found) -> Found:
    table = shoal.read(data, **options)
    kinds = {f"kind of {c.name}": c.kind.name.lower() for c in table.columns}
    return {"cells": cells_of(table), "records": table.rows, **kinds}


def _hierarchy(act: Act, data: Any, options: Found) -> Found:
    made = shoal.hierarchy(data, *act["operands"])
    return {"levels": made.levels, "rule": made.rule, "paths": hash_of(made.to_csv())}


def _stream(act: Act, data: Any, options: Found) -> Found:
    given = act["operands"][0] if data is None else data
    source = files.folder_of(given) if isinstance(given, str) else given
    stream = shoal.stream(source, act["to"], **options)
    most = act.get("result", {}).get("first")  # a stream that is followed does not end
    batches = [_batch(one) for one in itertools.islice(stream, most)]
    counts = told(stream.counts.to_dict())
    return {**counts, "batches": batches, "files": files.names_in(act["to"])}


def _batch(batch: Any) -> list[Any]:
    return [batch.number, batch.records, batch.classes, batch.smallest, batch.loss, batch.come]


def _datasets(act: Act, data: Any, options: Found) -> Found:
    """Return what lies in the sample, or a reference table, with the roles of its columns."""
    (name,) = act["operands"]
    table = shoal.datasets.load_patients() if name == "patients" else shoal.datasets.load(name)
    kinds = {f"kind of {c.name}": f"{c.role.value}, {c.kind.name.lower()}" for c in table.columns}
    recipe = files.looked_at([str(shoal.datasets.patients_recipe())])
    return {"cells": cells_of(table), **kinds, "answer": [*recipe.values()]}


def _listed(name: str, about: str) -> Callable[[Act, Any, Found], Found]:
    def verb(act: Act, data: Any, options: Found) -> Found:
        every = getattr(shoal, name)()
        every = every.values() if isinstance(every, Mapping) else every
        return {"listed": [f"{one.name}: {getattr(one, about)}" for one in every]}

    return verb


def _estimator(act: Act, data: Any, options: Found) -> Found:
    from shoal.estimator import Microaggregator

    made = Microaggregator(**options)
    asked_for = act.get("result", {})
    if "output" in asked_for:
        made.set_output(transform=asked_for["output"])
    released = made.fit_transform(data)
    found = {
        "groups": labels_of(made.labels_), "answer": hash_of(_cells(released)),
        "type": _type(released), "loss": made.information_loss_, "count of groups": made.n_groups_,
        "answer of centers": hash_of(_cells(made.cluster_centers_)),
        "answer again": hash_of(_cells(made.transform(data))),
    }  # fmt: skip
    if "then" in asked_for:  # what it does with another table
        other = hand_over(asked_for["then"], act.get("as", "csv"), Path())
        found["answer then"] = hash_of(_cells(made.transform(other)))
    return found


def _series(act: Act, data: Any, options: Found) -> Found:
    result = shoal.verify_series(act.get("operands", ()), **options)
    return told(result.to_dict()) | {"says": _lines(result)}


def _check_pack(act: Act, data: Any, options: Found) -> Found:
    if "hierarchies" in options:
        options["trees"] = options.pop("hierarchies")
    result = shoal.check_pack(*act["operands"], **options)
    return told(result.to_dict()) | {"says": _lines(result)}


def _ledger(keep: Callable[..., Any]) -> Callable[[Act, Any, Found], Found]:
    """Return a verb that changes a ledger or looks at it, and says what is in it."""

    def verb(act: Act, data: Any, options: Found) -> Found:
        ledger, *more = act["operands"]
        said = keep(Path(ledger), more, options)
        return {"says": [*_lines(said or ""), *_lines(shoal.check_ledger(ledger))]}

    return verb


def _lines(said: Any) -> list[str]:
    text = said.summary() if hasattr(said, "summary") else str(said)
    return without_places(text, str(Path.cwd())).splitlines()


def _add(ledger: Path, more: list[Any], options: Found) -> None:
    if "release" in options:
        options["release"] = Path(options["release"])
    shoal.add_release(ledger, Path(more[0]), **options)


def _withdraw(ledger: Path, more: list[Any], options: Found) -> None:
    shoal.withdraw_release(ledger, *more)


VERBS: dict[str, Callable[[Act, Any, Found], Found]] = {
    "anonymize": _anonymize,
    "microaggregate": _microaggregate,
    "refine": _refine,
    "columns": _columns,
    "bound": _bound,
    "read": _read,
    "hierarchy": _hierarchy,
    "stream": _stream,
    "estimator": _estimator,
    "datasets": _datasets,
    "methods": _listed("methods", "kind"),
    "presets": _listed("presets", "k"),
    "risk": _plain(shoal.risk),
    "inspect": _plain(shoal.inspect),
    "measure": _plain(shoal.measure),
    "compare": _plain(shoal.compare),
    "suggest": _plain(shoal.suggest),
    "preview": _plain(shoal.preview),
    "verify": _plain(shoal.verify),
    "verify_series": _series,
    "check_pack": _check_pack,
    "ledger_add": _ledger(_add),
    "ledger_forget": _ledger(lambda ledger, people, options: shoal.forget_people(ledger, people)),
    "ledger_withdraw": _ledger(_withdraw),
    "ledger_check": _ledger(lambda ledger, more, options: None),
}

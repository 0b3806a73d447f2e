"""Shoal: k-anonymous releases of microdata, by microaggregation and generalization.

The names below are loaded when they are first used: `import shoal` itself starts nothing. What a
run does is logged to `shoal` and loggers below it, never with a value of a record.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING, Any

from shoal.version import __version__

if TYPE_CHECKING:
    from shoal import datasets as datasets
    from shoal import steps as steps
    from shoal.errors import Canceled as Canceled
    from shoal.errors import EngineError as EngineError
    from shoal.errors import InputError as InputError
    from shoal.errors import OutputError as OutputError
    from shoal.errors import PrivacyError as PrivacyError
    from shoal.errors import PrivacyWarning as PrivacyWarning
    from shoal.errors import RequestError as RequestError
    from shoal.errors import ShoalError as ShoalError
    from shoal.errors import ShoalWarning as ShoalWarning
    from shoal.errors import TypeChangeWarning as TypeChangeWarning
    from shoal.judge.series import SeriesVerification as SeriesVerification
    from shoal.judge.series import verify_series as verify_series
    from shoal.judge.verdict import Verification as Verification
    from shoal.judge.verify import verify as verify
    from shoal.measures.result import Measures as Measures
    from shoal.methods.ils.parameters import Search as Search
    from shoal.methods.registry import methods as methods
    from shoal.partition import Bound as Bound
    from shoal.partition import Partition as Partition
    from shoal.pipeline.add_release import add_release as add_release
    from shoal.pipeline.anonymize import anonymize as anonymize
    from shoal.pipeline.batches import Batch as Batch
    from shoal.pipeline.batches import Stream as Stream
    from shoal.pipeline.compare import compare as compare
    from shoal.pipeline.comparison import Comparison as Comparison
    from shoal.pipeline.inspect import inspect as inspect
    from shoal.pipeline.lower_bound import lower_bound as lower_bound
    from shoal.pipeline.measure import measure as measure
    from shoal.pipeline.microaggregate import ColumnByColumn as ColumnByColumn
    from shoal.pipeline.microaggregate import microaggregate as microaggregate
    from shoal.pipeline.microaggregate import microaggregate_columns as microaggregate_columns
    from shoal.pipeline.microaggregate import refine as refine
    from shoal.pipeline.preview import Preview as Preview
    from shoal.pipeline.preview import preview as preview
    from shoal.pipeline.regions.file import anonymize_file as anonymize_file
    from shoal.pipeline.regions.request import Released as Released
    from shoal.pipeline.result import Result as Result
    from shoal.pipeline.risk import risk as risk
    from shoal.pipeline.stream import stream as stream
    from shoal.pipeline.suggest import Suggestion as Suggestion
    from shoal.pipeline.suggest import suggest as suggest
    from shoal.progress import Progress as Progress
    from shoal.release.pack.recheck import Checked as Checked
    from shoal.release.pack.recheck import check_pack as check_pack
    from shoal.report.report import Report as Report
    from shoal.report.risk.result import Risk as Risk
    from shoal.series.keeping import check_ledger as check_ledger
    from shoal.series.keeping import forget_people as forget_people
    from shoal.series.keeping import withdraw_release as withdraw_release
    from shoal.series.waiting import Counts as Counts
    from shoal.settings.presets import Preset as Preset
    from shoal.settings.presets import presets as presets
    from shoal.table.hierarchy.view import Hierarchy as Hierarchy
    from shoal.table.hierarchy.view import hierarchy as hierarchy
    from shoal.table.inspect import Inspection as Inspection
    from shoal.table.read import read as read
    from shoal.table.table import Table as Table


_HOME = {
    "Batch": "pipeline.batches",
    "Bound": "partition",
    "Canceled": "errors",
    "Checked": "release.pack.recheck",
    "ColumnByColumn": "pipeline.microaggregate",
    "Comparison": "pipeline.comparison",
    "Counts": "series.waiting",
    "EngineError": "errors",
    "Hierarchy": "table.hierarchy.view",
    "InputError": "errors",
    "Inspection": "table.inspect",
    "Measures": "measures.result",
    "OutputError": "errors",
    "Partition": "partition",
    "Preset": "settings.presets",
    "Preview": "pipeline.preview",
    "PrivacyError": "errors",
    "PrivacyWarning": "errors",
    "Progress": "progress",
    "Released": "pipeline.regions.request",
    "Report": "report.report",
    "RequestError": "errors",
    "Result": "pipeline.result",
    "Risk": "report.risk.result",
    "Search": "methods.ils.parameters",
    "SeriesVerification": "judge.series",
    "ShoalError": "errors",
    "ShoalWarning": "errors",
    "Stream": "pipeline.batches",
    "Suggestion": "pipeline.suggest",
    "Table": "table.table",
    "TypeChangeWarning": "errors",
    "Verification": "judge.verdict",
    "add_release": "pipeline.add_release",
    "anonymize": "pipeline.anonymize",
    "anonymize_file": "pipeline.regions.file",
    "check_ledger": "series.keeping",
    "check_pack": "release.pack.recheck",
    "compare": "pipeline.compare",
    "datasets": "",
    "forget_people": "series.keeping",
    "hierarchy": "table.hierarchy.view",
    "inspect": "pipeline.inspect",
    "lower_bound": "pipeline.lower_bound",
    "measure": "pipeline.measure",
    "methods": "methods.registry",
    "microaggregate": "pipeline.microaggregate",
    "microaggregate_columns": "pipeline.microaggregate",
    "presets": "settings.presets",
    "preview": "pipeline.preview",
    "read": "table.read",
    "refine": "pipeline.microaggregate",
    "risk": "pipeline.risk",
    "steps": "",
    "stream": "pipeline.stream",
    "suggest": "pipeline.suggest",
    "verify": "judge.verify",
    "verify_series": "judge.series",
    "withdraw_release": "series.keeping",
}

__all__ = [
    "Batch",
    "Bound",
    "Canceled",
    "Checked",
    "ColumnByColumn",
    "Comparison",
    "Counts",
    "EngineError",
    "Hierarchy",
    "InputError",
    "Inspection",
    "Measures",
    "OutputError",
    "Partition",
    "Preset",
    "Preview",
    "PrivacyError",
    "PrivacyWarning",
    "Progress",
    "Released",
    "Report",
    "RequestError",
    "Result",
    "Risk",
    "Search",
    "SeriesVerification",
    "ShoalError",
    "ShoalWarning",
    "Stream",
    "Suggestion",
    "Table",
    "TypeChangeWarning",
    "Verification",
    "__version__",
    "add_release",
    "anonymize",
    "anonymize_file",
    "check_ledger",
    "check_pack",
    "compare",
    "datasets",
    "forget_people",
    "hierarchy",
    "inspect",
    "lower_bound",
    "measure",
    "methods",
    "microaggregate",
    "microaggregate_columns",
    "presets",
    "preview",
    "read",
    "refine",
    "risk",
    "steps",
    "stream",
    "suggest",
    "verify",
    "verify_series",
    "withdraw_release",
]


logging.getLogger(__name__).addHandler(logging.NullHandler())  # the caller says where logs go


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    home = _HOME[name]
    if not home:
        return importlib.import_module(f"shoal.{name}")
    value = getattr(importlib.import_module(f"shoal.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

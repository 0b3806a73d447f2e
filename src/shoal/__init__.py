"""Shoal makes microdata safe to release: each record hides among at least k.

The names below are loaded when they are first used: `import shoal` itself starts nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal import datasets as datasets
    from shoal.bounding import lower_bound as lower_bound
    from shoal.comparing.points import Comparison as Comparison
    from shoal.comparing.run import compare as compare
    from shoal.errors import Canceled as Canceled
    from shoal.errors import EngineError as EngineError
    from shoal.errors import InputError as InputError
    from shoal.errors import OutputError as OutputError
    from shoal.errors import PrivacyError as PrivacyError
    from shoal.errors import RequestError as RequestError
    from shoal.errors import ShoalError as ShoalError
    from shoal.filing import anonymize_file as anonymize_file
    from shoal.grouping import ColumnByColumn as ColumnByColumn
    from shoal.grouping import microaggregate as microaggregate
    from shoal.grouping import microaggregate_columns as microaggregate_columns
    from shoal.grouping import refine as refine
    from shoal.large.order import Released as Released
    from shoal.measures.result import Measures as Measures
    from shoal.measuring import measure as measure
    from shoal.methods.registry import methods as methods
    from shoal.partition import Bound as Bound
    from shoal.partition import Partition as Partition
    from shoal.previewing import Preview as Preview
    from shoal.previewing import preview as preview
    from shoal.progress import Progress as Progress
    from shoal.release.packing.recheck import Checked as Checked
    from shoal.release.packing.recheck import check_pack as check_pack
    from shoal.release.report import Report as Report
    from shoal.release.verify import Verification as Verification
    from shoal.release.verify import verify as verify
    from shoal.search.parameters import Search as Search
    from shoal.table.hierarchy.view import Hierarchy as Hierarchy
    from shoal.table.hierarchy.view import hierarchy as hierarchy
    from shoal.table.read import read as read
    from shoal.table.table import Table as Table
    from shoal.walk import Result as Result
    from shoal.walk import anonymize as anonymize

__version__ = "0.1.0"

_HOME = {
    "Bound": "partition",
    "Canceled": "errors",
    "Checked": "release.packing.recheck",
    "ColumnByColumn": "grouping",
    "Comparison": "comparing.points",
    "EngineError": "errors",
    "Hierarchy": "table.hierarchy.view",
    "InputError": "errors",
    "Measures": "measures.result",
    "OutputError": "errors",
    "Partition": "partition",
    "Preview": "previewing",
    "PrivacyError": "errors",
    "Progress": "progress",
    "Released": "large.order",
    "Report": "release.report",
    "RequestError": "errors",
    "Result": "walk",
    "Search": "search.parameters",
    "ShoalError": "errors",
    "Table": "table.table",
    "Verification": "release.verify",
    "anonymize": "walk",
    "anonymize_file": "filing",
    "check_pack": "release.packing.recheck",
    "compare": "comparing.run",
    "datasets": "",
    "hierarchy": "table.hierarchy.view",
    "lower_bound": "bounding",
    "measure": "measuring",
    "methods": "methods.registry",
    "microaggregate": "grouping",
    "microaggregate_columns": "grouping",
    "preview": "previewing",
    "read": "table.read",
    "refine": "grouping",
    "verify": "release.verify",
}

__all__ = [
    "Bound",
    "Canceled",
    "Checked",
    "ColumnByColumn",
    "Comparison",
    "EngineError",
    "Hierarchy",
    "InputError",
    "Measures",
    "OutputError",
    "Partition",
    "Preview",
    "PrivacyError",
    "Progress",
    "Released",
    "Report",
    "RequestError",
    "Result",
    "Search",
    "ShoalError",
    "Table",
    "Verification",
    "__version__",
    "anonymize",
    "anonymize_file",
    "check_pack",
    "compare",
    "datasets",
    "hierarchy",
    "lower_bound",
    "measure",
    "methods",
    "microaggregate",
    "microaggregate_columns",
    "preview",
    "read",
    "refine",
    "verify",
]


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

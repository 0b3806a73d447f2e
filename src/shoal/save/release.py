"""Release: what can be saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shoal.report.report import Report
    from shoal.series.series import Series
    from shoal.settings import Settings
    from shoal.table.table import Table


class Release(Protocol):
    """What there is to write: the released table, its report, the settings that repeat it.

    Under a ledger also the entry that is pending.
    """

    @property
    def table(self) -> Table: ...
    @property
    def report(self) -> Report: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def pending(self) -> Series | None: ...

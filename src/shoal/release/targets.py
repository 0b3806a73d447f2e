"""Targets: what files of statistics programs can hold, and how their columns may be named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.errors import RequestError, listed

SPSS_WORDS = re.compile("ALL|AND|BY|EQ|GE|GT|LE|LT|NE|NOT|OR|TO|WITH", re.IGNORECASE)
STATA_WORDS = re.compile(
    "_all|_b|byte|_coef|_cons|double|float|if|in|int|long|_n|_N|_pi|_pred|_rc|_skip|strL|using|with"
    r"|str\d+"
)
SAS_WORDS = re.compile("_N_|_ERROR_|_NUMERIC_|_CHARACTER_|_ALL_", re.IGNORECASE)


@dataclass(frozen=True)
class Target:
    """Limits of a kind of file.

    `names` is what a column's name must match, said in `rule`; `bytes_of_name` is how long it may
    be, and `reserved` are words of the program that it must not be. `text` is bytes of a text,
    `value_label` bytes of a value label, `label` signs and bytes of a variable's label.
    """

    what: str
    family: str
    names: re.Pattern[str]
    rule: str
    bytes_of_name: int
    reserved: re.Pattern[str]
    text: int
    value_label: int
    label: tuple[int, int]
    largest: float = 1.7e308
    least: float = 0.0
    has_codes: bool = True
    keeps_spaces: bool = False

    def cut(self, label: str) -> str:
        """Return the label of a variable, cut to what the file can hold."""
        signs, most = self.label
        return label[:signs].encode("utf-8")[:most].decode("utf-8", "ignore")

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse names that columns of such a file cannot have."""
        bad = [name for name in names if not self._takes(name)]
        if bad:
            raise RequestError(
                f"{self.what} cannot have columns named {listed(bad)}: {self.rule}, and no word of "
                f"{self.family} itself; rename them in the input, or write csv or Parquet"
            )
        seen: dict[str, str] = {}
        for name in names:
            other = seen.setdefault(name.casefold(), name)
            if other != name and self.family != "Stata":
                raise RequestError(
                    f"{self.what} takes the names {listed([other, name])} for one; rename one in "
                    "the input, or write csv or Parquet"
                )

    def _takes(self, name: str) -> bool:
        if self.names.fullmatch(name) is None or self.reserved.fullmatch(name) is not None:
            return False
        return len(name.encode()) <= self.bytes_of_name


SPSS = Target(
    "an SPSS file", "SPSS", re.compile(r"[^\W\d_][\w.$#@]*(?<!\.)"),
    "a letter, then letters, digits and . _ $ # @, in all 64 bytes", 64, SPSS_WORDS, 32_767, 120,
    (256, 252),
)  # fmt: skip
TARGETS = {
    "sav": SPSS,
    "zsav": SPSS,
    "dta": Target(
        "a Stata file", "Stata", re.compile(r"[^\W\d]\w{0,31}"),
        "letters, digits and _, in all 32 signs, no digit first", 128, STATA_WORDS, 2_000_000,
        32_000, (80, 320), largest=8.9e307, keeps_spaces=True,
    ),
    "xpt": Target(
        "a SAS transport file", "SAS", re.compile(r"[A-Za-z_][A-Za-z0-9_]*"),
        "plain letters, digits and _, in all 32 signs, no digit first", 32, SAS_WORDS, 32_767, 0,
        (256, 256), largest=7e75, least=6e-79, has_codes=False,
    ),
}  # fmt: skip

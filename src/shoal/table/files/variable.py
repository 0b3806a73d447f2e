"""Variable: what a statistics file says of a column beside its values."""

from __future__ import annotations

from dataclasses import dataclass

Code = int | float | str


@dataclass(frozen=True, repr=False)
class Variable:
    """The entry of a column in the codebook of an SPSS, Stata or SAS file: labels, no data.

    `labels` are value labels by code; where the column is `coded`, its values are these labels,
    else they are the codes. `missing` are ranges of codes that mean missing; `format` and `width`
    are how the program `family` shows values.
    """

    family: str
    label: str = ""
    labels: tuple[tuple[Code, str], ...] = ()
    coded: bool = False
    measure: str = "unknown"
    missing: tuple[tuple[Code, Code], ...] = ()
    format: str = ""
    width: int = 0

    @property
    def codes(self) -> dict[str, Code]:
        """Codes by their labels."""
        return {label: code for code, label in self.labels}

    def means_missing(self, code: Code) -> bool:
        """Tell whether a code is one of those that mean missing."""
        for low, high in self.missing:
            if isinstance(low, str) or isinstance(code, str) or isinstance(high, str):
                if code == low:
                    return True
            elif low <= code <= high:
                return True
        return False

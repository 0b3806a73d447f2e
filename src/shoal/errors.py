"""Exceptions. Every message is one line, says what to do, and holds no record value.

Options that a message names are data in it (`shoal.hints`): each door says them in its own words.
"""

from __future__ import annotations

import difflib
import html
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from numbers import Real
from typing import Any, TypeAlias

from shoal.hints import Hint, Message, cleaned, option, said

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"  # plain values
LIGHTEST, HEAVIEST = 1e-6, 1e6  # a column that counts less than that had better be left out
COLORS = {"good": "#2e9e6a", "but": "#c98a1b", "bad": "#d1493f", "": "#8592a0"}  # on any ground


class ShoalError(Exception):
    """The root of all errors that Shoal raises on purpose; `exit_code` is the command line's.

    `hints` are the options that its message names.
    """

    exit_code = 2

    def __init__(self, message: str = "") -> None:
        super().__init__(Message(message))

    def __str__(self) -> str:
        return said(self.args[0]) if self.args else ""

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The options that the message names, each with the value that it should be given."""
        return Message(self.args[0]).hints if self.args else ()

    @property
    def marked(self) -> str:
        """The message with its hints as data, for another message to take it up."""
        return Message(self.args[0]).marked if self.args else ""

    def to_plain(self) -> dict[str, Json]:
        """Return the error as plain values: kind, message, attributes."""
        return {"kind": type(self).__name__, "said": self.marked, "more": vars(self)}


def from_plain(values: Mapping[str, Any]) -> ShoalError:
    """Return the error that plain values tell of."""
    kinds, error_kind = [ShoalError], ShoalError
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        error_kind = kind if kind.__name__ == values["kind"] else error_kind
    error = error_kind.__new__(error_kind, Message(values["said"]))
    vars(error).update(values["more"])
    return error


class InputError(ShoalError, ValueError):
    """The data cannot be read as asked: the message names file, line and column."""


class RequestError(ShoalError, ValueError):
    """An argument, option or recipe asks for something that cannot be."""


class OutputError(ShoalError):
    """The release cannot be written where it should go; nothing was written."""


def exists(place: object) -> OutputError:
    """Return the error of a file or folder that is there already."""
    return OutputError(f"{shown(place)} exists; say {option('force', True)} to replace it")


class PrivacyError(ShoalError):
    """The release does not meet the privacy requirement; nothing was written."""

    exit_code = 3


class EngineError(ShoalError):
    """A cluster cannot run the tasks: its workers lack something, or it has ended."""

    exit_code = 1


class EngineLostError(EngineError):
    """The cluster connection was lost; partial results are kept and the run can be resumed."""


class Canceled(ShoalError):  # noqa: N818 - not an error of anybody's making
    """A callback asked to stop before there was a result."""

    exit_code = 130


class ShoalWarning(UserWarning):
    """The root of all warnings."""


class TypeChangeWarning(ShoalWarning):
    """Columns of a dataframe are released with another type than they had."""


class PrivacyWarning(ShoalWarning):
    """What comes back protects people less than it may seem to."""


def pip_install(extra: str) -> str:
    """Return the command that installs an extra, as every shell takes it."""
    return f'pip install "shoal[{extra}]"'


def shown(name: object, limit: int = 60) -> str:
    """Return a column or file name in quotes, on one line, without control signs, not too long."""
    return f"'{cleaned(str(name), limit)}'"


def listed(names: Iterable[object], limit: int = 6) -> str:
    """Return names in quotes, with commas, the rest counted."""
    every = list(names)
    more = f" and {len(every) - limit} more" if len(every) > limit else ""
    return ", ".join(shown(name) for name in every[:limit]) + more


def in_shape(one: Any) -> str:
    """Return what an object is in names and sizes, for a `__repr__` that shows no cell.

    Of its fields, its name, whole numbers and words of ours (enumerations) are shown, and how much
    there is of anything else; floats and texts are left out.
    """
    fields: Iterable[str] = getattr(one, "_fields", ()) or getattr(one, "__dataclass_fields__", ())
    texts = [_field(name, getattr(one, name, None)) for name in fields]
    return f"<{type(one).__name__}{''.join(f' {text}' for text in texts if text)}>"


def _field(name: str, value: Any) -> str:
    if name == "name":
        return shown(value)
    if isinstance(value, Enum | bool | int):
        return f"{name}={value}"
    if type(value).__module__.startswith("shoal."):
        return f"{name}={value!r}"
    if hasattr(value, "shape"):
        return f"{name}: {'×'.join(map(str, value.shape))}"
    if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
        return ""
    return f"{name}: {len(value)}"


class UnlistedError(InputError):
    """A hierarchy or order lacks values of a column; `values` are those.

    A message never shows them: `where` says what does.
    """

    where = option("show_values", True, python="`values` of this error")

    def __init__(self, message: str, values: Sequence[str]) -> None:
        super().__init__(f"{message}; {self.where} lists them")
        self.values = list(values)

    @property
    def brief(self) -> str:
        """The message without what lists the values."""
        return self.marked.removesuffix(f"; {self.where} lists them")

    def listed(self) -> str:
        """Return the values themselves."""
        return listed(self.values, 20)


def check_known(given: Iterable[str], known: Sequence[str], what: str) -> None:
    """Raise RequestError for names that are no quasi-identifiers; `what` is the option."""
    for name in given:
        if name not in known:
            raise RequestError(
                f"{what} is given for {shown(name)}, which is no quasi-identifier"
                f"{nearest_names(name, known)}"
            )


def check_weights(weights: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse a weight of a column that is not grouped, and what is no weight."""
    check_known(weights, known, "a weight")
    for name, weight in weights.items():
        number = isinstance(weight, Real) and not isinstance(weight, bool)
        if not number or not LIGHTEST <= float(weight) <= HEAVIEST:
            raise RequestError(
                f"the weight of {shown(name)} must be a number between {LIGHTEST:g} and "
                f"{HEAVIEST:,.0f}"
            )


def nearest_names(name: str, known: Iterable[str]) -> str:
    """Return the end of a message that offers the known names closest to a wrong one."""
    every = list(known)
    close = difflib.get_close_matches(name, every, n=3, cutoff=0.5)
    if close:
        return f"; did you mean {' or '.join(shown(match) for match in close)}?"
    return f"; there are {listed(every, 12)}" if every else ""


def in_html(
    head: str, lines: Iterable[str] = (), rows: Iterable[Sequence[object]] = (), mood: str = ""
) -> str:
    """Return a head, lines and a table as HTML for a notebook, all of it escaped.

    The first row has the names of the columns; a row of one cell is a title within the table.
    """
    every = list(rows)
    body = "".join(
        f'<div style="white-space: pre-wrap">{_escaped(line)}</div>' for line in lines if line
    )
    if every:
        width = len(every[0])
        cells = "".join(_html_row(row, width, at == 0) for at, row in enumerate(every))
        body += f'<table style="margin: .4em 0">{cells}</table>'
    return html_box(f"<div><strong>{_escaped(head)}</strong></div>{body}", mood)


def html_box(content: str, mood: str = "") -> str:
    """Return HTML in a box whose edge is good, but or bad; text and ground are the notebook's."""
    style = f"border-left: 4px solid {COLORS[mood]}; padding-left: .8em; overflow-x: auto"
    return f'<div style="{style}">{content}</div>'


def _html_row(row: Sequence[object], width: int, first: bool) -> str:
    left = ' style="text-align: left"'
    if len(row) < width:
        return f'<tr><th colspan="{width}"{left}>{_escaped(row[0])}</th></tr>'
    tag = "th" if first else "td"
    return f"<tr>{''.join(f'<{tag}{left}>{_escaped(cell)}</{tag}>' for cell in row)}</tr>"


def _escaped(text: object) -> str:
    return html.escape(shown(text, 500)[1:-1])

"""Refused: an HTTP error in one line, without a record value."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818 - an answer, not a failure
    """A request that cannot be met: `status` as HTTP has it, and one line for a person."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message

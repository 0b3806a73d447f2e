"""Bodies of requests: JSON objects, within limits of bytes and seconds."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from fastapi import Request
from starlette.requests import ClientDisconnect

BODY = 1 << 20  # bytes of a request that is no upload


async def body_of(request: Request, most: int = BODY, patience: float = 30.0) -> dict[str, Any]:
    """Return the JSON object that a request brings, within so many bytes and seconds."""
    content = bytearray()
    try:
        async with asyncio.timeout(patience):
            async for piece in request.stream():
                content += piece
                if len(content) > most:
                    raise Refused(413, "the request is too large")
    except TimeoutError:
        raise Refused(408, "the request stopped coming") from None
    except ClientDisconnect:
        raise Refused(400, "the request was broken off") from None
    try:
        body = json.loads(content, parse_constant=_no_number)
        json.dumps(body, ensure_ascii=False).encode()  # half a sign of two could not be answered
    except (ValueError, RecursionError):
        raise Refused(400, "the request is no JSON") from None
    if not isinstance(body, dict):
        raise Refused(400, "a JSON object is wanted")
    return body


def _no_number(text: str) -> None:
    raise ValueError(text)


class Refused(Exception):  # noqa: N818 - an answer, not a failure
    """A request that cannot be met: `status` as HTTP has it, and one line for a person."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message

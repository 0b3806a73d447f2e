"""Events of a job: a line of JSON whenever something of it has changed, until it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from shoal.web.jobs import QUEUED, RUNNING, Job
from shoal.web.session import Session

LINES = "application/x-ndjson"
OFTEN = 0.2  # seconds between two looks at a job
SILENCE = 10.0  # seconds after which a line comes even if nothing has changed


async def follow(session: Session, job: Job, after: int) -> AsyncIterator[str]:
    """Yield the job as JSON, its curve from point `after` on, as often as it changes."""
    last, quiet = "", 0.0
    while job.id in session.jobs:
        told = job.to_json(session.queue.ahead(job), after)
        line = json.dumps(told)
        if line != last or quiet >= SILENCE:
            after += len(told["curve"])
            last, quiet = json.dumps({**told, "curve": []}), 0.0
            yield f"{line}\n"
        if told["state"] not in (QUEUED, RUNNING):
            return
        await asyncio.sleep(OFTEN)
        quiet += OFTEN

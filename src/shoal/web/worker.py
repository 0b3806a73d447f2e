"""Worker process of the desk: `python -m shoal.web.worker FOLDER`.

It finds what is asked in the folder, tells there how far it is, and leaves its answer. It yields to
everything else on the machine, and ends when the server does.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from shoal.errors import Canceled, PrivacyError, ShoalError, UnlistedError
from shoal.web.messages import ANSWER, ASKED, ProgressWriter, write_json

NICE = 10


def main() -> None:
    """Answer the request in a folder."""
    place = Path(sys.argv[1])
    os.umask(0o077)
    _yield_to_others()
    threading.Thread(target=_end_with_server, daemon=True).start()
    signal.signal(signal.SIGTERM, _ended)
    request = json.loads((place / ASKED).read_bytes())
    try:
        from shoal.web import tasks

        answer = tasks.KINDS[request["kind"]](request, place, ProgressWriter(place))
    except UnlistedError as error:  # whose message says how the command line shows values
        answer = _error(str(error).rsplit("; ", 1)[0], 400)
    except (Canceled, KeyboardInterrupt):
        answer = _error("canceled", 409)
    except PrivacyError as error:
        answer = _error(str(error), 422)
    except ShoalError as error:
        answer = _error(str(error), 400)
    except MemoryError:
        answer = _error("not enough memory for this table; say how much it may take", 400)
    except Exception as error:
        answer = _error(f"something went wrong that should not ({type(error).__name__})", 500)
    write_json(place / ANSWER, answer)
    sys.stdout.flush()
    os._exit(0)  # taking the interpreter apart takes a moment


def _error(message: str, status: int) -> dict[str, Any]:
    return {"error": {"said": " ".join(message.split()), "status": status}}


def _yield_to_others() -> None:
    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from shoal.plan.estimate import machine_memory

    available = machine_memory()
    if available is not None and sys.platform == "linux":
        most = int(available * 0.9e6)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _end_with_server() -> None:
    """Wait until the server's end of the pipe is closed."""
    with suppress(OSError, ValueError):
        while sys.stdin.buffer.read(1):
            pass
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # with all that this process may have started
    os._exit(130)


def _ended(_number: int, _frame: object) -> None:
    os._exit(130)


if __name__ == "__main__":
    main()

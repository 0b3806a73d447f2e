"""A Dask cluster of real processes, which can be killed one by one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

QUIET = {"DASK_LOGGING__DISTRIBUTED": "critical"}


class Cluster:
    """A scheduler and its workers; use it in a with statement."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder, self.count = folder, workers
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen] = []
        self.workers: list[subprocess.Popen] = []

    def __enter__(self):
        self.scheduler = self.start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--scheduler-file", str(self.file),
        )  # fmt: skip
        try:
            self.wait(lambda: self.file.exists() and self.file.read_text().rstrip().endswith("}"))
            self.address = json.loads(self.file.read_text())["address"]
            for _ in range(self.count):
                self.worker()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()

    def start(self, what, *arguments, **more):
        """Start a process of Dask."""
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", what, *arguments],
            env={**os.environ, **QUIET, **more},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def worker(self, **more):
        """Start a worker of one thread."""
        said = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
        place = ["--local-directory", str(self.folder)]
        self.workers.append(self.start("worker", self.address, *said, *place, **more))

    @staticmethod
    def wait(ready, seconds=60):
        """Wait until something is so."""
        end = time.monotonic() + seconds
        while not ready():
            assert time.monotonic() < end
            time.sleep(0.05)

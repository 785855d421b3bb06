"""The local AWS under test, which is killed and started again in the same folder."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

from benchmarks.hosting import REGION
from local_aws import daemon
from local_aws.process.address import Address, is_held
from sagemaker_serving.client import Aws
from sagemaker_serving.local_sagemaker.common.settings import MULTI_MODEL_MEMORY_MB

HELD_MODELS_MB = 0.03
"""Three of the six models of the multi-model endpoint."""


class Place:
    """A local AWS with its folder, and the files that its servers make, on ``disk``."""

    def __init__(self, folder: Path, disk: Path | None, environment: Mapping[str, str]) -> None:
        self.has_small_disk = disk is not None
        self.disk = disk if disk is not None else folder
        self.state = self.disk / "state"
        scratch = self.disk / "tmp"
        scratch.mkdir()
        self._environment = {
            MULTI_MODEL_MEMORY_MB: str(HELD_MODELS_MB),
            "TMPDIR": str(scratch),
            **environment,
        }
        self.address: Address = self._start(0)
        self._port = int(self.address.url.rpartition(":")[2])

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *_: object) -> None:
        daemon.stop(self.state)

    @property
    def aws(self) -> Aws:
        return Aws.at(self.address, REGION)

    def processes(self) -> list[psutil.Process]:
        """The local AWS's own process first, then all that it has started."""
        try:
            own = psutil.Process(self.address.pid)
            return [own, *own.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def memory_mb(self) -> float:
        """Of the local AWS's own process."""
        return float(psutil.Process(self.address.pid).memory_info().rss / 1e6)

    def restart(self) -> None:
        """Its end, and its start in the same folder, with all that it keeps."""
        daemon.stop(self.state)
        self.address = self._start(self._port)

    def kill(self) -> None:
        """kill -9 of the local AWS itself, and its start in the same folder."""
        os.kill(self.address.pid, signal.SIGKILL)
        while is_held(self.state):
            time.sleep(0.05)
        self.address = self._start(self._port)

    def _start(self, port: int) -> Address:
        return daemon.start(self.state, port=port, with_parent=True, environment=self._environment)

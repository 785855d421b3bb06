"""A transform job's data log: what SageMaker itself says about the job's objects.

Beside the container's log there is the stream ``<job>/<instance>-<time>/data-log``
(SageMaker developer guide, "Log Events with CloudWatch"), in lines such as
``2020-10-14T04:53:51.549:[sagemaker logs]: bucket/key: Unable to get response
from algorithm`` (github.com/aws/sagemaker-python-sdk/issues/1951).
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime

from local_aws.s3_location import S3Location
from sagemaker_serving.local_sagemaker.observability.log_shipper import LogShipper, LogStream


class DataLog:
    """Appends to a file that the shipper follows, from `open` to `close`; threads may share it."""

    def __init__(self, stream: LogStream, logs: LogShipper) -> None:
        self._stream = stream
        self._logs = logs
        self._lock = threading.Lock()

    def open(self) -> None:
        """Begin the log anew."""
        self._stream.path.parent.mkdir(parents=True, exist_ok=True)
        self._stream.path.unlink(missing_ok=True)
        self._logs.follow(self._stream)

    def say(self, text: str) -> None:
        """Write a line about the whole job."""
        self._write([text])

    def blame(self, location: S3Location, text: str) -> None:
        """Write why an object has no output, every line under the object's name."""
        self._write([f"{location.bucket}/{location.key}: {line}" for line in text.split("\n")])

    def close(self) -> None:
        """Say no more; what was said is still sent. Any number of times."""
        self._logs.finish(self._stream)

    def _write(self, lines: list[str]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
        with self._lock, self._stream.path.open("a", encoding="utf-8") as log:
            log.writelines(f"{now}:[sagemaker logs]: {line}\n" for line in lines)

"""What the emulator holds, service by service, as bytes; and given back to an empty emulator."""

from __future__ import annotations

import logging
import pickle
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from moto.core.base_backend import BackendDict

from local_aws.state.objects import ObjectStore
from local_aws.state.pickling import dump, find_backends, load

CHEAP_SECONDS = 0.005
"""A service that can be written within this, of the processor's time, is looked at on every save,
called or not: one service changes another (S3 notifies queues), and looking costs little."""

_ATTEMPTS = 4
_STANDARD = frozenset(vars(BackendDict(object, "none")))
_UNKEEPABLE = (TypeError, AttributeError, pickle.PicklingError, RecursionError)

_log = logging.getLogger(__name__)


class Emulator:
    """The emulator's services by name (``moto.s3.models.S3Backend``); one per process.

    ``not_kept`` says of each service that cannot be kept why.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._seconds: dict[str, float] = {}
        self._contents: dict[str, frozenset[str]] = {}
        self.not_kept: dict[str, str] = {}

    @property
    def contents(self) -> frozenset[str]:
        """The objects that what was last exported or restored is made of."""
        return frozenset().union(*self._contents.values())

    def export(self, called: Collection[str] | None) -> dict[str, bytes]:
        """Every service that may have changed, as bytes.

        ``called`` are the services (``s3``, as requests are signed for them) that were asked
        for changes, None for all of them; others are looked at when that is cheap. What is not
        the emulator's own may have called any of them.
        """
        exported = {}
        known = {backends.service_name for backends in list(BackendDict._instances)}
        every = called is None or not known.issuperset(called)
        for backends in list(BackendDict._instances):
            name = f"{backends.backend.__module__}.{backends.backend.__name__}"
            dear = self._seconds.get(name, 0.0) > CHEAP_SECONDS
            if dear and not every and backends.service_name not in (called or ()):
                continue
            dumped = self._dumped(name, backends)
            if dumped is not None:
                exported[name], self._contents[name] = dumped
        return exported

    def keep_contents(self) -> None:
        """Write the bytes of S3's objects that are not written yet."""
        for backends in list(BackendDict._instances):
            for _, _, backend in backends.iter_backends() if backends.service_name == "s3" else ():
                # What is deleted or changes meanwhile is the export's to write, or to refuse.
                with suppress(RuntimeError, ValueError, *_UNKEEPABLE):
                    for key in _s3_objects(backend):
                        self._objects.keep(key)

    def restore(self, name: str, data: bytes) -> None:
        """Give a service what it held; raises what `load` raises."""
        module, _, kind = name.rpartition(".")
        backends = find_backends(module, kind)
        began = time.thread_time()
        content, self._contents[name] = load(data, self._objects)
        self._seconds[name] = time.thread_time() - began
        for account, regions in content["accounts"].items():
            for region, backend in regions.items():
                dict.__setitem__(backends[account], region, backend)
        vars(backends).update(content["shared"])
        if module == "moto.stepfunctions.parser.models":
            _abort_executions(backends)

    def _dumped(self, name: str, backends: Any) -> tuple[bytes, frozenset[str]] | None:
        content = {
            "accounts": {account: dict(regions) for account, regions in list(backends.items())},
            "shared": {key: vars(backends)[key] for key in vars(backends).keys() - _STANDARD},
        }
        began = time.thread_time()
        for _ in range(_ATTEMPTS):
            try:
                data, used = dump(content, backends.backend, self._objects)
            except (RuntimeError, ValueError):  # something was added or deleted meanwhile
                continue
            except _UNKEEPABLE as error:
                if name not in self.not_kept:
                    _log.warning("%s is not kept: %s", name, error)
                self.not_kept[name] = str(error)
                return None
            self.not_kept.pop(name, None)
            self._seconds[name] = time.thread_time() - began
            return data, used
        return None


def _s3_objects(backend: Any) -> Iterator[Any]:
    """Every version of every object, and what is uploaded in parts."""
    for bucket in list(backend.buckets.values()):
        uploads = [list(upload.parts.values()) for upload in list(bucket.multiparts.values())]
        for versions in (*dict.values(bucket.keys), *uploads):
            yield from (each for each in list(versions) if hasattr(each, "_value_buffer"))


def _abort_executions(backends: Any) -> None:
    """Executions end with the process that ran them, and say so."""
    from moto.stepfunctions.parser.api import ExecutionStatus

    for _, _, backend in backends.iter_backends():
        for machine in backend.state_machines:
            for execution in machine.executions:
                if execution.exec_status == ExecutionStatus.RUNNING:
                    execution.exec_status = ExecutionStatus.ABORTED
                    execution.stop_date = datetime.now(UTC)
                    execution.cause = "the local AWS ended while this execution ran"

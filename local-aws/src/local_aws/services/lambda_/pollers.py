"""What gives functions the messages of queues: one poller for each mapping.

A poller reads in the name of the function's role, as AWS's does, and keeps nothing.
"""

from __future__ import annotations

import logging
import threading

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.services.lambda_.invocations import Invoker
from local_aws.services.lambda_.queue_source import LOOK_SECONDS, QueueSource, Target
from local_aws.services.lambda_.store import Store

_log = logging.getLogger(__name__)


class Pollers:
    """The pollers of every mapping that is enabled."""

    def __init__(self, context: LocalContext, store: Store, invoker: Invoker) -> None:
        self._of = (context, store, invoker)
        self._store = store
        self._running: dict[str, _Poller] = {}
        self._lock = threading.Lock()

    def reconcile(self) -> None:
        """Have a poller for each enabled mapping as it is now, and no other."""
        with self._lock:
            wanted = {
                uuid: kept
                for uuid, kept in self._store.sources.items()
                if kept["mapping"]["State"] == "Enabled"
            }
            for uuid, poller in list(self._running.items()):
                if wanted.get(uuid) is not poller.target.kept:
                    self._running.pop(uuid).stop()
            for uuid, kept in wanted.items():
                if uuid not in self._running:
                    self._running[uuid] = _Poller(Target(*self._of, kept))

    def close(self) -> None:
        """End every poller; what is under way is ended by the pool."""
        with self._lock:
            for poller in self._running.values():
                poller.stop()
            self._running.clear()


class _Poller:
    def __init__(self, target: Target) -> None:
        self.target = target
        self._stopping = threading.Event()
        self._source = QueueSource(target, self._stopping)
        threading.Thread(target=self._run, name="lambda-poller", daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()
        self._source.close()

    def _run(self) -> None:
        said, pause = "", LOOK_SECONDS
        while not self._stopping.wait(pause):
            try:
                pause = 0.0 if self._source.poll() else LOOK_SECONDS
                said = ""
            except (AwsError, BotoCoreError, ClientError) as error:
                if str(error) != said and not self._stopping.is_set():
                    source = self.target.mapping["EventSourceArn"]
                    _log.warning("the messages of %s reach no function: %s", source, error)
                said, pause = str(error), 5 * LOOK_SECONDS
            except Exception:
                _log.exception("a poller of %s failed", self.target.mapping["EventSourceArn"])
                pause = 5 * LOOK_SECONDS

"""The state machine's part played over S3 in memory: the handler is called as Lambda calls it, and
any call of it to AWS may be its process's last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from sagemaker_serving.functions.batch_transform import handler
from sagemaker_serving.functions.batch_transform.store import Place, Store
from tests.functions.batch_transform.memory import MemoryS3
from tests.functions.batch_transform.runs import EXECUTION, INPUT, OUTPUT, States, settings
from tests.functions.batch_transform.simulation import Model, Simulation
from tests.functions.killing import CountedClient, Killed, Killing

WORK = "work/"


class Machine:
    """Plays executions; a step that is killed is called again with what it was given.

    With ``is_stopped`` the whole execution ends there instead, and the job with it, by `Killed`.
    """

    def __init__(
        self,
        s3: MemoryS3,
        model: Model,
        killed: Killing,
        *,
        is_stopped: bool = False,
        is_in_a_hurry: bool = False,
        **fields: Any,
    ) -> None:
        self.s3 = s3
        self.asked: list[bytes] = []
        """The payloads that the model has got."""
        self._model = model
        self._killed = killed
        self._is_stopped = is_stopped
        self._is_in_a_hurry = is_in_a_hurry
        self._settings = settings(**fields)
        self._simulation = Simulation(s3, self._answer)

    def execute(self, name: str, *, source: str = INPUT, **given: Any) -> Any:
        """From an execution's input to its report's counts."""
        clients = {
            "s3": CountedClient(self.s3, self._killed),
            "logs": CountedClient(self._simulation, self._killed),
            "stepfunctions": CountedClient(States(stopped="ABORTED"), self._killed),
        }
        began = {
            "settings": self._settings,
            "input": {"input": source, "output": OUTPUT, **given},
            "execution": f"{EXECUTION.rsplit(':', 1)[0]}:{name}",
            "began": "1970-01-12T13:46:41+00:00",
        }
        with pytest.MonkeyPatch.context() as patches:
            patches.setattr(handler, "_client", clients.__getitem__)
            patches.setattr(handler, "time", self)
            planned = self._until_there_is_no_more({"step": "plan", **began})
            for shard in range(planned["shards"]):
                self._shard({"work": planned["work"], "shard": shard})
            return self._until_there_is_no_more({"step": "report", "work": planned["work"]})

    def left(self, *, with_work: bool = True) -> dict[str, bytes]:
        """All that there is in the bucket; without what only an execution itself reads."""
        store = Store(self.s3)
        return {
            entry.key: store.read(Place("data", entry.key))
            for entry in store.listed(Place("data", ""))
            if with_work or not entry.key.startswith(WORK)
        }

    def _until_there_is_no_more(self, given: Mapping[str, Any]) -> Any:
        answer = self._step(given)
        while answer["more"]:
            cursor = answer.get("cursor", answer)
            answer = self._step({**given, "work": answer.get("work", given.get("work")),
                                 "cursor": cursor})  # fmt: skip
        return answer

    def _shard(self, given: Mapping[str, Any]) -> None:
        answer = self._step({"step": "settle", **given})
        while (after := answer["next"]) in ("transform", "settle", "isolate"):
            error = self._simulation.job(answer["job"]) if after == "transform" else None
            step = "isolate" if after == "isolate" else "settle"
            answer = self._step({"step": step, **given, "after": answer["after"], "error": error})

    def _step(self, event: Mapping[str, Any]) -> Any:
        """One call of the function, by way of JSON as AWS makes it."""
        self._killed.begin()
        try:
            return json.loads(json.dumps(handler.handler(json.loads(json.dumps(event)), self)))
        except Killed:
            if self._is_stopped:
                raise
            return self._step(event)

    def _answer(self, payload: bytes) -> bytes | None:
        if self._is_stopped:
            return self._killed.passes("model", lambda: self._asked(payload))  # type: ignore[no-any-return]
        return self._asked(payload)

    def _asked(self, payload: bytes) -> bytes | None:
        self.asked.append(payload)
        return self._model(payload)

    def get_remaining_time_in_millis(self) -> int:
        """What Lambda says to the function."""
        return 0 if self._is_in_a_hurry else 900_000

    def sleep(self, seconds: float) -> None:
        """The clock is S3's."""
        self.s3.now += int(seconds)

    def time(self) -> float:
        """What it shows."""
        return float(self.s3.now)

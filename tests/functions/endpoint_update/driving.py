"""A state machine's part played in this process, where any call of a step may be its last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import count
from typing import Any

from sagemaker_serving.functions.custom_resource import answer
from sagemaker_serving.functions.endpoint_update import work
from tests.functions.killing import Killed, Killing, counted_calls
from tests.functions.neo_compilation.driving import Listener
from tests.local_aws.aws import Aws

STANDS, TAKEN_BACK = "prod-digits", "prod-failed"
STACKS = {STANDS: "a-queue", TAKEN_BACK: "no queue's name!"}
"""Stacks of one queue each, by its name."""
_numbers = count(1)


def standing(aws: Aws, stack: str) -> Any:
    """What CloudFormation says of a stack."""
    (found,) = aws.client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    return found


def event(
    aws: Aws,
    listener: Listener,
    endpoint: str,
    config: str = "new",
    *,
    kind: str = "Create",
    stack: str = STANDS,
    before: str = "old",
    update: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """What CloudFormation sends, of a stack that moves ``endpoint`` to ``config``."""
    request_id = f"request-{next(_numbers)}"
    return {
        "RequestType": kind,
        "RequestId": request_id,
        "StackId": standing(aws, stack)["StackId"],
        "LogicalResourceId": "Endpoint",
        "ResponseURL": listener.url(request_id),
        "ResourceProperties": {
            "EndpointName": endpoint,
            "EndpointConfigName": config,
            "Update": json.dumps(dict(update or {})),
        },
        **({} if kind == "Create" else {"PhysicalResourceId": f"{endpoint}/{before}"}),
        **more,
    }


class Machine:
    """Plays the state machine; a step that is killed is called again with what it was given."""

    def __init__(self, aws: Aws, killed: Killing | None = None) -> None:
        self._aws = aws
        self._killed = killed if killed is not None else Killing()

    def run(self, asked: Mapping[str, Any], *, interrupted: bool = False) -> None:
        """From CloudFormation's request to the answer."""
        started = datetime.now(UTC).isoformat()
        given = {"request": dict(asked), "interrupted": interrupted, "started": started}
        state = self.step("begin", given)
        while "outcome" not in state:
            if "ready" in state:
                state = self.step("update", state)
            else:
                assert 1 <= state["wait_seconds"] <= 30
                self._aws.settled(state["request"]["ResourceProperties"]["EndpointName"])
                state = self.step("look", state)
        self.step("answer", state)

    def step(self, name: str, state: Any) -> Any:
        """One call of the function, by way of JSON as AWS makes it."""
        payload = json.dumps({"step": name, "state": state})
        try:
            with counted_calls(self._killed, answer):
                return json.loads(json.dumps(work.handler(json.loads(payload), None)))
        except Killed:
            return self.step(name, state)

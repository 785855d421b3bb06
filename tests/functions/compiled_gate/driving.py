"""The state machine's part played in this process: errors are caught, steps killed are retried."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import count
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.functions.compiled_gate import work
from sagemaker_serving.functions.custom_resource import answer
from tests.functions.killing import Killed, Killing, counted_calls
from tests.functions.neo_compilation.driving import Listener
from tests.local_aws.aws import Aws, eventually

STACK = "arn:aws:cloudformation:eu-west-1:123456789012:stack/prod-digits"
_numbers = count(1)


def event(
    listener: Listener,
    model: str = "compiled",
    golden: str = "right",
    *,
    kind: str = "Create",
    name: str | None = None,
    stack: str = f"{STACK}/1",
    **accept: float,
) -> dict[str, Any]:
    """What CloudFormation sends: every scalar is text."""
    number = next(_numbers)
    name = name if name is not None else f"prod-digits-gate-{number}"
    return {
        "RequestType": kind,
        "RequestId": f"request-{number}",
        "StackId": stack,
        "LogicalResourceId": "Gate",
        "ResponseURL": listener.url(f"request-{number}"),
        "ResourceProperties": {
            "EndpointName": name,
            "ModelName": model,
            "Variant": json.dumps({"InstanceType": "ml.m5.large", "InitialInstanceCount": 1}),
            "GoldenUrl": f"s3://models/{golden}.jsonl",
            "Accept": json.dumps(accept or {"max_error": 0.001}),
            "Told": "neo on ml.m5.large",
        },
        **({} if kind == "Create" else {"PhysicalResourceId": name}),
    }


class Machine:
    """Plays the state machine; a step that is killed is called again with what it was given."""

    def __init__(self, aws: Aws, killed: Killing | None = None) -> None:
        self._aws = aws
        self._killed = killed if killed is not None else Killing()

    def run(self, asked: Mapping[str, Any], *, interrupted: bool = False) -> None:
        """From CloudFormation's request to the answer."""
        state = self.begin(asked, interrupted=interrupted)
        while "outcome" not in state:
            if "ready" in state:
                state = self._caught("judge", state)
            else:
                assert 1 <= state["wait_seconds"] <= 30
                self.wait(state["request"]["ResourceProperties"]["EndpointName"])
                state = self._caught("look", state)
        self.step("answer", state)

    def begin(self, asked: Mapping[str, Any], *, interrupted: bool = False) -> Any:
        """The first step alone, as of now."""
        started = datetime.now(UTC).isoformat()
        given = {"request": dict(asked), "interrupted": interrupted, "started": started}
        return self._caught("begin", given)

    def _caught(self, name: str, state: Any) -> Any:
        try:
            return self.step(name, state)
        except ClientError as error:
            cause = json.dumps({"errorMessage": str(error)})
            return self.step("remove", {**state, "error": {"Cause": cause}})

    def step(self, name: str, state: Any) -> Any:
        payload = json.dumps({"step": name, "state": state})
        try:
            with counted_calls(self._killed, answer):
                return json.loads(json.dumps(work.handler(json.loads(payload), None)))
        except Killed:
            return self.step(name, state)

    def wait(self, name: str) -> None:
        eventually(lambda: status(self._aws, name) not in ("Creating", "Deleting"))


def status(aws: Aws, name: str) -> str | None:
    """An endpoint's status, None where there is none."""
    found = aws.sagemaker.list_endpoints(NameContains=name)["Endpoints"]
    return next((each["EndpointStatus"] for each in found if each["EndpointName"] == name), None)


def left(aws: Aws) -> list[str]:
    """The temporary endpoints and configs that there are."""
    endpoints = aws.sagemaker.list_endpoints(NameContains="gate", MaxResults=100)
    configs = aws.sagemaker.list_endpoint_configs(NameContains="gate", MaxResults=100)
    return [
        *(each["EndpointName"] for each in endpoints["Endpoints"]),
        *(each["EndpointConfigName"] for each in configs["EndpointConfigs"]),
    ]

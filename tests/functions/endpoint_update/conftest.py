"""A local AWS with stacks that stand and that were taken back, and the function's clients at it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import boto3
import pytest

from sagemaker_serving.functions.custom_resource import clients
from tests.functions.endpoint_update.driving import STACKS, TAKEN_BACK, standing
from tests.functions.neo_compilation.conftest import listener
from tests.local_aws.aws import REGION, Aws, eventually, shell_of, stand_in_aws

__all__ = ["listener"]


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    with (
        stand_in_aws(tmp_path_factory.mktemp("aws")) as here,
        pytest.MonkeyPatch.context() as patches,
    ):
        for name, value in {**shell_of(here.gateway), "AWS_DEFAULT_REGION": REGION}.items():
            patches.setenv(name, value)
        patches.setattr(boto3, "DEFAULT_SESSION", None)  # it would know another test's keys
        clients.client.cache_clear()
        for stack, name in STACKS.items():
            _stack(here, stack, name)
        here.model("old", {"VERSION": "old"})
        here.model("new", {"VERSION": "new"})
        here.model("broken", {"EXIT_AT_START": "1"})
        for config in ("old", "new", "broken"):
            here.config(config, {"all": config})
        here.config("renamed", {"other": "new"})
        try:
            yield here
        finally:
            clients.client.cache_clear()


def _stack(aws: Aws, stack: str, queue: str) -> None:
    resource = {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": queue}}
    aws.client("cloudformation").create_stack(
        StackName=stack, TemplateBody=json.dumps({"Resources": {"Queue": resource}})
    )
    wanted = "ROLLBACK_COMPLETE" if stack == TAKEN_BACK else "CREATE_COMPLETE"
    eventually(lambda: standing(aws, stack)["StackStatus"] == wanted)

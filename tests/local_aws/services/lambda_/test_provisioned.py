"""Provisioned concurrency: a process is there before anybody asks, and says what it is for."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from local_aws.services.lambda_.service import Lambda
from tests.local_aws.aws import eventually, service_in
from tests.local_aws.functions import ROLE, Functions, Stacks

KIND = "import os\ndef handler(event, context): return os.environ['AWS_LAMBDA_INITIALIZATION_TYPE']"
NAME = "ProvisionedConcurrencyConfig"


@pytest.fixture(scope="module")
def stacks(gateway: Gateway) -> Stacks:
    return Stacks(gateway)


@pytest.fixture(scope="module")
def functions(stacks: Stacks) -> Functions:
    return stacks.functions


def published(functions: Functions, name: str) -> str:
    """A function with an alias, ``live``, of its first version."""
    functions.create(name, KIND)
    functions.api.publish_version(FunctionName=name)
    functions.api.create_alias(FunctionName=name, Name="live", FunctionVersion="1")
    return name


def test_a_process_is_there_before_anybody_asks_and_stays(functions: Functions) -> None:
    name, api = published(functions, "ahead"), functions.api
    api.put_provisioned_concurrency_config(
        FunctionName=name, Qualifier="live", ProvisionedConcurrentExecutions=3
    )
    processes = service_in(functions.gateway, Lambda)._pool
    (ahead,) = [each for each in processes._workers if each.function == name]
    assert processes._is_provisioned(ahead)
    assert functions.invoke(f"{name}:live").payload == "provisioned-concurrency"
    assert functions.invoke(name).payload == "on-demand"
    assert ahead in processes._workers, "it was asked, rather than another one started"

    api.delete_provisioned_concurrency_config(FunctionName=name, Qualifier="live")
    assert not processes._is_provisioned(ahead)


def test_it_is_told_as_it_was_given(functions: Functions) -> None:
    name, api = published(functions, "told"), functions.api
    place = {"FunctionName": name, "Qualifier": "1"}
    with pytest.raises(ClientError, match="No Provisioned Concurrency Config found"):
        api.get_provisioned_concurrency_config(**place)
    api.put_provisioned_concurrency_config(**place, ProvisionedConcurrentExecutions=2)
    found = api.get_provisioned_concurrency_config(**place)
    assert (found["RequestedProvisionedConcurrentExecutions"], found["Status"]) == (2, "READY")
    (listed,) = api.list_provisioned_concurrency_configs(FunctionName=name)[f"{NAME}s"]
    assert listed["FunctionArn"].endswith(f":function:{name}:1")


@pytest.mark.parametrize(
    ("qualifier", "count", "message"),
    [
        ("$LATEST", 1, "cannot be applied to unpublished function versions"),
        ("live", 5, "should not be greater than the reservedConcurrentExecution"),
    ],
)
def test_what_lambda_has_none_of_is_refused(
    functions: Functions, qualifier: str, count: int, message: str
) -> None:
    name = published(functions, f"refused-{count}")
    functions.api.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=4)
    with pytest.raises(ClientError, match=message):
        functions.api.put_provisioned_concurrency_config(
            FunctionName=name, Qualifier=qualifier, ProvisionedConcurrentExecutions=count
        )


def test_a_stack_provisions_an_alias_and_scales_it(stacks: Stacks) -> None:
    api = stacks.functions.api
    alias = {
        "FunctionName": {"Ref": "Function"},
        "FunctionVersion": {"Fn::GetAtt": ["Version", "Version"]},
        "Name": "live",
    }
    resources: dict[str, Any] = {
        "Function": {
            "Type": "AWS::Lambda::Function",
            "Properties": {
                "FunctionName": "scaled",
                "Runtime": "python3.13",
                "Handler": "index.handler",
                "Role": ROLE,
                "Code": {"ZipFile": KIND},
            },
        },
        "Version": {
            "Type": "AWS::Lambda::Version",
            "Properties": {"FunctionName": {"Ref": "Function"}},
        },
        "Alias": {
            "Type": "AWS::Lambda::Alias",
            "Properties": {**alias, NAME: {"ProvisionedConcurrentExecutions": 1}},
        },
        "Target": {
            "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
            "DependsOn": "Alias",
            "Properties": {
                "ServiceNamespace": "lambda",
                "ScalableDimension": "lambda:function:ProvisionedConcurrency",
                "ResourceId": "function:scaled:live",
                "MinCapacity": 2,
                "MaxCapacity": 4,
            },
        },
    }
    place = {"FunctionName": "scaled", "Qualifier": "live"}
    assert stacks.create("scaled", {"Resources": resources})["StackStatus"] == "CREATE_COMPLETE"

    def asked_for() -> int:
        found = api.get_provisioned_concurrency_config(**place)
        return int(found["RequestedProvisionedConcurrentExecutions"])

    eventually(lambda: asked_for() == 2)

    del resources["Target"], resources["Alias"]["Properties"][NAME]
    assert stacks.update("scaled", {"Resources": resources})["StackStatus"] == "UPDATE_COMPLETE"
    with pytest.raises(ClientError, match="No Provisioned Concurrency Config found"):
        api.get_provisioned_concurrency_config(**place)
    assert stacks.delete("scaled")["StackStatus"] == "DELETE_COMPLETE"

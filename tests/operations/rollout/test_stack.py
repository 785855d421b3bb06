"""What a stack wants of its endpoint, as AWS answers it: names in ARNs are in lower case there."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from sagemaker_serving.operations.rollout.stack import MOVER, StackIntention, stack_intention
from sagemaker_serving.operations.rollout.state import EndpointState

ENDPOINT = "arn:aws:sagemaker:eu-west-1:111122223333:endpoint/prod-digits"
CONFIG = "arn:aws:sagemaker:eu-west-1:111122223333:endpoint-config/configa-xyz"
NAMED: dict[str, Any] = {"Fn::GetAtt": ["Config", "EndpointConfigName"]}


STATE = EndpointState(
    name="prod-digits",
    arn=ENDPOINT,
    status="InService",
    config="ConfigA-XYZ",
    coming_config=None,
    failure_reason=None,
    since=datetime(2026, 11, 21, tzinfo=UTC),
    variants=(),
)


def resource(logical_id: str, kind: str, physical_id: str) -> dict[str, Any]:
    return {
        "StackName": "prod-digits",
        "LogicalResourceId": logical_id,
        "PhysicalResourceId": physical_id,
        "ResourceType": kind if "::" in kind else f"AWS::SageMaker::{kind}",
        "Timestamp": "2026-11-21T00:00:00Z",
        "ResourceStatus": "CREATE_COMPLETE",
    }


def client_of(service: str) -> Any:
    return boto3.client(
        service,
        region_name="eu-west-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def intention(
    config: Any, body: str | None = None, *, own_name: str | None = None
) -> StackIntention | None:
    client, sagemaker = client_of("cloudformation"), client_of("sagemaker")
    template = json.dumps(
        {"Resources": {"Endpoint": {"Properties": {"EndpointConfigName": config}}}}
    )
    with Stubber(client) as stub, Stubber(sagemaker) as of_sagemaker:
        if own_name is None:
            of_sagemaker.add_client_error("describe_endpoint_config", "AccessDeniedException")
        else:
            of_sagemaker.add_response(
                "describe_endpoint_config",
                {
                    "EndpointConfigName": own_name,
                    "EndpointConfigArn": CONFIG,
                    "ProductionVariants": [{"VariantName": "v"}],
                    "CreationTime": "2026-11-21T00:00:00Z",
                },
                {"EndpointConfigName": "configa-xyz"},
            )
        resources = [
            resource("Endpoint", "Endpoint", ENDPOINT),
            resource("Config", "EndpointConfig", CONFIG),
        ]
        stub.add_response(
            "describe_stack_resources",
            {"StackResources": resources},
            {"PhysicalResourceId": ENDPOINT},
        )
        stack = {
            "StackName": "prod-digits",
            "StackStatus": "UPDATE_COMPLETE",
            "CreationTime": "2026-11-21T00:00:00Z",
        }
        stub.add_response("describe_stacks", {"Stacks": [stack]})
        stub.add_response("get_template", {"TemplateBody": template if body is None else body})
        stub.add_client_error("list_change_sets", "AccessDenied")
        return stack_intention(client, sagemaker, STATE)


@pytest.mark.parametrize("named", [NAMED, {"Ref": "Config"}, "ConfigA-XYZ"])
def test_the_template_tells_which_config_is_wanted(named: Any) -> None:
    found = intention(named)
    assert found is not None
    assert (found.stack, found.is_in_progress, found.went_back) == ("prod-digits", False, False)
    assert not found.wants_another("ConfigA-XYZ")
    assert found.wants_another("ConfigB-XYZ")


def test_the_config_is_called_as_it_was_named() -> None:
    found = intention(NAMED, own_name="ConfigA-XYZ")
    assert found is not None
    assert found.config == "ConfigA-XYZ"


def test_a_template_that_does_not_tell_wants_nothing() -> None:
    for found in (intention({"Ref": "Parameter"}), intention(NAMED, "Resources: {}")):
        assert found is not None
        assert found.config is None
        assert not found.wants_another("anything")


@pytest.mark.parametrize("code", ["ValidationError", "AccessDenied"])
def test_no_stack_and_no_right_to_read_it_are_no_intention(code: str) -> None:
    client, sagemaker = client_of("cloudformation"), client_of("sagemaker")
    with Stubber(client) as stub, Stubber(sagemaker) as of_sagemaker:
        stub.add_client_error("describe_stack_resources", code)
        of_sagemaker.add_client_error("describe_endpoint_config", code)
        assert stack_intention(client, sagemaker, STATE) is None


@pytest.mark.parametrize(
    ("physical_id", "wanted"),
    [("prod-digits/before", "configa-xyz"), ("another/before", None)],
)
def test_the_stack_of_an_endpoint_that_was_there_is_found_by_its_config(
    physical_id: str, wanted: str | None
) -> None:
    """That of another endpoint, whose config it serves as well, is not its stack."""
    client, sagemaker = client_of("cloudformation"), client_of("sagemaker")
    config = {
        "EndpointConfigName": "ConfigA-XYZ",
        "EndpointConfigArn": CONFIG,
        "ProductionVariants": [{"VariantName": "v"}],
        "CreationTime": "2026-11-21T00:00:00Z",
    }
    template = {"Resources": {"Mover": {"Properties": {"EndpointConfigName": NAMED}}}}
    with Stubber(client) as stub, Stubber(sagemaker) as of_sagemaker:
        stub.add_client_error("describe_stack_resources", "ValidationError")
        of_sagemaker.add_response(
            "describe_endpoint_config", config, {"EndpointConfigName": "ConfigA-XYZ"}
        )
        resources = [
            resource("Mover", MOVER, physical_id),
            resource("Config", "EndpointConfig", CONFIG),
        ]
        found = {"PhysicalResourceId": CONFIG}
        stub.add_response("describe_stack_resources", {"StackResources": resources}, found)
        if wanted is not None:
            stack = {
                "StackName": "prod-digits",
                "StackStatus": "UPDATE_COMPLETE",
                "CreationTime": "2026-11-21T00:00:00Z",
            }
            stub.add_response("describe_stacks", {"Stacks": [stack]})
            stub.add_response("get_template", {"TemplateBody": json.dumps(template)})
            of_sagemaker.add_client_error("describe_endpoint_config", "AccessDeniedException")
            stub.add_client_error("list_change_sets", "AccessDenied")
        intended = stack_intention(client, sagemaker, STATE)
    assert (intended.config if intended is not None else None) == wanted

"""An endpoint that was there, in a template: what is asked for, and what its function may do."""

from __future__ import annotations

import json
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_kms as kms
from aws_cdk.assertions import Template

from sagemaker_serving.errors import Mistake
from sagemaker_serving.functions.custom_resource.refusals import PATIENCE_SECONDS
from sagemaker_serving.infra import (
    ContainerImage,
    EndpointConfig,
    ExistingEndpoint,
    Guardrails,
    InstanceVariant,
    Model,
    ModelData,
)
from tests.infra.conftest import Bench


def existing(bench: Bench, *, key: kms.IKey | None = None, **more: Any) -> ExistingEndpoint:
    model = Model(
        bench.stack,
        "Model",
        role=bench.role,
        image=ContainerImage.from_catalog("tensorflow", "2.20"),
        model_data=ModelData.from_path(bench.model_folder),
        instance_type="ml.c5.large",
    )
    variant = InstanceVariant(name="blue", model=model, instance_type="ml.c5.large")
    config = EndpointConfig(bench.stack, "Config", variants=[variant], encryption_key=key)
    given = {"endpoint_name": "Theirs", **more}
    return ExistingEndpoint(bench.stack, "Endpoint", endpoint_config=config, **given)


def resources(bench: Bench, kind: str) -> list[Any]:
    found = Template.from_stack(bench.stack).find_resources(kind)
    return [each["Properties"] for each in found.values()]


def test_each_function_lives_longer_than_it_tries_what_it_is_refused(bench: Bench) -> None:
    """Or AWS's words would be lost: Lambda tells that its time is over."""
    existing(bench)
    times = [each["Timeout"] for each in resources(bench, "AWS::Lambda::Function")]
    assert min(times) > PATIENCE_SECONDS


def test_what_it_serves_outlives_the_stack_with_the_role(bench: Bench) -> None:
    existing(bench)
    found: dict[str, Any] = Template.from_stack(bench.stack).to_json()["Resources"]
    kept = {
        each["Type"]
        for name, each in found.items()
        if each.get("DeletionPolicy") == "RetainExceptOnCreate" and not name.startswith("Endpoint")
    }
    assert kept == {
        *("AWS::SageMaker::Model", "AWS::SageMaker::EndpointConfig"),
        *("AWS::IAM::Role", "AWS::IAM::Policy"),
    }


def test_the_update_is_text_in_updateendpoints_words(bench: Bench) -> None:
    """Numbers and truth values in it stay so, and an alarm's name is one that a deploy knows."""
    alarm = cdk.Fn.import_value("alarm")
    endpoint = existing(bench, guardrails=Guardrails.canary(percent=20).watching(alarm))
    endpoint.scale_instances("blue", min_capacity=1, max_capacity=2)
    (asked,) = resources(bench, "Custom::EndpointUpdate")
    assert asked["EndpointName"] == "Theirs"
    parts = asked["Update"]["Fn::Join"][1]
    assert {"Fn::ImportValue": "alarm"} in parts
    update = json.loads("".join(part if isinstance(part, str) else "told" for part in parts))
    routing = {
        "Type": "CANARY",
        "CanarySize": {"Type": "CAPACITY_PERCENT", "Value": 20},
        "WaitIntervalInSeconds": 300,
    }
    assert update == {
        "DeploymentConfig": {
            "BlueGreenUpdatePolicy": {
                "TrafficRoutingConfiguration": routing,
                "TerminationWaitInSeconds": 120,
                "MaximumExecutionTimeoutInSeconds": 3000,
            },
            "AutoRollbackConfiguration": {"Alarms": [{"AlarmName": "told"}]},
        },
        "RetainAllVariantProperties": True,
        "ExcludeRetainedVariantProperties": [
            {"VariantPropertyType": "DesiredWeight"},
            {"VariantPropertyType": "DataCaptureConfig"},
        ],
    }


def test_no_endpoint_is_made_and_the_function_may_update_this_one_only(bench: Bench) -> None:
    existing(bench)
    assert resources(bench, "AWS::SageMaker::Endpoint") == []
    statements = [
        statement
        for policy in resources(bench, "AWS::IAM::Policy")
        for statement in policy["PolicyDocument"]["Statement"]
        if "sagemaker:UpdateEndpoint" in statement["Action"]
    ]
    told = json.dumps(statements)
    assert ":endpoint/theirs" in told  # SageMaker's ARNs are in lower case
    assert ":endpoint-config/*" in told
    assert "sagemaker:DeleteEndpoint" not in json.dumps(resources(bench, "AWS::IAM::Policy"))


def test_the_function_lets_sagemaker_use_the_volumes_key(bench: Bench) -> None:
    existing(bench, key=kms.Key(bench.stack, "Key"))
    (granting,) = [
        statement
        for policy in resources(bench, "AWS::IAM::Policy")
        if policy["Roles"][0]["Ref"].startswith("EndpointWork")
        for statement in policy["PolicyDocument"]["Statement"]
        if "kms:CreateGrant" in statement["Action"]
    ]
    assert granting["Condition"] == {"Bool": {"kms:GrantIsForAWSResource": "true"}}
    assert granting["Resource"]["Fn::GetAtt"][0].startswith("Key")


def test_a_time_that_guardrails_say_is_theirs(bench: Bench) -> None:
    said = Guardrails(way="ALL_AT_ONCE", maximum_execution_timeout_seconds=900)
    existing(bench, guardrails=said)
    (asked,) = resources(bench, "Custom::EndpointUpdate")
    policy = json.loads(asked["Update"])["DeploymentConfig"]["BlueGreenUpdatePolicy"]
    assert policy["MaximumExecutionTimeoutInSeconds"] == 900


def test_a_name_that_sagemaker_does_not_take_is_refused(bench: Bench) -> None:
    with pytest.raises(Mistake, match="endpoint_name is 'my_endpoint'; names are"):
        existing(bench, endpoint_name="my_endpoint")

"""SageMaker's answers to parameters that its API does not accept."""

from __future__ import annotations

from typing import Any

import pytest
import regex
from botocore.session import get_session

from local_aws.protocol import AwsError, validation
from local_aws.protocol.models import operation

VARIANT = {"VariantName": "v", "ModelName": "m", "InitialInstanceCount": 1}


def validate(action: str, parameters: dict[str, Any]) -> None:
    validation.validate(operation("sagemaker", action).input_shape, parameters)


def refusal(action: str, parameters: dict[str, Any]) -> AwsError:
    with pytest.raises(AwsError) as refused:
        validate(action, parameters)
    return refused.value


def test_a_name_with_an_underscore_breaks_the_pattern() -> None:
    error = refusal("DescribeEndpoint", {"EndpointName": "my_endpoint"})
    assert error.code == "ValidationException"
    assert error.message == (
        "1 validation error detected: Value 'my_endpoint' at 'endpointName' failed to satisfy "
        "constraint: Member must satisfy regular expression pattern: "
        "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}"
    )


def test_a_pattern_holds_for_the_whole_value() -> None:
    validate("DescribeEndpoint", {"EndpointName": "good-name"})
    refusal("DescribeEndpoint", {"EndpointName": "good-name "})
    refusal("DescribeEndpoint", {"EndpointName": "good-name\n"})


def test_everything_that_is_wrong_is_said_at_once() -> None:
    variant = {**VARIANT, "InitialInstanceCount": 0, "InstanceType": "ml.t3.medium"}
    message = refusal(
        "CreateEndpointConfig", {"EndpointConfigName": "c", "ProductionVariants": [variant]}
    ).message
    assert message.startswith("2 validation errors detected: ")
    assert (
        "Value '0' at 'productionVariants.1.member.initialInstanceCount' failed to satisfy "
        "constraint: Member must have value greater than or equal to 1"
    ) in message
    assert (
        "Value 'ml.t3.medium' at 'productionVariants.1.member.instanceType' failed to satisfy "
        "constraint: Member must satisfy enum value set: ["
    ) in message


def test_a_list_is_shown_as_aws_writes_it() -> None:
    routes = [{"stateMachineVersionArn": f"arn:{number}", "weight": 1} for number in range(3)]
    shape = operation("stepfunctions", "CreateStateMachineAlias").input_shape
    with pytest.raises(AwsError) as refused:
        validation.validate(shape, {"name": "a", "routingConfiguration": routes})
    shown = ", ".join(
        f"RoutingConfigurationListItem(stateMachineVersionArn=arn:{number}, weight=1)"
        for number in range(3)
    )
    assert refused.value.message == (
        f"1 validation error detected: Value '[{shown}]' at 'routingConfiguration' failed to "
        "satisfy constraint: Member must have length less than or equal to 2"
    )


@pytest.mark.parametrize(
    ("name", "given", "refused"),
    [
        (
            "VpcConfig",
            {"SubnetIds": ["subnet-1", "bad"]},
            "Value '[subnet-1, bad]' at 'vpcConfig.subnetIds' failed to satisfy constraint: Member "
            "must satisfy constraint: [Member must have length less than or equal to 1024, Member "
            "must have length greater than or equal to 0, Member must satisfy regular expression "
            "pattern: subnet-[0-9a-z]*]",
        ),
        (
            "Architectures",
            ["X86_64"],
            "Value '[X86_64]' at 'architectures' failed to satisfy constraint: Member must satisfy "
            "constraint: [Member must satisfy enum value set: [x86_64, arm64]]",
        ),
    ],
)
def test_what_a_list_may_hold_is_said_of_the_list(name: str, given: Any, refused: str) -> None:
    """Recorded of Lambda by LocalStack's suite, 2025."""
    needed = {"FunctionName": "f", "Role": "arn:aws:iam::123456789012:role/r", "Code": {}}
    shape = operation("lambda", "CreateFunction").input_shape
    with pytest.raises(AwsError) as error:
        validation.validate(shape, {**needed, name: given})
    assert error.value.message == f"1 validation error detected: {refused}"


def test_what_a_map_may_hold_is_said_of_the_map() -> None:
    """Recorded of Lambda by LocalStack's suite, 2025; but for "Member must not be null" there."""
    given = {"FunctionName": "f", "Name": "a", "FunctionVersion": "1"}
    weights = {"RoutingConfig": {"AdditionalVersionWeights": {"2": 2}}}
    with pytest.raises(AwsError) as error:
        validation.validate(operation("lambda", "CreateAlias").input_shape, {**given, **weights})
    assert error.value.message == (
        "1 validation error detected: Value '{2=2.0}' at 'routingConfig.additionalVersionWeights' "
        "failed to satisfy constraint: Map value must satisfy constraint: [Member must have value "
        "less than or equal to 1.0, Member must have value greater than or equal to 0.0]"
    )


@pytest.mark.parametrize("wrong", [["x"], {"x": "y"}, 1, True, None])
def test_a_map_with_a_wrong_key_is_shown_whatever_its_values_are(wrong: object) -> None:
    shape = operation("cognito-idp", "CreateIdentityProvider").input_shape
    needed = {"UserPoolId": "eu-west-1_x", "ProviderName": "p", "ProviderType": "Google"}
    with pytest.raises(AwsError):
        validation.validate(shape, {**needed, "AttributeMapping": {"k" * 40: wrong}})


def test_a_member_that_is_missing_is_null() -> None:
    assert refusal("CreateEndpoint", {"EndpointName": "e"}).message == (
        "1 validation error detected: Value null at 'endpointConfigName' failed to satisfy "
        "constraint: Member must not be null"
    )


def test_a_member_that_is_null_is_absent() -> None:
    validate("CreateModel", {"ModelName": "m", "ExecutionRoleArn": None})


def test_a_member_that_is_unknown_is_named() -> None:
    message = refusal("DescribeEndpoint", {"EndpointName": "e", "EndpointNam": "x"}).message
    assert "Value 'x' at 'endpointNam'" in message


@pytest.mark.parametrize("name", [5, True, None.__class__, ["e"], {"a": 1}, 1.5])
def test_a_wrong_type_is_a_serialization_exception(name: object) -> None:
    error = refusal("DescribeEndpoint", {"EndpointName": name})
    assert error.code == "SerializationException"
    assert "at 'endpointName' can not be converted to a String" in error.message


def test_whole_numbers_may_be_written_as_floats() -> None:
    validate("ListEndpoints", {"MaxResults": 5.0})
    assert refusal("ListEndpoints", {"MaxResults": 5.5}).code == "SerializationException"
    assert refusal("ListEndpoints", {"MaxResults": True}).code == "SerializationException"


def test_weights_may_be_whole_numbers() -> None:
    variant = {**VARIANT, "InstanceType": "ml.m5.large", "InitialVariantWeight": 0}
    validate("CreateEndpointConfig", {"EndpointConfigName": "c", "ProductionVariants": [variant]})


def test_keys_and_values_of_a_map_are_held_against_their_own_constraints() -> None:
    container = {"Environment": {"not-a-name": "x", "OK": "y" * 1025}}
    message = refusal("CreateModel", {"ModelName": "m", "PrimaryContainer": container}).message
    assert "at 'primaryContainer.environment' failed to satisfy constraint: Map keys" in message
    assert "Map value must satisfy constraint: [Member must have length less than or" in message


def test_the_longest_value_passes() -> None:
    container = {"Environment": {"OK": "y" * 1024}}
    validate("CreateModel", {"ModelName": "m" * 63, "PrimaryContainer": container})


def test_tags_may_use_any_alphabet() -> None:
    validate("CreateModel", {"ModelName": "m", "Tags": [{"Key": "équipe", "Value": "Größe 1"}]})
    refusal("CreateModel", {"ModelName": "m", "Tags": [{"Key": "a!", "Value": ""}]})


def test_names_may_be_of_any_character_where_the_api_has_pairs_of_surrogates() -> None:
    shape = operation("application-autoscaling", "DeleteScalingPolicy").input_shape
    target = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": "endpoint/e/variant/v",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
    }
    validation.validate(shape, {**target, "PolicyName": "\N{ROCKET} out"})
    with pytest.raises(AwsError, match="'policyName' failed to satisfy"):
        validation.validate(shape, {**target, "PolicyName": "a\u0001"})


def test_every_pattern_of_the_api_compiles() -> None:
    model = get_session().get_service_model("sagemaker")
    patterns = {model.shape_for(name).metadata.get("pattern") for name in model.shape_names}
    for pattern in patterns - {None}:
        if r"\uD800\uDC00" not in pattern:  # pairs of surrogates, in names of Athena's tables only
            regex.compile(pattern)

"""Values that only a deploy knows, such as a parameter's, are taken for texts and numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_iam as iam
from aws_cdk.assertions import Match, Template

from local_aws.template import Evaluator, Names
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import (
    ComponentSettings,
    ContainerImage,
    DeployGuard,
    Endpoint,
    EndpointConfig,
    EndpointMonitoring,
    InferenceComponent,
    InstanceVariant,
    Model,
    ModelData,
    WatchedVariant,
)
from sagemaker_serving.rules import check_template, template_of
from tests.today import TODAY

OWN_IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/server"
OWN_REPOSITORY = "arn:aws:ecr:eu-west-1:111122223333:repository/team/server"
INVOKE = Match.array_with(["sagemaker:InvokeEndpoint"])


def text(bench: Any, name: str) -> str:
    return cdk.CfnParameter(bench.stack, name).value_as_string


def number(bench: Any, name: str) -> Any:
    return cdk.CfnParameter(bench.stack, name, type="Number").value_as_number


def add_model(bench: Any, **changes: Any) -> Model:
    given = {
        "image": ContainerImage.from_uri(OWN_IMAGE),
        "model_data": ModelData.from_s3("s3://models/model.tar.gz"),
        "instance_type": "ml.c5.large",
    }
    return Model(bench.stack, "Model", role=bench.role, **{**given, **changes})


def add_endpoint(bench: Any, name: str, **changes: Any) -> Endpoint:
    variant = InstanceVariant(name="v", model=add_model(bench), instance_type="ml.c5.large")
    config = EndpointConfig(bench.stack, "Config", **{"variants": [variant], **changes})
    return Endpoint(bench.stack, "Endpoint", endpoint_name=name, endpoint_config=config)


def caller(bench: Any) -> iam.Role:
    return iam.Role(bench.stack, "Caller", assumed_by=iam.AccountRootPrincipal())


def holds(bench: Any) -> Template:
    """The template, of which nothing is wrong and in which no token is left."""
    template = Template.from_stack(bench.stack)
    assert "${token[" not in json.dumps(template.to_json()).lower()
    judged = check_template(template_of(template.to_json()), "eu-west-1", today=TODAY)
    assert [str(problem) for problem in judged] == []
    return template


def allowed(template: Template, resource: Any, actions: Any = INVOKE) -> None:
    statement = Match.object_like({"Action": actions, "Resource": resource})
    template.has_resource_properties(
        "AWS::IAM::Policy", {"PolicyDocument": {"Statement": Match.array_with([statement])}}
    )


def test_a_caller_may_call_the_endpoint_whatever_the_parameter_says(bench: Any) -> None:
    """SageMaker's ARN of it is in lower case, which no function of CloudFormation can make."""
    endpoint = add_endpoint(bench, text(bench, "EndpointName"))
    endpoint.grant_invoke(caller(bench))
    reference = bench.stack.resolve(endpoint.endpoint_arn)
    assert list(reference) == ["Ref"]
    allowed(holds(bench), reference)


def test_a_guard_of_it_waits_for_no_endpoint(bench: Any) -> None:
    endpoint = add_endpoint(bench, f"Shop-{text(bench, 'EndpointName')}")
    DeployGuard(bench.stack, "Guard", endpoint=endpoint, endpoint_config=endpoint._config)
    arn = Match.object_like(
        {"Fn::Join": ["", Match.array_with([":endpoint/shop-", {"Ref": "EndpointName"}])]}
    )
    allowed(holds(bench), arn, "sagemaker:DescribeEndpoint")


def test_a_component_is_called_whatever_the_parameter_says(bench: Any) -> None:
    host = InstanceVariant(name="host", model=None, instance_type="ml.c5.large")
    endpoint = add_endpoint(bench, "e", variants=[host], execution_role=bench.role)
    component = InferenceComponent(
        bench.stack,
        "Component",
        component_name=text(bench, "ComponentName"),
        endpoint=endpoint,
        variant_name="host",
        model=bench.stack.node.find_child("Model"),
        settings=ComponentSettings(min_memory_required_in_mb=1024, number_of_cpu_cores_required=1),
    )
    component.grant_invoke(caller(bench))
    reference = bench.stack.resolve(component.component_arn)
    assert list(reference) == ["Ref"]
    allowed(holds(bench), Match.array_with([reference]))


def pulled(bench: Any, values: dict[str, str]) -> Any:
    """The repository that the role may pull, as CloudFormation works it out."""
    every = {"AWS::Partition": "aws", **values}
    functions = Evaluator(Names(every), mappings={}, conditions={})
    (policy,) = holds(bench).find_resources("AWS::IAM::Policy").values()
    statement = policy["Properties"]["PolicyDocument"]["Statement"][0]
    assert "ecr:BatchGetImage" in statement["Action"]
    return functions.evaluate(statement["Resource"])


@pytest.mark.parametrize("ending", ["", ":7", "@sha256:ab", ":7@sha256:ab"])
def test_an_image_that_a_parameter_names_is_pulled_and_no_other(bench: Any, ending: str) -> None:
    add_model(bench, image=ContainerImage.from_uri(text(bench, "Image")))
    assert pulled(bench, {"Image": f"{OWN_IMAGE}{ending}"}) == OWN_REPOSITORY


def test_an_image_whose_tag_a_parameter_names_is_pulled(bench: Any) -> None:
    uri = f"{cdk.Aws.ACCOUNT_ID}.dkr.ecr.eu-west-1.amazonaws.com/team/server:{text(bench, 'Tag')}"
    add_model(bench, image=ContainerImage.from_uri(uri))
    assert pulled(bench, {"AWS::AccountId": "111122223333", "Tag": "7"}) == OWN_REPOSITORY


def test_a_parameter_names_the_archive_that_is_read_and_no_other(bench: Any) -> None:
    add_model(bench, model_data=ModelData.from_s3(text(bench, "Archive")))
    template = holds(bench)
    known = Names({"AWS::Partition": "aws", "Archive": "s3://models/a/model.tar.gz"})
    functions = Evaluator(known, mappings={}, conditions={})
    (policy,) = template.find_resources("AWS::IAM::Policy").values()
    (reads,) = [
        functions.evaluate(statement["Resource"])
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if statement["Action"] == "s3:GetObject"
    ]
    (model,) = template.find_resources("AWS::SageMaker::Model").values()
    url = functions.evaluate(model["Properties"]["PrimaryContainer"]["ModelDataUrl"])
    assert (reads, url) == ("arn:aws:s3:::models/a/model.tar.gz", "s3://models/a/model.tar.gz")


def test_an_image_that_hangs_on_a_parameters_instance_type_is_refused(bench: Any) -> None:
    image = ContainerImage.from_catalog("tensorflow", "2.20")
    with pytest.raises(Mistake, match="a deploy alone knows the instance type, so its image"):
        add_model(bench, image=image, instance_type=text(bench, "InstanceType"))


def test_parameters_are_bounds_of_scaling(bench: Any) -> None:
    endpoint = add_endpoint(bench, "e")
    bounds = {"min_capacity": number(bench, "Min"), "max_capacity": number(bench, "Max")}
    endpoint.scale_instances("v", **bounds)
    holds(bench).has_resource_properties(
        "AWS::ApplicationAutoScaling::ScalableTarget",
        {"MinCapacity": {"Ref": "Min"}, "MaxCapacity": {"Ref": "Max"}},
    )


def test_a_variants_name_may_be_a_parameters(bench: Any) -> None:
    name = text(bench, "Variant")
    variant = InstanceVariant(name=name, model=add_model(bench), instance_type="ml.c5.large")
    EndpointConfig(bench.stack, "Config", variants=[variant])
    holds(bench).has_resource_properties(
        "AWS::SageMaker::EndpointConfig",
        {"ProductionVariants": [Match.object_like({"VariantName": {"Ref": "Variant"}})]},
    )


@pytest.mark.parametrize("named", ["scaling", "alarms", "component"])
def test_a_name_that_ids_are_made_of_has_to_be_written(bench: Any, named: str) -> None:
    name = text(bench, "Name")
    variant = WatchedVariant(name=name if named == "alarms" else "v", instance_type="ml.c5.large")
    make: dict[str, Callable[[], Any]] = {
        "scaling": lambda: add_endpoint(bench, "e").scale_instances(
            name, min_capacity=1, max_capacity=2
        ),
        "alarms": lambda: EndpointMonitoring(
            bench.stack, "Monitoring", endpoint_name="e", variants=[variant]
        ),
        "component": lambda: EndpointMonitoring(
            bench.stack,
            "Monitoring",
            endpoint_name="e",
            variants=[variant],
            inference_components=[name],
        ),
    }
    with pytest.raises(Mistake, match="is a value that only a deploy knows, as a parameter's; ids"):
        make[named]()

"""A live endpoint, a template and a Terraform plan, each as an environment file that says it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sagemaker_serving.errors import Mistake, NotFound, Severity
from sagemaker_serving.operations.adoption import Adopted, adopt, live_endpoint
from sagemaker_serving.rules import check_environment, read_template, template_of
from sagemaker_serving.spec import read_environment
from tests.local_aws.aws import IMAGE, REGION, Aws, client_of, stand_in_aws
from tests.today import TODAY

ACCOUNT = "000000000000"
PUBLISHED = f"763104351884.dkr.ecr.{REGION}.amazonaws.com/tensorflow-inference:2.20-cpu-py312"
ARCHIVE = "s3://models-of-yore/half.tar.gz"


def problems(tmp_path: Path, adopted: Adopted) -> list[str]:
    path = tmp_path / "new.yaml"
    path.write_text(adopted.text)
    found = check_environment(read_environment(path), today=TODAY)
    return [str(one) for one in found if one.severity is Severity.ERROR]


def model_of(adopted: Adopted) -> dict[str, Any]:
    (model,) = yaml.safe_load(adopted.text)["models"].values()
    return dict(model)


def template(**variant: Any) -> dict[str, Any]:
    return {
        "Endpoint": {
            "Type": "AWS::SageMaker::Endpoint",
            "Properties": {
                "EndpointName": "half",
                "EndpointConfigName": {"Fn::GetAtt": ["Config", "EndpointConfigName"]},
            },
        },
        "Config": {
            "Type": "AWS::SageMaker::EndpointConfig",
            "Properties": {
                "ProductionVariants": [
                    {
                        "VariantName": "all",
                        "ModelName": {"Fn::GetAtt": ["Model", "ModelName"]},
                        "InstanceType": "ml.m5.large",
                        "InitialInstanceCount": "2",
                        "InitialVariantWeight": 1,
                        **variant,
                    }
                ]
            },
        },
        "Model": {
            "Type": "AWS::SageMaker::Model",
            "Properties": {
                "ExecutionRoleArn": f"arn:aws:iam::{ACCOUNT}:role/serving",
                "PrimaryContainer": {
                    "Image": PUBLISHED,
                    "ModelDataUrl": ARCHIVE,
                    "Environment": {"LEVEL": 3, "DEBUG": True},
                },
            },
        },
    }


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    with stand_in_aws(tmp_path_factory.mktemp("aws")) as local:
        yield local


def test_a_live_endpoint_becomes_a_file_that_passes(aws: Aws, tmp_path: Path) -> None:
    aws.config("half-1", {"all": aws.model("half", {"LEVEL": "3"})})
    aws.endpoint("half", "half-1")
    arn = aws.sagemaker.describe_endpoint(EndpointName="half")["EndpointArn"]
    aws.sagemaker.add_tags(ResourceArn=arn, Tags=[{"Key": "team", "Value": "search"}])
    scaling = client_of(aws.gateway).client("application-autoscaling")
    of = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": "endpoint/half/variant/all",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
    }
    scaling.register_scalable_target(**of, MinCapacity=1, MaxCapacity=3)
    scaling.put_scaling_policy(
        **of,
        PolicyName="busy",
        PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration={
            "TargetValue": 70,
            "PredefinedMetricSpecification": {
                "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance"
            },
        },
    )
    scaling.put_scheduled_action(
        **of,
        ScheduledActionName="night",
        Schedule="cron(0 20 ? * * *)",
        ScalableTargetAction={"MaxCapacity": 1},
    )
    adopted = adopt(live_endpoint("half", client_of(aws.gateway)), name="new", region=REGION)
    model = model_of(adopted)
    assert model["scaling"] == {
        "all": {
            "min": 1,
            "max": 3,
            "invocations_per_instance": 70,
            "schedules": [{"name": "night", "schedule": "cron(0 20 ? * * *)", "max": 1}],
        }
    }
    assert (model["framework_version"], model["environment"]) == ("2.19", {"LEVEL": "3"})
    assert yaml.safe_load(adopted.text)["tags"] == {"team": "search"}
    assert problems(tmp_path, adopted) == []


def test_weights_and_counts_are_those_that_serve(aws: Aws) -> None:
    aws.config("split-1", {"blue": aws.model("blue"), "green": aws.model("green")})
    aws.endpoint("split", "split-1")
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="split",
        DesiredWeightsAndCapacities=[
            {"VariantName": "blue", "DesiredWeight": 9, "DesiredInstanceCount": 2}
        ],
    )
    aws.settled("split")
    adopted = adopt(live_endpoint("split", client_of(aws.gateway)), name="new", region=REGION)
    found = {one["name"]: one for one in model_of(adopted)["variants"]}
    assert (found["blue"]["weight"], found["blue"]["initial_instance_count"]) == (9, 2)
    assert (found["green"]["weight"], found["green"]["initial_instance_count"]) == (1, 1)


def test_inference_components_are_read_with_what_they_run_and_their_scaling(aws: Aws) -> None:
    managed = {"Status": "ENABLED", "MinInstanceCount": 1, "MaxInstanceCount": 2}
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName="shared-1",
        ExecutionRoleArn=aws.role("serving", "sagemaker"),
        ProductionVariants=[
            {
                "VariantName": "all",
                "InstanceType": "ml.m5.large",
                "InitialInstanceCount": 1,
                "ManagedInstanceScaling": managed,
            }
        ],
    )
    aws.endpoint("shared", "shared-1")
    of_a_model = {"ModelName": aws.model("one")}
    of_a_container = {"Container": {"Image": IMAGE, "ArtifactUrl": "s3://models/two.tar.gz"}}
    for name, specification in (("one", of_a_model), ("two", of_a_container)):
        aws.sagemaker.create_inference_component(
            InferenceComponentName=name,
            EndpointName="shared",
            VariantName="all",
            Specification={
                **specification,
                "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 512},
            },
            RuntimeConfig={"CopyCount": 1},
        )
    size = {"ComputeResourceRequirements": {"MinMemoryRequiredInMb": 512}}
    several = [{"InstanceType": "ml.m5.large", "ModelName": "one", **size}]
    aws.sagemaker.create_inference_component(
        InferenceComponentName="three",
        EndpointName="shared",
        VariantName="all",
        Specifications=several,
    )
    client_of(aws.gateway).client("application-autoscaling").register_scalable_target(
        ServiceNamespace="sagemaker",
        ResourceId="inference-component/two",
        ScalableDimension="sagemaker:inference-component:DesiredCopyCount",
        MinCapacity=1,
        MaxCapacity=4,
    )
    adopted = adopt(live_endpoint("shared", client_of(aws.gateway)), name="new", region=REGION)
    model = model_of(adopted)
    three = model["inference_components"].pop("three")
    assert three["extra"] == {"Specifications": several}
    assert {name: one["artifact"] for name, one in model["inference_components"].items()} == {
        "one": "s3://models/model.tar.gz",
        "two": "s3://models/two.tar.gz",
    }
    assert model["inference_components"]["two"]["framework_version"] == "2.19"
    assert model["inference_components"]["two"]["min_memory_required_in_mb"] == 512
    assert model["scaling"] == {"two": {"min": 1, "max": 4}}


def test_an_endpoint_that_is_not_there_is_said_to_be_none(aws: Aws) -> None:
    with pytest.raises(NotFound, match="there is no endpoint 'nobody' in "):
        live_endpoint("nobody", client_of(aws.gateway))


def test_what_a_template_says_is_written(tmp_path: Path) -> None:
    adopted = adopt(template_of(template()), name="new", region=REGION)
    assert model_of(adopted) == {
        "artifact": ARCHIVE,
        "framework": "tensorflow",
        "framework_version": "2.20",
        "environment": {"LEVEL": "3", "DEBUG": "true"},
        "variants": [
            {
                "name": "all",
                "instance_type": "ml.m5.large",
                "initial_instance_count": 2,
                "weight": 1,
            }
        ],
    }
    assert adopted.models == ("half",)
    assert problems(tmp_path, adopted) == []


def test_what_only_a_deploy_knows_is_a_comment_at_its_field() -> None:
    adopted = adopt(
        template_of(template(InstanceType={"Ref": "Type"}, InitialInstanceCount=1)),
        name="new",
        region=REGION,
    )
    said = "# instance_type: only a deploy knows ProductionVariants.InstanceType; write it here"
    assert f"    {said}\n    - name: all\n" in adopted.text
    assert any("variants[0].instance_type: only a deploy" in one for one in adopted.remarks)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("Endpoint", name) for name in ("Tags", "DeploymentConfig")),
        *(
            ("Config", name)
            for name in ("Tags", "VpcConfig", "KmsKeyId", "DataCaptureConfig", "MetricsConfig")
        ),
        *(("Config", name) for name in ("AsyncInferenceConfig", "EndpointConfigName")),
        *(("Model", name) for name in ("Tags", "VpcConfig", "PrimaryContainer", "ModelName")),
    ],
)
def test_a_member_that_is_unknown_as_a_whole_is_a_comment(kind: str, name: str) -> None:
    resources = template()
    for value in ({"Ref": "Given"}, [{"Ref": "Given"}]):
        resources[kind]["Properties"][name] = value
        text = adopt(template_of(resources), name="new", region=REGION).text
        assert yaml.safe_load(text)["name"] == "new"
        assert "nothing:" not in text
        assert "# " in text.partition("\n")[2] or name.endswith("Name")


@pytest.mark.parametrize("kind", ["Endpoint", "Config", "Model"])
def test_a_resource_that_is_unknown_as_a_whole_is_a_comment(kind: str) -> None:
    resources = template()
    resources[kind]["Properties"] = {"Fn::If": ["Big", {}, {}]}
    if kind == "Endpoint":  # which config it has cannot be known then
        with pytest.raises(Mistake):
            adopt(template_of(resources), name="new", region=REGION)
    else:
        adopted = adopt(template_of(resources), name="new", region=REGION)
        assert any(f"only a deploy knows all of {kind}" in one for one in adopted.remarks)


def test_parameters_have_their_defaults_unless_others_are_given(tmp_path: Path) -> None:
    written = {
        "Parameters": {
            "Type": {"Type": "String", "Default": "ml.m5.large"},
            "Count": {"Type": "Number", "AllowedValues": [2, 4]},
            "Unused": {"Type": "String", "Default": "x"},
        },
        "Resources": template(InstanceType={"Ref": "Type"}, InitialInstanceCount={"Ref": "Count"}),
    }
    path = tmp_path / "template.json"
    path.write_text(json.dumps(written))
    for given, kind, count in (
        ({}, "ml.m5.large", 2),
        ({"Type": "ml.c5.large", "Count": "4"}, "ml.c5.large", 4),
    ):
        adopted = adopt(read_template(path), name="new", region=REGION, parameters=given)
        (variant,) = model_of(adopted)["variants"]
        assert (variant["instance_type"], variant["initial_instance_count"]) == (kind, count)
        told = f"read with the parameters Count={count}, Type={kind}; --parameter gives others"
        assert told in adopted.remarks
    with pytest.raises(Mistake, match="no parameter 'Typ'; did you mean Type"):
        adopt(read_template(path), name="new", region=REGION, parameters={"Typ": "x"})


def test_a_serverless_variant_has_no_weight(tmp_path: Path) -> None:
    serverless = {"MemorySizeInMB": 2048, "MaxConcurrency": 5}
    resources = template(ServerlessConfig=serverless)
    (variant,) = resources["Config"]["Properties"]["ProductionVariants"]
    del variant["InstanceType"], variant["InitialInstanceCount"]
    adopted = adopt(template_of(resources), name="new", region=REGION)
    assert model_of(adopted)["variants"] == [
        {"name": "all", "memory_size_in_mb": 2048, "max_concurrency": 5}
    ]
    assert problems(tmp_path, adopted) == []


def test_what_cloudformation_cannot_write_is_said_to_be_left_out() -> None:
    adopted = adopt(
        template_of(template(AcceleratorType="ml.eia2.medium")), name="new", region=REGION
    )
    assert any(
        "ProductionVariants.AcceleratorType is left out: ended by AWS" in remark
        for remark in adopted.remarks
    )


def test_an_image_that_aws_does_not_publish_stays_as_it_is() -> None:
    resources = template()
    digest = "sha256:" + "a" * 64
    own = f"111122223333.dkr.ecr.{REGION}.amazonaws.com/mine"
    resources["Model"]["Properties"]["PrimaryContainer"]["Image"] = f"{own}@{digest}"
    model = model_of(adopt(template_of(resources), name="new", region=REGION))
    assert (model["image_uri"], model["image_digest"]) == (own, digest)


def test_a_source_without_an_endpoint_is_refused() -> None:
    resources = template()
    del resources["Config"]
    with pytest.raises(Mistake, match="no AWS::SageMaker::Endpoint whose EndpointConfig stands"):
        adopt(template_of(resources), name="new", region=REGION)


def test_an_endpoint_without_a_name_is_called_by_its_logical_id() -> None:
    resources = template()
    del resources["Endpoint"]["Properties"]["EndpointName"]
    adopted = adopt(template_of(resources), name="new", region=REGION)
    assert adopted.models == ("Endpoint",)

from __future__ import annotations

import json
from typing import Any

import pytest
from aws_cdk.assertions import Template

from sagemaker_serving.infra import BatchTransform, ContainerImage, Model, ModelData

JOB = {
    "TransformInput": {"ContentType": "application/jsonlines", "SplitType": "Line"},
    "TransformOutput": {"AssembleWith": "Line", "Accept": "application/json"},
    "TransformResources": {"InstanceType": "ml.m5.large", "InstanceCount": 2},
    "BatchStrategy": "MultiRecord",
    "MaxPayloadInMB": 1,
    "MaxConcurrentTransforms": 4,
    "Environment": {"A": "1"},
}


@pytest.fixture
def template(bench: Any) -> Template:
    model = Model(
        bench.stack,
        "Model",
        role=bench.role,
        image=ContainerImage.from_catalog("tensorflow", "2.19"),
        model_data=ModelData.from_path(bench.model_folder),
        instance_type="ml.m5.large",
    )
    BatchTransform(bench.stack, "Batch", model=model, job=JOB, retain_logs=False)
    return Template.from_stack(bench.stack)


def definition(template: Template) -> dict[str, Any]:
    """The state machine's definition, with a word wherever a reference stands."""
    (machine,) = template.find_resources("AWS::StepFunctions::StateMachine").values()
    _, parts = machine["Properties"]["DefinitionString"]["Fn::Join"]
    text = "".join(part if isinstance(part, str) else "reference" for part in parts)
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def test_the_task_is_one_that_create_transform_job_takes(template: Template) -> None:
    import botocore.session
    from botocore.validate import ParamValidator

    parameters = definition(template)["States"]["RunTransformJob"]["Parameters"]
    plain = json.loads(json.dumps(parameters).replace('.$": "$', '": "$'))
    service = botocore.session.get_session().get_service_model("sagemaker")
    shape = service.operation_model("CreateTransformJob").input_shape
    report = ParamValidator().validate(plain, shape)
    assert report.generate_report() == ""


def test_every_option_reaches_the_job(template: Template) -> None:
    parameters = definition(template)["States"]["RunTransformJob"]["Parameters"]
    for name in ("TransformResources", "BatchStrategy", "MaxPayloadInMB", "Environment"):
        assert parameters[name] == JOB[name]
    assert parameters["TransformInput"]["SplitType"] == "Line"
    assert parameters["TransformOutput"]["AssembleWith"] == "Line"


def test_the_job_is_named_after_its_execution(template: Template) -> None:
    parameters = definition(template)["States"]["RunTransformJob"]["Parameters"]
    assert parameters["TransformJobName.$"] == "$$.Execution.Name"


def test_its_role_runs_jobs_and_passes_no_role(template: Template) -> None:
    policies = json.dumps(template.find_resources("AWS::IAM::Policy"))
    assert "sagemaker:CreateTransformJob" in policies
    assert "iam:PassRole" not in policies
    assert "FullAccess" not in json.dumps(template.to_json())


def test_executions_are_traced_and_logged(template: Template) -> None:
    template.has_resource_properties(
        "AWS::StepFunctions::StateMachine",
        {"TracingConfiguration": {"Enabled": True}, "LoggingConfiguration": {"Level": "ALL"}},
    )

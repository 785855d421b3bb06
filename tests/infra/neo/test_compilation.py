"""A compiled model in a template: the job's content, who may do what, and what serves it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import aws_cdk as cdk
import cdk_nag
import pytest
from aws_cdk.assertions import Template

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import (
    DataBucket,
    Model,
    ModelData,
    NeoCompilation,
    NeoCompiler,
    Network,
)
from sagemaker_serving.infra.model.image import Host
from sagemaker_serving.rules import check_template, template_of
from sagemaker_serving.spec.compilation_job import CompilationJob
from tests.infra.conftest import Bench
from tests.models import saved_model
from tests.today import TODAY

JOB = CompilationJob(
    framework="TENSORFLOW",
    framework_version="2.9",
    data_input_config='{"x":[1,2]}',
    target_device="ml_c5",
)
PACKS = ("AwsSolutionsChecks", "NIST80053R5Checks", "PCIDSS321Checks", "ServerlessChecks")


def compiled(bench: Bench, job: CompilationJob = JOB, **more: Any) -> NeoCompilation:
    """A model compiled and served in the bench's stack."""
    data = DataBucket(bench.stack, "Data", retain=False, customer_key=more.pop("key", False))
    compiler = NeoCompiler(
        bench.stack,
        "Compiler",
        bucket=data.bucket,
        retain_logs=False,
        encryption_key=data.key,
        network=more.pop("network", None),
    )
    model_data = more.pop("model_data", ModelData.from_path(bench.model_folder))
    return NeoCompilation(
        bench.stack, "Compiled", compiler=compiler, model_data=model_data, job=job, **more
    )


def served(bench: Bench, compilation: NeoCompilation) -> Any:
    Model(
        bench.stack,
        "Model",
        role=bench.role,
        image=compilation.image,
        model_data=compilation.model_data,
        instance_type="ml.c5.large",
        environment=compilation.environment,
    )
    return Template.from_stack(bench.stack).to_json()["Resources"]


def only(resources: Any, kind: str) -> Any:
    (found,) = [resource for resource in resources.values() if resource["Type"] == kind]
    return found["Properties"]


def statements(resources: Any, role: str) -> list[Any]:
    """What the policies of the role whose logical id begins so allow."""
    return [
        statement
        for resource in resources.values()
        if resource["Type"] == "AWS::IAM::Policy"
        and any(each["Ref"].startswith(role) for each in resource["Properties"]["Roles"])
        for statement in resource["Properties"]["PolicyDocument"]["Statement"]
    ]


def test_the_resource_asks_for_the_job_below_a_place_of_its_content(bench: Bench) -> None:
    compilation = compiled(bench, model_inputs="{x: [?, 2]}", brings_code=False)
    asked = only(served(bench, compilation), "Custom::NeoCompilation")
    assert asked["CompilationJobName"] == compilation.job_name
    assert asked["InputConfig"]["Framework"] == "TENSORFLOW"
    assert asked["OutputConfig"]["S3OutputLocation"]["Fn::Join"][1][-1] == (
        f"/compiled/{compilation.job_name}/"
    )
    assert asked["OutputConfig"]["TargetDevice"] == "ml_c5"
    assert asked["StoppingCondition"] == {"MaxRuntimeInSeconds": 900}
    assert (asked["BringsCode"], asked["ModelInputs"]) == ("false", "{x: [?, 2]}")


@pytest.mark.parametrize("code", ["", "code/inference.py"])
def test_the_archive_tells_what_it_brings_and_one_in_s3_is_looked_at_by_the_job(
    new_bench: Any, code: str
) -> None:
    here, there = new_bench(), new_bench()
    here.write("digits/1/saved_model.pb", "")
    (here.model_folder / "digits" / "1" / "saved_model.pb").write_bytes(saved_model())
    if code:
        here.write(code, "")
    asked = only(served(here, compiled(here)), "Custom::NeoCompilation")
    assert asked["BringsCode"] == ("true" if code else "false")
    assert asked["ModelInputs"].startswith("{")
    in_s3 = compiled(there, model_data=ModelData.from_s3("s3://theirs/model.tar.gz"))
    asked = only(served(there, in_s3), "Custom::NeoCompilation")
    assert (asked["BringsCode"], asked.get("ModelInputs")) == ("true", None)


def test_the_model_is_served_from_what_was_compiled_by_neos_image(bench: Bench) -> None:
    compilation = compiled(bench)
    container = only(served(bench, compilation), "AWS::SageMaker::Model")["PrimaryContainer"]
    assert container["ModelDataUrl"]["Fn::GetAtt"][1] == "ModelDataUrl"
    assert container["Image"].endswith("/sagemaker-inference-tensorflow:2.9-cpu-py3")
    assert container["Environment"] == {
        "SAGEMAKER_PROGRAM": "inference.py",
        "SAGEMAKER_SUBMIT_DIRECTORY": "/opt/ml/model/code",
        "SAGEMAKER_CONTAINER_LOG_LEVEL": "20",
        "SAGEMAKER_REGION": "eu-west-1",
    }


@pytest.mark.parametrize("framework", ["PYTORCH", "MXNET"])
def test_pytorch_and_mxnet_wait_longer_for_an_answer(bench: Bench, framework: str) -> None:
    compilation = compiled(bench, replace(JOB, framework=framework, framework_version="1.8"))
    assert compilation.environment["MMS_DEFAULT_RESPONSE_TIMEOUT"] == "500"


def test_an_image_that_the_catalog_lacks_is_the_jobs(bench: Bench) -> None:
    job = replace(JOB, framework="PYTORCH", framework_version="1.13", target_device="ml_inf2")
    container = only(served(bench, compiled(bench, job)), "AWS::SageMaker::Model")
    assert container["PrimaryContainer"]["Image"]["Fn::GetAtt"][1] == "InferenceImage"


def test_changed_content_is_another_resource_and_the_same_content_the_same(
    new_bench: Any,
) -> None:
    first, second = new_bench(), new_bench()
    ids = [compiled(first).identity, compiled(second, replace(JOB, target_device="ml_m5")).identity]
    third, fourth = new_bench(), new_bench()
    ids.append(compiled(third, replace(JOB, max_runtime_in_seconds=60)).identity)
    fourth.write("digits/1/saved_model.pb", "another graph")
    ids.append(compiled(fourth).identity)
    assert ids[0] == ids[2]
    assert len(set(ids)) == 3


def test_the_jobs_role_reads_one_archive_and_writes_compiled_models(bench: Bench) -> None:
    resources = served(bench, compiled(bench))
    actions = {
        action
        for statement in statements(resources, "CompilerRole")
        for action in _listed(statement["Action"])
    }
    assert actions == {
        "s3:GetBucketLocation",
        "s3:GetObject",
        "s3:ListBucket",
        "s3:PutObject",
        "s3:AbortMultipartUpload",
        "logs:CreateLogGroup",
        "logs:CreateLogStream",
        "logs:DescribeLogStreams",
        "logs:PutLogEvents",
        "cloudwatch:PutMetricData",
    }
    (reading,) = [
        it for it in statements(resources, "CompilerRole") if "s3:GetObject" in it["Action"]
    ]
    assert "*" not in json.dumps(reading["Resource"])
    (listing,) = [
        it for it in statements(resources, "CompilerRole") if it["Action"] == "s3:ListBucket"
    ]
    listed = f"/{listing['Condition']['StringEquals']['s3:prefix']}"
    assert json.dumps(reading["Resource"]).rstrip(']}"').endswith(listed)


def test_the_function_passes_that_role_to_sagemaker_and_nothing_else(bench: Bench) -> None:
    resources = served(bench, compiled(bench))
    (passing,) = [
        statement
        for statement in statements(resources, "CompilerWork")
        if statement["Action"] == "iam:PassRole"
    ]
    assert passing["Condition"] == {
        "StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}
    }
    assert passing["Resource"]["Fn::GetAtt"][0].startswith("CompilerRole")
    (jobs,) = [
        statement
        for statement in statements(resources, "CompilerWork")
        if "sagemaker:CreateCompilationJob" in _listed(statement["Action"])
    ]
    assert jobs["Resource"]["Fn::Join"][1][-1].endswith(":compilation-job/neo-*")
    assert not [
        resource
        for resource in resources.values()
        if resource["Properties"].get("ManagedPolicyArns")
    ]


def test_the_function_copies_what_was_compiled_here_or_in_another_bucket_of_the_account(
    bench: Bench,
) -> None:
    found = statements(served(bench, compiled(bench)), "CompilerWork")
    (listing,) = [it for it in found if it["Action"] == "s3:ListBucket"]
    assert listing["Condition"] == {"StringLike": {"s3:prefix": "compiled/*"}}
    (own,) = [it for it in found if "s3:PutObject" in it["Action"]]
    assert _listed(own["Action"]) == ["s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload"]
    (elsewhere,) = [it for it in found if "s3:ResourceAccount" in json.dumps(it)]
    assert "s3:::*/compiled/neo-*" in json.dumps(elsewhere["Resource"])


def test_the_key_encrypts_what_is_compiled(bench: Bench) -> None:
    resources = served(bench, compiled(bench, key=True))
    assert only(resources, "Custom::NeoCompilation")["OutputConfig"]["KmsKeyId"]
    for role in ("CompilerRole", "CompilerWork", "Role"):
        assert "kms:Decrypt" in json.dumps(statements(resources, role))


def test_the_job_stands_in_the_network(bench: Bench) -> None:
    network = Network(subnet_ids=["subnet-12345678"], security_group_ids=["sg-12345678"])
    asked = only(served(bench, compiled(bench, network=network)), "Custom::NeoCompilation")
    assert asked["VpcConfig"] == {
        "SecurityGroupIds": ["sg-12345678"],
        "Subnets": ["subnet-12345678"],
    }


def test_a_job_longer_than_cloudformation_waits_is_refused(bench: Bench) -> None:
    with pytest.raises(Mistake, match="max_runtime_in_seconds is 3601; a deploy waits at most"):
        compiled(bench, replace(JOB, max_runtime_in_seconds=3601))


@pytest.mark.parametrize("pack", PACKS)
def test_cdk_nag_finds_nothing_unacknowledged(bench: Bench, pack: str) -> None:
    network = Network(subnet_ids=["subnet-12345678"], security_group_ids=["sg-12345678"])
    compilation = compiled(bench, key=True, network=network)
    served(bench, compilation)
    found = getattr(cdk_nag, pack)(bench.app).validate_scope(bench.stack).violations
    ours = [
        violation.rule_name
        for violation in found
        if "Compil" in json.dumps([it.resource_logical_id for it in violation.violating_resources])
    ]
    assert ours == []


def test_the_rules_judge_the_resource_too(bench: Bench) -> None:
    resources = served(bench, compiled(bench))
    found = check_template(template_of(resources), "eu-west-1", today=TODAY)
    assert {problem.rule for problem in found} == {"neo-frozen"}
    asked = only(resources, "Custom::NeoCompilation")
    asked["StoppingCondition"]["MaxRuntimeInSeconds"] = 3601
    asked["InputConfig"]["Framework"] = "TENSORFLW"
    rules = {problem.rule for problem in check_template(template_of(resources), "eu-west-1")}
    assert {"neo-hour", "neo-framework"} <= rules


def test_a_stack_without_a_region_takes_the_jobs_image(bench: Bench) -> None:
    stack = cdk.Stack(bench.app, "Anywhere")
    data = DataBucket(stack, "Data", retain=False)
    compiler = NeoCompiler(stack, "Compiler", bucket=data.bucket, retain_logs=False)
    archive = ModelData.from_s3("s3://models/m.tar.gz", sha256="0" * 64)
    compilation = NeoCompilation(stack, "Compiled", compiler=compiler, model_data=archive, job=JOB)
    image = compilation.image.bind(stack, Host(role=compiler.role, instance_type="ml.c5.large"))
    assert cdk.Token.is_unresolved(image)


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]

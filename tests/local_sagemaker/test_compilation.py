"""Compilation jobs: their states, what they read and write, and what Neo refuses."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.faults import Fault, Kind
from sagemaker_serving.local_sagemaker.compilation_jobs import run
from sagemaker_serving.local_sagemaker.compilation_jobs.neo_inputs import (
    problem_with_input,
    problem_with_shapes,
)
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from tests.local_aws.aws import REGION, Aws, archive, eventually, service_in
from tests.models import saved_model

_numbers = count(1)
KERAS = {"model.h5": b"weights", "code/inference.py": b"pass"}
DONE = ("COMPLETED", "FAILED", "STOPPED")


@pytest.fixture(autouse=True)
def nothing_is_left(aws: Aws) -> Iterator[None]:
    yield
    aws.gateway.context.faults.clear()


@pytest.fixture(scope="module", autouse=True)
def inputs(aws: Aws) -> None:
    for name, files in {"keras": KERAS, "empty": {}, "two": {"a.h5": b"", "b.h5": b""}}.items():
        aws.s3.put_object(Bucket="models", Key=f"{name}.tar.gz", Body=archive(files))
    aws.s3.put_object(Bucket="models", Key="text.tar.gz", Body=b"text")


def job(aws: Aws, key: str = "keras.tar.gz", **more: Any) -> str:
    name = f"compile-{next(_numbers)}"
    config: dict[str, Any] = {
        "S3Uri": f"s3://models/{key}",
        "DataInputConfig": '{"input": [1, 3, 8, 8]}',
        "Framework": "KERAS",
    }
    aws.sagemaker.create_compilation_job(
        **{
            "CompilationJobName": name,
            "RoleArn": "arn:aws:iam::123456789012:role/model",
            "InputConfig": {**config, **more.pop("InputConfig", {})},
            "OutputConfig": {
                "S3OutputLocation": "s3://models/compiled/",
                "TargetDevice": "ml_c5",
                **more.pop("OutputConfig", {}),
            },
            "StoppingCondition": {"MaxRuntimeInSeconds": 900},
            **more,
        }
    )
    return name


def describe(aws: Aws, name: str) -> Any:
    return aws.sagemaker.describe_compilation_job(CompilationJobName=name)


def ended(aws: Aws, name: str) -> Any:
    def look() -> Any:
        found = describe(aws, name)
        return found if found["CompilationJobStatus"] in DONE else None

    return eventually(look)


def slow(aws: Aws) -> None:
    aws.gateway.context.faults.put(Fault(id="slow", kind=Kind.SLOW, latency_ms=60_000))


def test_a_job_starts_runs_and_is_done(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "STARTING_SECONDS", 3.0)
    name = job(aws)
    starting = describe(aws, name)
    assert starting["CompilationJobStatus"] == "STARTING"
    assert starting["CompilationJobArn"] == (
        f"arn:aws:sagemaker:eu-west-1:123456789012:compilation-job/{name}"
    )
    assert "CompilationStartTime" not in starting
    done = ended(aws, name)
    assert done["CompilationJobStatus"] == "COMPLETED"
    assert done["CreationTime"] <= done["CompilationStartTime"] <= done["CompilationEndTime"]
    assert done["InputConfig"]["Framework"] == "KERAS"
    assert re.fullmatch(r"[0-9a-f]{64}", done["ModelDigests"]["ArtifactDigest"])


def test_it_says_that_nothing_was_compiled_and_why(aws: Aws) -> None:
    name = job(aws)
    assert ended(aws, name)["FailureReason"] == "local AWS: repacked, not compiled"
    service_in(aws.gateway, SageMaker).flush()
    events = aws.client("logs").get_log_events(
        logGroupName="/aws/sagemaker/CompilationJobs", logStreamName=name, startFromHead=True
    )["events"]
    assert [event["message"] for event in events] == [
        "read s3://models/keras.tar.gz: 2 files",
        "nothing is compiled: nothing on this machine compiles KERAS models",
        "wrote s3://models/compiled/keras-ml_c5.tar.gz (local AWS: repacked, not compiled)",
        "COMPLETED local AWS: repacked, not compiled",
    ]


@pytest.mark.parametrize(
    ("output", "artifact"),
    [
        ({"S3OutputLocation": "s3://models/a"}, "s3://models/a/keras-ml_c5.tar.gz"),
        (
            {"TargetDevice": None, "TargetPlatform": {"Os": "LINUX", "Arch": "ARM64"}},
            "s3://models/compiled/keras-LINUX_ARM64.tar.gz",
        ),
    ],
)
def test_the_same_files_are_under_neos_name(
    aws: Aws, output: Mapping[str, Any], artifact: str
) -> None:
    given = {
        "S3OutputLocation": "s3://models/compiled/",
        **({} if "TargetPlatform" in output else {"TargetDevice": "ml_c5"}),
        **{name: value for name, value in output.items() if value is not None},
    }
    config = {"S3Uri": "s3://models/keras.tar.gz", "DataInputConfig": "{}", "Framework": "KERAS"}
    name = f"named-{next(_numbers)}"
    aws.sagemaker.create_compilation_job(
        CompilationJobName=name,
        RoleArn="arn:aws:iam::123456789012:role/model",
        InputConfig=config,
        OutputConfig=given,
        StoppingCondition={},
    )
    found = ended(aws, name)["ModelArtifacts"]["S3ModelArtifacts"]
    assert found == artifact
    key = found.removeprefix("s3://models/")
    body = aws.s3.get_object(Bucket="models", Key=key)["Body"].read()
    with tarfile.open(fileobj=io.BytesIO(body)) as packed:
        files = {member.name: packed.extractfile(member) for member in packed}
        assert {name: file.read() for name, file in files.items() if file} == KERAS


def test_the_image_that_serves_it_is_named(aws: Aws) -> None:
    found = ended(aws, job(aws))
    assert "/sagemaker-neo-keras:" in found["InferenceImage"]
    assert f".{REGION}.amazonaws.com" in found["InferenceImage"]
    edge = job(aws, OutputConfig={"TargetDevice": "rasp4b"})
    assert "InferenceImage" not in ended(aws, edge)


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("empty.tar.gz", "ClientError: InputConfiguration: No h5 file provided in the model"),
        ("two.tar.gz", "ClientError: InputConfiguration: Multiple h5 files provided, a.h5, b.h5"),
        ("text.tar.gz", "ClientError: InputConfiguration: Unable to untar input model. Please"),
        (
            "none.tar.gz",
            "ClientError: InputConfiguration: S3 object does not exist. "
            "Bucket: models, Key: none.tar.gz",
        ),
    ],
)
def test_what_neo_refuses_fails_the_job(aws: Aws, key: str, reason: str) -> None:
    failed = ended(aws, job(aws, key))
    assert failed["CompilationJobStatus"] == "FAILED"
    assert failed["FailureReason"].startswith(reason)


def test_a_bucket_of_another_region_is_refused(aws: Aws) -> None:
    aws.client("s3", "us-east-1").create_bucket(Bucket="far-away")
    aws.s3.put_object(Bucket="far-away", Key="m.tar.gz", Body=archive(KERAS))
    name = job(aws, InputConfig={"S3Uri": "s3://far-away/m.tar.gz"})
    assert ended(aws, name)["FailureReason"] == (
        "ClientError: InputConfiguration: Bucket far-away is in region us-east-1 which is "
        "different from AWS Sagemaker service region eu-west-1"
    )


@pytest.mark.parametrize("action", ["s3:GetObject", "s3:PutObject"])
def test_the_role_reads_and_writes(aws: Aws, action: str) -> None:
    everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    but = {"Effect": "Deny", "Action": action, "Resource": "*"}
    role = aws.role(f"no-{action[3:]}", "sagemaker", everything, but)
    failed = ended(aws, job(aws, RoleArn=role))
    assert failed["CompilationJobStatus"] == "FAILED"
    assert failed["FailureReason"].startswith("ClientError: An error occurred (AccessDenied)")


def test_a_job_in_a_vpc_needs_to_put_interfaces_there(aws: Aws) -> None:
    everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    but = {"Effect": "Deny", "Action": "ec2:CreateNetworkInterfacePermission", "Resource": "*"}
    role = aws.role("no-interfaces", "sagemaker", everything, but)
    vpc = {"Subnets": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}
    failed = ended(aws, job(aws, RoleArn=role, VpcConfig=vpc))
    assert failed["CompilationJobStatus"] == "FAILED"
    assert "does not have ec2:CreateNetworkInterfacePermission" in failed["FailureReason"]


def test_a_job_is_stopped(aws: Aws) -> None:
    slow(aws)
    name = job(aws)
    eventually(lambda: describe(aws, name)["CompilationJobStatus"] == "INPROGRESS")
    with pytest.raises(ClientError, match="is in status INPROGRESS; only one in status COMPLETED"):
        aws.sagemaker.delete_compilation_job(CompilationJobName=name)
    aws.sagemaker.stop_compilation_job(CompilationJobName=name)
    assert describe(aws, name)["CompilationJobStatus"] in ("STOPPING", "STOPPED")
    stopped = ended(aws, name)
    assert (stopped["CompilationJobStatus"], stopped["FailureReason"]) == ("STOPPED", "")
    with pytest.raises(ClientError, match="because the compilation job is in status STOPPED"):
        aws.sagemaker.stop_compilation_job(CompilationJobName=name)


def test_a_job_that_takes_too_long_fails(aws: Aws) -> None:
    slow(aws)
    failed = ended(aws, job(aws, StoppingCondition={"MaxRuntimeInSeconds": 1}))
    assert failed["CompilationJobStatus"] == "FAILED"
    assert failed["FailureReason"].startswith("TimeOut: ")


@pytest.mark.parametrize(
    ("kind", "reason"), [(Kind.KILL, "InternalServerError: "), (Kind.NO_CAPACITY, "CapacityError")]
)
def test_faults_strike_it(aws: Aws, kind: Kind, reason: str) -> None:
    aws.gateway.context.faults.put(Fault(id="f", kind=kind, operation="CreateCompilationJob"))
    assert ended(aws, job(aws))["FailureReason"].startswith(reason)


def test_a_name_is_used_once_until_its_job_is_deleted(aws: Aws) -> None:
    name = job(aws)
    with pytest.raises(aws.sagemaker.exceptions.ResourceInUse, match="already exists"):
        job(aws, CompilationJobName=name)
    ended(aws, name)
    aws.sagemaker.delete_compilation_job(CompilationJobName=name)
    with pytest.raises(aws.sagemaker.exceptions.ResourceNotFound, match=name):
        describe(aws, name)
    assert job(aws, CompilationJobName=name)
    ended(aws, name)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"OutputConfig": {"TargetPlatform": {"Os": "LINUX", "Arch": "X86"}}},
            "a job compiles for one of them",
        ),
        ({"InputConfig": {"Framework": "CAFFE"}}, "Member must satisfy enum value set"),
        (
            {"ModelPackageVersionArn": "arn:aws:sagemaker:eu-west-1:123456789012:model-package/p"},
            "does not offer CreateCompilationJob with ModelPackageVersionArn",
        ),
    ],
)
def test_what_is_no_job_is_refused(aws: Aws, more: dict[str, Any], said: str) -> None:
    with pytest.raises(ClientError, match=said):
        job(aws, **more)


def test_jobs_are_listed_oldest_first_with_their_targets(aws: Aws) -> None:
    names = [job(aws) for _ in range(2)]
    for name in names:
        ended(aws, name)
    listed = aws.sagemaker.list_compilation_jobs(StatusEquals="COMPLETED", MaxResults=100)
    summaries = listed["CompilationJobSummaries"]
    found = [summary["CompilationJobName"] for summary in summaries]
    assert [name for name in found if name in names] == names
    assert summaries[-1]["CompilationTargetDevice"] == "ml_c5"
    assert "CompilationTargetDevice" not in describe(aws, names[0])


SAVED_MODEL = ["1/saved_model.pb", "1/variables/variables.index", "1/variables/variables.data"]
JUDGED: list[tuple[str, list[str], str | None]] = [
    ("TENSORFLOW", SAVED_MODEL, None),
    ("TENSORFLOW", ["frozen.pb"], None),
    ("TENSORFLOW", ["graph.pbtxt", "code/other.pb"], None),
    ("TENSORFLOW", ["a.pb", "b.pb"], "Exactly one .pb or .pbtxt file is allowed"),
    ("TENSORFLOW", ["1/saved_model.pb"], "expected to have one variables folder"),
    ("TENSORFLOW", [], "Exactly one .pb or .pbtxt file is allowed"),
    ("KERAS", ["m.h5"], None),
    ("KERAS", [], "No h5 file provided"),
    ("PYTORCH", ["m.pth"], None),
    ("PYTORCH", ["m.pt", "code/m.pt"], None),
    ("PYTORCH", ["m.onnx"], "No pth file found for PyTorch model."),
    ("PYTORCH", ["a.pth", "b.pth"], "Only one pth file is allowed"),
    ("MXNET", ["m-symbol.json", "m-0000.params"], None),
    ("MXNET", ["m-symbol.json"], "Only one parameter file is allowed for MXNet model."),
    ("MXNET", ["a-symbol.json", "b-symbol.json", "m.params"], "Only one symbol file is allowed"),
    ("MXNET", ["hyperparams.json", "m.params"], "No valid Mxnet model file -symbol.json found"),
    ("ONNX", ["m.onnx", "._m.onnx"], None),
    ("ONNX", [], "Only one onnx file is allowed"),
    ("XGBOOST", ["xgb.model"], None),
    ("XGBOOST", ["xgboost-model"], None),
    ("XGBOOST", ["a.model", "b.model"], "Only one model file is allowed"),
    ("DARKNET", [], None),
]


@pytest.mark.parametrize(("framework", "files", "said"), JUDGED, ids=str)
def test_neo_takes_one_model_of_its_framework(
    framework: str, files: list[str], said: str | None
) -> None:
    problem = problem_with_input(framework, files)
    if said is None:
        assert problem is None
    else:
        assert problem is not None
        assert problem.startswith("ClientError: InputConfiguration: ")
        assert said in problem


IMAGES = {"images": ("float32", (None, 8, 8, 1))}
TWO = {"a": ("float32", (None, 2)), "b": ("float32", (None, 2))}
SHAPES: list[tuple[str, Any, Any, str | None]] = [
    ("TENSORFLOW", IMAGES, '{"images": [1, 8, 8, 1]}', None),
    ("TENSORFLOW", IMAGES, '{"images": [4, 8, 8, 1]}', None),
    (
        "TENSORFLOW",
        IMAGES,
        '{"images": [1, 3, 8, 8]}',
        "Input images has wrong shape in Input Shape dictionary. Input shapes should be provided "
        "in NHWC format. For example, [?, 8, 8, 1]",
    ),
    ("TENSORFLOW", IMAGES, '{"images": [8, 8, 1]}', "wrong shape in Input Shape dictionary"),
    ("TENSORFLOW", IMAGES, '{"x": [1, 8, 8, 1]}', "Input x of the Input Shape dictionary is not"),
    ("TENSORFLOW", TWO, '{"a": [1, 2]}', "Input b is missing in Input Shape dictionary."),
    ("TENSORFLOW", IMAGES, "[[1, 8, 8, 1]]", "DataInputConfig should be a dictionary"),
    ("TENSORFLOW", IMAGES, "{images", "DataInputConfig is no valid JSON: {images"),
    ("TENSORFLOW", IMAGES, None, "DataInputConfig is missing for TENSORFLOW model."),
    ("TENSORFLOW", None, '{"x": [1]}', None),
    ("KERAS", None, '{"x": [1]}', None),
    ("KERAS", None, None, "DataInputConfig is missing for KERAS model."),
    ("PYTORCH", None, "[[1, 3, 8, 8]]", None),
    ("XGBOOST", None, None, None),
]


@pytest.mark.parametrize(("framework", "inputs", "config", "said"), SHAPES, ids=str)
def test_neo_takes_the_shapes_that_a_signature_allows(
    tmp_path: Path, framework: str, inputs: Any, config: str | None, said: str | None
) -> None:
    model = tmp_path / "model.tar.gz"
    graph = {"graph.pb": b"frozen"} if inputs is None else {"1/saved_model.pb": saved_model(inputs)}
    model.write_bytes(archive(graph))
    problem = problem_with_shapes(framework, config, model)
    if said is None:
        assert problem is None
    else:
        assert problem is not None
        assert problem.startswith("ClientError: InputConfiguration: ")
        assert said in problem


def test_a_shape_that_does_not_fit_fails_the_job(aws: Aws) -> None:
    files = {"1/saved_model.pb": saved_model(IMAGES), "1/variables/variables.index": b""}
    aws.s3.put_object(Bucket="models", Key="saved.tar.gz", Body=archive(files))
    config = {"Framework": "TENSORFLOW", "DataInputConfig": '{"images": [1, 3, 8, 8]}'}
    failed = ended(aws, job(aws, "saved.tar.gz", InputConfig=config))
    assert failed["CompilationJobStatus"] == "FAILED"
    assert "Input images has wrong shape in Input Shape dictionary" in failed["FailureReason"]

"""What serves an image: AWS's own, one that was declared for it, a stub, or nothing; all aloud."""

from __future__ import annotations

import importlib.util
import json
import tarfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.engines.declarations import read_declarations
from sagemaker_serving.local_sagemaker.engines.engines import NO_ENGINES
from sagemaker_serving.local_sagemaker.engines.images import Engine, NoEngine, engine_of
from sagemaker_serving.model_server.programs import Program
from tests.local_aws.aws import REGION, Aws, archive, eventually, running, variant
from tests.local_aws.stand_in import StandIn
from tests.local_sagemaker.own_server import command_of
from tests.local_sagemaker.transforming import ended, job

ROOT = Path(__file__).parents[2]
ECR = "763104351884.dkr.ecr.eu-west-1.amazonaws.com"
OWN = "123456789012.dkr.ecr.eu-west-1.amazonaws.com"
PYTORCH = f"{ECR}/pytorch-inference:2.6.0-cpu-py312"
NEO_PYTORCH = f"{ECR}/sagemaker-inference-pytorch:2.0-cpu-py3"
TRITON = f"{ECR}/sagemaker-tritonserver:24.05-py3"

SCRIPT = b"""
import json
import os

def model_fn(model_dir):
    with open(os.path.join(model_dir, "factor")) as file:
        return float(file.read())

def input_fn(data, content_type):
    if content_type != "text/csv":
        raise ValueError("this model takes text/csv")
    return [float(text) for text in data.split(",")]

def predict_fn(data, model):
    return [value * model for value in data]
"""


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """What the module's local AWS is told of images."""
    command = command_of(tmp_path_factory.mktemp("command"))
    return read_declarations(
        {
            "--engine": [
                "team/tensorflow=tensorflow:2.19",
                f"team/command=command:{command}",
                f"{OWN}/hard-coded=command:{command} 8080",
                "team/ends=command:echo 'no weights here' && exit 3",
                "sagemaker-tritonserver=stub",
            ]
        }
    )


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory, engines: Mapping[str, str]) -> Iterator[Aws]:
    """A gateway with the project's own model servers."""
    with running(tmp_path_factory.mktemp("engines"), settings=Settings(engines=engines)) as gateway:
        aws = Aws(gateway)
        aws.s3.put_object(
            Bucket="models",
            Key="doubling.tar.gz",
            Body=archive({"factor": b"2", "code/inference.py": SCRIPT}),
        )
        yield aws


def a_model(aws: Aws, name: str, image: str, **environment: str) -> str:
    url = "s3://models/doubling.tar.gz"
    return aws.model(name, environment, Image=image, ModelDataUrl=url)


def an_endpoint(aws: Aws, name: str, image: str, **environment: str) -> Any:
    """An endpoint of one variant, v, once it is in service or has failed."""
    return aws.endpoint(name, aws.config(name, {"v": a_model(aws, name, image, **environment)}))


def notes_of(aws: Aws, name: str) -> Any:
    return next(each["notes"] for each in aws.status()["endpoints"] if each["name"] == name)


def test_a_plain_and_a_compiled_pytorch_variant_answer_through_their_functions(aws: Aws) -> None:
    environment = {
        "SAGEMAKER_PROGRAM": "inference.py",
        "SAGEMAKER_SUBMIT_DIRECTORY": "/opt/ml/model/code",
        "SAGEMAKER_CONTAINER_LOG_LEVEL": "20",
        "SAGEMAKER_REGION": REGION,
        "MMS_DEFAULT_RESPONSE_TIMEOUT": "500",
    }
    variants = {
        "plain": a_model(aws, "plain", PYTORCH),
        "compiled": a_model(aws, "compiled", NEO_PYTORCH, **environment),
    }
    aws.endpoint("torch", aws.config("torch", variants))
    for asked in variants:
        answer: Any = aws.runtime.invoke_endpoint(
            EndpointName="torch", Body=b"1,2.5", ContentType="text/csv", TargetVariant=asked
        )
        assert json.loads(answer["Body"].read()) == [2.0, 5.0]
        told_of = (answer["ContentType"], answer["InvokedProductionVariant"])
        assert told_of == ("application/json", asked)
    with pytest.raises(ClientError) as refused:
        aws.ask("torch", b"[1]", ContentType="application/json")
    told: Any = refused.value.response
    assert (told["Error"]["Code"], told["OriginalStatusCode"]) == ("ModelError", 500)
    assert told["OriginalMessage"].startswith("this model takes text/csv\nTraceback")
    assert notes_of(aws, "torch") == []
    aws.delete("torch")


def test_an_image_of_ray_serve_is_served_by_ray_or_fails_with_what_to_install(aws: Aws) -> None:
    image = f"{ECR}/ray:serve-ml-sagemaker-cpu-v1.4"
    assert engine_of(image) == Engine(program=Program.RAY_SERVE)
    assert engine_of(image.replace("cpu-v1.4", "cuda-v1")).note == ""
    assert "a version that is not known here" in engine_of(image.replace("1.4", "9.1")).note
    if importlib.util.find_spec("ray") is not None:
        return
    application = {"config.yaml": b"applications: []", "deployment.py": b""}
    aws.s3.put_object(Bucket="models", Key="ray.tar.gz", Body=archive(application))
    aws.model("ray", Image=image, ModelDataUrl="s3://models/ray.tar.gz")
    described = aws.endpoint("ray", aws.config("ray", {"v": "ray"}))
    assert described["EndpointStatus"] == "Failed"
    assert described["FailureReason"].endswith(
        "is served with ray, which is not installed here; pip install 'sagemaker-serving[ray]'"
    )
    aws.delete("ray")


def test_the_image_of_ray_serve_for_ec2_is_no_container_of_sagemaker_s() -> None:
    with pytest.raises(NoEngine, match="serve-ml-cpu-v1 is for EC2, and answers where SageMaker"):
        engine_of(f"{ECR}/ray:serve-ml-cpu-v1")


@pytest.mark.parametrize(
    ("image", "what"),
    [
        (f"{OWN}/mine:7", "mine, which is no repository of AWS's"),
        (f"{ECR}/djl-inference:0.29.0-lmi11.0.0-cu124", "djl-deepspeed and"),
        (f"{ECR}/sagemaker-inference-mxnet:1.8-cpu-py3", "neo-mxnet, which sagemaker-inference-"),
    ],
)
def test_an_endpoint_of_an_image_that_nothing_serves_fails_with_the_reason(
    aws: Aws, image: str, what: str
) -> None:
    described = an_endpoint(aws, "unserved", image)
    assert described["EndpointStatus"] == "Failed"
    reason = described["FailureReason"]
    repository = image.split("/", 1)[1].split(":")[0]
    assert reason.startswith("The primary container for production variant v cannot be served: ")
    assert f"this machine has no engine for {what}" in reason
    assert f"(image {image}); here are served tensorflow-inference, " in reason
    assert f"`local up --engine {repository}=ENGINE`; ENGINE is tensorflow, " in reason
    assert len(reason) <= 1024
    aws.delete("unserved")
    aws.sagemaker.delete_endpoint_config(EndpointConfigName="unserved")
    aws.sagemaker.delete_model(ModelName="unserved")


def test_a_multi_model_and_an_asynchronous_endpoint_of_such_an_image_fail(aws: Aws) -> None:
    aws.model("many-own", Image=f"{OWN}/mine:7", ModelDataUrl="s3://models/", Mode="MultiModel")
    aws.config("many-own", {"v": "many-own"})
    a_model(aws, "later", f"{OWN}/mine:7")
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName="later",
        ProductionVariants=[variant("v", "later")],
        AsyncInferenceConfig={"OutputConfig": {"S3OutputPath": "s3://models/out/"}},
    )
    for name in ("many-own", "later"):
        described = aws.endpoint(name, name)
        assert described["EndpointStatus"] == "Failed"
        assert "this machine has no engine for mine" in described["FailureReason"]
        aws.delete(name)


def test_a_transform_job_of_such_an_image_fails_with_the_reason(aws: Aws) -> None:
    a_model(aws, "job", f"{OWN}/mine:7")
    aws.s3.put_object(Bucket="models", Key="in/one.csv", Body=b"1")
    failed = ended(aws, job(aws, "in/", ModelName="job"))
    assert failed["TransformJobStatus"] == "Failed"
    assert "this machine has no engine for mine" in failed["FailureReason"]


def test_a_declared_engine_serves_an_image_of_one_s_own_and_is_told(aws: Aws) -> None:
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        tar.add(ROOT / "model_assets" / "half_plus_three" / "model", arcname=".")
    aws.s3.put_object(Bucket="models", Key="half.tar.gz", Body=packed.getvalue())
    name = "declared"
    image, url = f"{OWN}/team/tensorflow:7", "s3://models/half.tar.gz"
    aws.config(name, {"v": aws.model(name, Image=image, ModelDataUrl=url)})
    assert aws.endpoint(name, name)["EndpointStatus"] == "InService"
    answer = aws.ask(name, b'{"instances": [1.0, 2.0, 5.0]}', ContentType="application/json")
    assert json.loads(answer) == {"predictions": [3.5, 4.0, 5.5]}
    assert notes_of(aws, name) == [
        "tensorflow:2.19 answers, as was declared of team/tensorflow (`local up --engine`)"
    ]
    aws.delete(name)


@pytest.mark.parametrize("repository", ["team/command", "hard-coded"])
def test_a_command_answers_on_the_port_it_is_told_or_on_8080(aws: Aws, repository: str) -> None:
    described = an_endpoint(aws, "command", f"{OWN}/{repository}:1", MODE="loud")
    assert described["EndpointStatus"] == "InService", described
    for _ in range(2):
        assert json.loads(aws.ask("command", b"x" * 300_000)) == {
            "factor": "2",
            "body": "x" * 300_000,
            "path": "/invocations",
            "mode": "loud",
        }
    (note,) = notes_of(aws, "command")
    assert note.startswith("a command answers: ")
    (pid,) = [each["pid"] for each in aws.status()["processes"]]
    aws.delete("command")
    eventually(lambda: not Path(f"/proc/{pid}").exists())
    aws.sagemaker.delete_endpoint_config(EndpointConfigName="command")
    aws.sagemaker.delete_model(ModelName="command")


def test_a_command_that_ends_fails_the_endpoint_with_its_last_words(aws: Aws) -> None:
    described = an_endpoint(aws, "ends", f"{OWN}/team/ends:1")
    assert described["EndpointStatus"] == "Failed"
    assert "no weights here" in described["FailureReason"]
    assert "the command ended with status 3" in described["FailureReason"]
    aws.delete("ends")


def test_every_answer_of_a_stub_says_that_it_is_one(aws: Aws) -> None:
    assert an_endpoint(aws, "stub", TRITON)["EndpointStatus"] == "InService"
    for body in (b"1,2", b'{"inputs": []}'):
        answer = aws.runtime.invoke_endpoint(EndpointName="stub", Body=body)
        assert answer["CustomAttributes"] == "local-aws-stub=true"
        assert json.loads(answer["Body"].read())["stub"].startswith("no model has answered: a stub")
    assert notes_of(aws, "stub") == [
        "a stub answers, and no model, as was declared of sagemaker-tritonserver "
        "(`local up --engine`)"
    ]
    aws.delete("stub")


def test_a_stub_stands_in_for_each_model_of_a_multi_model_endpoint(aws: Aws) -> None:
    url = "s3://models/"
    aws.model("many", Image=TRITON, ModelDataUrl=url, Mode="MultiModel")
    assert aws.endpoint("many", aws.config("many", {"v": "many"}))["EndpointStatus"] == "InService"
    assert b'"stub"' in aws.ask("many", b"1", TargetModel="doubling.tar.gz")
    aws.delete("many")


def test_a_model_without_data_is_served_from_an_empty_folder(aws: Aws) -> None:
    aws.sagemaker.create_model(
        ModelName="bare",
        ExecutionRoleArn="arn:aws:iam::123456789012:role/model",
        PrimaryContainer={"Image": TRITON},
    )
    aws.config("bare", {"v": "bare"})
    assert aws.endpoint("bare", "bare")["EndpointStatus"] == "InService"
    assert b'"stub"' in aws.ask("bare", b"1")
    aws.delete("bare")


def test_a_version_that_is_not_known_is_said_in_the_status_and_the_log(aws: Aws) -> None:
    image = f"{ECR}/pytorch-inference:9.1-cpu"
    assert an_endpoint(aws, "newer", image)["EndpointStatus"] == "InService"
    (note,) = notes_of(aws, "newer")
    assert note.endswith("it is served by the contract of the nearest, 2.6")
    (process,) = aws.status()["processes"]
    assert f"[local AWS: {note}]" in Path(process["log"]).read_text()
    aws.delete("newer")


def test_without_engines_all_is_made_and_every_place_says_so(tmp_path: Path) -> None:
    with running(
        tmp_path, launch=StandIn.start, settings=Settings(without_engines=True)
    ) as gateway:
        aws = Aws(gateway)
        aws.model("one", Image=TRITON)
        aws.model("many", ModelDataUrl="s3://models/", Mode="MultiModel")
        for name in ("one", "many"):
            aws.config(name, {"v": name})
            described = aws.endpoint(name, name)
            assert (described["EndpointStatus"], described["FailureReason"]) == (
                "InService",
                NO_ENGINES,
            )
            assert notes_of(aws, name) == [NO_ENGINES]
        for more in ({"EndpointName": "one"}, {"EndpointName": "many", "TargetModel": "x"}):
            with pytest.raises(ClientError, match="no engine runs behind it") as refused:
                aws.runtime.invoke_endpoint(Body=b"x", **more)
            assert refused.value.response["Error"]["Code"] == "ValidationError"
        status = aws.status()
        assert status["engines"] == {"declared": {}, "are_off": True}
        assert status["processes"] == []
        aws.delete("one")


def test_without_engines_a_role_that_may_not_pull_the_image_still_fails(tmp_path: Path) -> None:
    with running(
        tmp_path, launch=StandIn.start, settings=Settings(without_engines=True)
    ) as gateway:
        aws = Aws(gateway)
        role = aws.role("poor", "sagemaker", {"Effect": "Allow", "Action": "s3:*", "Resource": "*"})
        aws.sagemaker.create_model(
            ModelName="poor",
            ExecutionRoleArn=role,
            PrimaryContainer={"Image": TRITON, "ModelDataUrl": "s3://models/model.tar.gz"},
        )
        described = aws.endpoint("poor", aws.config("poor", {"v": "poor"}))
        assert described["EndpointStatus"] == "Failed"
        assert "does not have BatchGetImage permission" in described["FailureReason"]


def test_what_was_declared_is_known_after_a_restart_until_it_is_forgotten(tmp_path: Path) -> None:
    def restarted(**engines: str) -> Any:
        with running(tmp_path, launch=StandIn.start, settings=Settings(engines=engines)) as gateway:
            return gateway.status()["engines"]["declared"]

    assert restarted(mine="stub", other="pytorch") == {"mine": "stub", "other": "pytorch"}
    assert restarted() == {"mine": "stub", "other": "pytorch"}
    assert restarted(mine="none", other="tensorflow") == {"other": "tensorflow"}
    assert restarted() == {"other": "tensorflow"}

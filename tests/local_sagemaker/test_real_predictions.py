"""The control plane over the project's own model server: TensorFlow answers."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from botocore.exceptions import ClientError

from sagemaker_serving.client import Predictor
from sagemaker_serving.spec import Batching, batching_variables
from tests.local_aws.aws import Aws, archive, children, client_of, eventually, running
from tests.local_aws.load import Load

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ASSETS, README = ROOT / "model_assets", ROOT / "README.md"
JSON = "application/json"
THREE = b'{"instances": [1.0, 2.0, 5.0]}'


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """A gateway with the project's own model server, and the example models in its S3."""
    with running(tmp_path_factory.mktemp("real")) as gateway:
        aws = Aws(gateway)
        for name in ("half_plus_three", "digits"):
            aws.s3.put_object(Bucket="models", Key=f"{name}.tar.gz", Body=packed(name))
        yield aws


@pytest.fixture(scope="module")
def half(aws: Aws) -> Iterator[str]:
    """An endpoint of half_plus_three."""
    model = aws.model("half", ModelDataUrl="s3://models/half_plus_three.tar.gz")
    yield aws.endpoint("half", aws.config("half", {"v": model}))["EndpointName"]
    aws.delete("half")


def packed(name: str) -> bytes:
    folder = ASSETS / name / "model"
    return archive(
        {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
    )


def predictions(answer: bytes) -> list[float]:
    found: list[float] = json.loads(answer)["predictions"]
    return found


def server_log(aws: Aws) -> str:
    (process,) = aws.status()["processes"]
    return Path(process["log"]).read_text()


def test_a_prediction_is_tensorflows(aws: Aws, half: str) -> None:
    assert predictions(aws.ask(half, THREE, ContentType=JSON)) == [3.5, 4.0, 5.5]


def test_images_of_each_kind_in_the_containers_readme_are_served(aws: Aws) -> None:
    """README of aws/sagemaker-tensorflow-serving-container: 'sagemaker-tensorflow-serving' for
    1.4.1 to 1.12.0, '…-eia' for Elastic Inference, tags "{version}-{cpu|gpu}"."""
    images = ["sagemaker-tensorflow-serving:1.4.1-cpu", "sagemaker-tensorflow-serving:1.12.0-gpu"]
    images += ["sagemaker-tensorflow-serving-eia:1.11.0-cpu"]
    registry = "520713654638.dkr.ecr.eu-west-1.amazonaws.com"
    data = "s3://models/half_plus_three.tar.gz"
    variants = {
        f"v{n}": aws.model(f"of-readme-{n}", Image=f"{registry}/{image}", ModelDataUrl=data)
        for n, image in enumerate(images)
    }
    endpoint = aws.endpoint("of-readme", aws.config("of-readme", variants))
    assert endpoint["EndpointStatus"] == "InService", endpoint
    for variant in variants:
        answer = aws.ask("of-readme", THREE, ContentType=JSON, TargetVariant=variant)
        assert predictions(answer) == [3.5, 4.0, 5.5]
    aws.delete("of-readme")


def test_elastic_inference_is_refused_as_it_is_by_cloudformation(aws: Aws, half: str) -> None:
    variant = {"VariantName": "v", "ModelName": "half", "InstanceType": "ml.m5.large"}
    accelerated = {**variant, "InitialInstanceCount": 1, "AcceleratorType": "ml.eia2.medium"}
    with pytest.raises(ClientError, match=r"Elastic Inference \(EI\) is no longer available"):
        aws.sagemaker.create_endpoint_config(
            EndpointConfigName="eia", ProductionVariants=[accelerated]
        )


def test_a_body_that_the_model_refuses_is_a_model_error(aws: Aws, half: str) -> None:
    with pytest.raises(ClientError) as refused:
        aws.ask(half, b'{"instances": ["one"]}', ContentType=JSON)
    answer: Any = refused.value.response
    assert (answer["Error"]["Code"], answer["OriginalStatusCode"]) == ("ModelError", 400)
    assert "is not of expected type: float" in answer["OriginalMessage"]


def more_answers(load: Load) -> None:
    """However slow the machine is, requests are answered at this point, too."""
    before = len(load.answers)
    eventually(lambda: load.failures or len(load.answers) > before + 5)


def test_an_update_under_load_fails_no_request_and_a_broken_one_keeps_the_old_fleet(
    aws: Aws, half: str
) -> None:
    batching = {"SAGEMAKER_TFS_ENABLE_BATCHING": "true", "SAGEMAKER_TFS_MAX_BATCH_SIZE": "16"}
    aws.config(
        "batching",
        {"v": aws.model("batching", batching, ModelDataUrl="s3://models/half_plus_three.tar.gz")},
    )
    aws.s3.put_object(Bucket="models", Key="empty.tar.gz", Body=archive({"README": b"no model"}))
    aws.config("empty", {"v": aws.model("empty", ModelDataUrl="s3://models/empty.tar.gz")})
    old = server_log(aws)
    with Load(aws, half, per_second=20, body=THREE, ContentType=JSON) as load:
        more_answers(load)
        aws.sagemaker.update_endpoint(EndpointName=half, EndpointConfigName="batching")
        updated = aws.settled(half)
        eventually(lambda: len(aws.status()["processes"]) == 1)
        new = server_log(aws)
        more_answers(load)
        aws.sagemaker.update_endpoint(EndpointName=half, EndpointConfigName="empty")
        kept = aws.settled(half)
        more_answers(load)
    assert load.failures == []
    assert {tuple(predictions(answer)) for answer in load.answers} == {(3.5, 4.0, 5.5)}
    assert updated["EndpointConfigName"] == kept["EndpointConfigName"] == "batching"
    assert "max_batch_size" not in old
    assert "max_batch_size { value: 16 }" in new
    assert "no SavedModel bundles found!" in kept["FailureReason"]


def batched(aws: Aws, name: str, batching: dict[str, int]) -> Predictor:
    """A client with its defaults, of an endpoint whose requests are joined."""
    model = aws.model(
        name,
        batching_variables(Batching.model_validate(batching)),
        ModelDataUrl="s3://models/half_plus_three.tar.gz",
    )
    aws.endpoint(name, aws.config(name, {"v": model}))
    return Predictor(name, client_of(aws.gateway))


def readme_batching() -> dict[str, int]:
    """The block that the README shows."""
    (line,) = re.findall(r"^ +batching: (\{.*\})$", README.read_text(), re.MULTILINE)
    found: dict[str, int] = yaml.safe_load(line)
    return found


@pytest.mark.long
def test_the_readmes_batching_refuses_nothing_of_the_projects_client(aws: Aws) -> None:
    rows = [float(number) for number in range(2000)]
    with batched(aws, "readme", readme_batching()) as predictor:
        assert predictor.predict(rows) == {"predictions": [row / 2 + 3 for row in rows]}
        assert predictor._sender.pace.refusals == 0
    aws.delete("readme")


@pytest.mark.long
def test_a_queue_that_is_too_short_only_slows_the_projects_client_down(aws: Aws) -> None:
    rows = [float(number) for number in range(2000)]
    short = {**readme_batching(), "max_enqueued_batches": 1, "num_batch_threads": 1}
    with batched(aws, "short", short) as predictor:
        for _ in range(30):  # on a busy machine requests may come too slowly for the queue to fill
            assert predictor.predict(rows) == {"predictions": [row / 2 + 3 for row in rows]}
            if predictor._sender.pace.refusals:
                break
        assert predictor._sender.pace.refusals > 0
    aws.delete("short")


def test_a_killed_server_serves_again(aws: Aws, half: str) -> None:
    (process,) = aws.status()["processes"]
    os.kill(process["pid"], signal.SIGKILL)

    def answers() -> bool:
        try:
            return predictions(aws.ask(half, THREE, ContentType=JSON)) == [3.5, 4.0, 5.5]
        except ClientError:
            return False

    eventually(lambda: aws.status()["endpoints"][0]["variants"][0]["restarts"] == 1)
    assert eventually(answers)


def test_images_go_through_a_handler_and_through_a_batch(aws: Aws) -> None:
    images = sorted((ASSETS / "digits" / "held_out").glob("*.png"))[:20]
    aws.model("digits", ModelDataUrl="s3://models/digits.tar.gz")
    for image in images:
        aws.s3.put_object(Bucket="models", Key=f"images/{image.name}", Body=image.read_bytes())
    before = children()
    aws.sagemaker.create_transform_job(
        TransformJobName="digits",
        ModelName="digits",
        MaxConcurrentTransforms=2,
        TransformInput={
            "DataSource": {
                "S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": "s3://models/images/"}
            },
            "ContentType": "application/x-image",
        },
        TransformOutput={"S3OutputPath": "s3://models/answers/"},
        TransformResources={"InstanceType": "ml.m5.large", "InstanceCount": 1},
    )
    described = eventually(lambda: finished(aws, "digits"), seconds=240)
    assert described["TransformJobStatus"] == "Completed", described.get("FailureReason")
    outputs = aws.s3.list_objects_v2(Bucket="models", Prefix="answers/")["Contents"]
    assert [entry["Key"] for entry in outputs] == [f"answers/{path.name}.out" for path in images]
    eventually(lambda: children() <= before)
    aws.endpoint("digits", aws.config("digits", {"v": "digits"}))
    for image, entry in zip(images[:5], outputs, strict=False):
        live = aws.ask("digits", image.read_bytes(), ContentType="application/x-image")
        batched = aws.s3.get_object(Bucket="models", Key=entry["Key"])["Body"].read()
        assert json.loads(live) == json.loads(batched)
    aws.delete("digits")


def finished(aws: Aws, name: str) -> Any:
    described = aws.sagemaker.describe_transform_job(TransformJobName=name)
    return described if described["TransformJobStatus"] != "InProgress" else None

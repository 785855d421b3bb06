"""The control plane over the project's own model server: TensorFlow answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from botocore.exceptions import ClientError

from sagemaker_serving.client import Predictor
from sagemaker_serving.spec import Batching, batching_variables
from tests.local_aws.aws import Aws, archive, client_of, running

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


def test_a_prediction_is_tensorflows(aws: Aws, half: str) -> None:
    assert predictions(aws.ask(half, THREE, ContentType=JSON)) == [3.5, 4.0, 5.5]


def test_elastic_inference_is_refused_as_it_is_by_cloudformation(aws: Aws, half: str) -> None:
    variant = {"VariantName": "v", "ModelName": "half", "InstanceType": "ml.m5.large"}
    accelerated = {**variant, "InitialInstanceCount": 1, "AcceleratorType": "ml.eia2.medium"}
    with pytest.raises(ClientError, match=r"Elastic Inference \(EI\) is no longer available"):
        aws.sagemaker.create_endpoint_config(
            EndpointConfigName="eia", ProductionVariants=[accelerated]
        )


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

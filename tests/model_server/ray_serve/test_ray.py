"""Models of Ray Serve on the local AWS: AWS's image, one of one's own that streams, and PyTorch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from botocore.exceptions import ClientError, EventStreamError
from click.testing import CliRunner

from sagemaker_serving.cli.package import package
from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import Aws, archive, children, client_of, eventually, running
from tests.model_server.ray_serve.test_packing import a_folder

pytest.importorskip("ray")
pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(800)]

ECR = "763104351884.dkr.ecr.eu-west-1.amazonaws.com"
RAY = f"{ECR}/ray:serve-ml-sagemaker-cpu-v1.4"
OWN = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/team/ray:7"
READY_SECONDS = 480.0

CONFIG = b"""
http_options: {host: 0.0.0.0, port: 8000}
applications:
  - name: words
    route_prefix: /
    import_path: deployment:app
    deployments:
      - {name: Words, ray_actor_options: {num_gpus: 1}}
"""

DEPLOYMENT = b"""
import asyncio, os
from ray import serve
from starlette.requests import Request
from starlette.responses import StreamingResponse

@serve.deployment
class Counts:
    def __call__(self, words: list) -> int:
        return len(words)

@serve.deployment
class Words:
    def __init__(self, counts) -> None:
        self.counts = counts
        self.folder = os.environ["SM_MODEL_DIR"]

    async def __call__(self, request: Request):
        words = (await request.body()).decode().split()
        if words[0] != "stream":
            count = await self.counts.remote(words)
            attributes = request.headers.get("x-amzn-sagemaker-custom-attributes")
            return {"words": count, "attributes": attributes, "files": os.listdir(self.folder)}
        return StreamingResponse(self.parts(words[1:]), media_type="text/plain")

    async def parts(self, words):
        for word in words:
            if word == "BROKEN":
                raise ValueError("the model broke")
            while word == "HELD" and os.path.exists(os.environ["HELD_AT"]):
                await asyncio.sleep(0.05)
            yield word

app = Words.bind(Counts.bind())
"""


@pytest.fixture(scope="module")
def hold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """While this file is there, a stream waits where it is told to."""
    return tmp_path_factory.mktemp("hold") / "hold"


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory, hold: Path) -> Iterator[Aws]:
    """An endpoint "e": variants "aws" and "own" of one application, "packed" and "toolkit" of one
    PyTorch model. All processes are gone at its end."""
    folder = tmp_path_factory.mktemp("ray")
    before = children()
    settings = Settings(engines={"team/ray": "ray-serve-streaming"})
    with running(folder / "aws", settings=settings) as gateway:
        aws = Aws(gateway)
        application = archive({"config.yaml": CONFIG, "deployment.py": DEPLOYMENT})
        packed = folder / "model.tar.gz"
        made = [str(a_folder(folder / "model")), "--for", "ray-serve", "-o", str(packed)]
        assert CliRunner().invoke(package, made).exit_code == 0
        aws.s3.put_object(Bucket="models", Key="words.tar.gz", Body=application)
        aws.s3.put_object(Bucket="models", Key="packed.tar.gz", Body=packed.read_bytes())
        held = {"HELD_AT": str(hold)}
        models = {
            "aws": aws.model("a", held, Image=RAY, ModelDataUrl="s3://models/words.tar.gz"),
            "own": aws.model("o", held, Image=OWN, ModelDataUrl="s3://models/words.tar.gz"),
            "packed": aws.model("p", Image=RAY, ModelDataUrl="s3://models/packed.tar.gz"),
            "toolkit": aws.model(
                "t",
                Image=f"{ECR}/pytorch-inference:2.6.0-cpu-py312",
                ModelDataUrl="s3://models/packed.tar.gz",
            ),
        }
        config = aws.config("e", models)
        aws.sagemaker.create_endpoint(EndpointName="e", EndpointConfigName=config)
        described = eventually(lambda: settled(aws), READY_SECONDS)
        assert described["EndpointStatus"] == "InService", described["FailureReason"]
        yield aws
    eventually(lambda: children() <= before)


def settled(aws: Aws) -> Any:
    described = aws.sagemaker.describe_endpoint(EndpointName="e")
    return described if described["EndpointStatus"] != "Creating" else None


def stream(aws: Aws, variant: str, body: bytes) -> Iterator[bytes]:
    runtime: Any = client_of(aws.gateway).client("sagemaker-runtime")
    answer = runtime.invoke_endpoint_with_response_stream(
        EndpointName="e", TargetVariant=variant, Body=body
    )
    return (event["PayloadPart"]["Bytes"] for event in answer["Body"])


@pytest.mark.parametrize("variant", ["aws", "own"])
def test_an_application_of_two_deployments_answers(aws: Aws, variant: str) -> None:
    body = b"three words here"
    told = json.loads(aws.ask("e", body, TargetVariant=variant, CustomAttributes="k=v"))
    assert (told["words"], told["attributes"]) == (3, "k=v")
    assert sorted(told["files"]) == ["config.yaml", "deployment.py"]


def test_an_adapter_of_one_s_own_streams_each_part_as_the_application_yields_it(
    aws: Aws, hold: Path
) -> None:
    hold.touch()
    parts = stream(aws, "own", b"stream one HELD two")
    assert next(parts) == b"one"
    hold.unlink()
    assert b"".join(parts) == b"HELDtwo"


def test_aws_s_image_answers_a_stream_in_one_part(aws: Aws) -> None:
    assert list(stream(aws, "aws", b"stream one two")) == [b"onetwo"]


def test_a_stream_that_breaks_off_is_told_in_the_middle(aws: Aws) -> None:
    parts = stream(aws, "own", b"stream one BROKEN")
    assert next(parts) == b"one"
    with pytest.raises(EventStreamError, match=r"ModelStreamError.* primary was closed"):
        next(parts)


@pytest.mark.parametrize("asked", [("1,2.5", "text/csv"), ("x", "text/csv"), ("[1]", "x/y")])
def test_a_packed_pytorch_model_answers_as_in_its_own_image(
    aws: Aws, asked: tuple[str, str]
) -> None:
    body, kind = asked

    def answered(variant: str) -> tuple[int, list[str]]:
        """The status and the body, of an error its message without the trace."""
        try:
            answer = aws.ask("e", body.encode(), ContentType=kind, TargetVariant=variant)
            return 200, [answer.decode()]
        except ClientError as error:
            told: Any = error.response
            return told["OriginalStatusCode"], told["OriginalMessage"].splitlines()[:2]

    assert answered("packed") == answered("toolkit")


def test_nothing_of_ray_is_reached_from_beyond_this_machine(aws: Aws) -> None:
    listening = [
        (process.name(), each.laddr.ip)
        for process in psutil.Process().children(recursive=True)
        for each in process.net_connections("inet")
        if each.status == psutil.CONN_LISTEN
    ]
    assert [each for each in listening if "ray" in each[0].lower()]
    assert {ip for _, ip in listening} <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"}

"""A container's own stream, through the local AWS, to every client that reads one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local_aws import daemon
from local_aws.process.address import Address
from sagemaker_serving.client import Aws, Predictor, lines
from sagemaker_serving.errors import ModelFailed
from tests.clients_of_others.conftest import REGION
from tests.local_aws.aws import eventually
from tools.roles import MODEL_POLICY, trust

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

HERE = Path(__file__).parent
TOKENS = ["Once", "upon", "a", "time"]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("streams") / "state"


@pytest.fixture(scope="module")
def address(state: Path, monkeypatch_module: pytest.MonkeyPatch) -> Iterator[Address]:
    """A local AWS with an endpoint "writer", whose container is a program of the user's."""
    program = f"team/writer=command:{sys.executable} {HERE / 'writer.py'}"
    monkeypatch_module.setenv("SAGEMAKER_SERVING_ENGINES", program)
    address = daemon.start(state, port=0, with_parent=True)
    try:
        deploy_container(Aws.at(address, REGION), "writer")
        yield address
    finally:
        daemon.stop(state)


@pytest.fixture(scope="module")
def monkeypatch_module() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture
def hold(tmp_path: Path) -> Path:
    """While this file is there, the container waits after each token."""
    return tmp_path / "hold"


def deploy_container(aws: Aws, name: str) -> None:
    """An endpoint ``name`` of the image team/``name``, in service."""
    iam, sagemaker = aws.client("iam"), aws.client("sagemaker")
    role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust("sagemaker")))
    policy = json.dumps(MODEL_POLICY)
    iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy)
    sagemaker.create_model(
        ModelName=name,
        ExecutionRoleArn=role["Role"]["Arn"],
        PrimaryContainer={"Image": f"123456789012.dkr.ecr.{REGION}.amazonaws.com/team/{name}:1"},
    )
    variant = {
        "VariantName": "only",
        "ModelName": name,
        "InstanceType": "ml.m5.large",
        "InitialInstanceCount": 1,
    }
    sagemaker.create_endpoint_config(EndpointConfigName=name, ProductionVariants=[variant])
    sagemaker.create_endpoint(EndpointName=name, EndpointConfigName=name)

    def status() -> str:
        described = sagemaker.describe_endpoint(EndpointName=name)
        assert described["EndpointStatus"] != "Failed", described["FailureReason"]
        return str(described["EndpointStatus"])

    eventually(lambda: status() == "InService")


def in_flight(address: Address, name: str = "writer") -> int:
    with address.open("/_local/status") as answer:
        endpoints = json.load(answer)["endpoints"]
    (endpoint,) = (each for each in endpoints if each["name"] == name)
    return int(endpoint["variants"][0]["in_flight"])


def test_the_predictor_has_a_token_before_the_next_is_written(address: Address, hold: Path) -> None:
    hold.touch()
    asked = {"tokens": TOKENS, "held_at": str(hold)}
    with Predictor("writer", Aws.at(address, REGION)) as predictor:
        stream = predictor.stream(asked, accept="text/event-stream")
        assert next(stream) == b"data: Once\n\n"
        hold.unlink()
        told = [line.removeprefix(b"data: ").decode() for line in lines(stream) if line]
    assert told == TOKENS[1:]


def test_a_stream_that_breaks_off_says_how_much_had_come(address: Address) -> None:
    asked = {"tokens": TOKENS, "breaks": True}
    with Predictor("writer", Aws.at(address, REGION)) as predictor:
        stream = predictor.stream(asked)
        assert next(stream) == b"data: Once\n\n"
        with pytest.raises(ModelFailed, match=r"ModelStreamError: .* the 45 bytes that"):
            list(stream)


def test_closing_the_iterator_ends_the_request(address: Address) -> None:
    asked = {"tokens": ["on"] * 1_000_000}
    with Predictor("writer", Aws.at(address, REGION)) as predictor:
        stream = predictor.stream(asked)
        next(stream)
        eventually(lambda: in_flight(address) == 1)
        stream.close()
        eventually(lambda: in_flight(address) == 0)


def predict(address: Address, asked: dict[str, Any]) -> subprocess.Popen[str]:
    program = str(Path(sys.executable).parent / "sagemaker-serving")
    return subprocess.Popen(
        [program, "predict", "writer", json.dumps(asked), "--stream"],
        env=address.environment(REGION),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_command_hands_each_part_on_through_a_pipe(address: Address, hold: Path) -> None:
    hold.touch()
    with predict(address, {"tokens": TOKENS, "held_at": str(hold)}) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == "data: Once\n"
        hold.unlink()
        rest = command.stdout.read()
    assert command.returncode == 0
    assert rest == "\ndata: upon\n\ndata: a\n\ndata: time\n\n"


def test_the_command_ends_with_1_and_one_line_when_the_stream_breaks(address: Address) -> None:
    with predict(address, {"tokens": TOKENS, "breaks": True}) as command:
        told, said = command.communicate(timeout=60)
    assert (command.returncode, told.split()[1::2]) == (1, TOKENS)
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("breaks", [False, True])
def test_the_sdk_for_javascript_reads_the_same(address: Address, breaks: bool) -> None:
    asked = {"tokens": TOKENS, "breaks": breaks}
    node = Path(sys.executable).parent / "node"
    ended = subprocess.run(
        [str(node), str(HERE / "stream.mjs"), json.dumps(asked)],
        env={**address.environment(REGION), "AWS_REGION": REGION},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    assert "".join(told["parts"]) == "".join(f"data: {token}\n\n" for token in TOKENS)
    assert (told["type"], told["variant"]) == ("text/event-stream", "only")
    assert told.get("error") == (["ModelStreamError", "StreamBroken"] if breaks else None)

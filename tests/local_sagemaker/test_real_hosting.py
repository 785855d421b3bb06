"""Guardrails and multi-model endpoints over the project's own model servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import Aws, archive, eventually, gateway_of
from tests.local_aws.load import Load
from tests.local_sagemaker.alarms import alarm_of_errors
from tests.local_sagemaker.numbers import figures

pytestmark = pytest.mark.slow

MODEL = Path(__file__).parents[2] / "model_assets" / "half_plus_three" / "model"
JSON = "application/json"
ASKED = b'{"instances": [1.0, 2.0, 5.0]}'
ANSWERED = {"predictions": [3.5, 4.0, 5.5]}
BROKEN = b"def handler(data, context):\n    raise RuntimeError('broken')\n"


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """A gateway with the project's own model server, and room for two models of half_plus_three."""
    one = sum(map(len, files(MODEL).values()))
    settings = Settings(time_scale=60, multi_model_memory_mb=2.5 * one / 1024 / 1024)
    gateway = gateway_of(tmp_path_factory.mktemp("real"), settings=settings)
    gateway.start()
    try:
        yield Aws(gateway)
    finally:
        gateway.stop()


@pytest.mark.long
def test_a_server_loads_and_unloads_models_through_its_own_api(aws: Aws) -> None:
    packed = archive(files(MODEL / "half_plus_three"))
    for number in range(3):
        aws.s3.put_object(Bucket="models", Key=f"many/{number}.tar.gz", Body=packed)
    aws.config("m", {"v": aws.model("m", Mode="MultiModel", ModelDataUrl="s3://models/many/")})
    aws.endpoint("m", "m")
    for number in (0, 1, 2, 0, 0):
        answer = aws.ask("m", ASKED, ContentType=JSON, TargetModel=f"{number}.tar.gz")
        assert json.loads(answer) == ANSWERED
    assert figures(aws, "ModelLoadingTime", "m")["SampleCount"] == 4
    assert figures(aws, "ModelUnloadingTime", "m")["SampleCount"] == 2
    assert figures(aws, "ModelCacheHit", "m")["Sum"] == 1
    aws.delete("m")


@pytest.mark.long
def test_a_version_whose_handler_fails_is_rolled_back_by_its_alarm(aws: Aws) -> None:
    sound = files(MODEL)
    for name, more in (("sound", {}), ("broken", {"code/inference.py": BROKEN})):
        body = archive({**sound, **more})
        aws.s3.put_object(Bucket="models", Key=f"{name}.tar.gz", Body=body)
        aws.config(name, {"v": aws.model(name, ModelDataUrl=f"s3://models/{name}.tar.gz")})
    aws.endpoint("g", "sound")
    alarm_of_errors(aws, "g-errors", "g")
    size = {"Type": "CAPACITY_PERCENT", "Value": 20}
    routing = {"Type": "CANARY", "CanarySize": size, "WaitIntervalInSeconds": 3600}
    with Load(aws, "g", per_second=30, body=ASKED, ContentType=JSON) as load:
        eventually(lambda: load.answers)
        aws.sagemaker.update_endpoint(
            EndpointName="g",
            EndpointConfigName="broken",
            DeploymentConfig={
                "BlueGreenUpdatePolicy": {"TrafficRoutingConfiguration": routing},
                "AutoRollbackConfiguration": {"Alarms": [{"AlarmName": "g-errors"}]},
            },
        )
        described = aws.settled("g")
    assert described["EndpointConfigName"] == "sound"
    assert "g-errors" in described["FailureReason"]
    assert 0 < len(load.failures) < len(load.answers)
    assert {json.dumps(json.loads(answer)) for answer in load.answers} == {json.dumps(ANSWERED)}
    aws.delete("g")

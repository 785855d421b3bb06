"""Guardrails and multi-model endpoints over the project's own model servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.archive import build_archive, plan
from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import Aws, archive, eventually, running
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
    with running(tmp_path_factory.mktemp("real"), settings=settings) as gateway:
        yield Aws(gateway)


@pytest.mark.long
def test_a_server_loads_and_unloads_models_through_its_own_api(aws: Aws, tmp_path: Path) -> None:
    planned = plan(MODEL, versions_on_top=True)
    packed = build_archive(planned, lambda _: tmp_path / "m.tar.gz").path.read_bytes()
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


PYTORCH = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/pytorch-inference:{}-cpu-py312"
SCRIPT = b"""
import os
def model_fn(model_dir):
    if os.path.exists(os.path.join(model_dir, "bad")):
        raise RuntimeError("bad model")
    return open(os.path.join(model_dir, "weights")).read()
def transform_fn(model, data, content_type, accept):
    return f"{model} {data}"
"""


@pytest.mark.long
def test_pytorch_s_server_loads_models_where_its_image_can(aws: Aws) -> None:
    for name in ("0", "1", "bad"):
        content = {"code/inference.py": SCRIPT, "weights": name.encode(), name: b""}
        aws.s3.put_object(Bucket="models", Key=f"torch/{name}.tar.gz", Body=archive(content))
    for endpoint, version in (("older", "2.3.0"), ("today", "2.6.0"), ("mended", "2.6.0")):
        environment = {"TS_ENABLE_MODEL_API": str(endpoint == "mended")}
        image = PYTORCH.format(version)
        where = {"Mode": "MultiModel", "ModelDataUrl": "s3://models/torch/"}
        model = aws.model(endpoint, environment, Image=image, **where)
        aws.config(endpoint, {"v": model})
        aws.endpoint(endpoint, endpoint)
    for endpoint in ("older", "mended"):
        for name in ("0", "1", "0"):
            answer = aws.ask(endpoint, b"9", ContentType="text/csv", TargetModel=f"{name}.tar.gz")
            assert answer == f"{name} 9".encode()
        for _ in range(2):
            with pytest.raises(ClientError, match="Failed to start workers for model"):
                aws.ask(endpoint, b"9", ContentType="text/csv", TargetModel="bad.tar.gz")
    with pytest.raises(ClientError, match="Requested method is not allowed"):
        aws.ask("today", b"9", ContentType="text/csv", TargetModel="0.tar.gz")


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
    assert load.failures, "the canary was asked"
    assert {json.dumps(json.loads(answer)) for answer in load.answers} == {json.dumps(ANSWERED)}
    aws.delete("g")

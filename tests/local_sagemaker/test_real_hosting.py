"""Guardrails and multi-model endpoints over the project's own model servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sagemaker_serving.archive import build_archive, plan
from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import Aws, running
from tests.local_sagemaker.numbers import figures

pytestmark = pytest.mark.slow

MODEL = Path(__file__).parents[2] / "model_assets" / "half_plus_three" / "model"
JSON = "application/json"
ASKED = b'{"instances": [1.0, 2.0, 5.0]}'
ANSWERED = {"predictions": [3.5, 4.0, 5.5]}


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

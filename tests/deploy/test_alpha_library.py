"""An app of AWS's own aws-sagemaker-alpha alone, deployed by the real CDK CLI: it predicts."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import aws_cdk as cdk
import aws_cdk.aws_sagemaker_alpha as alpha
import pytest
from aws_cdk import aws_s3 as s3

from tests.deploy.assemblies import ACCOUNT, ROOT, Cdk
from tests.local_aws.aws import REGION, Aws, gateway_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

MODEL = ROOT / "model_assets" / "half_plus_three" / "model"


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    gateway = gateway_of(tmp_path_factory.mktemp("aws"))
    gateway.start()
    try:
        yield Aws(gateway)
    finally:
        gateway.stop()


@pytest.mark.long
def test_models_of_an_asset_and_of_a_bucket_predict(aws: Aws, tmp_path: Path) -> None:
    archive = tmp_path / "half.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(MODEL, arcname=".")
    aws.s3.upload_file(str(archive), "models", "half.tar.gz")
    app = cdk.App(outdir=str(tmp_path / "cdk.out"))
    stack = cdk.Stack(app, "Alpha", env=cdk.Environment(account=ACCOUNT, region=REGION))
    bucket = s3.Bucket.from_bucket_name(stack, "Models", "models")
    for name, data in (
        ("asset", alpha.ModelData.from_asset(str(archive))),
        ("bucket", alpha.ModelData.from_bucket(bucket, "half.tar.gz")),
    ):
        serve(stack, name, data)
    app.synth()
    cli = Cdk(aws.gateway, tmp_path)
    ready = cli.bootstrap()
    assert ready.status == 0, ready.printed

    ended = cli.of_app("deploy", tmp_path / "cdk.out", "--require-approval=never")

    assert ended.status == 0, ended.printed
    for name in ("asset", "bucket"):
        answer = aws.ask(name, b'{"instances": [1.0]}', ContentType="application/json")
        assert json.loads(answer) == {"predictions": [3.5]}


def serve(stack: cdk.Stack, name: str, data: alpha.ModelData) -> None:
    image = alpha.ContainerImage.from_dlc("tensorflow-inference", "2.20-cpu-py312")
    container = alpha.ContainerDefinition(image=image, model_data=data)
    model = alpha.Model(stack, f"{name}-model", containers=[container])
    variant = alpha.InstanceProductionVariantProps(variant_name="only", model=model)
    config = alpha.EndpointConfig(stack, f"{name}-config", instance_production_variants=[variant])
    alpha.Endpoint(stack, f"{name}-endpoint", endpoint_name=name, endpoint_config=config)

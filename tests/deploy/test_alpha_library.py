"""An app of AWS's own aws-sagemaker-alpha, deployed by the real CDK CLI: it predicts, and our mixin
guards its updates."""

from __future__ import annotations

import json
import re
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import aws_cdk as cdk
import aws_cdk.aws_sagemaker_alpha as alpha
import pytest
from aws_cdk import aws_s3 as s3
from botocore.exceptions import ClientError

from sagemaker_serving.infra import GuardedEndpoint, Guardrails
from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.deploy.assemblies import ACCOUNT, ROOT, Cdk
from tests.local_aws.aws import REGION, Aws, running

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

MODEL = ROOT / "model_assets" / "half_plus_three" / "model"
FAILING = "def handler(data, context):\n    raise ValueError('not today')\n"
REQUEST = b'{"instances": [1.0]}'


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    with running(tmp_path_factory.mktemp("aws"), settings=Settings(time_scale=60)) as gateway:
        yield Aws(gateway)


def test_models_of_an_asset_and_of_a_bucket_predict_and_a_worse_one_is_rolled_back(
    aws: Aws, tmp_path: Path
) -> None:
    right, wrong = tmp_path / "half.tar.gz", tmp_path / "wrong.tar.gz"
    (tmp_path / "inference.py").write_text(FAILING)
    for archive in (right, wrong):
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(MODEL, arcname=".")
            if archive is wrong:
                tar.add(tmp_path / "inference.py", arcname="code/inference.py")
    aws.s3.upload_file(str(right), "models", "half.tar.gz")
    cli = Cdk(aws.gateway, tmp_path)
    ready = cli.bootstrap()
    assert ready.status == 0, ready.printed

    ended = cli.of_app("deploy", assembly(tmp_path / "right", right), "--require-approval=never")

    assert ended.status == 0, ended.printed
    for name in ("asset", "bucket"):
        answer = aws.ask(name, REQUEST, ContentType="application/json")
        assert json.loads(answer) == {"predictions": [3.5]}

    done = threading.Event()
    asking = threading.Thread(target=ask_on, args=(aws, done))
    asking.start()
    try:
        ended = cli.of_app("deploy", assembly(tmp_path / "w", wrong), "--require-approval=never")
    finally:
        done.set()
        asking.join()

    assert ended.status != 0
    of_alarm = r'rolled back: CloudWatch alarm\s+"asset-only-invocation-5xx-errors-of-'
    assert re.search(of_alarm, ended.printed), ended.printed
    assert aws.sagemaker.describe_endpoint(EndpointName="asset")["EndpointStatus"] == "InService"
    answer = aws.ask("asset", REQUEST, ContentType="application/json")
    assert json.loads(answer) == {"predictions": [3.5]}


def ask_on(aws: Aws, done: threading.Event) -> None:
    """Asks the guarded endpoint, whatever it answers, until ``done``."""
    while not done.wait(0.1):
        try:
            aws.ask("asset", REQUEST, ContentType="application/json")
        except ClientError:
            continue


def assembly(folder: Path, archive: Path) -> Path:
    """The app with this archive as its asset: the assembly that it is synthesized into."""
    app = cdk.App(outdir=str(folder))
    stack = cdk.Stack(app, "Alpha", env=cdk.Environment(account=ACCOUNT, region=REGION))
    bucket = s3.Bucket.from_bucket_name(stack, "Models", "models")
    guardrails = Guardrails.canary(percent=50, wait_seconds=600)
    serve(stack, "asset", alpha.ModelData.from_asset(str(archive))).with_(
        GuardedEndpoint(guardrails=guardrails)
    )
    serve(stack, "bucket", alpha.ModelData.from_bucket(bucket, "half.tar.gz"))
    app.synth()
    return folder


def serve(stack: cdk.Stack, name: str, data: alpha.ModelData) -> alpha.Endpoint:
    image = alpha.ContainerImage.from_dlc("tensorflow-inference", "2.20-cpu-py312")
    container = alpha.ContainerDefinition(image=image, model_data=data)
    model = alpha.Model(stack, f"{name}-model", containers=[container])
    variant = alpha.InstanceProductionVariantProps(
        variant_name="only",
        model=model,
        initial_instance_count=2,
        instance_type=alpha.InstanceType.of("ml.m5.large"),
    )
    config = alpha.EndpointConfig(stack, f"{name}-config", instance_production_variants=[variant])
    return alpha.Endpoint(stack, f"{name}-endpoint", endpoint_name=name, endpoint_config=config)

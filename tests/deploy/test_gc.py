"""``cdk gc`` and ``cdk destroy`` of the real CLI: what they delete, and what they leave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from constructs import Construct

from sagemaker_serving.spec import read_environment
from stacks import add_environment
from tests.deploy.assemblies import ACCOUNT, Cdk
from tests.local_aws.aws import REGION, Aws

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
BUCKET = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"
MODEL = """\
    framework: tensorflow
    framework_version: "2.20"
    variants: [{name: cpu, instance_type: ml.c5.large}]
"""
ENVIRONMENT = f"""\
name: trial
region: {REGION}
storage: {{at_destroy: empty}}
models:
  folder:
    artifact: {{folder: model, uncompressed: true}}
{MODEL}
  kept-folder:
    artifact: {{folder: model, uncompressed: true}}
    update: {{all_at_once: true, alarms: [one]}}
{MODEL}
  kept:
    artifact: model
    update: {{all_at_once: true, alarms: [one]}}
{MODEL}
"""


def test_gc_leaves_what_serves_on_and_destroy_empties_a_bucket_that_is_to_be_emptied(
    aws: Aws, tmp_path: Path
) -> None:
    cli = Cdk(aws.gateway, tmp_path)
    assert cli.bootstrap().status == 0
    aws.client("cloudwatch").put_metric_alarm(
        AlarmName="one",
        Namespace="n",
        MetricName="m",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1,
        ComparisonOperator="GreaterThanThreshold",
    )
    versions = [tmp_path / version for version in ("1", "2")]
    for version in versions:
        printed = deploy(cli, synthesized(version, ENVIRONMENT))
    assert "AtDestroy = its bucket is emptied and deleted with it" in printed
    assert all(wanted(aws).values())
    assert len(wanted(aws)) == 5, "three that serve, and two that are kept"
    collected(cli, aws)

    for name in ("trial-folder", "trial-kept-folder", "trial-kept"):
        assert cli.destroy(name).status == 0
    assert len(wanted(aws)) == 4, "kept, so an endpoint may serve them on"
    collected(cli, aws)

    name = aws.client("ssm").get_parameter(Name="/sagemaker-serving/trial/storage/bucket-name")
    data = name["Parameter"]["Value"]
    for body in (b"former", b"present"):
        aws.s3.put_object(Bucket=data, Key="folder/batch/output/1", Body=body)
    assert cli.destroy("trial-Storage").status == 0
    assert data not in {each["Name"] for each in aws.s3.list_buckets()["Buckets"]}


def deploy(cli: Cdk, assembly: Path) -> str:
    ended = cli.of_app("deploy", assembly, "--require-approval=never")
    assert ended.status == 0, ended.printed
    return ended.printed


def synthesized(folder: Path, text: str) -> Path:
    """The environment, with a model that is another in each folder."""
    for name in ("saved_model.pb", "variables/variables.index"):
        file = folder / "model" / "m" / "1" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(folder.name.encode())
    (folder / "trial.yaml").write_text(text)
    context = json.loads((ROOT / "cdk.json").read_text())["context"]
    app = cdk.App(outdir=str(folder / "cdk.out"), context=context)
    environment = read_environment(folder / "trial.yaml").sound
    add_environment(Construct(app, "trial"), environment, folder=folder, account=ACCOUNT)
    return Path(app.synth().directory)


def collected(cli: Cdk, aws: Aws) -> None:
    """Deletes what nobody names, and nothing that a Model names."""
    aws.s3.put_object(Bucket=BUCKET, Key=f"{'0' * 64}.zip", Body=b"of nobody")
    before = wanted(aws)
    ended = cli.gc()
    assert ended.status == 0, ended.printed
    assert f"{'0' * 64}.zip" not in keys(aws), "it deletes"
    assert wanted(aws) == before


def wanted(aws: Aws) -> dict[str, set[str]]:
    """What the Models there are name in the assets' bucket, each with the keys below it."""
    places = set()
    for each in aws.sagemaker.list_models()["Models"]:
        container: Any = aws.sagemaker.describe_model(ModelName=each["ModelName"])
        container = container["PrimaryContainer"]
        source = container.get("ModelDataSource", {}).get("S3DataSource", {}).get("S3Uri")
        uri = source if source is not None else container["ModelDataUrl"]
        places.add(uri.removeprefix(f"s3://{BUCKET}/"))
    return {place: {key for key in keys(aws) if key.startswith(place)} for place in places}


def keys(aws: Aws) -> set[str]:
    return {each["Key"] for each in aws.s3.list_objects_v2(Bucket=BUCKET).get("Contents", [])}

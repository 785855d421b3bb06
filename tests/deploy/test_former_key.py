"""``storage: {kms: true}`` is switched off: what the key encrypted goes on being served.

Stacks of an environment file, deployed through CloudFormation's API; model servers are stand-ins.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from constructs import Construct

from sagemaker_serving import client
from sagemaker_serving.spec import read_environment
from stacks import add_environment
from tests.deploy.assemblies import ACCOUNT
from tests.deploy.direct import DirectDeploy
from tests.local_aws.aws import REGION, Aws, archive, client_of

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

FILE = """\
name: keyed
region: eu-west-1
storage: {{kms: {kms}}}
models:
  many:
    framework: tensorflow
    framework_version: "2.20"
    multi_model: {{archives: {{red: red}}}}
    environment: {{VERSION: "{version}"}}
    variants: [{{name: cpu, instance_type: ml.c5.large, initial_instance_count: 1}}]
"""
ENDPOINT = "keyed-many"


class Keyed:
    def __init__(self, aws: Aws, folder: Path) -> None:
        self.aws = aws
        self._folder = folder
        (folder / "red").mkdir()
        (folder / "red" / "file").write_text("red")

    def deploy(self, version: str, *, kms: bool) -> None:
        path = self._folder / "keyed.yaml"
        path.write_text(FILE.format(version=version, kms=str(kms).lower()))
        app = cdk.App(outdir=str(self._folder / f"cdk.out-{version}"))
        environment = read_environment(path).sound
        add_environment(Construct(app, "keyed"), environment, folder=self._folder, account=ACCOUNT)
        direct = DirectDeploy(self.aws, Path(app.synth().directory), ACCOUNT, REGION)
        assert direct.deploy() == []

    @property
    def bucket(self) -> str:
        return self._told("storage/bucket-name")

    @property
    def key(self) -> str:
        return self._told("storage/key-arn")

    def _told(self, name: str) -> str:
        found = self.aws.client("ssm").get_parameter(Name=f"/sagemaker-serving/keyed/{name}")
        return str(found["Parameter"]["Value"])

    def put(self, name: str) -> str | None:
        """Puts an archive as somebody who deploys does; returns the key that encrypts it."""
        made: dict[str, Any] = self.aws.s3.put_object(
            Bucket=self.bucket,
            Key=f"many/models/{name}.tar.gz",
            Body=archive({"file": name.encode()}),
        )
        return made.get("SSEKMSKeyId")

    def ask(self, name: str) -> str:
        """What an instance answers that has not loaded this archive yet."""
        return self.aws.ask(ENDPOINT, b"which", TargetModel=f"{name}.tar.gz").decode()


@pytest.mark.denied("kms:Decrypt")
def test_archives_of_a_former_key_are_loaded_and_nobody_else_may_read_them(
    aws: Aws, tmp_path: Path
) -> None:
    keyed = Keyed(aws, tmp_path)
    keyed.deploy("one", kms=True)
    key = keyed.key
    assert keyed.put("blue") == key
    keyed.deploy("two", kms=False)
    assert keyed.put("green") is None
    assert [keyed.ask(name) for name in ("red", "blue", "green")] == ["red", "blue", "green"]

    # Once more, with a new key: the one before is still there, and still decrypts.
    keyed.deploy("three", kms=True)
    assert keyed.key != key
    assert [keyed.ask(name) for name in ("red", "blue", "green")] == ["red", "blue", "green"]

    reader = aws_of_a_reader(aws).client("s3")
    assert reader.get_object(Bucket=keyed.bucket, Key="many/models/green.tar.gz")["Body"].read()
    with pytest.raises(reader.exceptions.ClientError, match="kms:Decrypt"):
        reader.get_object(Bucket=keyed.bucket, Key="many/models/blue.tar.gz")


def aws_of_a_reader(aws: Aws) -> client.Aws:
    """Somebody who may read every object, and has no grant of a key."""
    developer = client_of(aws.gateway)
    iam = developer.client("iam")
    iam.create_user(UserName="reader")
    may = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}
    text = json.dumps({"Version": "2012-10-17", "Statement": [may]})
    iam.put_user_policy(UserName="reader", PolicyName="own", PolicyDocument=text)
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    return replace(
        developer, access_key_id=key["AccessKeyId"], secret_access_key=key["SecretAccessKey"]
    )

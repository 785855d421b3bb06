"""A local AWS as its users start it, with a bucket, an archive and a role to begin from."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from local_aws import daemon
from local_aws.process.address import Address
from sagemaker_serving.archive import build_archive
from sagemaker_serving.client import Aws
from tools.own_environments.environments import environment_of
from tools.roles import MODEL_POLICY, trust

ROOT = Path(__file__).parents[2]
REGION = "eu-west-1"
BUCKET = "models"


@dataclass(frozen=True, kw_only=True)
class World:
    """Where others' clients find the local AWS, and what is in it."""

    address: Address
    home: Path
    model_data_url: str
    role_arn: str

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """What `sagemaker-serving local env` prints, in an otherwise empty shell."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            **self.address.environment(REGION),
            **(more or {}),
        }


def said_by(client: str, script: str, *arguments: str, environment: Mapping[str, str]) -> Any:
    """What a script beside this file printed last, as JSON, run where ``client`` is installed."""
    ended = subprocess.run(
        [
            str(environment_of(client) / "bin" / "python"),
            *(str(Path(__file__).with_name(script)), *arguments),
        ],
        env={**environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.fixture(scope="session")
def without_telemetry(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables by which the SageMaker SDK tells nobody that it is used."""
    settings = tmp_path_factory.mktemp("sdk") / "config.yaml"
    settings.write_text(_NO_TELEMETRY)
    return {f"SAGEMAKER_{whose}_CONFIG_OVERRIDE": str(settings) for whose in ("USER", "ADMIN")}


_NO_TELEMETRY = """\
SchemaVersion: "1.0"
SageMaker:
  PythonSDK:
    Modules:
      TelemetryOptOut: true
"""


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("world")
    stub = {"SAGEMAKER_SERVING_ENGINES": "vllm=stub"}
    address = daemon.start(folder / "state", port=0, with_parent=True, environment=stub)
    try:
        yield _furnished(address, folder)
    finally:
        daemon.stop(folder / "state")


def _furnished(address: Address, folder: Path) -> World:
    aws = Aws.at(address, REGION)
    model = ROOT / "model_assets" / "half_plus_three" / "model"
    archive = build_archive(model, lambda sha256: folder / f"{sha256}.tar.gz")
    s3, iam = aws.client("s3"), aws.client("iam")
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.upload_file(str(archive.path), BUCKET, "half_plus_three/model.tar.gz")
    assumed_by, policy = json.dumps(trust("sagemaker")), json.dumps(MODEL_POLICY)
    role = iam.create_role(RoleName="by-others", AssumeRolePolicyDocument=assumed_by)["Role"]
    iam.put_role_policy(RoleName="by-others", PolicyName="own", PolicyDocument=policy)
    home = folder / "home"
    home.mkdir()
    return World(
        address=address,
        home=home,
        model_data_url=f"s3://{BUCKET}/half_plus_three/model.tar.gz",
        role_arn=role["Arn"],
    )

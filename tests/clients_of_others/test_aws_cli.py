"""The AWS CLI, in the sequence that SageMaker's documentation shows."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.catalog.images import container_image
from tests.clients_of_others.conftest import BUCKET, REGION, World
from tools.own_environments.environments import environment_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

IMAGE = container_image(framework="tensorflow", version="2.19", region=REGION).uri
PATIENCE = {
    "merge": {
        "waiters": {
            "EndpointInService": {"delay": 1, "maxAttempts": 120},
            "EndpointDeleted": {"delay": 1, "maxAttempts": 120},
            "TransformJobCompletedOrStopped": {"delay": 1, "maxAttempts": 120},
        }
    }
}
"""``aws sagemaker wait`` looks every 30 or 60 seconds; botocore reads other delays from files."""


class AwsCli:
    """The ``aws`` command in a shell that knows the local AWS only."""

    def __init__(self, world: World, folder: Path) -> None:
        self._command = str(environment_of("awscli") / "bin" / "aws")
        waiters = folder / "models" / "sagemaker" / "2017-07-24" / "waiters-2.sdk-extras.json"
        waiters.parent.mkdir(parents=True)
        waiters.write_text(json.dumps(PATIENCE))
        self._environment = world.environment({"AWS_DATA_PATH": str(folder / "models")})
        self.folder = folder

    def try_to(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._command, *arguments],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    def __call__(self, *arguments: str) -> Any:
        """The command's answer, None when it has none; the command must succeed."""
        ended = self.try_to(*arguments)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout) if ended.stdout.strip() else None

    def sagemaker(self, action: str, **members: Any) -> Any:
        """``aws sagemaker <action>``, with structures as JSON."""
        return self("sagemaker", action, *_options(members))

    def invoke(self, body: str, content_type: str, **more: str) -> Any:
        """``aws sagemaker-runtime invoke-endpoint``: the answer's members and its content."""
        (self.folder / "body").write_text(body)
        told = self(
            *("sagemaker-runtime", "invoke-endpoint"),
            *_options({"endpoint_name": "half", "content_type": content_type, **more}),
            *("--body", "fileb://body", "answer"),
        )
        return told, json.loads((self.folder / "answer").read_text())


@pytest.fixture(scope="module")
def cli(world: World, tmp_path_factory: pytest.TempPathFactory) -> AwsCli:
    return AwsCli(world, tmp_path_factory.mktemp("aws-cli"))


@pytest.fixture(scope="module")
def endpoint(cli: AwsCli, world: World) -> Any:
    """create-model, create-endpoint-config, create-endpoint, wait: its description."""
    variant = {
        "VariantName": "cpu",
        "ModelName": "half",
        "InstanceType": "ml.c5.large",
        "InitialInstanceCount": 1,
        "InitialVariantWeight": 1,
    }
    cli.sagemaker(
        "create-model",
        model_name="half",
        execution_role_arn=world.role_arn,
        primary_container={"Image": IMAGE, "ModelDataUrl": world.model_data_url},
    )
    cli.sagemaker(
        "create-endpoint-config", endpoint_config_name="half", production_variants=[variant]
    )
    cli.sagemaker("create-endpoint", endpoint_name="half", endpoint_config_name="half")
    cli("sagemaker", "wait", "endpoint-in-service", "--endpoint-name=half")
    return cli.sagemaker("describe-endpoint", endpoint_name="half")


def test_wait_returns_when_the_endpoint_is_in_service(endpoint: Any) -> None:
    assert endpoint["EndpointStatus"] == "InService"
    assert endpoint["EndpointArn"] == f"arn:aws:sagemaker:{REGION}:123456789012:endpoint/half"


@pytest.mark.usefixtures("endpoint")
def test_a_body_is_predicted(cli: AwsCli) -> None:
    """Every form of one: tests/acceptance/test_scenario.py."""
    told, answer = cli.invoke("1.0\n2.0\n5.0\n", "text/csv")
    assert answer == {"predictions": [3.5, 4.0, 5.5]}
    assert told["InvokedProductionVariant"] == "cpu"
    assert told["ContentType"] == "application/json"


@pytest.mark.usefixtures("endpoint")
def test_what_the_model_refuses_is_said_as_aws_says_it(cli: AwsCli) -> None:
    (cli.folder / "bad").write_text('{"instances": ["one"]}')
    ended = cli.try_to(
        *("sagemaker-runtime", "invoke-endpoint", "--endpoint-name=half"),
        *("--content-type=application/json", "--body=fileb://bad", "answer"),
    )
    assert ended.returncode == 255
    assert (
        "An error occurred (ModelError) when calling the InvokeEndpoint operation" in ended.stderr
    )


@pytest.mark.usefixtures("endpoint")
def test_a_transform_job_writes_its_predictions(cli: AwsCli, tmp_path: Path) -> None:
    (tmp_path / "numbers").write_text("1.0\n2.0\n")
    cli("s3", "cp", "--quiet", str(tmp_path / "numbers"), f"s3://{BUCKET}/in/numbers.csv")
    source = {"S3DataType": "S3Prefix", "S3Uri": f"s3://{BUCKET}/in/"}
    cli.sagemaker(
        "create-transform-job",
        transform_job_name="halves",
        model_name="half",
        transform_input={"DataSource": {"S3DataSource": source}, "ContentType": "text/csv"},
        transform_output={"S3OutputPath": f"s3://{BUCKET}/out"},
        transform_resources={"InstanceType": "ml.m5.large", "InstanceCount": 1},
    )
    cli("sagemaker", "wait", "transform-job-completed-or-stopped", "--transform-job-name=halves")
    cli("s3", "cp", "--quiet", f"s3://{BUCKET}/out/numbers.csv.out", str(tmp_path / "answer"))
    answer = json.loads((tmp_path / "answer").read_text())
    assert answer == {"predictions": [3.5, 4.0]}
    job = cli.sagemaker("describe-transform-job", transform_job_name="halves")
    assert job["TransformJobStatus"] == "Completed"


@pytest.mark.usefixtures("endpoint")
def test_delete_leaves_nothing(cli: AwsCli) -> None:
    cli.sagemaker("delete-endpoint", endpoint_name="half")
    cli("sagemaker", "wait", "endpoint-deleted", "--endpoint-name=half")
    cli.sagemaker("delete-endpoint-config", endpoint_config_name="half")
    cli.sagemaker("delete-model", model_name="half")
    for kind, key in (
        ("endpoints", "Endpoints"),
        ("endpoint-configs", "EndpointConfigs"),
        ("models", "Models"),
    ):
        listed = cli.sagemaker(f"list-{kind}", name_contains="half")
        assert [found for found in listed[key] if found[f"{key[:-1]}Name"] == "half"] == []


def _options(members: dict[str, Any]) -> list[str]:
    return [
        f"--{name.replace('_', '-')}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in members.items()
    ]

"""AWS's own construct libraries around an endpoint, unchanged, deployed by the real CDK CLI.

Each app is synthesized in an environment of the libraries' own (``construct_apps.py``).
"""

from __future__ import annotations

import json
import subprocess
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local_aws.credentials import ACCOUNT_ID
from local_aws.process.cdk import CdkCli
from local_aws.process.isolation import DIRECTLY
from sagemaker_serving.catalog.images import container_image
from sagemaker_serving.errors import DeployFailed
from tests.clients_of_others.conftest import BUCKET, REGION, ROOT, World
from tests.jsii_cache import keep_unpacked
from tools.own_environments.environments import environment_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

APPS = Path(__file__).with_name("construct_apps.py")
IMAGE = container_image(framework="tensorflow", version="2.19", region=REGION).uri
FUNCTION = """
import boto3, json, os

def handler(event, context):
    answer = boto3.client("sagemaker-runtime").invoke_endpoint(
        EndpointName=os.environ["SAGEMAKER_ENDPOINT_NAME"],
        ContentType="application/json",
        Body=json.dumps(event),
    )
    return json.load(answer["Body"])
"""


class Deployed:
    """Deploys the apps onto the local AWS of ``world``, and asks it."""

    def __init__(self, world: World, folder: Path) -> None:
        self._world = world
        keep_unpacked(world.home)
        self._folder = folder
        self._python = str(environment_of("constructs") / "bin" / "python")
        code = folder / "code"
        code.mkdir()
        (code / "index.py").write_text(FUNCTION)
        self._facts = {
            "account": ACCOUNT_ID,
            "region": REGION,
            "image": IMAGE,
            "code": str(code),
            "bucket": BUCKET,
            "key": "half_plus_three/model.tar.gz",
            "model_data_url": world.model_data_url,
        }
        self.cdk = CdkCli(ROOT, world.address, REGION)
        self.cdk.bootstrap()

    def client(self, service: str) -> Any:
        return self._world.address.client(service, REGION)

    def deploy(self, app: str, stack: str, **facts: object) -> dict[str, str]:
        """The outputs of the stack; raises `DeployFailed`."""
        assembly = self._folder / stack
        given = json.dumps({**self._facts, "stack": stack, **facts})
        ended = subprocess.run(
            [self._python, str(APPS), app, str(assembly), given],
            env=self._world.environment({"CDK_VALIDATION": "false"}),
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        self.cdk.deploy(assembly)
        (described,) = self.client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
        return {each["OutputKey"]: each["OutputValue"] for each in described.get("Outputs", ())}

    def get(self, url: str) -> Any:
        """What a REST API answers to the developer's signed GET, as JSON.

        ``url`` is the one on AWS: it is asked of the local AWS, under that Host.
        """
        keys = self._world.address.credentials
        request = AWSRequest(method="GET", url=url)
        credentials = Credentials(keys.access_key_id, keys.secret_access_key)
        SigV4Auth(credentials, "execute-api", REGION).add_auth(request)
        there = urlsplit(url)
        here = urllib.request.Request(
            f"{self._world.address.url}{there.path}",
            headers={**dict(request.headers), "Host": there.netloc},
        )
        with DIRECTLY.open(here, timeout=60) as answer:
            return json.load(answer)


@pytest.fixture(scope="module")
def deployed(world: World, tmp_path_factory: pytest.TempPathFactory) -> Deployed:
    return Deployed(world, tmp_path_factory.mktemp("constructs"))


def test_the_lambda_pattern_s_own_role_may_not_pull_aws_s_image(deployed: Deployed) -> None:
    """As on AWS: awslabs/aws-solutions-constructs#986."""
    with pytest.raises(DeployFailed, match=r"does not have BatchGetImage permission for the image"):
        deployed.deploy("lambda_pattern", "own-role", role_arn=None)


def test_the_lambda_pattern_predicts_with_a_role_that_may(deployed: Deployed, world: World) -> None:
    outputs = deployed.deploy("lambda_pattern", "given-role", role_arn=world.role_arn)
    answer = deployed.client("lambda").invoke(
        FunctionName=outputs["Function"], Payload=json.dumps({"instances": [1.0, 2.0, 5.0]})
    )
    assert json.load(answer["Payload"]) == {"predictions": [3.5, 4.0, 5.5]}


def test_alpha_s_endpoint_predicts_and_scales(deployed: Deployed) -> None:
    deployed.deploy("alpha_scaling", "alpha", endpoint="alpha")
    answer = deployed.client("sagemaker-runtime").invoke_endpoint(
        EndpointName="alpha", Body=b'{"instances": [1.0, 2.0, 5.0]}', ContentType="application/json"
    )
    assert json.load(answer["Body"]) == {"predictions": [3.5, 4.0, 5.5]}
    (target,) = deployed.client("application-autoscaling").describe_scalable_targets(
        ServiceNamespace="sagemaker", ResourceIds=["endpoint/alpha/variant/only"]
    )["ScalableTargets"]
    assert (target["MinCapacity"], target["MaxCapacity"]) == (1, 3)


def test_the_api_pattern_predicts_through_its_url(deployed: Deployed) -> None:
    deployed.deploy("alpha_scaling", "behind-the-api", endpoint="behind-the-api")
    url = deployed.deploy("api_pattern", "api", endpoint="behind-the-api")["Url"]
    assert [deployed.get(f"{url}{number}") for number in ("1.0", "2.0", "5.0")] == [
        {"predictions": [3.5]},
        {"predictions": [4.0]},
        {"predictions": [5.5]},
    ]

"""Hundreds of clients of the local AWS at once are all answered, through to the model."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local_aws import daemon
from local_aws.process.address import Address
from sagemaker_serving.archive import build_archive
from sagemaker_serving.client import Aws
from tests.crowd import crowd, few_files, post
from tests.local_aws.aws import IMAGE, REGION, variant
from tools.roles import MODEL_POLICY, trust

ROOT = Path(__file__).parents[2]
BODY = b'{"instances": [1.0, 2.0]}'

pytestmark = pytest.mark.slow


@pytest.fixture
def address(tmp_path: Path) -> Iterator[Address]:
    """A local AWS with the endpoint "half", in a shell that allows few open files."""
    with few_files():
        address = daemon.start(tmp_path, port=0, with_parent=True)
    try:
        _deploy(address, tmp_path)
        yield address
    finally:
        daemon.stop(tmp_path)


def _deploy(address: Address, folder: Path) -> None:
    aws = Aws.at(address, REGION)
    archive = build_archive(
        ROOT / "model_assets" / "half_plus_three" / "model", lambda _: folder / "model.tar.gz"
    )
    s3, iam, sagemaker = aws.client("s3"), aws.client("iam"), aws.client("sagemaker")
    s3.create_bucket(Bucket="models", CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.upload_file(str(archive.path), "models", "model.tar.gz")
    role = iam.create_role(
        RoleName="model", AssumeRolePolicyDocument=json.dumps(trust("sagemaker"))
    )["Role"]
    iam.put_role_policy(RoleName="model", PolicyName="own", PolicyDocument=json.dumps(MODEL_POLICY))
    sagemaker.create_model(
        ModelName="half",
        ExecutionRoleArn=role["Arn"],
        PrimaryContainer={"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"},
    )
    sagemaker.create_endpoint_config(
        EndpointConfigName="half",
        ProductionVariants=[variant("v", "half")],
    )
    sagemaker.create_endpoint(EndpointName="half", EndpointConfigName="half")
    sagemaker.get_waiter("endpoint_in_service").wait(
        EndpointName="half", WaiterConfig={"Delay": 1, "MaxAttempts": 180}
    )


@pytest.mark.long
def test_the_local_aws_answers_hundreds_at_once(address: Address) -> None:
    path = "/endpoints/half/invocations"
    asked = AWSRequest("POST", f"{address.url}{path}", {"Content-Type": "application/json"}, BODY)
    keys = address.credentials
    signer = Credentials(keys.access_key_id, keys.secret_access_key)
    SigV4Auth(signer, "sagemaker", REGION).add_auth(asked)
    host = urlsplit(address.url)
    request = post(path, BODY, {**dict(asked.headers.items()), "Host": host.netloc})

    def connect() -> socket.socket:
        return socket.create_connection(("127.0.0.1", host.port), timeout=120.0)

    (answer,) = crowd(connect, request, waiting_for=address.pid)
    assert answer.startswith("200 ")
    assert json.loads(answer[4:]) == {"predictions": [3.5, 4.0]}

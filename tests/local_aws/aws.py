"""What tests of the local AWS share: a gateway through boto3, before stand-ins of model servers.

Tests that are about real predictions use the project's own server and are marked slow.
"""

from __future__ import annotations

import io
import json
import os
import random
import socket
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

import psutil

from local_aws.credentials import ACCOUNT_ID
from local_aws.gateway import Gateway
from local_aws.process.address import Address
from local_aws.protocol.call import Call
from local_aws.service import Service, output_of
from sagemaker_serving import client
from sagemaker_serving.local_sagemaker import service as sagemaker
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.engines.launch import Launch
from tests.leaving import lives
from tests.local_aws.stand_in import StandIn

REGION = "eu-west-1"
IMAGE = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference:2.19-cpu"

GATEWAYS: WeakSet[Gateway] = WeakSet()
"""Every gateway of this process's tests that is still held."""


def gateway_of(
    folder: Path,
    port: int = 0,
    *,
    launch: Launch | None = None,
    settings: Settings | None = None,
    region: str = REGION,
) -> Gateway:
    """A gateway with SageMaker; ``launch`` starts model servers, absent the project's own."""
    plugged = partial(sagemaker.services, launch=launch, settings=settings)
    scale = None if settings is None else settings.time_scale
    gateway = Gateway(folder, port, region=region, services=[plugged], time_scale=scale)
    GATEWAYS.add(gateway)
    return gateway


@contextmanager
def running(
    folder: Path,
    *,
    launch: Launch | None = None,
    settings: Settings | None = None,
    region: str = REGION,
) -> Iterator[Gateway]:
    """`gateway_of`, started here and stopped in the end."""
    gateway = gateway_of(folder, launch=launch, settings=settings, region=region)
    gateway.start()
    try:
        yield gateway
    finally:
        gateway.stop()


S = TypeVar("S", bound=Service)


def service_in(gateway: Gateway, kind: type[S]) -> S:
    """The gateway's service of this class."""
    found = gateway.service(kind.name)
    assert isinstance(found, kind)
    return found


class Aws:
    """A gateway and what tests do with it over and over, all through boto3."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.url = gateway.url
        self.sagemaker = self.client("sagemaker")
        self.runtime = self.client("sagemaker-runtime")
        self.s3 = self.client("s3")
        self.s3.create_bucket(
            Bucket="models", CreateBucketConfiguration={"LocationConstraint": REGION}
        )
        self.s3.put_object(Bucket="models", Key="model.tar.gz", Body=archive({"file": b"x"}))
        self.role("model", "sagemaker")
        self.role("states", "states")

    def role(self, name: str, service: str, *statements: Mapping[str, Any]) -> str:
        """A role that a service may assume; it may do everything when no statements are given."""
        given = statements or ({"Effect": "Allow", "Action": "*", "Resource": "*"},)
        trust = {
            "Effect": "Allow",
            "Principal": {"Service": f"{service}.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
        iam = self.client("iam")
        role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=policy(trust))["Role"]
        iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy(*given))
        arn: str = role["Arn"]
        return arn

    def client(self, service: str, region: str = REGION) -> Any:
        return self.gateway.context.client(service, region)

    def model(self, name: str, environment: Mapping[str, str] | None = None, **more: Any) -> str:
        container = {
            "Image": IMAGE,
            "ModelDataUrl": "s3://models/model.tar.gz",
            "Environment": dict(environment or {}),
            **more,
        }
        self.sagemaker.create_model(
            ModelName=name,
            ExecutionRoleArn="arn:aws:iam::123456789012:role/model",
            PrimaryContainer=container,
        )
        return name

    def config(self, name: str, variants: Mapping[str, str], **weights: float) -> str:
        """A config of variants by their models' names; weights by variant, 1 when absent."""
        self.sagemaker.create_endpoint_config(
            EndpointConfigName=name,
            ProductionVariants=[
                variant(each, model, InitialVariantWeight=weights.get(each, 1.0))
                for each, model in variants.items()
            ],
        )
        return name

    def endpoint(self, name: str, config: str) -> Any:
        self.sagemaker.create_endpoint(EndpointName=name, EndpointConfigName=config)
        return self.settled(name)

    def settled(self, name: str) -> Any:
        """The endpoint's description once it is no longer on its way."""

        def look() -> Any:
            described = self.sagemaker.describe_endpoint(EndpointName=name)
            return described if described["EndpointStatus"] in ("InService", "Failed") else None

        return eventually(look)

    def delete(self, name: str) -> None:
        self.sagemaker.delete_endpoint(EndpointName=name)
        eventually(lambda: name not in [found["name"] for found in self.status()["endpoints"]])

    def ask(self, endpoint: str, body: bytes, **more: Any) -> bytes:
        answer = self.runtime.invoke_endpoint(EndpointName=endpoint, Body=body, **more)
        content: bytes = answer["Body"].read()
        return content

    def status(self) -> Any:
        with self.page("/_local/status") as answer:
            return json.load(answer)

    def page(self, path: str, method: str = "GET", body: bytes | None = None) -> Any:
        """The answer of one of the local AWS's own pages."""
        return address_of(self.gateway).open(path, method, body)


@contextmanager
def stand_in_aws(folder: Path, settings: Settings | None = None) -> Iterator[Aws]:
    """A running gateway with stand-in model servers, stopped in the end."""
    with running(folder, launch=StandIn.start, settings=settings) as gateway:
        yield Aws(gateway)


def do(service: Service, operation: str, **parameters: Any) -> Any:
    """What a service answers to a call that came through no gateway."""
    call = Call(
        service=service.name,
        operation=operation,
        account=ACCOUNT_ID,
        region=REGION,
        parameters=parameters,
    )
    return output_of(service, call)


def address_of(gateway: Gateway) -> Address:
    """A gateway of this process, as users find one that runs."""
    return Address(url=gateway.url, pid=os.getpid(), credentials=gateway.context.credentials)


def client_of(gateway: Gateway) -> client.Aws:
    """It, as a user's program knows an AWS."""
    return client.Aws.at(address_of(gateway), REGION)


def keys_of(gateway: Gateway) -> dict[str, str]:
    """The developer's credentials as boto3's clients take them."""
    credentials = gateway.context.credentials
    return {
        "aws_access_key_id": credentials.access_key_id,
        "aws_secret_access_key": credentials.secret_access_key,
    }


def shell_of(gateway: Gateway) -> dict[str, str]:
    """The variables of a shell that is set up for it, beside the region."""
    credentials = gateway.context.credentials
    return {
        "AWS_ENDPOINT_URL": gateway.url,
        "AWS_ACCESS_KEY_ID": credentials.access_key_id,
        "AWS_SECRET_ACCESS_KEY": credentials.secret_access_key,
    }


def eventually(look: Callable[[], Any], seconds: float = 120.0) -> Any:
    """What ``look`` returns once it is true; fails when that takes too long.

    The longer it takes, the less often it looks: a look may be a call of the local AWS.
    """
    end, pause = time.monotonic() + seconds, 0.01
    while not (found := look()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(pause)
        pause = min(pause * 1.3, 0.1)
    return found


def lasting_port() -> int:
    """A free port for what starts at it again: below those that the kernel gives to anybody."""
    while True:
        port = random.randrange(20_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def variant(name: str, model: str, **more: Any) -> dict[str, Any]:
    """A variant on one instance, or on what else is said of it."""
    instances = {"InstanceType": "ml.m5.large", "InitialInstanceCount": 1}
    return {"VariantName": name, "ModelName": model, **instances, **more}


def policy(*statements: Mapping[str, Any]) -> str:
    """A policy document of these statements."""
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def archive(files: Mapping[str, bytes]) -> bytes:
    """A .tar.gz of files by name."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def children() -> set[int]:
    """The processes that this one has started and that still live."""
    return {each.pid for each in psutil.Process().children(recursive=True) if lives(each)}

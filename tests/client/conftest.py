"""The same client over two transports: botocore's Stubber, and the local AWS."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Protocol

import pytest
from botocore.response import StreamingBody
from botocore.stub import Stubber

from local_aws.gateway import Gateway
from sagemaker_serving.client import Aws, Predictor
from tests.local_aws.aws import REGION, client_of, stand_in_aws


class Transport(Protocol):
    """An endpoint that echoes backwards, and refuses what says "refuse"."""

    def predictor(self, body: bytes) -> Predictor: ...

    def missing(self) -> Predictor: ...


class Stubbed:
    """What AWS answers, as botocore's model of the service allows it."""

    def predictor(self, body: bytes) -> Predictor:
        predictor = Predictor("echo", _aws("http://localhost:1"))
        stubber = Stubber(predictor._sender.client)
        if b"refuse" in body:
            stubber.add_client_error(
                "invoke_endpoint",
                "ModelError",
                "Received client error (400) from primary with message",
                http_status_code=424,
                modeled_fields={
                    "OriginalStatusCode": 400,
                    "OriginalMessage": '{"error": "not a number"}',
                },
            )
        else:
            answer = {
                "Body": StreamingBody(io.BytesIO(body[::-1]), len(body)),
                "ContentType": "application/x-image",
                "InvokedProductionVariant": "blue",
            }
            stubber.add_response("invoke_endpoint", answer)
        stubber.activate()
        return predictor

    def missing(self) -> Predictor:
        predictor = Predictor("nobody", _aws("http://localhost:1"))
        stubber = Stubber(predictor._sender.client)
        stubber.add_client_error(
            "invoke_endpoint",
            "ValidationError",
            "Endpoint nobody of account 123456789012 not found.",
            http_status_code=400,
        )
        stubber.activate()
        return predictor


class Local:
    """A real endpoint on a gateway, behind a stand-in model server."""

    def __init__(self, gateway: Gateway) -> None:
        self._aws = client_of(gateway)

    def predictor(self, body: bytes) -> Predictor:
        return Predictor("echo", self._aws)

    def missing(self) -> Predictor:
        return Predictor("nobody", self._aws)


def _aws(url: str) -> Aws:
    """An AWS that nothing is sent to."""
    return Aws(region=REGION, endpoint_url=url, access_key_id="test", secret_access_key="test")


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with stand_in_aws(tmp_path_factory.mktemp("aws")) as local:
        local.endpoint("echo", local.config("echo", {"blue": local.model("echo")}))
        yield local.gateway


@pytest.fixture(params=["stubbed", "local"])
def transport(request: Any, gateway: Gateway) -> Transport:
    return Stubbed() if request.param == "stubbed" else Local(gateway)

"""The local AWS with a SageMaker whose endpoints come and fail when a test wants it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from local_aws.gateway import Gateway
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Action, Service
from local_aws.services.cloudformation.engine.stacks import Stack
from local_aws.services.cloudformation.service import CloudFormation
from sagemaker_serving.local_sagemaker.resources import Endpoint, EndpointConfig, Model
from tests.local_aws.aws import service_in
from tests.local_aws.stacks import Deployments

REGION = "eu-west-1"


@dataclass
class Endpoints(Service):
    """A SageMaker whose endpoints start and update in ``seconds``; the rest is the emulator's.

    A configuration whose name contains ``failing`` never starts: a new endpoint turns
    Failed, an updated one goes back to what it served before, as SageMaker's do.
    While a test has ``held``, none starts, fails or updates.
    """

    name: str = "sagemaker"
    seconds: float = 0.2
    failing: str = "Broken"
    updates: list[str] = field(default_factory=list)
    served: dict[str, list[str]] = field(default_factory=dict)
    held: threading.Lock = field(default_factory=threading.Lock)
    _endpoints: dict[str, dict[str, Any]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def actions(self) -> Mapping[str, Action]:
        verbs = ("Create", "Describe", "Update", "Delete")
        return {f"{verb}Endpoint": self._answer for verb in verbs}

    def resource_types(self) -> Iterable[Provider]:
        return (Endpoint(), EndpointConfig(), Model())

    def _answer(self, call: Call) -> dict[str, Any]:
        operation, body, region = call.operation, call.parameters, call.region
        name = body["EndpointName"]
        with self._lock:
            if operation == "CreateEndpoint":
                if name in self._endpoints:
                    raise AwsError("ValidationException", "Cannot create already existing endpoint")
                arn = f"arn:aws:sagemaker:{region}:123456789012:endpoint/{name.lower()}"
                self._endpoints[name] = {
                    "EndpointName": name,
                    "EndpointArn": arn,
                    "EndpointConfigName": body["EndpointConfigName"],
                    "EndpointStatus": "Creating",
                    "CreationTime": time.time(),
                    "LastModifiedTime": time.time(),
                }
                self._turn(name, body["EndpointConfigName"], was=None)
                return {"EndpointArn": arn}
            endpoint = self._find(name)
            if operation == "DescribeEndpoint":
                return dict(endpoint)
            if endpoint["EndpointStatus"] in ("Creating", "Updating"):
                raise AwsError("ValidationException", "Cannot update in-progress endpoint")
            if operation == "DeleteEndpoint":
                del self._endpoints[endpoint["EndpointName"]]
                return {}
            self.updates.append(body["EndpointConfigName"])
            was = endpoint["EndpointConfigName"]
            endpoint["EndpointStatus"] = "Updating"
            self._turn(endpoint["EndpointName"], body["EndpointConfigName"], was=was)
            return {"EndpointArn": endpoint["EndpointArn"]}

    def _find(self, name: str) -> dict[str, Any]:
        for known, endpoint in self._endpoints.items():
            if known.lower() == name.lower():
                return endpoint
        raise AwsError("ValidationException", f'Could not find endpoint "{name}".')

    def _turn(self, name: str, config: str, was: str | None) -> None:
        def turned() -> None:
            with self.held, self._lock:
                endpoint = self._endpoints.get(name)
                if endpoint is None:
                    return
                fails = self.failing in config
                if fails:
                    endpoint["FailureReason"] = (
                        "The primary container for production variant blue did not pass the "
                        "ping health check. \x1b[31mno SavedModel bundles found!\x1b[0m"
                    )
                endpoint["EndpointStatus"] = "Failed" if fails and was is None else "InService"
                endpoint["EndpointConfigName"] = was if fails and was is not None else config
                self.served.setdefault(name, []).append(endpoint["EndpointConfigName"])

        timer = threading.Timer(self.seconds, turned)
        timer.daemon = True
        timer.start()


class Aws(Deployments):
    """The local AWS of a test module: its clients, its stacks, and the gateway behind them."""

    def __init__(self, gateway: Gateway, endpoints: Endpoints) -> None:
        self.gateway = gateway
        self.endpoints = endpoints
        super().__init__(self.client("cloudformation"))

    def client(self, service: str, region: str = REGION) -> Any:
        return self.gateway.context.client(service, region)

    def value(self, name: str) -> str:
        """An SSM parameter's."""
        return str(self.client("ssm").get_parameter(Name=name)["Parameter"]["Value"])

    def kept(self, name: str) -> Stack:
        """What the engine keeps of a stack."""
        stack = service_in(self.gateway, CloudFormation)._stacks.find(name, REGION)
        assert stack is not None
        return stack


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """A local AWS for each test module, empty at its start."""
    endpoints = Endpoints()
    with pytest.MonkeyPatch.context() as patches:
        patches.setenv("MOTO_IAM_LOAD_MANAGED_POLICIES", "true")
        gateway = Gateway(
            tmp_path_factory.mktemp("aws"),
            region=REGION,
            services=[lambda context, changed: [endpoints]],
        )
        gateway.start()
        try:
            yield Aws(gateway, endpoints)
        finally:
            gateway.stop()

"""A gateway of a few lines: CloudFormation is ours, endpoints are a fake, the rest is moto."""

from __future__ import annotations

import io
import json
import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl
from xml.sax.saxutils import escape

import pytest

from sagemaker_serving.local.cloudformation import CloudFormation
from sagemaker_serving.local.cloudformation.stacks import Stack
from sagemaker_serving.local.context import ACCOUNT_ID, LocalContext
from sagemaker_serving.local.protocol import AwsError

REGION = "eu-west-1"

logging.getLogger("werkzeug").setLevel(logging.ERROR)

_SCOPE = re.compile(r"Credential=[^/]+/\d+/([^/]+)/([^/]+)/")

Template = str | dict[str, Any]
Start = Callable[[str, list[tuple[str, str]]], Any]


@dataclass
class Endpoints:
    """SageMaker endpoints that start and update in ``seconds``.

    A configuration whose name contains ``failing`` never starts: a new endpoint turns
    Failed, an updated one goes back to what it served before, as SageMaker's do.
    """

    seconds: float = 0.2
    failing: str = "Broken"
    updates: list[str] = field(default_factory=list)
    served: dict[str, list[str]] = field(default_factory=dict)
    _endpoints: dict[str, dict[str, Any]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, operation: str, body: dict[str, Any], region: str) -> dict[str, Any]:
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
            with self._lock:
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


class Gateway:
    """Routes each request by its credential scope, as the local AWS's own gateway does."""

    def __init__(self) -> None:
        from moto.server import DomainDispatcherApplication, create_backend_app

        self.cloudformation: CloudFormation | None = None
        self.endpoints = Endpoints()
        self.calls: list[str] = []
        self._moto = DomainDispatcherApplication(create_backend_app)

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        scope = _SCOPE.search(environ.get("HTTP_AUTHORIZATION", ""))
        region, service = scope.groups() if scope else ("", "")
        if service == "cloudformation":
            return self._cloudformation(environ, start, region)
        target = environ.get("HTTP_X_AMZ_TARGET", "")
        if target.endswith(".LookupEvents"):
            # The CDK CLI asks CloudTrail after a failure; moto's answer, 500, costs it 28 s.
            start("200 OK", [("Content-Type", "application/x-amz-json-1.1")])
            return [b'{"Events": []}']
        operation = target.removeprefix("SageMaker.")
        if operation.endswith("Endpoint"):
            return self._endpoint(environ, start, operation, region)
        answer: Iterable[bytes] = self._moto(environ, start)
        return answer

    def stack(self, name: str) -> Stack:
        """What the engine keeps of a stack."""
        assert self.cloudformation is not None
        stack = self.cloudformation._stacks.find(name, REGION)
        assert stack is not None
        return stack

    def _cloudformation(
        self, environ: dict[str, Any], start: Start, region: str
    ) -> Iterable[bytes]:
        form = dict(parse_qsl(_body(environ).decode(), keep_blank_values=True))
        assert self.cloudformation is not None
        status, headers = "200 OK", [("Content-Type", "text/xml")]
        self.calls.append(form["Action"])
        try:
            text = self.cloudformation.handle(form.pop("Action"), form, region)
        except AwsError as error:
            status = f"{error.status} Refused"
            text = (
                '<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">'
                f"<Error><Type>Sender</Type><Code>{error.code}</Code>"
                f"<Message>{escape(error.message)}</Message></Error>"
                "<RequestId>0</RequestId></ErrorResponse>"
            )
        start(status, headers)
        return [text.encode()]

    def _endpoint(
        self, environ: dict[str, Any], start: Start, operation: str, region: str
    ) -> Iterable[bytes]:
        status = "200 OK"
        try:
            answer = self.endpoints.answer(operation, json.loads(_body(environ)), region)
        except AwsError as error:
            status, answer = "400 Refused", {"__type": error.code, "message": error.message}
        start(status, [("Content-Type", "application/x-amz-json-1.1")])
        return [json.dumps(answer).encode()]


def _body(environ: dict[str, Any]) -> bytes:
    stream = environ.get("wsgi.input", io.BytesIO())
    body: bytes = stream.read(int(environ.get("CONTENT_LENGTH") or 0))
    return body


@dataclass
class Aws:
    """The local AWS of a test module: its clients, its stacks, and the gateway behind them."""

    url: str
    gateway: Gateway
    context: LocalContext

    def client(self, service: str) -> Any:
        return self.context.client(service, REGION)

    @property
    def cloudformation(self) -> Any:
        return self.client("cloudformation")

    def create(self, name: str, template: Template, **options: Any) -> dict[str, Any]:
        """Create a stack and return it once it is done."""
        return self._submit("create_stack", name, template, options)

    def update(self, name: str, template: Template, **options: Any) -> dict[str, Any]:
        """Update a stack and return it once it is done."""
        return self._submit("update_stack", name, template, options)

    def delete(self, name: str, **options: Any) -> dict[str, Any]:
        """Delete a stack and return what is left of it."""
        stack_id = self.stack(name)["StackId"]
        self.cloudformation.delete_stack(StackName=name, **options)
        return self.done(stack_id)

    def done(self, stack_id: str) -> dict[str, Any]:
        """The stack once no operation is under way."""
        deadline = time.monotonic() + 60
        while True:
            stack = self.stack(stack_id)
            if not stack["StackStatus"].endswith("_IN_PROGRESS"):
                return stack
            assert time.monotonic() < deadline, stack

    def stack(self, name: str) -> dict[str, Any]:
        (stack,) = self.cloudformation.describe_stacks(StackName=name)["Stacks"]
        found: dict[str, Any] = stack
        return found

    def outputs(self, name: str) -> dict[str, str]:
        outputs = self.stack(name).get("Outputs", [])
        return {output["OutputKey"]: output["OutputValue"] for output in outputs}

    def physical_ids(self, name: str) -> dict[str, str]:
        answer = self.cloudformation.describe_stack_resources(StackName=name)
        return {
            resource["LogicalResourceId"]: resource["PhysicalResourceId"]
            for resource in answer["StackResources"]
        }

    def events(self, name: str) -> list[dict[str, Any]]:
        """The stack's whole history, oldest first."""
        pages = self.cloudformation.get_paginator("describe_stack_events").paginate(StackName=name)
        return [event for page in pages for event in page["StackEvents"]][::-1]

    def history(self, name: str) -> list[tuple[str, str]]:
        """Logical id and status of every event, oldest first."""
        return [
            (event["LogicalResourceId"], event["ResourceStatus"]) for event in self.events(name)
        ]

    def _submit(
        self, operation: str, name: str, template: Template, options: dict[str, Any]
    ) -> dict[str, Any]:
        answer = getattr(self.cloudformation, operation)(
            StackName=name,
            TemplateBody=template if isinstance(template, str) else json.dumps(template),
            Capabilities=["CAPABILITY_NAMED_IAM"],
            **options,
        )
        return self.done(answer["StackId"])


@pytest.fixture(scope="session")
def gateway_and_context(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Gateway, LocalContext]]:
    """One server and one set of clients: making clients is what takes time."""
    from werkzeug.serving import make_server

    gateway = Gateway()
    server = make_server("127.0.0.1", 0, gateway, threaded=True)
    thread = threading.Thread(target=lambda: server.serve_forever(0.05), daemon=True)
    thread.start()
    url = f"http://localhost:{server.port}"
    yield gateway, LocalContext.at(url, tmp_path_factory.mktemp("state"))
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def aws(gateway_and_context: tuple[Gateway, LocalContext]) -> Iterator[Aws]:
    """A local AWS for each test module, empty at its start."""
    gateway, context = gateway_and_context
    with pytest.MonkeyPatch.context() as patches:
        patches.setenv("MOTO_IAM_LOAD_MANAGED_POLICIES", "true")
        _be_no_stricter_than_s3(patches)
        _empty({"iam": "aws", "s3": "aws", "sagemaker": REGION, "cloudwatch": REGION})
        gateway.cloudformation = CloudFormation(context)
        gateway.endpoints = Endpoints()
        yield Aws(context.url, gateway, context)
        gateway.cloudformation.close()


def _empty(backends: dict[str, str]) -> None:
    """Empty what tests list as a whole, and IAM, which reads the setting above as it starts."""
    from moto.backends import get_backend

    for service, region in backends.items():
        get_backend(service)[ACCOUNT_ID][region].reset()


def _be_no_stricter_than_s3(patches: pytest.MonkeyPatch) -> None:
    """What moto refuses in buckets, and S3 does not.

    Every Deny with a condition counts for moto as a Deny, so that CDK's "only over TLS" refuses
    all; and a bucket's access logs need their target's policy first, which CDK makes second.
    """
    from moto.iam.access_control import PermissionResult
    from moto.s3.models import FakeBucket

    patches.setattr(FakeBucket, "get_permission", lambda *_: PermissionResult.NEUTRAL)
    patches.setattr(FakeBucket, "_log_permissions_enabled_policy", lambda *_, **__: True)

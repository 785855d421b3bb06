"""What tests of functions share: zips of a few lines, a role, and calls through boto3."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from local_aws.gateway import Gateway
from tests.local_aws.aws import REGION, eventually
from tests.local_aws.stacks import Deployments

ACCOUNT = "123456789012"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/function"
LOGS = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"


def trust(service: str = "lambda.amazonaws.com") -> dict[str, Any]:
    """A policy that lets a service assume the role."""
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sts:AssumeRole",
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def zipped(files: Mapping[str, str]) -> bytes:
    """A zip of files by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def in_place(api: Any, name: str) -> str:
    """The function's ARN, once it is no longer Pending, nor an update of it InProgress."""

    def look() -> Any:
        found = api.get_function_configuration(FunctionName=name)
        return found.get("LastUpdateStatus") == "Successful" and found["FunctionArn"]

    return str(eventually(look))


@dataclass(frozen=True)
class Answer:
    """An invocation as its caller sees it."""

    status: int
    payload: Any
    error: str | None
    log: str


class Functions:
    """A gateway with a role for functions, and what is done with functions over and over."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.url = gateway.url
        self.api = self.client("lambda")
        self.role()

    def client(self, service: str) -> Any:
        return self.gateway.context.client(service, REGION)

    def role(
        self, name: str = "function", service: str = "lambda.amazonaws.com", *policies: str
    ) -> str:
        """A role that a service may assume; it may write logs unless other policies are given."""
        iam = self.client("iam")
        document = json.dumps(trust(service))
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=document)
        for policy in policies or (LOGS,):
            iam.attach_role_policy(RoleName=name, PolicyArn=policy)
        return f"arn:aws:iam::{ACCOUNT}:role/{name}"

    def create(self, name: str, source: str, **more: Any) -> Any:
        """A function of one file, whose handler is ``app.handler``, once it is in place.

        It has a minute, unless another Timeout is given, or None for Lambda's own.
        """
        given = {
            "FunctionName": name,
            "Runtime": "python3.11",
            "Handler": "app.handler",
            "Role": ROLE,
            "Code": {"ZipFile": zipped({"app.py": source})},
            "Timeout": 60,
        }
        whole = {name: value for name, value in {**given, **more}.items() if value is not None}
        made = self.api.create_function(**whole)
        self.in_place(made["FunctionName"])
        return made

    def in_place(self, name: str) -> None:
        """Wait until the function is no longer Pending, nor an update of it InProgress."""
        in_place(self.api, name)

    def invoke(self, name: str, event: Any = None, **more: Any) -> Answer:
        answer = self.api.invoke(
            FunctionName=name, Payload=json.dumps(event).encode(), LogType="Tail", **more
        )
        return Answer(
            answer["StatusCode"],
            json.loads(answer["Payload"].read()),
            answer.get("FunctionError"),
            base64.b64decode(answer.get("LogResult", "")).decode(),
        )

    def run(self, name: str, source: str, event: Any = None, **more: Any) -> Answer:
        """Create a function and invoke it once."""
        self.create(name, source, **more)
        return self.invoke(name, event)


class Stacks(Deployments):
    """A gateway with functions, and stacks that are deployed to it."""

    def __init__(self, gateway: Gateway, functions: Functions | None = None) -> None:
        self.functions = functions or Functions(gateway)
        super().__init__(self.functions.client("cloudformation"))

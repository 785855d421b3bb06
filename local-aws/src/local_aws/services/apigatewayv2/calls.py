"""One request to an HTTP API on its way, and how it is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from local_aws.web.records import Record
from local_aws.web.request import WebRequest, grouped

INTERNAL = "Internal Server Error"


class Refused(Exception):
    """A request that the API answers itself."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = [(name.replace("_", "-"), value) for name, value in headers.items()]


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request on its way: ``path`` is what routes are matched with, ``raw_path`` has the
    stage's name before it; both are decoded."""

    request: WebRequest
    stage: Record
    snapshot: Mapping[str, Record]
    path: str
    raw_path: str
    route: Record
    parameters: Mapping[str, str]
    arn: str

    @property
    def called_arn(self) -> str:
        """What is asked, as policies name it: by its own method and path."""
        api = self.arn.split("/")[0]
        return f"{api}/{self.stage['StageName']}/{self.request.method}{self.path}"


def function_arn(uri: str, stage: Record) -> str:
    """The function's own ARN, of an integration's URI in either form."""
    arn = uri.partition("/functions/")[2].removesuffix("/invocations") or uri
    for name, value in (stage.get("StageVariables") or {}).items():
        arn = arn.replace(f"${{stageVariables.{name}}}", str(value))
    return arn


def source_of(expression: str, call: Call) -> str:
    """What ``$request.header.Authorization`` and its like are in a request, "" when absent."""
    place, _, name = expression.removeprefix("$request.").partition(".")
    if place == "header":
        return ",".join(grouped(call.request.headers, lower=True).get(name.lower(), ()))
    if place == "querystring":
        return ",".join(grouped(call.request.query).get(name, ()))
    values: Mapping[str, Any] = call.stage.get("StageVariables") or {}
    return str(values.get(name, "")) if expression.startswith("$stageVariables.") else "-"

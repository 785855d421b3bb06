"""What APIs are made of: resources, methods, integrations, with what AWS fills in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.arn import Arn
from local_aws.web.records import Record, bad_request, new_id


def methods_of(below: Mapping[str, Record]) -> dict[str, Record]:
    """The methods of one resource, each whole, of what is kept below it."""
    methods: dict[str, Record] = {}
    for path, record in sorted(below.items()):
        match path.split("/"):
            case ["", "methods", name]:
                methods[name] = dict(record)
            case ["", "methods", name, "responses", status]:
                methods[name].setdefault("methodResponses", {})[status] = record
            case ["", "methods", name, "integration"]:
                methods[name]["methodIntegration"] = dict(record)
            case ["", "methods", name, "integration", "responses", status]:
                integration = methods[name]["methodIntegration"]
                integration.setdefault("integrationResponses", {})[status] = record
    return methods


def resource_below(parent: Record, part: str) -> Record:
    """A new resource."""
    path = f"{parent['path'].rstrip('/')}/{part}"
    return {"id": new_id(6), "parentId": parent["id"], "pathPart": part, "path": path}


def integration_with_defaults(stated: Mapping[str, Any], path: str) -> Record:
    """An integration with what AWS fills in."""
    record = dict(stated)
    method = record.pop("integrationHttpMethod", None)
    if method is not None:
        record["httpMethod"] = method
    record.setdefault("passthroughBehavior", "WHEN_NO_MATCH")
    record.setdefault("timeoutInMillis", 29000)
    record.setdefault("cacheNamespace", path.split("/resources/")[1].partition("/")[0])
    record.setdefault("cacheKeyParameters", [])
    return record


def check_integration(stated: Mapping[str, Any]) -> None:
    """Raise BadRequestException for an integration that AWS, or the local AWS, does not take."""
    kind, uri = stated["type"], str(stated.get("uri") or "")
    if stated.get("connectionType") == "VPC_LINK":
        raise bad_request(
            "the local AWS does not carry out connectionType VPC_LINK of an integration; leave it "
            "out"
        )
    streams = stated.get("responseTransferMode") == "STREAM"
    if streams and kind != "AWS_PROXY":
        raise bad_request(
            "the local AWS carries out responseTransferMode STREAM of AWS_PROXY integrations only; "
            "leave it out"
        )
    if kind == "AWS_PROXY" and streams is not uri.endswith("/response-streaming-invocations"):
        raise bad_request(
            "responseTransferMode STREAM and a uri that ends in /response-streaming-invocations "
            "belong together; give both, or neither"
        )
    if Arn.parse(str(stated.get("credentials") or "")).resource == "user/*":
        raise bad_request("the local AWS does not pass on a caller's credentials; name a role")
    if kind in ("AWS", "AWS_PROXY"):
        if Arn.parse(uri).service != "apigateway":
            raise bad_request("Invalid ARN specified in the request")
        target = Arn.parse(uri).resource
        if not target.startswith(("path/", "action/")):
            raise bad_request("AWS ARN for integration must contain path or action")
        if kind == "AWS_PROXY" and Arn.parse(uri).account != "lambda":
            raise bad_request(
                "Integrations of type 'AWS_PROXY' currently only supports Lambda function and "
                "Firehose stream invocations."
            )
    elif kind != "MOCK" and not uri.startswith(("http://", "https://", "${")):
        raise bad_request("Invalid HTTP endpoint specified for URI")

"""OpenAPI documents taken for REST APIs: paths, methods, integrations, authorizers, models.

Source: API Gateway developer guide, "API Gateway extensions to OpenAPI". What of
a document is not carried out is refused by name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from local_aws.web.records import Record, Records, bad_request, new_id

from .parts import check_integration, integration_with_defaults, resource_below

_METHODS = {
    **{name: name.upper() for name in ("get", "put", "post", "delete", "options", "head", "patch")},
    "x-amazon-apigateway-any-method": "ANY",
}
_PLACES = {"path": "path", "query": "querystring", "header": "header"}


def import_document(records: Records, path: str, body: Any, *, overwrite: bool) -> Record:
    """Make the REST API at ``path`` what a document says; returns the API.

    ``overwrite`` forgets what it had. Raises BadRequestException.
    """
    document = _read(body)
    api = records.get(path)
    if overwrite:
        _forget(records, path, api)
    info = document.get("info") or {}
    for member, name in (("name", "title"), ("description", "description"), ("version", "version")):
        if info.get(name) is not None:
            api[member] = str(info[name])
    for extension, member in _OF_THE_API.items():
        if extension in document:
            api[member] = document[extension]
    if isinstance(api.get("policy"), Mapping):
        api["policy"] = json.dumps(api["policy"])
    for name, response in (document.get("x-amazon-apigateway-gateway-responses") or {}).items():
        kept = {"responseType": name, "defaultResponse": False, **response}
        if "statusCode" in kept:
            kept["statusCode"] = str(kept["statusCode"])
        records.put(f"{path}/gatewayresponses/{name}", kept)
    _keep_models(records, path, document)
    authorizers = dict(_authorizers(records, path, document))
    validators = dict(_validators(records, path, document))
    every_validator = document.get("x-amazon-apigateway-request-validator")
    resources = {each["path"]: each for each in records.listed(f"{path}/resources")}
    for name, item in (document.get("paths") or {}).items():
        resource = resources["/"]
        for part in [each for each in str(name).split("/") if each]:
            below = f"{resource['path'].rstrip('/')}/{part}"
            if below not in resources:
                made = resource_below(resource, part)
                resources[below] = records.put(f"{path}/resources/{made['id']}", made)
            resource = resources[below]
        for verb, operation in item.items():
            if verb not in _METHODS:
                continue
            at = f"{path}/resources/{resource['id']}/methods/{_METHODS[verb]}"
            method = _method(document, item, operation, authorizers)
            validator = operation.get("x-amazon-apigateway-request-validator", every_validator)
            if validator is not None:
                method["requestValidatorId"] = validators[validator]
            records.put(at, {"httpMethod": _METHODS[verb], **method})
            for status, response in (operation.get("responses") or {}).items():
                records.put(f"{at}/responses/{status}", _method_response(str(status), response))
            integration = operation.get("x-amazon-apigateway-integration")
            if integration is not None:
                stated, answers = _integration(integration)
                check_integration(stated)
                records.put(f"{at}/integration", integration_with_defaults(stated, at))
                for answer in answers:
                    records.put(f"{at}/integration/responses/{answer['statusCode']}", answer)
    return api


_OF_THE_API = {
    "x-amazon-apigateway-binary-media-types": "binaryMediaTypes",
    "x-amazon-apigateway-minimum-compression-size": "minimumCompressionSize",
    "x-amazon-apigateway-api-key-source": "apiKeySource",
    "x-amazon-apigateway-policy": "policy",
}


def _read(body: Any) -> dict[str, Any]:
    text = body.decode() if isinstance(body, bytes) else body
    try:
        document = yaml.safe_load(text) if isinstance(text, str) else text
    except (yaml.YAMLError, UnicodeDecodeError):
        document = None
    if not isinstance(document, dict) or not ({"swagger", "openapi"} & document.keys()):
        raise bad_request("Invalid OpenAPI input.")
    return document


def _forget(records: Records, path: str, api: Record) -> None:
    for rest in records.below(path):
        first = rest.split("/")[1]
        if first in ("deployments", "stages") or rest == f"/resources/{api['rootResourceId']}":
            continue
        if records.find(path + rest) is not None:
            records.remove(path + rest)


def _keep_models(records: Records, path: str, document: Mapping[str, Any]) -> None:
    schemas = document.get("definitions") or (document.get("components") or {}).get("schemas") or {}
    api_id = path.rpartition("/")[2]
    for name, schema in schemas.items():
        text = json.dumps(schema)
        for local in ("#/definitions/", "#/components/schemas/"):
            text = text.replace(
                f'"{local}', f'"https://apigateway.amazonaws.com/restapis/{api_id}/models/'
            )
        kept = {"id": new_id(6), "name": name, "contentType": "application/json", "schema": text}
        records.put(f"{path}/models/{name}", kept)


def _authorizers(
    records: Records, path: str, document: Mapping[str, Any]
) -> Iterator[tuple[str, Record]]:
    """What securities mean for a method: its type, and the authorizer's id."""
    schemes = document.get("securityDefinitions") or (document.get("components") or {}).get(
        "securitySchemes", {}
    )
    for name, scheme in schemes.items():
        stated = scheme.get("x-amazon-apigateway-authorizer")
        kind = scheme.get("x-amazon-apigateway-authtype")
        if stated is not None:
            members = {**stated, "type": str(stated["type"]).upper()}
            if "identitySource" not in members and scheme.get("in") == "header":
                members["identitySource"] = f"method.request.header.{scheme['name']}"
            record = {"id": new_id(6), "name": name, "authType": kind or "custom", **members}
            records.put(f"{path}/authorizers/{record['id']}", record)
            cognito = members["type"] == "COGNITO_USER_POOLS"
            yield (
                name,
                {
                    "authorizationType": "COGNITO_USER_POOLS" if cognito else "CUSTOM",
                    "authorizerId": record["id"],
                },
            )
        elif str(kind).lower() == "awssigv4":
            yield name, {"authorizationType": "AWS_IAM"}
        elif str(scheme.get("name")).lower() == "x-api-key":
            yield name, {"apiKeyRequired": True}


def _validators(
    records: Records, path: str, document: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    for name, stated in (document.get("x-amazon-apigateway-request-validators") or {}).items():
        record = {"id": new_id(6), "name": name, **stated}
        records.put(f"{path}/requestvalidators/{record['id']}", record)
        yield name, str(record["id"])


def _method(
    document: Mapping[str, Any],
    item: Mapping[str, Any],
    operation: Mapping[str, Any],
    authorizers: Mapping[str, Record],
) -> Record:
    record: Record = {"authorizationType": "NONE", "apiKeyRequired": False}
    auth = operation.get("x-amazon-apigateway-auth") or {}
    if auth.get("type"):
        record["authorizationType"] = str(auth["type"]).upper()
    for security in operation.get("security", document.get("security")) or ():
        for name in security:
            record |= authorizers.get(name, {})
    if operation.get("operationId"):
        record["operationName"] = operation["operationId"]
    parameters = [*(item.get("parameters") or ()), *(operation.get("parameters") or ())]
    named = {
        f"method.request.{_PLACES[each['in']]}.{each['name']}": bool(each.get("required"))
        for each in parameters
        if each.get("in") in _PLACES
    }
    if named:
        record["requestParameters"] = named
    bodies = [each["schema"] for each in parameters if each.get("in") == "body"]
    models = (
        dict.fromkeys(("application/json",), bodies[0])
        if bodies
        else {
            kind: content.get("schema", {})
            for kind, content in ((operation.get("requestBody") or {}).get("content") or {}).items()
        }
    )
    found = {kind: s["$ref"].rpartition("/")[2] for kind, s in models.items() if "$ref" in s}
    if found:
        record["requestModels"] = found
    return record


def _method_response(status: str, response: Mapping[str, Any]) -> Record:
    record: Record = {"statusCode": status}
    headers = response.get("headers") or {}
    if headers:
        record["responseParameters"] = {f"method.response.header.{each}": False for each in headers}
    return record


def _integration(stated: Mapping[str, Any]) -> tuple[Record, list[Record]]:
    record = {
        name: value for name, value in stated.items() if name not in ("responses", "httpMethod")
    }
    record["type"] = str(record["type"]).upper()
    if "passthroughBehavior" in record:
        record["passthroughBehavior"] = str(record["passthroughBehavior"]).upper()
    if "httpMethod" in stated:
        record["integrationHttpMethod"] = stated["httpMethod"]
    answers = []
    for pattern, response in (stated.get("responses") or {}).items():
        answer = {**response, "statusCode": str(response["statusCode"])}
        if pattern != "default":
            answer["selectionPattern"] = str(pattern)
        answers.append(answer)
    return record, answers

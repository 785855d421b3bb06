"""The REST-JSON protocol as botocore's model of an API describes it: requests in, answers out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, unquote

from werkzeug import Request, Response

from sagemaker_serving.local.api_models import service_model
from sagemaker_serving.local.protocol import AwsError


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request, read: which operation and with which parameters."""

    operation: str
    parameters: dict[str, Any]


def read_call(service: str, request: Request) -> Call:
    """What ``request`` asks of ``service``.

    Raises `AwsError`: UnknownOperationException for a path that no operation has,
    SerializationException for a body that is no JSON object.
    """
    path = request.path.rstrip("/")
    for route in _routes(service):
        found = route.pattern.fullmatch(path)
        asked = all(request.args.get(name) == value for name, value in route.query.items())
        if route.method == request.method and found is not None and asked:
            return Call(operation=route.operation, parameters=_parameters(route, request, found))
    raise AwsError(
        "UnknownOperationException",
        f"{service} has no operation {request.method} {request.path}",
        status=404,
    )


def write_answer(service: str, operation: str, output: Mapping[str, Any]) -> Response:
    """``output`` as the operation's answer: status, headers, and a JSON or raw body."""
    model = service_model(service).operation_model(operation)
    shape = model.output_shape
    status = model.http.get("responseCode", 200)
    response = Response(status=status)
    members: dict[str, Any] = {}
    payload = None if shape is None else shape.serialization.get("payload")
    for name, value in output.items():
        member = None if shape is None else shape.members.get(name)
        if member is None or value is None:
            continue
        match member.serialization.get("location"):
            case "statusCode":
                response.status_code = value
            case "header":
                response.headers[member.serialization["name"]] = str(value)
            case _ if name == payload:
                response.data = value
            case _:
                members[member.serialization.get("name", name)] = value
    if payload is None and shape is not None:
        response.data = json.dumps(members)
    if response.status_code != 204:
        response.content_type = "application/json"
    return response


@dataclass(frozen=True, kw_only=True)
class _Route:
    operation: str
    method: str
    pattern: re.Pattern[str]
    query: dict[str, str]
    shape: Any


@cache
def _routes(service: str) -> tuple[_Route, ...]:
    routes = [_route(service, name) for name in service_model(service).operation_names]
    return tuple(sorted(routes, key=lambda route: not route.query))


def _route(service: str, name: str) -> _Route:
    model = service_model(service).operation_model(name)
    path, _, query = model.http["requestUri"].partition("?")
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path.rstrip("/")))
    return _Route(
        operation=name,
        method=model.http["method"],
        pattern=re.compile(pattern),
        query=dict(parse_qsl(query)),
        shape=model.input_shape,
    )


def _parameters(route: _Route, request: Request, found: re.Match[str]) -> dict[str, Any]:
    shape = route.shape
    if shape is None:
        return {}
    parameters = _body(shape, request)
    for name, member in shape.members.items():
        place = member.serialization.get("name", name)
        match member.serialization.get("location"):
            case "uri":
                parameters[name] = unquote(found[place])
            case "querystring" if member.type_name == "list" and place in request.args:
                parameters[name] = request.args.getlist(place)
            case "querystring" if place in request.args:
                parameters[name] = _typed(member, request.args[place], place)
            case "header" if place in request.headers:
                parameters[name] = _typed(member, request.headers[place], place)
    return parameters


def _body(shape: Any, request: Request) -> dict[str, Any]:
    payload = shape.serialization.get("payload")
    if payload is not None and shape.members[payload].type_name == "blob":
        return {payload: request.get_data()}
    if payload is not None:
        return {payload: _body(shape.members[payload], request)}
    located = dict(_in_the_body(shape))
    content = request.get_data() if located else b""
    if not content:
        return {}
    try:
        document = json.loads(content)
    except ValueError as error:
        raise AwsError("SerializationException", f"the body is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise AwsError("SerializationException", "the body is not a JSON object")
    given = {str(key): value for key, value in document.items() if value is not None}
    return {located.get(key, key): value for key, value in given.items()}


def _in_the_body(shape: Any) -> Iterator[tuple[str, str]]:
    """The body's key and the name of each member that has no other place."""
    for name, member in shape.members.items():
        if "location" not in member.serialization:
            yield str(member.serialization.get("name", name)), str(name)


def _typed(member: Any, text: str, place: str) -> Any:
    if member.type_name == "boolean":
        return text == "true"
    if member.type_name in ("integer", "long"):
        try:
            return int(text)
        except ValueError:
            raise AwsError(
                "SerializationException", f"'{text}' at '{place}' is not a number"
            ) from None
    return text

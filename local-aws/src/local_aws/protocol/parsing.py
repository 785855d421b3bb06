"""The parameters in a request: the emulator's parsers, made strict about what they are given.

The emulator's own take a body that is no JSON for a message, and a text for a number's place.
"""

from __future__ import annotations

import gzip
import io
import json
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from moto.core.parse import (
    PROTOCOL_PARSERS,
    JSONParser,
    QueryParser,
    RequestParser,
    RestJSONParser,
)
from moto.core.request import Request, determine_request_protocol

from local_aws.protocol import AwsError
from local_aws.protocol.models import service_model

_FORMS = ("query", "ec2")


def protocol_of(request: Request, service: str) -> str:
    """The protocol that a request to ``service`` is written in, as botocore names it."""
    model = service_model(service)
    try:
        return str(determine_request_protocol(model, request.content_type))
    except NotImplementedError:  # what is written in one that the service does not speak
        return str(model.protocol)


def parse(
    request: Request, service: str, operation: str, in_path: dict[str, Any]
) -> tuple[dict[str, Any], AwsError | None]:
    """The operation's input, as far as it can be read, and what is wrong with the request.

    Documents keep their times, numbers and bytes as they were written. Of an operation that the
    service does not have, the body's members are given.
    """
    model = service_model(service)
    protocol = protocol_of(request, service)
    try:
        parser = _PARSERS[protocol] if protocol in _PARSERS else PROTOCOL_PARSERS[protocol]
        if protocol in _FORMS:
            _refuse_what_is_given_twice(request.values)
        if operation not in model.operation_names:
            return {} if protocol in _FORMS else _document(request.get_data()), None
        shape = model.operation_model(operation)
        compressed = shape.request_compression and request.content_encoding == "gzip"
        body = _decompressed(request.data) if compressed else request.data
        found = parser(shape, timestamp_parser=_as_it_is, blob_parser=_as_it_is).parse(
            {
                "method": request.method,
                "values": request.values,
                "headers": request.headers,
                "body": body,
                "url_path": request.path,
                "url_params": in_path,
            }
        )
    except AwsError as malformed:
        return in_path, malformed
    except Exception as error:  # the emulator's parsers raise whatever a malformed body leads to
        return in_path, AwsError("SerializationException", f"the request cannot be read: {error!r}")
    if service == "sqs" and protocol in _FORMS and request.path != "/":
        # A form may be sent to the queue itself (SQS developer guide, "Making Query API
        # requests"), as API Gateway does.
        found = {"QueueUrl": request.base_url, **found}
    return {
        name: each for name, each in found.items() if not _is_absent(shape, name, each, request)
    }, None


def _is_absent(shape: Any, name: str, value: Any, request: Request) -> bool:
    """Whether a list is empty only because the query has nothing of it."""
    if value != [] or name not in shape.input_shape.members:
        return False
    place = shape.input_shape.members[name].serialization
    return place.get("location") == "querystring" and place.get("name") not in request.args


def conflicting_flags(request: Request, service: str) -> AwsError | None:
    """What is wrong with a request of S3's whose query names two operations: ``?acl&policy``."""
    named = frozenset(request.args) & frozenset().union(*_flags(service))
    if not named or named in _flags(service):
        return None
    return AwsError(
        "InvalidArgument", f"Conflicting query string parameters: {', '.join(sorted(named))}"
    )


@cache
def _flags(service: str) -> frozenset[frozenset[str]]:
    """What stands in the queries of a service's operations whatever their parameters."""
    model = service_model(service)
    queries = (
        model.operation_model(name).http["requestUri"].partition("?")[2]
        for name in model.operation_names
    )
    return frozenset(
        frozenset(dict(parse_qsl(query, keep_blank_values=True))) - {"x-id"} for query in queries
    )


class _Document:
    """Of a parser of JSON: the values stay, as do members that the model does not know."""

    def _parse_body_as_json(self, body: bytes) -> dict[str, Any]:
        return _document(body)

    def _parse_structure(self, shape: Any, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        parsed = super()._parse_structure(shape, value)  # type: ignore[misc]
        if shape.is_document_type:
            return parsed
        names = {
            member.serialization.get("name", name): name for name, member in shape.members.items()
        }
        unknown = {key: each for key, each in value.items() if key not in names}
        return {**{key: each for key, each in unknown.items() if each is not None}, **parsed}

    def _parse_list(self, shape: Any, value: Any) -> Any:
        return super()._parse_list(shape, value) if isinstance(value, list) else value  # type: ignore[misc]

    def _parse_map(self, shape: Any, value: Any) -> Any:
        return super()._parse_map(shape, value) if isinstance(value, dict) else value  # type: ignore[misc]

    def _parse_integer(self, shape: Any, value: Any) -> Any:
        return value

    _parse_float = _parse_double = _parse_integer
    _parse_byte = _parse_short = _parse_long = _parse_integer


class _Json(_Document, JSONParser):  # type: ignore[misc]
    pass


class _RestJson(_Document, RestJSONParser):  # type: ignore[misc]
    """Numbers in paths, headers and queries are texts, and read; those of a body are not."""

    def _parse_non_payload_attrs(self, *arguments: Any) -> None:
        shape, parsed = arguments[1], arguments[3]
        super()._parse_non_payload_attrs(*arguments)
        for name, value in parsed.items():
            member = shape.members[name]
            if isinstance(value, str) and member.type_name in ("integer", "long"):
                parsed[name] = _number(value, member.serialization.get("name", name))


class _Query(QueryParser):  # type: ignore[misc]
    """Numbers are read, each with its place's name when it is none."""

    def _parse_integer(self, shape: Any, query_params: Any, prefix: str = "") -> Any:
        value = self._default_handle(shape, query_params, prefix)
        try:
            return super()._parse_integer(shape, query_params, prefix)
        except ValueError:
            raise AwsError("ValidationError", f"{prefix} is {value!r}, not a number") from None

    _parse_long = _parse_integer


_PARSERS: dict[str, type[RequestParser]] = {
    "json": _Json,
    "rest-json": _RestJson,
    "query": _Query,
}


def _as_it_is(value: Any) -> Any:
    return value


def _document(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body or b"{}")
    except ValueError as error:
        raise AwsError("SerializationException", f"the body is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise AwsError("SerializationException", "the body is not a JSON object")
    return document


def _decompressed(body: bytes) -> bytes:
    """What botocore compresses of operations that take it, from 10 KB on."""
    with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
        found = file.read(_LARGEST + 1)
    if len(found) > _LARGEST:
        raise AwsError(
            "RequestEntityTooLarge", f"the request has over {_LARGEST} bytes", status=413
        )
    return found


_LARGEST = 16 * 1024 * 1024


def _number(text: str, place: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise AwsError("SerializationException", f"'{text}' at '{place}' is not a number") from None


def _refuse_what_is_given_twice(form: Any) -> None:
    """In the query and in the body, or as a value and with members: ``Name=a&Name.b=c``.

    Which of the two is meant is nobody's to choose: one would be judged and the other done.
    """
    for key in form:
        if len(form.getlist(key)) > 1:
            raise AwsError("MalformedQueryString", f"{key} is given twice")
        steps = key.split(".")
        for length in range(1, len(steps)):
            if form.get(".".join(steps[:length])):
                raise AwsError("MalformedQueryString", f"{key} is given twice")

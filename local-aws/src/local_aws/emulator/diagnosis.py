"""What is wrong with a request that the emulator broke on, though its model takes it.

The emulator looks things up by what it is given, and takes ARNs, paging tokens and documents apart,
without asking first. AWS answers those with an error of the operation, which botocore's model
names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from xml.parsers.expat import ExpatError

from moto.core.exceptions import ServiceException, _RESTError

from local_aws.protocol import AwsError
from local_aws.protocol.call import Call


def diagnosis(call: Call, broken: Exception) -> AwsError | None:
    """The error that AWS has for the request; None when nothing is known to be wrong with it."""
    given = [*_texts(call.parameters, ""), *_texts(call.query, "")]
    kinds = (
        *(_plain_words, _no_xml, _no_arn, _no_token, _undefined, _not_there),
        *(_left_out, _no_document, _unreadable),
    )
    found = (kind(call, broken, given) for kind in kinds)
    return next((error for error in found if error is not None), None)


def own_words(raised: Exception) -> AwsError | None:
    """What the emulator says itself, to a part of the local AWS that has called it."""
    if isinstance(raised, _RESTError):
        return AwsError(raised.error_type, str(raised.message), status=raised.code)
    return AwsError(raised.code, raised.message) if isinstance(raised, ServiceException) else None


_Given = list[tuple[str, str]]


def _plain_words(call: Call, broken: Exception, given: _Given) -> AwsError | None:
    """What the emulator says in an exception of no kind, or of a value that it has not foreseen."""
    what = str(broken) or "the request cannot be read"
    is_refusal = type(broken) is AssertionError and any(what.endswith(text) for _, text in given)
    if type(broken) is not Exception and not is_refusal:
        return None
    is_about = any(text and what.startswith(text) for _, text in given)
    return _error(call, _ABSENT if is_about else _INVALID, what)


def _no_xml(call: Call, broken: Exception, given: _Given) -> AwsError | None:
    """Source: S3 API reference, "Error responses"."""
    what = "The XML you provided was not well-formed or did not validate against our schema"
    return AwsError("MalformedXML", what) if isinstance(broken, ExpatError) else None


def _no_arn(call: Call, broken: Exception, given: _Given) -> AwsError | None:
    for name, text in given:
        parts = len(text.split(":"))
        if name.lower().endswith("arn") and parts < 6:
            what = f"Invalid parameter: {name} Reason: An ARN must have at least 6 elements, not"
            return _error(call, f"Arn|{_INVALID}", f"{what} {parts}")
    return None


def _no_token(call: Call, broken: Exception, given: _Given) -> AwsError | None:
    tokens = (each for each in given if each[0].lower().endswith(("token", "marker")))
    name, text = next(tokens, ("", ""))
    return _error(call, "NextToken|Paginat", f"Invalid {name}: '{text}'") if name else None


def _undefined(call: Call, broken: Exception, given: _Given) -> AwsError | None:
    """A placeholder of an expression that stands for nothing; the words are DynamoDB's
    (https://github.com/aws/aws-sdk-go/pull/3973; their end is unverified)."""
    missing = str(broken.args[0]) if isinstance(broken, KeyError) and broken.args else ""
    kind = {":": "value", "#": "name"}.get(missing[:1])
    for name, text in given if kind is not None else ():
        if name.endswith("Expression") and missing in text:
            what = f"An expression attribute {kind} used in expression is not defined; attribute"
            return _error(call, _INVALID, f"Invalid {name}: {what} {kind}: {missing}")
    return None


def _not_there(call: Call, broken: Exception, given: _Given) -> AwsError | None:
    sought = broken.args if isinstance(broken, KeyError) else ()
    if isinstance(broken, StopIteration) and given:  # a search that found nothing
        sought = (given[0][1],)
    if call.protocol == "ec2" and "'NoneType' object" in str(broken):
        sought = tuple(text for name, text in given if name.endswith("Id"))[:1]
    return _absent(call, [each for each in given if each[1] in sought])


def _absent(call: Call, sought: _Given) -> AwsError | None:
    """botocore's model of EC2 has no errors (EC2 API reference, "Error codes for the Amazon EC2
    API")."""
    if not sought:
        return None
    name, text = sought[0]
    what = f"{name} '{text}' does not exist"
    if call.protocol == "ec2":
        return AwsError(f"Invalid{re.sub('Ids?$', 'ID', name)}.NotFound", what)
    return _error(call, f"{_ABSENT}|^NoSuch{name.lower().removesuffix('id')}$", what)


def _left_out(call: Call, broken: Exception, given: _Given) -> AwsError | None:
    """A member that the emulator needs and AWS may not."""
    shape = call.model.input_shape
    members = {} if shape is None else shape.members
    if shape is not None and isinstance(broken, KeyError) and broken.args[0] in _names(shape):
        lacking = [str(broken.args[0])]
    elif "NoneType" in str(broken) or broken.args == (None,):
        lacking = [name for name in members if name not in call.parameters]
    else:
        return None
    what = f"the local AWS does not do {call.operation} without {' or '.join(lacking)}"
    return _error(call, _INVALID, what) if lacking else None


def _no_document(call: Call, broken: Exception, given: _Given) -> AwsError | None:
    """A text in JSON that holds something else than members."""
    if not isinstance(broken, TypeError | AttributeError):
        return None
    for name, text in given:
        with suppress(ValueError):
            if not isinstance(json.loads(text), dict):
                return _error(call, _INVALID, f"Invalid parameter: {name} is no document")
    return None


def _unreadable(call: Call, broken: Exception, given: _Given) -> AwsError | None:
    """A text that cannot be taken apart: an expression, a document, a place to copy from."""
    if not isinstance(broken, ValueError) and not re.match("(string|list) ind", str(broken)):
        return None
    return _error(call, _INVALID, f"the local AWS cannot read the request: {broken}")


_INVALID = "InvalidParameter|InvalidAttributeValue|InvalidArgument|InvalidInput"
_ABSENT = "NotFound|^NoSuchEntity|NotExist|NonExistent"


def _error(call: Call, kind: str, message: str) -> AwsError:
    """The operation's error of that kind; the usual one where it has none.

    S3's operations name few of theirs, but the service has them.
    """
    others = (each for each in call.model.service_model.error_shapes if "NoSuch" in each.name)
    for shape in (*call.model.error_shapes, *others):
        if re.search(kind, shape.name, re.IGNORECASE):
            said = shape.metadata.get("error", {})
            status = int(said.get("httpStatusCode", 404 if "NoSuch" in shape.name else 400))
            return AwsError(said.get("code", shape.name), message, status=status)
    return AwsError(call.invalid, message)


def _texts(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """Every text in a call's parameters, with the member that holds it."""
    if isinstance(value, Mapping):
        for own, each in value.items():
            yield from _texts(each, own)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, name)
    elif isinstance(value, str):
        yield name, value


def _names(shape: Any, above: frozenset[str] = frozenset()) -> frozenset[str]:
    """Every member's name in a shape, and as it is written."""
    if shape.name in above:
        return frozenset()
    inner = above | {shape.name}
    match shape.type_name:
        case "structure":
            written = {each.serialization.get("name") for each in shape.members.values()}
            own = frozenset({*shape.members, *written} - {None})
            return own.union(*(_names(each, inner) for each in shape.members.values()))
        case "list":
            return _names(shape.member, inner)
        case "map":
            return _names(shape.value, inner)
    return frozenset()

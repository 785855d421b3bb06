"""What is wrong with a request that the emulator broke on, though its model takes it.

The emulator looks things up by what it is given, and takes ARNs, paging tokens and documents apart,
without asking first. AWS answers those with an error of the operation, which botocore's model
names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from xml.parsers.expat import ExpatError

from moto.core.exceptions import ServiceException, _RESTError

from local_aws.protocol import AwsError
from local_aws.protocol.call import Call


def diagnosis(call: Call, broken: Exception) -> AwsError | None:
    """The error that AWS has for the request; None when nothing is known to be wrong with it."""
    given = [*_texts(call.parameters, ""), *_texts(call.query, "")]
    kinds = (_plain_words, _no_xml, _no_arn, _not_there, _unreadable)
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


def _unreadable(call: Call, broken: Exception, given: _Given) -> AwsError | None:
    """What cannot be looked up or taken apart: a token, an expression, a document, what is left
    out."""
    if not isinstance(broken, ValueError | LookupError | TypeError | AttributeError):
        return None
    what = f"the local AWS cannot read the request: {type(broken).__name__}: {broken}"
    return _error(call, _INVALID, what)


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

"""How what is there differs from what the template says: read back from the services.

Only properties that the template gives are compared, as AWS does (CloudFormation user guide,
"Detect unmanaged configuration changes with drift detection"); what a service
does not tell is taken for unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.context import LocalContext
from local_aws.resources import ResourceTypes
from local_aws.resources.api import is_absent
from local_aws.resources.base import Request
from local_aws.schemas import schema_of
from local_aws.services.cloudformation.engine.stacks import Resource, Stack, now
from local_aws.template import same

Drift = dict[str, Any]
"""One resource's drift, as DescribeStackResourceDrifts shows it."""

_ABSENT = object()


def drift_of(
    context: LocalContext, types: ResourceTypes, stack: Stack, resource: Resource
) -> Drift | None:
    """Compare a resource with what its service says of it; None for what cannot be read back.

    Raises botocore's ClientError when the service refuses to say.
    """
    provider = types.provider_of(resource.type, resource.kept)
    schema = schema_of(resource.type, stack.region)
    if provider is None or schema is None or not resource.physical_id:
        return None
    expected = {
        name: value
        for name, value in {**resource.properties, **resource.resolved}.items()
        if name not in schema.write_only
    }
    request = Request(
        context=context,
        region=stack.region,
        stack_name=stack.name,
        stack_id=stack.stack_id,
        logical_id=resource.logical_id,
        type_name=resource.type,
        properties=expected,
        physical_id=resource.physical_id,
        attributes=resource.attributes,
    )
    drift: Drift = {
        "StackId": stack.stack_id,
        "LogicalResourceId": resource.logical_id,
        "PhysicalResourceId": resource.physical_id,
        "ResourceType": resource.type,
        "ExpectedProperties": json.dumps(expected),
        "Timestamp": now(),
    }
    try:
        said = provider.read(request)
    except ClientError as error:
        if not is_absent(error):
            raise
        return {**drift, "StackResourceDriftStatus": "DELETED"}
    if said is None:
        return None
    actual = {
        name: found
        for name, value in expected.items()
        if (found := _as_written(value, _member(said, name, value))) is not _ABSENT
    }
    differences = list(_differences(expected, actual, ""))
    return {
        **drift,
        "ActualProperties": json.dumps(actual),
        "PropertyDifferences": differences,
        "StackResourceDriftStatus": "MODIFIED" if differences else "IN_SYNC",
    }


def as_found(context: LocalContext, types: ResourceTypes, stack: Stack) -> dict[str, Resource]:
    """The resources of ``stack`` that have drifted, as they are now, by logical id.

    One that is gone has no physical id, so that it is made again. What a service refuses to say
    is taken for unchanged.
    """
    found = {}
    for logical_id, resource in list(stack.version.resources.items()):
        try:
            drift = drift_of(context, types, stack, resource)
        except (ClientError, BotoCoreError):
            continue
        if drift is None or drift["StackResourceDriftStatus"] == "IN_SYNC":
            continue
        if drift["StackResourceDriftStatus"] == "DELETED":
            found[logical_id] = replace(resource, physical_id="", status="CREATE_FAILED")
            continue
        actual = json.loads(drift["ActualProperties"])
        changed = {each["PropertyPath"].split("/")[1] for each in drift["PropertyDifferences"]}
        properties = {
            name: actual[name] if name in changed else value
            for name, value in resource.properties.items()
            if name in actual or name not in changed
        }
        found[logical_id] = replace(resource, properties=properties)
    return found


def _member(said: Mapping[str, Any], name: str, default: Any) -> Any:
    """What is said under a name in any case; what is never told is as it was."""
    return next((item for key, item in said.items() if key.casefold() == name.casefold()), default)


def _as_written(expected: Any, actual: Any) -> Any:
    """What a service says, as the template would write it; alike where they cannot be compared."""
    if actual is None:
        return _ABSENT
    if isinstance(expected, str) and "{{resolve:" in expected:
        return expected
    if isinstance(expected, Mapping | list) and isinstance(actual, str):
        try:
            actual = json.loads(unquote(actual))
        except ValueError:
            return expected
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        known = {name.casefold() for name in expected}
        return {
            name: _as_written(value, _member(actual, name, value))
            for name, value in expected.items()
        } | {name: item for name, item in actual.items() if name.casefold() not in known}
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        found = [
            next((each for each in actual if _as_written(item, each) == item), None)
            for item in expected
        ]
        return expected if None not in found else [*map(_as_written, expected, actual)]
    if type(expected) in (dict, list) or type(actual) in (dict, list):
        return actual if type(expected) is type(actual) else expected
    return expected if _alike(expected, actual) else actual


def _alike(expected: Any, actual: Any) -> bool:
    """Whether two scalars are the same, 1 and 1.0 too."""
    try:
        return same(expected, actual) or float(expected) == float(actual)
    except (TypeError, ValueError):
        return False


def _differences(expected: Any, actual: Any, path: str) -> Iterator[dict[str, str]]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        for name in expected:
            if name in actual:
                yield from _differences(expected[name], actual[name], f"{path}/{name}")
            else:
                yield _difference("REMOVE", f"{path}/{name}", expected[name], None)
    elif not same(expected, actual):
        yield _difference("NOT_EQUAL", path, expected, actual)


def _difference(kind: str, path: str, expected: Any, actual: Any) -> dict[str, str]:
    return {
        "PropertyPath": path,
        "ExpectedValue": _text(expected),
        "ActualValue": _text(actual),
        "DifferenceType": kind,
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)

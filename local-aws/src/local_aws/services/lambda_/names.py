"""Which function a request means: names, partial and whole ARNs, qualifiers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from local_aws.context import ACCOUNT_ID
from local_aws.protocol import AwsError
from local_aws.services.lambda_.store import LATEST, Configuration, Function, Store, arn_of

_TARGET = re.compile(
    r"(?:arn:[a-z-]+:lambda:(?P<region>[a-z0-9-]+):)?(?:(?P<account>\d{12}):)?(?:function:)?"
    r"(?P<name>[A-Za-z0-9_.-]+)(?::(?P<qualifier>\$LATEST|[A-Za-z0-9_-]+))?"
)


@dataclass(frozen=True)
class Target:
    """A function by name, and the version or alias of it; qualifier "" is none."""

    name: str
    qualifier: str = ""

    @classmethod
    def parse(cls, text: str, region: str) -> Target:
        """Read a FunctionName. Raises `AwsError` for another region's or account's function."""
        found = _TARGET.fullmatch(text)
        if found is None:
            raise AwsError("ValidationException", f"'{text}' is no function's name or ARN")
        if found["region"] not in (None, region) or found["account"] not in (None, ACCOUNT_ID):
            raise _not_found(text)
        return cls(found["name"], found["qualifier"] or "")


def find_function(store: Store, region: str, given: Mapping[str, Any]) -> Function:
    """The function that FunctionName names; raises ResourceNotFoundException."""
    target = Target.parse(given["FunctionName"], region)
    function = store.find(region, target.name)
    if function is None:
        raise _not_found(arn_of(region, target.name))
    return function


def find_version(
    store: Store, region: str, given: Mapping[str, Any]
) -> tuple[Function, Configuration]:
    """The function and the version that FunctionName and Qualifier name, $LATEST without one."""
    function = find_function(store, region, given)
    qualifier = qualifier_of(given, region) or LATEST
    version = function.aliases.get(qualifier, {}).get("FunctionVersion", qualifier)
    configuration = function.versions.get(version)
    if configuration is None:
        raise _not_found(f"{function.arn}:{qualifier}")
    return function, configuration


def find_alias(function: Function, name: str) -> dict[str, Any]:
    """The alias of that name; raises ResourceNotFoundException."""
    alias = function.aliases.get(name)
    if alias is None:
        raise AwsError(
            "ResourceNotFoundException", f"Cannot find alias arn: {function.arn}:{name}", status=404
        )
    return alias


def qualifier_of(given: Mapping[str, Any], region: str) -> str:
    """The request's Qualifier, or that at the end of its FunctionName, or ""."""
    own = Target.parse(given["FunctionName"], region).qualifier
    return given.get("Qualifier") or own


def conflict(message: str) -> AwsError:
    """Lambda's error for what exists already or is in use."""
    return AwsError("ResourceConflictException", message, status=409)


def _not_found(arn: str) -> AwsError:
    return AwsError("ResourceNotFoundException", f"Function not found: {arn}", status=404)

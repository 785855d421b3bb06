"""Which function a request means: names, partial and whole ARNs, qualifiers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from local_aws.protocol import AwsError
from local_aws.services.lambda_.limits import invalid
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
        """Read a FunctionName. Raises `AwsError` for another region's function."""
        found = _TARGET.fullmatch(text)
        if found is None:
            raise AwsError("ValidationException", f"'{text}' is no function's name or ARN")
        if found["region"] not in (None, region):
            raise absent(
                f"Functions from '{found['region']}' are not reachable in this region ('{region}')"
            )
        return cls(found["name"], found["qualifier"] or "")

    @classmethod
    def of(cls, given: Mapping[str, Any], region: str) -> Target:
        """What a request's FunctionName and Qualifier name together.

        Raises as `parse`, and InvalidParameterValueException where the two differ.
        """
        target = cls.parse(given["FunctionName"], region)
        qualifier = given.get("Qualifier") or target.qualifier
        if target.qualifier not in ("", qualifier):
            raise invalid(
                "The derived qualifier from the function name does not match the specified "
                "qualifier."
            )
        return cls(target.name, qualifier)


def refuse_foreign(text: str, account: str) -> None:
    """Raise `AwsError` for a function that is named as one of another account than this."""
    found = _TARGET.fullmatch(text)
    if found is not None and found["account"] not in (None, account):
        raise AwsError(
            "AccessDeniedException",
            f"the functions of account {found['account']} are not those of the caller's, {account}",
            status=403,
        )


def find_function(store: Store, region: str, given: Mapping[str, Any]) -> Function:
    """The function that FunctionName names; raises ResourceNotFoundException."""
    target = Target.of(given, region)
    function = store.find(region, target.name)
    if function is None:
        raise _not_found(qualified(arn_of(store.account, region, target.name), target.qualifier))
    return function


def find_version(
    store: Store, region: str, given: Mapping[str, Any]
) -> tuple[Function, Configuration]:
    """The function and the version that FunctionName and Qualifier name, $LATEST without one."""
    function = find_function(store, region, given)
    qualifier = qualifier_of(given, region) or LATEST
    configuration = function.versions.get(version_of(function, qualifier))
    if configuration is None:
        raise _not_found(f"{function.arn}:{qualifier}")
    return function, configuration


def version_of(function: Function, qualifier: str) -> str:
    """The version that an alias of the function means; of what is no alias, itself."""
    version: str = function.aliases.get(qualifier, {}).get("FunctionVersion", qualifier)
    return version


def find_alias(function: Function, name: str) -> dict[str, Any]:
    """The alias of that name; raises ResourceNotFoundException."""
    alias = function.aliases.get(name)
    if alias is None:
        raise absent(f"Cannot find alias arn: {function.arn}:{name}")
    return alias


def qualifier_of(given: Mapping[str, Any], region: str) -> str:
    """The request's Qualifier, or that at the end of its FunctionName, or ""."""
    return Target.of(given, region).qualifier


def qualified(arn: str, qualifier: str) -> str:
    """The ARN of a version or alias; of the function itself for qualifier ""."""
    return f"{arn}:{qualifier}" if qualifier else arn


def session_name(function_name: str) -> str:
    """What a function's role is assumed as: such a name has two characters at least (recorded by
    LocalStack's suite, 2024)."""
    return function_name if len(function_name) > 1 else f"{function_name}@lambda_function"


def check_settled(function: Function) -> None:
    """Raise ResourceConflictException while $LATEST is not in place yet."""
    if LATEST not in function.settling:
        return
    if function.running(LATEST) is None:
        raise pending()
    raise conflict(
        "The operation cannot be performed at this time. An update is in progress for resource: "
        f"{function.arn}"
    )


def pending() -> AwsError:
    """Lambda's error for what asks for a version that is not in place yet."""
    return conflict(
        "The operation cannot be performed at this time. The function is currently in the "
        "following state: Pending"
    )


def check_revision(given: Mapping[str, Any], latest: str, *, told_by: str) -> None:
    """Raise PreconditionFailedException when the request is about an earlier revision."""
    if given.get("RevisionId") not in (None, latest):
        raise AwsError(
            "PreconditionFailedException",
            "The Revision Id provided does not match the latest Revision Id. Call the "
            f"{told_by} API to retrieve the latest Revision Id",
            status=412,
        )


def conflict(message: str) -> AwsError:
    """Lambda's error for what exists already or is in use."""
    return AwsError("ResourceConflictException", message, status=409)


def absent(message: str) -> AwsError:
    """Lambda's error for what is not there."""
    return AwsError("ResourceNotFoundException", message, status=404)


def _not_found(arn: str) -> AwsError:
    return absent(f"Function not found: {arn}")

"""The tags of a role's session: those that are asked for, and those that go on from role to role.

Keys are told apart whatever their case. Source: IAM user guide, "Pass session tags in AWS STS";
the refusals were recorded by LocalStack's suite.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from local_aws.permissions.sessions import RoleSession
from local_aws.protocol import AwsError


@dataclass(frozen=True, kw_only=True)
class SessionTags:
    """``given`` are asked for, ``inherited`` are the calling session's that go on; ``transitive``
    are the keys of all that go on from here."""

    given: Mapping[str, str]
    inherited: Mapping[str, str]
    transitive: frozenset[str]

    @property
    def all(self) -> Mapping[str, str]:
        """The session's."""
        return {**self.inherited, **self.given}

    @classmethod
    def asked(cls, parameters: Mapping[str, Any], caller: object) -> SessionTags:
        """Those of a call of AssumeRole; raises `AwsError` InvalidParameterValue."""
        tags = parameters.get("Tags") or []
        given = {tag["Key"]: tag["Value"] for tag in tags}
        keys = {key.lower() for key in given}
        if len(keys) < len(tags):
            raise _invalid(
                "Duplicate tag keys found. Please note that Tag keys are case insensitive."
            )
        goes_on = frozenset(key.lower() for key in parameters.get("TransitiveTagKeys") or [])
        if not goes_on <= keys:
            raise _invalid(
                "The specified transitive tag key must be included in the requested tags."
            )
        own = caller if isinstance(caller, RoleSession) else None
        before = frozenset() if own is None else own.transitive
        if before & keys:
            raise _invalid(
                "One of the specified transitive tag keys can't be set because it conflicts with a "
                "transitive tag key from the calling session."
            )
        known = {} if own is None else own.tags
        inherited = {key: value for key, value in known.items() if key.lower() in before}
        return cls(given=given, inherited=inherited, transitive=goes_on | before)


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidParameterValue", message)

"""Wildcards in policies that are meant, each with the reason that an auditor gets."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from constructs import IConstruct


def acknowledge_wildcard(construct: IConstruct, resource: str, reason: str) -> None:
    """Tells cdk-nag why policies below ``construct`` name ``resource``, which has a wildcard.

    One finding at a time: another wildcard on the same role is still reported.
    """
    shown = _as_cdk_nag_shows(cdk.Stack.of(construct).resolve(resource))
    cdk.Validations.of(construct).acknowledge(
        cdk.Acknowledgment(id=f"AwsSolutions-IAM5[Resource::{shown}]", reason=reason)
    )


def _as_cdk_nag_shows(value: Any) -> str:
    """A resolved value as finding ids spell it: references in angle brackets."""
    if isinstance(value, dict):
        ((function, argument),) = value.items()
        if function == "Ref":
            return f"<{argument}>"
        if function == "Fn::GetAtt":
            return f"<{'.'.join(argument)}>"
        if function == "Fn::Join":
            return str(argument[0]).join(_as_cdk_nag_shows(part) for part in argument[1])
        return _as_cdk_nag_shows(argument)
    return str(value)

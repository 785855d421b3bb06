"""What tests of resource types share: a changed resource, tags, a policy."""

from __future__ import annotations

from typing import Any

READS: dict[str, Any] = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}],
}


def changed_to(definition: dict[str, Any], **properties: Any) -> dict[str, Any]:
    """The resource with other properties; None takes one away."""
    merged = {**definition["Properties"], **properties}
    kept = {name: value for name, value in merged.items() if value is not None}
    return {**definition, "Properties": kept}


def tags_of(*pairs: str) -> list[dict[str, str]]:
    """Tags as types have them, of ``key=value``."""
    return [{"Key": key, "Value": value} for key, value in (pair.split("=") for pair in pairs)]

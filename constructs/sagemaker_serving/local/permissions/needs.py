"""What an API call needs to be allowed: actions, each on a resource.

An action is the service's prefix and the operation's name; where AWS calls it
otherwise, `_RENAMED` has it. Source: AWS service authorization reference,
read 2026-11-21.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sagemaker_serving.local.protocol.call import Call

from . import s3_needs
from .need import Need
from .resources import resources_of


def needs_of(call: Call, account: str) -> Sequence[Need]:
    """Everything that must be allowed for this call, in the order in which AWS judges it."""
    if call.service == "s3":
        return s3_needs.needs(call, account)
    prefix = _PREFIXES.get(call.service, call.service)
    name = _RENAMED.get((prefix, call.operation), call.operation)
    context = _context(call, prefix)
    found = list(resources_of(call, prefix, account)) or ["*"]
    return [Need(f"{prefix}:{name}", resource, context, quoted=False) for resource in found]


_PREFIXES = {"sagemaker-runtime": "sagemaker", "stepfunctions": "states"}

_RENAMED = {
    ("lambda", "Invoke"): "InvokeFunction",
    ("lambda", "InvokeAsync"): "InvokeFunction",
    ("lambda", "InvokeWithResponseStream"): "InvokeFunction",
    ("sns", "PublishBatch"): "Publish",
    ("sqs", "SendMessageBatch"): "SendMessage",
    ("sqs", "DeleteMessageBatch"): "DeleteMessage",
    ("sqs", "ChangeMessageVisibilityBatch"): "ChangeMessageVisibility",
}

_NEED_NOTHING = frozenset({"sts:GetCallerIdentity", "sts:GetSessionToken", "sts:AssumeRole"})
"""What needs no policy of the caller's, or, for AssumeRole, is judged by `Sts` with the trust."""


def is_open(need: Need) -> bool:
    """Whether no policy is asked for this."""
    return need.action in _NEED_NOTHING


def _context(call: Call, prefix: str) -> Mapping[str, str]:
    """Condition keys of single services, as far as a call has them."""
    given = {
        key: str(call.parameters[parameter])
        for key, parameter in _CONDITION_KEYS.get(prefix, {}).items()
        if parameter in call.parameters
    }
    tags = call.parameters.get("Tags") or call.parameters.get("tags")
    if isinstance(tags, list):
        for tag in tags:
            name, value = tag.get("Key", tag.get("key")), tag.get("Value", tag.get("value"))
            given[f"aws:requesttag/{str(name).lower()}"] = str(value)
    return given


_CONDITION_KEYS: dict[str, dict[str, str]] = {
    "cloudwatch": {"cloudwatch:namespace": "Namespace"},
    "sts": {"sts:rolesessionname": "RoleSessionName", "sts:externalid": "ExternalId"},
    "sns": {"sns:protocol": "Protocol", "sns:endpoint": "Endpoint"},
    "iam": {"iam:policyarn": "PolicyArn", "iam:permissionsboundary": "PermissionsBoundary"},
}

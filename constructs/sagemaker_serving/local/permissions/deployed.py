"""The policies in force: of roles and of resources, as the emulator keeps them.

Read from the emulator's own objects and not through its API: one call may be
judged against a dozen documents, and asking for each would cost more than the
call itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from moto.backends import get_backend

from .documents import Policy
from .evaluation import Policies

RESOURCE_DECIDES = frozenset({"kms"})
"""Services whose resources' policies must allow a call, or hand over to the account."""


@dataclass(frozen=True, kw_only=True)
class Role:
    """A role as it stands now."""

    arn: str
    trust: Policy
    policies: tuple[Policy, ...]
    boundary: Policy | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


def role_of(arn: str) -> Role | None:
    """The role of that ARN; None when there is none."""
    account, name = arn.split(":")[4], arn.rpartition("/")[2]
    iam = get_backend("iam")[account]["aws"]
    found = next((role for role in iam.roles.values() if role.name == name), None)
    if found is None or found.arn != arn:
        return None
    inline = (
        Policy.parse(document, name=f"inline policy '{policy}' of role {name}")
        for policy, document in dict(found.policies).items()
    )
    managed = (_managed(iam, policy) for policy in dict(found.managed_policies))
    boundary = found.permissions_boundary_arn
    return Role(
        arn=arn,
        trust=Policy.parse(found.assume_role_policy_document, name=f"trust policy of role {name}"),
        policies=(*inline, *managed),
        boundary=None if boundary is None else _managed(iam, boundary),
        tags={tag["Key"]: tag["Value"] for tag in _tags(found.tags)},
    )


def _managed(iam: Any, arn: str) -> Policy:
    policy = iam.managed_policies[arn]
    document = next(version.document for version in policy.versions if version.is_default)
    return Policy.parse(document, name=f"managed policy {arn}")


def _tags(tags: Any) -> list[dict[str, str]]:
    return list(tags.values()) if isinstance(tags, dict) else list(tags or ())


DocumentOf = Callable[[str, str, str], str | None]
"""``(region, account, name)`` to a policy's text; ``name`` is the last part of an ARN."""


def policies_of(role: Role | None, resource: str, more: Mapping[str, DocumentOf]) -> Policies:
    """What bears on a call of this role to this resource; see `resource_policy`."""
    service = resource.split(":")[2] if resource.startswith("arn:") else ""
    return Policies(
        identity=() if role is None else role.policies,
        boundary=None if role is None else role.boundary,
        resource=resource_policy(resource, more),
        resource_decides=service in RESOURCE_DECIDES,
    )


def resource_policy(resource: str, more: Mapping[str, DocumentOf]) -> Policy | None:
    """The policy of a bucket, key, topic or queue, or of what ``more`` knows by its service."""
    parts = resource.split(":", 5)
    if len(parts) < 6:
        return None
    _, _, service, region, account, name = parts
    document_of = more.get(service) or _DOCUMENTS.get(service)
    document = None if document_of is None else document_of(region, account, name)
    return None if not document else Policy.parse(document, name=f"policy of {resource}")


def key_arn(key: str, *, region: str, account: str) -> str | None:
    """The ARN of a KMS key by its id, ARN or alias; None when there is none."""
    backend = get_backend("kms")[account][region]
    found = backend.keys.get(backend.any_id_to_key_id(key))
    return None if found is None else str(found.arn)


def secret_arn(secret: str, *, region: str, account: str) -> str | None:
    """The ARN of a secret by its name or ARN; None when there is none."""
    found = get_backend("secretsmanager")[account][region].secrets.get(secret)
    return None if found is None else str(found.arn)


def bucket_of(name: str, account: str) -> Any:
    """The emulator's bucket; None when there is none."""
    return get_backend("s3")[account]["aws"].buckets.get(name)


def _bucket_policy(region: str, account: str, name: str) -> str | None:
    from moto.core import DEFAULT_ACCOUNT_ID

    bucket = bucket_of(name.partition("/")[0], account or DEFAULT_ACCOUNT_ID)
    return None if bucket is None or bucket.policy is None else bucket.policy.decode()


def _key_policy(region: str, account: str, name: str) -> str | None:
    key = get_backend("kms")[account][region].keys.get(name.removeprefix("key/"))
    return None if key is None else key.policy


def _topic_policy(region: str, account: str, name: str) -> str | None:
    topic = get_backend("sns")[account][region].topics.get(f"arn:aws:sns:{region}:{account}:{name}")
    return None if topic is None else topic.policy


def _queue_policy(region: str, account: str, name: str) -> str | None:
    queue = get_backend("sqs")[account][region].queues.get(name)
    policy = None if queue is None else queue.policy
    return json.dumps(policy) if isinstance(policy, dict) else policy


_DOCUMENTS: dict[str, DocumentOf] = {
    "s3": _bucket_policy,
    "kms": _key_policy,
    "sns": _topic_policy,
    "sqs": _queue_policy,
}

"""The policies in force: of roles and of resources, as the emulator keeps them.

Read from the emulator's own objects and not through its API: one call may be
judged against a dozen documents, and asking for each would cost more than the
call itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from moto.backends import get_backend

from local_aws.arn import Arn
from local_aws.permissions.service import DocumentOf
from local_aws.policies.documents import Policy
from local_aws.policies.evaluation import Policies

RESOURCE_DECIDES = frozenset({"kms"})
"""Services whose resources' policies must allow a call, or hand over to the account."""


@dataclass(frozen=True, kw_only=True)
class Attached:
    """What is attached to a user, a group or a role, as it stands now."""

    policies: tuple[Policy, ...]
    boundary: Policy | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Role(Attached):
    """A role as it stands now."""

    arn: str
    role_id: str
    trust: Policy


def attached_to(arn: str) -> Attached | None:
    """What is attached to the user, group or role of that ARN; None when there is none."""
    if ":group/" in arn:
        return _group_of(arn)
    return _user_of(arn) if ":user/" in arn else role_of(arn)


def role_of(arn: str) -> Role | None:
    """The role of that ARN; None when there is none."""
    iam, name = _iam_of(arn)
    roles = () if iam is None else iam.roles.values()
    found = next((role for role in roles if role.name == name), None)
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
        role_id=found.id,
        trust=Policy.parse(found.assume_role_policy_document, name=f"trust policy of role {name}"),
        policies=(*inline, *managed),
        boundary=None if boundary is None else _managed(iam, boundary),
        tags={tag["Key"]: tag["Value"] for tag in _tags(found.tags)},
    )


def _user_of(arn: str) -> Attached | None:
    """A user's own policies and those of its groups."""
    iam, name = _iam_of(arn)
    found = None if iam is None else iam.users.get(name)
    if found is None or found.arn != arn:
        return None
    holders = [(f"user {name}", found)]
    holders += [(f"group {group.name}", group) for group in iam.get_groups_for_user(name)]
    boundary = getattr(found, "permissions_boundary", None)
    return Attached(
        policies=_held(iam, holders),
        boundary=None if boundary is None else _managed(iam, boundary["PermissionsBoundaryArn"]),
        tags={tag["Key"]: tag["Value"] for tag in _tags(found.tags)},
    )


def _group_of(arn: str) -> Attached | None:
    iam, name = _iam_of(arn)
    found = None if iam is None else iam.groups.get(name)
    if found is None or found.arn != arn:
        return None
    return Attached(policies=_held(iam, [(f"group {name}", found)]))


def _held(iam: Any, holders: list[tuple[str, Any]]) -> tuple[Policy, ...]:
    """The policies of users and groups, each with what it is called."""
    inline = [
        Policy.parse(document, name=f"inline policy '{policy}' of {holder}")
        for holder, each in holders
        for policy, document in dict(each.policies).items()
    ]
    managed = [_managed(iam, policy) for _, each in holders for policy in each.managed_policies]
    return (*inline, *managed)


def _iam_of(arn: str) -> tuple[Any, str]:
    """The emulator's IAM of a user's or role's partition, None unused, and the name there."""
    parts = Arn.parse(arn)
    return get_backend("iam")[parts.account].get(parts.partition), arn.rpartition("/")[2]


def _managed(iam: Any, arn: str) -> Policy:
    """A managed policy; one that is gone, as a boundary may be, allows nothing."""
    policy = iam.managed_policies.get(arn)
    if policy is None:
        return Policy(name=f"managed policy {arn}", statements=())
    document = next(version.document for version in policy.versions if version.is_default)
    return Policy.parse(document, name=f"managed policy {arn}")


def _tags(tags: Any) -> list[dict[str, str]]:
    return list(tags.values()) if isinstance(tags, dict) else list(tags or ())


def policies_of(
    own: Attached | None, resource: str, more: Mapping[tuple[str, str], DocumentOf]
) -> Policies:
    """What bears on a call to this resource of whoever has these policies."""
    return Policies(
        identity=() if own is None else own.policies,
        boundary=None if own is None else own.boundary,
        resource=resource_policy(resource, more),
        resource_decides=Arn.parse(resource).service in RESOURCE_DECIDES,
    )


def resource_policy(resource: str, more: Mapping[tuple[str, str], DocumentOf]) -> Policy | None:
    """The policy of a bucket, key, topic, queue or function; ``more`` finds it, by account and
    service."""
    parts = Arn.parse(resource)
    document_of = more.get((owner_of(resource), parts.service))
    document = None if document_of is None else document_of(parts)
    return None if not document else Policy.parse(document, name=f"policy of {resource}")


def has_no_public_policy(resource: str) -> bool:
    """Whether a bucket rules out that its policy lets everyone in."""
    return _blocks(resource, "restrict_public_buckets")


def is_public_by_list(action: str, resource: str) -> bool:
    """Whether an access control list of S3 gives this to everyone.

    Source: S3 user guide, "Access control list (ACL) overview".
    """
    bucket = _bucket_in(resource)
    if bucket is None or _blocks(resource, "ignore_public_acls"):
        return False
    if action in ("s3:GetObject", "s3:GetObjectVersion"):
        listed, permission = bucket.keys.get(resource.partition("/")[2]), "READ"
    else:
        listed, permission = bucket, _OF_BUCKETS.get(action, "")
    acl = None if listed is None else listed.acl
    return acl is not None and any(
        grantee.uri == _ALL_USERS and {permission, "FULL_CONTROL"} & set(grant.permissions)
        for grant in acl.grants
        for grantee in grant.grantees
    )


_ALL_USERS = "http://acs.amazonaws.com/groups/global/AllUsers"
_OF_BUCKETS = {
    "s3:ListBucket": "READ",
    "s3:ListBucketVersions": "READ",
    "s3:ListBucketMultipartUploads": "READ",
    "s3:PutObject": "WRITE",
    "s3:DeleteObject": "WRITE",
}


def _blocks(resource: str, setting: str) -> bool:
    """Whether a setting of the bucket's public access block is on."""
    bucket = _bucket_in(resource)
    block = None if bucket is None else bucket.public_access_block
    return block is not None and bool(getattr(block, setting))


def _bucket_in(resource: str) -> Any:
    """The emulator's bucket that an ARN of S3 begins with; None for all else."""
    parts = Arn.parse(resource)
    return bucket_of(parts.resource.partition("/")[0]) if parts.service == "s3" else None


def owner_of(resource: str) -> str:
    """The account in an ARN, or of the bucket that it is of; "" for none."""
    bucket = _bucket_in(resource)
    return Arn.parse(resource).account if bucket is None else str(bucket.account_id)


def key_arn(key: str, account: str, region: str) -> str | None:
    """The ARN of a KMS key by itself, or by an id or alias in an account; None without one."""
    backend = get_backend("kms")[Arn.parse(key).account or account][region]
    if key.startswith("alias/") or ":alias/" in key:
        # The emulator breaks on an alias that is not there.
        key = backend.get_key_id_from_alias(key[key.index("alias/") :]) or ""
    found = backend.keys.get(backend.any_id_to_key_id(key))
    return None if found is None else str(found.arn)


def secret_arn(secret: str, account: str, region: str) -> str | None:
    """The ARN of a secret by its ARN, or its name in an account; None when there is none."""
    owner = Arn.parse(secret).account or account
    found = get_backend("secretsmanager")[owner][region].secrets.get(secret)
    return None if found is None else str(found.arn)


def bucket_of(name: str) -> Any:
    """The emulator's bucket, of whichever account and partition; None when there is none.

    The emulator finds a bucket from everywhere, so its policy counts everywhere.
    """
    backends = get_backend("s3")
    partition, account = backends.bucket_accounts.get(name, ("", ""))
    return backends[account][partition].buckets.get(name) if account else None


def tags_of_object(bucket: str, key: str) -> Mapping[str, str]:
    """The tags of an object; none where there is no such object."""
    backends, found = get_backend("s3"), bucket_of(bucket)
    stored = None if found is None else found.keys.get(key)
    if stored is None:
        return {}
    partition, account = backends.bucket_accounts[bucket]
    tags: Mapping[str, str] = backends[account][partition].tagger.get_tag_dict_for_resource(
        stored.arn
    )
    return tags

"""Cognito's user pools, which the emulator answers: users sign in, and get signed tokens.

Nothing is sent by e-mail or SMS, no trigger's function runs, and no page to sign in with is shown.
"""

from __future__ import annotations

import re
import secrets
import string
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from moto.backends import get_backend
from moto.cognitoidp.models import CognitoIdpUserPoolAttribute

from local_aws.context import LocalContext
from local_aws.permissions.service import Refusal, ServicePermissions, first
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Action, Limit, Service

from .resources import providers

_ISSUER = re.compile(
    r"https://cognito-idp\.(?P<region>[a-z0-9-]+)\.amazonaws\.com(\.cn)?/(?P<pool>[\w-]+)"
)


def _named(call: Call) -> Iterator[str]:
    pool = first(call.parameters, "UserPoolId")
    if pool is not None:
        yield f"userpool/{pool}"


class CognitoIdp(Service):
    """User pools."""

    name = "cognito-idp"
    invalid = "InvalidParameterException"
    limits = (
        Limit("messages to users", "none is sent; an administrator sets and confirms"),
        Limit("triggers (LambdaConfig)", "kept; no function is called"),
        Limit("domains, resource servers, identity providers of pools", "kept by their schemas"),
        Limit("tokens", "signed with a key that is no secret: it is the emulator's"),
    )
    permissions = ServicePermissions(
        prefix="cognito-idp",
        resources=_named,
        denied=Refusal(code="AccessDeniedException", status=400),
    )

    def __init__(self, context: LocalContext) -> None:
        self._account = context.account_id
        context.issuers.own.append(self._keys_of)

    def actions(self) -> Mapping[str, Action]:
        """What the emulator does differently: a pool's id, and what it forgets of one that is
        changed."""
        return {"CreateUserPool": _create, "UpdateUserPool": _update}

    def check(self, call: Call) -> None:
        """Raise `AwsError`, too, for the end of a pool that is protected from it."""
        super().check(call)
        if call.operation == "DeleteUserPool":
            pool = _pools(call.account, call.region).get(call.parameters["UserPoolId"])
            if pool is not None and pool.extended_config.get("DeletionProtection") == "ACTIVE":
                raise AwsError(
                    "InvalidParameterException",
                    "The user pool cannot be deleted because deletion protection is activated. "
                    "Deletion protection must be inactivated first.",
                )

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return providers()

    def _keys_of(self, issuer: str) -> Mapping[str, Any] | None:
        """The keys that a pool of this account signs with; None for any other issuer."""
        found = _ISSUER.fullmatch(issuer)
        pools = {} if found is None else _pools(self._account, found["region"])
        pool = None if found is None else pools.get(found["pool"])
        if pool is None:
            return None
        return {"keys": [{**pool.json_web_key.as_dict(private=False), "kid": _KEY_ID}]}


_KEY_ID = "dummy"
"""What the emulator's tokens say of their key."""

_SETTLED = ("AliasAttributes", "UsernameAttributes", "UsernameConfiguration")
"""What UpdateUserPool does not take."""


def _create(call: Call) -> dict[str, Any]:
    """A pool whose id has nine letters and digits, and which has the standard attributes whatever
    others it has, as on AWS."""
    backend = get_backend("cognito-idp")[call.account][call.region]
    given = dict(call.parameters)
    pool = backend.create_user_pool(given.pop("PoolName"), given)
    del backend.user_pools[pool.id]
    short = "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(9))
    pool.arn = pool.arn.replace(pool.id, f"{call.region}_{short}")
    pool.id = f"{call.region}_{short}"
    backend.user_pools[pool.id] = pool
    for name, schema in CognitoIdpUserPoolAttribute.STANDARD_SCHEMA.items():
        pool.schema_attributes.setdefault(name, CognitoIdpUserPoolAttribute(name, False, schema))
    return {"UserPool": pool.to_json(extended=True)}


def _update(call: Call) -> dict[str, Any]:
    backend = get_backend("cognito-idp")[call.account][call.region]
    pool = backend.describe_user_pool(call.parameters["UserPoolId"])
    changed = {name: value for name, value in call.parameters.items() if name != "UserPoolId"}
    pool.name = changed.pop("PoolName", pool.name)
    settled = {
        name: pool.extended_config[name] for name in _SETTLED if name in pool.extended_config
    }
    backend.update_user_pool(pool.id, {**settled, **changed})
    pool.mfa_config = changed.get("MfaConfiguration", pool.mfa_config)
    return {}


def _pools(account: str, region: str) -> Mapping[str, Any]:
    pools: Mapping[str, Any] = get_backend("cognito-idp")[account][region].user_pools
    return pools

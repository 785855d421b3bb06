"""Authorizers of type COGNITO_USER_POOLS: a user pool's tokens let callers in.

Sources: API Gateway developer guide, "Control access to REST APIs using Amazon Cognito user pools
as an authorizer"; API reference, Authorizer, "identityValidationExpression". That
lists of a token are joined by commas is unverified, and so are the words for one that has expired.
"""

from __future__ import annotations

import re
from typing import Any

from local_aws.arn import Arn
from local_aws.issuers import Issuers
from local_aws.web.records import Record
from local_aws.web.tokens import BadToken, Expired, as_texts, scopes_of, verified

from .failures import GatewayFailure


def claims_of_user(
    token: str, authorizer: Record, method: Record, issuers: Issuers
) -> dict[str, str]:
    """What a token of one of the authorizer's pools says, as text. Raises `GatewayFailure`.

    A method with scopes wants one of them; any other wants an identity token.
    """
    claims = _verified(re.sub(r"(?i)^bearer\s+", "", token), authorizer, issuers)
    wanted = method.get("authorizationScopes") or ()
    if wanted:
        is_in = bool(set(wanted) & set(scopes_of(claims)))
    else:
        is_in = claims.get("token_use") == "id"
    pattern = authorizer.get("identityValidationExpression")
    if pattern and not re.fullmatch(pattern, str(claims.get("aud", ""))):
        is_in = False
    if not is_in:
        raise GatewayFailure("UNAUTHORIZED", "Unauthorized")
    lists = {name: ",".join(map(str, each)) for name, each in claims.items() if _is_list(each)}
    return as_texts({**claims, **lists})


def _verified(token: str, authorizer: Record, issuers: Issuers) -> dict[str, Any]:
    said = "Unauthorized"
    for pool in authorizer.get("providerARNs") or ():
        try:
            return verified(token, issuers, _issuer(str(pool)))
        except Expired:
            said = "The incoming token has expired"
        except BadToken:
            continue
    raise GatewayFailure("UNAUTHORIZED", said)


def _issuer(pool_arn: str) -> str:
    arn = Arn.parse(pool_arn)
    return f"https://cognito-idp.{arn.region}.amazonaws.com/{arn.resource.partition('/')[2]}"


def _is_list(value: Any) -> bool:
    return isinstance(value, list)

"""Methods that a user pool's tokens open."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.gateway import Gateway
from tests.local_aws.aws import REGION
from tests.local_aws.functions import ACCOUNT, Functions, Stacks
from tests.local_aws.services.apigateway.rest import Rest
from tests.local_aws.user_pools import OUTPUTS, RESOURCES, Tokens, sign_in
from tests.local_aws.web import ECHO


@pytest.fixture(scope="module", autouse=True)
def _made(functions: Functions) -> None:
    functions.create("echo", ECHO)


@pytest.fixture(scope="module")
def pool(gateway: Gateway, functions: Functions) -> tuple[str, Tokens]:
    """A pool's ARN and tokens of somebody in it."""
    stacks = Stacks(gateway, functions)
    stacks.create("pool", {"Resources": RESOURCES, "Outputs": OUTPUTS})
    made = stacks.outputs("pool")
    tokens = sign_in(stacks.functions.client("cognito-idp"), made["Pool"], made["Client"])
    return f"arn:aws:cognito-idp:{REGION}:{ACCOUNT}:userpool/{made['Pool']}", tokens


def led(rest: Rest, pool: str, *scopes: str, **authorizer: Any) -> None:
    """A method that wants a token of the pool."""
    made = rest.api.create_authorizer(
        restApiId=rest.id,
        name="pool",
        type="COGNITO_USER_POOLS",
        providerARNs=[pool],
        identitySource="method.request.header.Authorization",
        **authorizer,
    )["id"]
    more = {"authorizationScopes": list(scopes)} if scopes else {}
    rest.lead_to(
        "echo", "/", "GET", authorizationType="COGNITO_USER_POOLS", authorizerId=made, **more
    )
    rest.let_in("echo")
    rest.deploy()


def test_an_identity_token_is_let_in_and_its_claims_are_handed_on(
    rest: Rest, pool: tuple[str, Tokens]
) -> None:
    arn, tokens = pool
    led(rest, arn)
    for token in (tokens.identity, f"Bearer {tokens.identity}"):
        claims = rest.ask(headers={"Authorization": token}).json["requestContext"]["authorizer"]
        assert claims["claims"]["cognito:username"] == "ada"
        assert claims["claims"]["cognito:groups"] == "readers"
    for headers in ({}, {"Authorization": "ey.ey.ey"}, {"Authorization": tokens.access}):
        answer = rest.ask(headers=headers)
        assert (answer.status, answer.json) == (401, {"message": "Unauthorized"})


def test_a_method_with_scopes_wants_an_access_token_of_one(
    rest: Rest, pool: tuple[str, Tokens]
) -> None:
    arn, tokens = pool
    led(rest, arn, "aws.cognito.signin.user.admin", "other")
    assert rest.ask(headers={"Authorization": tokens.access}).status == 200
    assert rest.ask(headers={"Authorization": tokens.identity}).status == 401


@pytest.mark.parametrize(
    ("pattern", "status"), [("[a-z0-9]+", 200), ("another", 401)], ids=["its client", "another"]
)
def test_the_client_of_a_token_is_held_to_the_pattern(
    rest: Rest, pool: tuple[str, Tokens], pattern: str, status: int
) -> None:
    arn, tokens = pool
    led(rest, arn, identityValidationExpression=pattern)
    assert rest.ask(headers={"Authorization": tokens.identity}).status == status

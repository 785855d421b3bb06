"""JWT authorizers of HTTP APIs: a user pool's tokens, and those of an issuer elsewhere."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from botocore.exceptions import ClientError
from joserfc import jwk, jwt

from local_aws.gateway import Gateway
from tests.local_aws.aws import REGION
from tests.local_aws.functions import ACCOUNT, Functions, Stacks
from tests.local_aws.user_pools import OUTPUTS, RESOURCES, Tokens, sign_in
from tests.local_aws.web import ECHO, Answer, ask

Sign = Callable[..., str]


class Api:
    """An HTTP API whose routes want a token: any, or one of a scope."""

    def __init__(self, functions: Functions, issuer: str, *audience: str) -> None:
        self.api = functions.client("apigatewayv2")
        self.id = self.api.create_api(Name="tokens", ProtocolType="HTTP")["ApiId"]
        self.api.create_stage(ApiId=self.id, StageName="$default", AutoDeploy=True)
        self.url = f"{functions.url}/_aws/execute-api/{self.id}"
        self.authorizer = self.api.create_authorizer(
            ApiId=self.id,
            Name="tokens",
            AuthorizerType="JWT",
            IdentitySource=["$request.header.Authorization"],
            JwtConfiguration={"Issuer": issuer, "Audience": list(audience)},
        )["AuthorizerId"]
        self._function = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:echo"
        functions.api.add_permission(
            FunctionName="echo",
            StatementId=self.id,
            Action="lambda:InvokeFunction",
            Principal="apigateway.amazonaws.com",
        )
        self.lead("GET /any", "2.0")
        self.lead("GET /old", "1.0")
        self.lead("GET /read", "2.0", AuthorizationScopes=["read", "write"])

    def lead(self, key: str, version: str, **more: Any) -> None:
        integration = self.api.create_integration(
            ApiId=self.id,
            IntegrationType="AWS_PROXY",
            IntegrationUri=self._function,
            PayloadFormatVersion=version,
        )["IntegrationId"]
        self.api.create_route(
            ApiId=self.id,
            RouteKey=key,
            Target=f"integrations/{integration}",
            AuthorizationType="JWT",
            AuthorizerId=self.authorizer,
            **more,
        )

    def ask(self, path: str, token: str | None) -> Answer:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return ask(f"{self.url}{path}", headers=headers)


@pytest.fixture(scope="module", autouse=True)
def _made(functions: Functions) -> None:
    functions.create("echo", ECHO)


@pytest.fixture(scope="module")
def issued(gateway: Gateway, functions: Functions) -> tuple[str, str, Tokens]:
    """A pool's issuer, its client and tokens of somebody in it."""
    stacks = Stacks(gateway, functions)
    stacks.create("pool", {"Resources": RESOURCES, "Outputs": OUTPUTS})
    made = stacks.outputs("pool")
    tokens = sign_in(stacks.functions.client("cognito-idp"), made["Pool"], made["Client"])
    return f"https://cognito-idp.{REGION}.amazonaws.com/{made['Pool']}", made["Client"], tokens


def test_a_token_of_a_user_pool_is_let_in_and_its_claims_are_handed_on(
    functions: Functions, issued: tuple[str, str, Tokens]
) -> None:
    issuer, client, tokens = issued
    api = Api(functions, issuer, client)
    for token, name in ((tokens.identity, "aud"), (tokens.access, "client_id")):
        handed = api.ask("/any", token).json["requestContext"]["authorizer"]["jwt"]
        assert handed["claims"]["iss"] == issuer
        assert handed["claims"][name] == client
        assert handed["claims"]["cognito:groups"] == "[readers]"
        assert handed["claims"]["exp"].isdigit()
        assert handed["scopes"] is None
    old = api.ask("/old", tokens.identity).json["requestContext"]["authorizer"]
    assert old["claims"]["cognito:username"] == "ada"


def test_a_token_of_another_pool_or_for_another_client_is_refused(
    functions: Functions, issued: tuple[str, str, Tokens]
) -> None:
    issuer, client, tokens = issued
    refused = Api(functions, issuer, "another").ask("/any", tokens.identity)
    assert (refused.status, refused.json) == (401, {"message": "Unauthorized"})
    assert refused.headers["www-authenticate"] == (
        'Bearer scope="" error="invalid_token" '
        'error_description="the token does not have a valid audience"'
    )
    other = Api(functions, f"{issuer}x", client).ask("/any", tokens.identity)
    assert other.status == 401


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[tuple[str, Sign]]:
    """An issuer that publishes its keys, and what it signs with."""
    key = jwk.RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})

    class Published(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pages = {
                "/.well-known/openid-configuration": {"jwks_uri": f"{issuer}/keys"},
                "/keys": {"keys": [key.as_dict(private=False)]},
            }
            content = json.dumps(pages[self.path]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing: it is a test's."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Published)
    issuer = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def sign(by: jwk.RSAKey = key, **claims: Any) -> str:
        header = {"alg": "RS256", "kid": "one"}
        known = {"iss": issuer, "aud": "app", "exp": int(time.time()) + 600, **claims}
        return jwt.encode(header, {k: v for k, v in known.items() if v is not None}, by)

    yield issuer, sign
    server.shutdown()
    server.server_close()


def test_an_issuer_elsewhere_is_asked_for_its_keys(
    functions: Functions, elsewhere: tuple[str, Sign]
) -> None:
    issuer, sign = elsewhere
    api = Api(functions, issuer, "app")
    assert api.ask("/any", sign(aud=["other", "app"])).status == 200
    other = jwk.RSAKey.generate_key(2048, {"kid": "one"})
    now = int(time.time())
    refused = [
        (None, "Bearer"),
        ("no.token.atall", "malformed"),
        (sign(by=other), "signature"),
        (sign(iss="https://example.com"), "issuer does not match"),
        (sign(aud=None, client_id="other"), "a valid audience"),
        (sign(exp=now - 1), "has expired"),
        (sign(nbf=now + 600), "not valid yet"),
        (sign(iat=now + 600), "not valid yet"),
    ]
    for token, said in refused:
        answer = api.ask("/any", token)
        assert (answer.status, answer.json) == (401, {"message": "Unauthorized"})
        assert said in answer.headers["www-authenticate"]


def test_a_route_with_scopes_wants_one_of_them(
    functions: Functions, elsewhere: tuple[str, Sign]
) -> None:
    issuer, sign = elsewhere
    api = Api(functions, issuer, "app")
    for claims in ({"scope": "write other"}, {"scp": ["write", "other"]}):
        handed = api.ask("/read", sign(**claims)).json["requestContext"]["authorizer"]["jwt"]
        assert handed["scopes"] == ["write", "other"]
    answer = api.ask("/read", sign(scope="other"))
    assert (answer.status, answer.json) == (403, {"message": "Forbidden"})
    assert 'scope="read write" error="insufficient_scope"' in answer.headers["www-authenticate"]


def test_what_names_no_issuer_or_no_such_authorizer_is_refused(functions: Functions) -> None:
    api = Api(functions, "https://example.com", "app")
    for configured, said in (
        ({"Audience": ["app"]}, "JwtConfiguration with Issuer and Audience"),
        ({"Issuer": "https://example.com"}, "JwtConfiguration with Issuer and Audience"),
    ):
        with pytest.raises(ClientError, match=said):
            api.api.create_authorizer(
                ApiId=api.id,
                Name="less",
                AuthorizerType="JWT",
                IdentitySource=["$request.header.Authorization"],
                JwtConfiguration=configured,
            )
    with pytest.raises(ClientError, match="needs the AuthorizerId of an authorizer of type JWT"):
        api.api.create_route(ApiId=api.id, RouteKey="GET /x", AuthorizationType="JWT")

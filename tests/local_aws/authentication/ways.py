"""Ways to call the local AWS without the right to; each gives the status it is answered with."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import boto3
from botocore.auth import HmacV1Auth, S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

from tests.local_aws.authentication.requests import signing_at
from tests.local_aws.aws import IMAGE, REGION, Aws, keys_of, policy
from tests.local_aws.permissions.callers import Caller

TEMPLATE = json.dumps(
    {
        "Resources": {
            "Intruder": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "intruder"}}
        }
    }
)
MODEL = {
    "ModelName": "intruder",
    "ExecutionRoleArn": "arn:aws:iam::123456789012:role/model",
    "PrimaryContainer": {"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"},
}
STACK = {"Action": "CreateStack", "StackName": "intruder", "TemplateBody": TEMPLATE}
FORM = "application/x-www-form-urlencoded; charset=utf-8"
JSON = "application/x-amz-json-1.1"
TARGET = "SageMaker.CreateModel"


@dataclass
class Door:
    """The local AWS as those see it who may not come in."""

    aws: Aws

    @property
    def port(self) -> int:
        port = urlsplit(self.aws.url).port
        assert port is not None
        return port

    @property
    def keys(self) -> Credentials:
        """The developer's."""
        given = keys_of(self.aws.gateway)
        return Credentials(given["aws_access_key_id"], given["aws_secret_access_key"])

    def send(
        self, method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> int:
        connection = http.client.HTTPConnection("localhost", self.port, timeout=120)
        connection.request(method, target, body, dict(headers or {}))
        answer = connection.getresponse()
        answer.read()
        return answer.status

    def signed(
        self,
        service: str = "sagemaker",
        *,
        keys: Credentials | None = None,
        at: float | None = None,
        body: bytes | None = None,
        method: str = "POST",
        path: str = "/",
        **headers: str,
    ) -> dict[str, str]:
        """The headers of a call that creates the model, signed for a service."""
        is_json = service in ("sagemaker", "iam")
        given = {"X-Amz-Target": TARGET, "Content-Type": JSON} if is_json else {}
        content = json.dumps(MODEL).encode() if body is None else body
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = AWSRequest(method, f"{self.aws.url}{path}", {**given, **named}, content)
        signer = S3SigV4Auth if service == "s3" else SigV4Auth
        with signing_at(time.time() if at is None else at):
            signer(keys or self.keys, service, REGION).add_auth(request)
        return {
            name: value.decode() if isinstance(value, bytes) else value
            for name, value in request.headers.items()
        }

    def create_model(self, headers: Mapping[str, str], body: bytes | None = None) -> int:
        content = json.dumps(MODEL).encode() if body is None else body
        return self.send("POST", "/", headers, content)

    def presigned(self, operation: str, version: str = "s3v4", **more: Any) -> str:
        client = boto3.client(
            "s3",
            region_name=REGION,
            endpoint_url=self.aws.url,
            config=Config(signature_version=version),
            **keys_of(self.aws.gateway),
        )
        place = {"Bucket": "models", "Key": "mine", **more.pop("Params", {})}
        url: str = client.generate_presigned_url(operation, Params=place, **more)
        return url.removeprefix(self.aws.url)


Way = Callable[[Door], int]
WAYS: dict[str, Way] = {}


def way(attempt: Way) -> Way:
    """One of the ways; it returns the status that it was answered with."""
    WAYS[attempt.__name__.replace("_", " ")] = attempt
    return attempt


@way
def an_image_tag(door: Door) -> int:
    return door.send("GET", f"/?{urlencode(STACK)}", {"Sec-Fetch-Site": "cross-site"})


@way
def a_url_that_somebody_typed(door: Door) -> int:
    return door.send("GET", f"/?{urlencode(STACK)}", {"Sec-Fetch-Site": "none"})


@way
def a_query_without_a_signature(door: Door) -> int:
    return door.send("GET", f"/?{urlencode(STACK)}")


@way
def a_form_without_a_signature(door: Door) -> int:
    return door.send("POST", "/", {"Content-Type": FORM}, urlencode(STACK).encode())


@way
def a_signed_form_of_another_type(door: Door) -> int:
    body = urlencode(STACK).encode()
    signed = door.signed("cloudformation", body=body, Content_Type="text/plain")
    return door.send("POST", "/", signed, body)


@way
def json_without_a_signature(door: Door) -> int:
    return door.create_model({"X-Amz-Target": TARGET, "Content-Type": JSON})


@way
def json_as_text(door: Door) -> int:
    return door.create_model(door.signed(Content_Type="text/plain"))


@way
def another_secret(door: Door) -> int:
    return door.create_model(door.signed(keys=Credentials(door.keys.access_key, "guessed")))


@way
def a_changed_body(door: Door) -> int:
    return door.create_model(door.signed(body=b"{}"))


@way
def a_changed_target(door: Door) -> int:
    signed = door.signed(X_Amz_Target="SageMaker.ListModels")
    return door.create_model({**signed, "X-Amz-Target": TARGET})


@way
def another_services_scope(door: Door) -> int:
    """The body and the target are SageMaker's, the signature is for IAM."""
    return door.create_model(door.signed("iam"))


@way
def a_replay_after_a_quarter_of_an_hour(door: Door) -> int:
    return door.create_model(door.signed(at=time.time() - 901))


@way
def a_foreign_host(door: Door) -> int:
    return door.create_model(door.signed(Host=f"evil.example:{door.port}"))


@way
def a_foreign_origin(door: Door) -> int:
    return door.create_model({**door.signed(), "Origin": "https://evil.example"})


@way
def a_preflight(door: Door) -> int:
    return door.send(
        "OPTIONS", "/", {"Origin": "https://evil.example", "Access-Control-Request-Method": "PUT"}
    )


@way
def a_private_object(door: Door) -> int:
    return door.send("GET", "/models/mine")


@way
def a_list_of_a_private_bucket(door: Door) -> int:
    return door.send("GET", "/models?list-type=2")


@way
def an_upload_without_a_signature(door: Door) -> int:
    return door.send("PUT", "/models/intruder", {"Content-Type": "text/plain"}, b"x")


@way
def a_deletion_without_a_signature(door: Door) -> int:
    return door.send("DELETE", "/models/mine")


@way
def a_bucket_without_a_signature(door: Door) -> int:
    return door.send("PUT", "/intruder")


@way
def a_url_for_another_key(door: Door) -> int:
    return door.send("GET", door.presigned("get_object").replace("/mine", "/model.tar.gz"))


@way
def an_upload_url_in_a_page_of_another_site(door: Door) -> int:
    target = door.presigned("put_object", Params={"Key": "intruder"})
    return door.send("PUT", target, {"Origin": "https://evil.example"}, b"x")


@way
def a_changed_object(door: Door) -> int:
    path = "/models/intruder"
    signed = door.signed("s3", method="PUT", path=path, body=b"one")
    return door.send("PUT", path, signed, b"two")


@way
def an_old_signature_of_nothing(door: Door) -> int:
    request = AWSRequest("PUT", f"{door.aws.url}/models/intruder", data=b"x")
    HmacV1Auth(Credentials(door.keys.access_key, "guessed")).add_auth(request)
    return door.send("PUT", "/models/intruder", dict(request.headers.items()), b"x")


@way
def a_sessions_key_without_its_token(door: Door) -> int:
    session = Caller(door.aws, {"Effect": "Allow", "Action": "*", "Resource": "*"}).session
    keys = Credentials(session.access_key_id, session.secret_access_key)
    return door.create_model(door.signed(keys=keys))


@way
def a_role_that_was_granted_nothing(door: Door) -> int:
    session = Caller(door.aws).session
    keys = Credentials(session.access_key_id, session.secret_access_key, session.session_token)
    return door.create_model(door.signed(keys=keys))


@way
def a_user_that_was_granted_nothing(door: Door) -> int:
    iam = door.aws.client("iam")
    iam.create_user(UserName="poor")
    made = iam.create_access_key(UserName="poor")["AccessKey"]
    keys = Credentials(made["AccessKeyId"], made["SecretAccessKey"])
    status = door.create_model(door.signed(keys=keys))
    iam.delete_access_key(UserName="poor", AccessKeyId=made["AccessKeyId"])
    iam.delete_user(UserName="poor")
    return status


@way
def a_deleted_users_key(door: Door) -> int:
    iam = door.aws.client("iam")
    iam.create_user(UserName="gone")
    everything = policy({"Effect": "Allow", "Action": "*", "Resource": "*"})
    iam.put_user_policy(UserName="gone", PolicyName="all", PolicyDocument=everything)
    made = iam.create_access_key(UserName="gone")["AccessKey"]
    iam.delete_access_key(UserName="gone", AccessKeyId=made["AccessKeyId"])
    iam.delete_user_policy(UserName="gone", PolicyName="all")
    iam.delete_user(UserName="gone")
    keys = Credentials(made["AccessKeyId"], made["SecretAccessKey"])
    return door.create_model(door.signed(keys=keys))


@way
def another_account_by_the_emulators_header(door: Door) -> int:
    headers = {"x-moto-account-id": "111111111111"}
    return door.send("PUT", "/intruder", headers)


@way
def a_prediction_without_a_signature(door: Door) -> int:
    return door.send("POST", "/endpoints/e/invocations", body=b"count")


@way
def a_function_without_a_signature(door: Door) -> int:
    return door.send("POST", "/2015-03-31/functions/f/invocations", body=b"{}")


@way
def the_emulators_reset(door: Door) -> int:
    return door.send("POST", "/moto-api/reset")


@way
def the_emulators_reset_by_a_role(door: Door) -> int:
    session = Caller(door.aws, {"Effect": "Allow", "Action": "iam:*", "Resource": "*"}).session
    keys = Credentials(session.access_key_id, session.secret_access_key, session.session_token)
    path = "/moto-api/reset"
    return door.send("POST", path, door.signed("iam", keys=keys, path=path, body=b""))


@way
def the_metadata_of_an_instance(door: Door) -> int:
    return door.send("GET", "/latest/meta-data/iam/security-credentials/default-role")


@way
def the_status_without_the_token(door: Door) -> int:
    return door.send("GET", "/_local/status")


@way
def the_status_with_another_token(door: Door) -> int:
    return door.send("GET", "/_local/permissions", {"Authorization": "Bearer guessed"})


@way
def a_fault_without_the_token(door: Door) -> int:
    body = json.dumps({"faults": [{"kind": "throttling"}]}).encode()
    return door.send("PUT", "/_local/faults", {"Content-Type": "text/plain"}, body)


@way
def the_status_with_a_developers_signature_alone(door: Door) -> int:
    return door.send("GET", "/_local/status", door.signed(method="GET", path="/_local/status"))


@way
def a_guessed_answer_of_a_custom_resource(door: Door) -> int:
    return door.send("PUT", f"/_local/callbacks/{quote('guessed')}", body=b'{"Status": "SUCCESS"}')


@way
def a_guessed_zip_of_a_function(door: Door) -> int:
    return door.send("GET", f"/_local/lambda-code/{'0' * 64}/{'0' * 64}")

"""The OpenAI route: whom it lets in, what the container is asked, and how it refuses."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import urllib3

from local_aws.credentials import ACCOUNT_ID
from sagemaker_serving.client import Aws as ClientAws
from sagemaker_serving.client import Predictor
from sagemaker_serving.errors import Mistake
from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import REGION, Aws, eventually, policy, running

VLLM = f"763104351884.dkr.ecr.{REGION}.amazonaws.com/vllm:0.27.1-gpu-py312"
ASKED = {"model": "", "messages": [{"role": "user", "content": "What is 42 * 3?"}]}
SAYS = "no model has answered: a stub of the local AWS"
ON_ENDPOINT = f"arn:aws:sagemaker:{REGION}:{ACCOUNT_ID}:endpoint/chat"


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """Endpoint "chat" of vLLM's image, which a stub serves, and "parts" with component "part"."""
    with running(
        tmp_path_factory.mktemp("openai"), settings=Settings(engines={"vllm": "stub"})
    ) as gateway:
        aws = Aws(gateway)
        aws.model("words", Image=VLLM)
        assert aws.endpoint("chat", aws.config("chat", {"v": "words"}))["EndpointStatus"]
        aws.sagemaker.create_endpoint_config(
            EndpointConfigName="parts",
            ExecutionRoleArn=f"arn:aws:iam::{ACCOUNT_ID}:role/model",
            ProductionVariants=[
                {"VariantName": "v", "InstanceType": "ml.g5.2xlarge", "InitialInstanceCount": 1}
            ],
        )
        aws.endpoint("parts", "parts")
        aws.sagemaker.create_inference_component(
            InferenceComponentName="part",
            EndpointName="parts",
            VariantName="v",
            Specification={
                "ModelName": "words",
                "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128},
            },
            RuntimeConfig={"CopyCount": 1},
        )
        eventually(
            lambda: (
                aws.sagemaker.describe_inference_component(InferenceComponentName="part")[
                    "InferenceComponentStatus"
                ]
                == "InService"
            )
        )
        yield aws


def allow(action: str, *resources: str) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": f"sagemaker:{action}", "Resource": list(resources)}


def post(url: str, token: str, asked: Any = ASKED, **headers: str) -> tuple[int, Any]:
    """The status, and what the answer says: JSON, or text."""
    answer = urllib3.request(
        "POST",
        f"{url}/chat/completions",
        body=asked if isinstance(asked, bytes) else json.dumps(asked).encode(),
        headers={
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {token}"} if token else {}),
            **headers,
        },
        retries=False,
    )
    is_json = answer.headers["Content-Type"].startswith("application/json")
    return answer.status, json.loads(answer.data) if is_json else answer.data.decode()


def predictor(aws: Aws, endpoint: str = "chat", component: str | None = None) -> Predictor:
    keys = aws.gateway.context.credentials
    local = at(aws, keys.access_key_id, keys.secret_access_key)
    return Predictor(endpoint, local, component_name=component)


def at(aws: Aws, access_key_id: str, secret_access_key: str) -> ClientAws:
    return ClientAws(
        region=REGION,
        endpoint_url=aws.url,
        access_key_id=access_key_id,
        secret_access_key=secret_access_key,
    )


def test_a_client_of_openai_s_api_is_answered_by_the_container(aws: Aws) -> None:
    with predictor(aws) as chat:
        given = chat.openai()
    status, answer = post(given["base_url"], given["api_key"])
    assert (status, answer["object"]) == (200, "chat.completion")
    assert answer["choices"][0]["message"]["content"].startswith(SAYS)
    assert answer["usage"]["prompt_tokens"] == 5


def test_a_stream_comes_as_the_container_writes_it(aws: Aws) -> None:
    with predictor(aws) as chat:
        given = chat.openai(expires_seconds=60)
    status, text = post(given["base_url"], given["api_key"], {**ASKED, "stream": True})
    *events, last = [line.removeprefix("data: ") for line in text.split("\n\n") if line]
    assert (status, last) == (200, "[DONE]")
    parts = [json.loads(each)["choices"][0]["delta"]["content"] for each in events]
    assert len(parts) > 5
    assert "".join(parts).startswith(SAYS)


def test_a_component_is_named_in_the_path_and_nowhere_else(aws: Aws) -> None:
    with predictor(aws, "parts", "part") as part, predictor(aws, "parts") as whole:
        given, without = part.openai(), whole.openai()
    assert given["base_url"].endswith("/endpoints/parts/inference-components/part/openai/v1")
    assert post(given["base_url"], given["api_key"])[0] == 200
    header = {"X-Amzn-SageMaker-Inference-Component": "part"}
    status, answer = post(without["base_url"], without["api_key"], **header)
    assert status == 400
    assert "the path names the inference component" in answer["error"]["message"]


def test_what_the_model_refuses_is_told_in_openai_s_envelope(aws: Aws) -> None:
    with predictor(aws) as chat, predictor(aws, "nowhere") as nowhere:
        given, none = chat.openai(), nowhere.openai()
    status, answer = post(given["base_url"], given["api_key"], b"{}")
    assert (status, answer["error"]["code"], answer["error"]["type"]) == (
        *(400, "model_error"),
        "server_error",
    )
    assert "Received client error (400) from primary with message" in answer["error"]["message"]
    assert post(none["base_url"], none["api_key"]) == (
        400,
        {
            "error": {
                "message": f"Endpoint nowhere of account {ACCOUNT_ID} not found.",
                "type": "invalid_request_error",
                "code": "validation_error",
            }
        },
    )


@pytest.mark.denied("sagemaker:CallWithBearerToken", "sagemaker:InvokeEndpoint")
def test_a_token_does_what_its_role_may_and_no_more(aws: Aws) -> None:
    for number, (statements, missing) in enumerate(
        (
            ([allow("InvokeEndpoint", ON_ENDPOINT)], "sagemaker:CallWithBearerToken"),
            ([allow("CallWithBearerToken", ON_ENDPOINT)], "sagemaker:CallWithBearerToken"),
            ([allow("CallWithBearerToken", "*")], "sagemaker:InvokeEndpoint"),
            ([allow("CallWithBearerToken", "*"), allow("InvokeEndpoint", ON_ENDPOINT)], ""),
        )
    ):
        iam, name = aws.client("iam"), f"caller-{number}"
        iam.create_user(UserName=name)
        iam.put_user_policy(UserName=name, PolicyName="p", PolicyDocument=policy(*statements))
        keys = iam.create_access_key(UserName=name)["AccessKey"]
        with Predictor("chat", at(aws, keys["AccessKeyId"], keys["SecretAccessKey"])) as chat:
            given = chat.openai()
        status, answer = post(given["base_url"], given["api_key"])
        assert status == (403 if missing else 200)
        assert missing in json.dumps(answer)


def changed(token: str, was: str, now: str) -> str:
    prefix = "sagemaker-api-key-"
    url = base64.b64decode(token.removeprefix(prefix)).decode()
    assert was in url
    return prefix + base64.b64encode(url.replace(was, now).encode()).decode()


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("X-Amz-Expires=43200", "X-Amz-Expires=43201", "longer than 12 hours"),
        ("X-Amz-Expires=43200", "X-Amz-Expires=43100", "does not match"),
        ("sagemaker.amazonaws.com", "bedrock.amazonaws.com", "none of SageMaker's"),
        ("CallWithBearerToken", "DeleteEndpoint", "none of SageMaker's"),
        ("%2Fsagemaker%2F", "%2Fs3%2F", "not signed for sagemaker"),
        ("X-Amz-Signature=", "X-Amz-Signature=0", "does not match"),
    ],
)
def test_a_token_that_was_changed_opens_nothing(aws: Aws, was: str, now: str, said: str) -> None:
    with predictor(aws) as chat:
        given = chat.openai()
    status, answer = post(given["base_url"], changed(given["api_key"], was, now))
    assert status == 403
    assert said in answer["error"]["message"]


def test_a_token_of_another_service_opens_nothing(aws: Aws) -> None:
    with predictor(aws) as chat:
        given = chat.openai()
    other = given["api_key"].replace("sagemaker-api-key-", "s3-api-key-")
    status, answer = post(given["base_url"], other)
    assert status == 403
    assert "make one with Predictor(…).bearer_token()" in answer["error"]["message"]


def test_without_credentials_no_token_is_made(
    aws: Aws, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    chat = Predictor("chat", ClientAws(region=REGION, endpoint_url=aws.url))
    with chat, pytest.raises(Mistake, match="there are no AWS credentials"):
        chat.openai()


def test_a_token_ends(aws: Aws) -> None:
    with predictor(aws) as chat:
        given = chat.openai(expires_seconds=1)
        with pytest.raises(Mistake, match="expires_seconds is 43201; a bearer token is good for"):
            chat.bearer_token(43201)
    ends = time.time() + 2.5
    while (answered := post(given["base_url"], given["api_key"]))[0] == 200:
        assert time.time() < ends + 60
    assert "expired" in answered[1]["error"]["message"]


def test_the_route_and_tokens_are_for_one_another_alone(aws: Aws) -> None:
    with predictor(aws) as chat:
        given = chat.openai()
    status, answer = post(given["base_url"], "")
    assert (status, answer["error"]["type"]) == (403, "invalid_request_error")
    elsewhere: Mapping[str, str] = {"Authorization": f"Bearer {given['api_key']}"}
    for path in ("/endpoints/chat/invocations", "/"):
        refused = urllib3.request("POST", aws.url + path, body=b"{}", headers=elsewhere)
        assert refused.status in (400, 403)
        assert b"Unsupported authorization type" in refused.data

"""InvokeEndpointWithBidirectionalStream, from a client's events to a container's WebSocket."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from botocore.credentials import Credentials

from local_aws import daemon
from local_aws.process.address import Address
from sagemaker_serving.client import Aws
from tests.clients_of_others.conftest import REGION, said_by
from tests.clients_of_others.test_streams import deploy_container, in_flight
from tests.local_aws.aws import eventually
from tests.two_way import TwoWay, two_way

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

HERE = Path(__file__).parent
PART = "PayloadPart"


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("talks") / "state"


@pytest.fixture(scope="module")
def address(state: Path) -> Iterator[Address]:
    """A local AWS with an endpoint "talker", and one "mute" whose image is served by a stub."""
    engines = f"team/talker=command:{sys.executable} {HERE / 'talker.py'}\nteam/mute=stub"
    address = daemon.start(
        state, port=0, with_parent=True, environment={"SAGEMAKER_SERVING_ENGINES": engines}
    )
    try:
        for name in ("talker", "mute"):
            deploy_container(Aws.at(address, REGION), name)
        yield address
    finally:
        daemon.stop(state)


@contextmanager
def talk(
    address: Address,
    endpoint: str = "talker",
    *,
    trust: Path | None = None,
    secret: str = "",
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[TwoWay]:
    keys = address.credentials
    signed = Credentials(keys.access_key_id, secret or keys.secret_access_key)
    url = address.url if trust is None else address.url.replace("http:", "https:")
    with two_way(url, endpoint, signed, REGION, trust=trust, headers=headers) as stream:
        yield stream


def test_each_part_is_answered_before_the_next_is_sent(address: Address) -> None:
    with talk(address) as stream:
        for content in (b"one", b"two", b"\xff\x00"):
            stream.send(content)
            kind, payload, headers = stream.next()
            assert (kind, payload) == (PART, content)
            assert (headers["DataType"], headers["CompletionState"]) == ("BINARY", "COMPLETE")
        assert stream.status == 200
        assert stream.headers["x-amzn-invoked-production-variant"] == "only"
        stream.end()
        assert stream.next()[0] == "end"


def test_tls_with_the_authority_that_is_left_in_the_state_folder(
    address: Address, state: Path
) -> None:
    with talk(address, trust=state / "ca.pem") as stream:
        stream.send(b"hello", {"DataType": "UTF8"})
        kind, payload, headers = stream.next()
        assert (kind, payload, headers["DataType"]) == (PART, b"hello", "UTF8")


def test_fragments_pass_as_fragments_in_both_directions(address: Address) -> None:
    with talk(address) as stream:
        stream.send(b"a", {"CompletionState": "PARTIAL"})
        stream.send(b"b", {"CompletionState": "PARTIAL"})
        stream.send(b"c", {"CompletionState": "COMPLETE"})
        told: list[tuple[bytes, str]] = []
        while not told or told[-1][1] == "PARTIAL":
            _, payload, headers = stream.next()
            told.append((payload, headers["CompletionState"]))
        assert b"".join(payload for payload, _ in told) == b"abc"
        assert len(told) > 1


def test_path_and_query_of_the_model(address: Address) -> None:
    given = {"Model-Invocation-Path": "v1/listen", "Model-Query-String": "model=small"}
    with talk(address, headers=given) as stream:
        assert stream.next()[:2] == (PART, b"/v1/listen?model=small")


@pytest.mark.parametrize("path", ["/v1/listen", "v1//listen", "v1/" + "x" * 100])
def test_a_path_that_aws_refuses_is_refused(address: Address, path: str) -> None:
    with talk(address, headers={"Model-Invocation-Path": path}) as stream:
        assert "ModelInvocationPath is" in stream.answer()["Message"]
        assert stream.headers["x-amzn-errortype"] == "InputValidationError"


def test_a_path_that_the_container_has_not_is_a_model_error(address: Address) -> None:
    with talk(address, headers={"Model-Invocation-Path": "nowhere"}) as stream:
        said = stream.answer()
        assert (stream.status, said["OriginalStatusCode"]) == (424, 404)
        assert said["OriginalMessage"] == "no /nowhere here"


def test_a_container_that_closes_ends_the_stream(address: Address) -> None:
    with talk(address) as stream:
        stream.send(b"close", {"DataType": "UTF8"})
        assert stream.next()[0] == "end"


@pytest.mark.parametrize(
    ("word", "why"),
    [
        (b"fail", "it closed with 1011 out of memory"),
        (b"die", "it closed the connection without a Close frame"),
    ],
)
def test_a_container_that_breaks_off_is_a_model_stream_error(
    address: Address, word: bytes, why: str
) -> None:
    eventually(lambda: answers(address))
    with talk(address) as stream:
        stream.send(b"first")
        assert stream.next()[1] == b"first"
        stream.send(word, {"DataType": "UTF8"})
        kind, payload, _ = stream.next()
        said = json.loads(payload)
        assert (kind, said["ErrorCode"]) == ("ModelStreamError", "StreamBroken")
        assert why in said["Message"]
        assert stream.next()[0] == "end"
    eventually(lambda: answers(address))


def answers(address: Address) -> bool:
    with talk(address) as stream:
        stream.send(b"there?")
        return stream.next()[0] == PART


def test_a_client_that_reads_slowly_loses_nothing(address: Address) -> None:
    """A container's 760 kB are more than a stream's window; what it is asked meanwhile arrives."""
    with talk(address) as stream:
        stream.send(b"count", {"DataType": "UTF8"})
        stream.send(b"x" * 300_000)
        told = [stream.next()[1] for _ in range(2001)]
        assert told[:2000] == [f"{number}".encode() * 100 for number in range(2000)]
        assert told[2000] == b"x" * 300_000


def test_a_client_that_leaves_ends_the_talk_with_the_container(address: Address) -> None:
    with talk(address) as stream:
        stream.send(b"hello")
        stream.next()
        eventually(lambda: in_flight(address, "talker") == 1)
        stream.leave()
        eventually(lambda: in_flight(address, "talker") == 0)


def test_an_event_that_is_signed_wrong_reaches_no_container(address: Address) -> None:
    with talk(address) as stream:
        stream.send(b"good")
        assert stream.next()[1] == b"good"
        stream.send(b"bad", signed=False)
        assert stream.next()[0] == "InvalidSignatureException"
        assert stream.next()[0] == "end"


def test_a_request_that_is_signed_wrong_opens_nothing(address: Address) -> None:
    with talk(address, secret="of somebody else") as stream:
        stream.answer()
        assert stream.status == 403
        assert stream.headers["x-amzn-errortype"] == "InvalidSignatureException"


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"DataType": "TEXT"}, "DataType is TEXT"),
        ({"CompletionState": "DONE"}, "CompletionState is DONE"),
    ],
)
def test_an_event_that_is_no_part_is_named(
    address: Address, members: dict[str, str], why: str
) -> None:
    with talk(address) as stream:
        stream.send(b"x", members)
        kind, _, headers = stream.next()
        assert kind == "InputValidationError"
        assert why in headers[":error-message"]


def test_what_stands_in_for_an_image_without_a_web_socket_is_refused_by_name(
    address: Address,
) -> None:
    with talk(address, "mute") as stream:
        said = stream.answer()["Message"]
        assert "nothing that opens a WebSocket in the place of image" in said
        assert "--engine REPOSITORY=command:PROGRAM" in said


def test_an_endpoint_or_variant_that_is_not_there(address: Address) -> None:
    with talk(address, "nobody") as stream:
        assert stream.answer()["Message"] == ("Endpoint nobody of account 123456789012 not found.")
    with talk(address, headers={"Target-Variant": "other"}) as stream:
        assert "Variant other not found" in stream.answer()["Message"]


def test_a_role_needs_the_action(address: Address) -> None:
    iam = Aws.at(address, REGION).client("iam")
    iam.create_user(UserName="listener")
    keys = iam.create_access_key(UserName="listener")["AccessKey"]
    asked = as_user(address, keys)
    with talk(asked) as stream:
        said = stream.answer()["Message"]
        assert stream.status == 403
        assert "sagemaker:InvokeEndpointWithBidirectionalStream" in said
    allowed = {
        "Effect": "Allow",
        "Action": "sagemaker:InvokeEndpointWithBidirectionalStream",
        "Resource": f"arn:aws:sagemaker:{REGION}:123456789012:endpoint/talker",
    }
    policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
    iam.put_user_policy(UserName="listener", PolicyName="talk", PolicyDocument=policy)
    with talk(asked) as stream:
        stream.send(b"hello")
        assert stream.next()[1] == b"hello"


def as_user(address: Address, keys: dict[str, Any]) -> Address:
    credentials = replace(
        address.credentials,
        access_key_id=keys["AccessKeyId"],
        secret_access_key=keys["SecretAccessKey"],
    )
    return replace(address, credentials=credentials)


def test_http_1_is_told_that_two_way_streams_need_http_2(address: Address) -> None:
    runtime = Aws.at(address, REGION).client("sagemaker-runtime")

    def elsewhere(request: Any, **_: Any) -> None:
        request.url = request.url.replace("/invocations", "/invocations-bidirectional-stream")

    runtime.meta.events.register("before-sign.sagemaker-runtime.*", elsewhere)
    with pytest.raises(runtime.exceptions.ClientError, match="over HTTP/2"):
        runtime.invoke_endpoint(EndpointName="talker", Body=b"x")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="AWS's client needs Python 3.12")
def test_the_sdk_for_python_talks(address: Address, state: Path) -> None:
    given = (address.url.replace("http:", "https:"), str(state / "ca.pem"), REGION)
    told = said_by("two_way", "two_way_calls.py", *given, environment=address.environment(REGION))
    assert told == {"variant": "only", "said": ["hello", "there"], "error": "ModelStreamError"}

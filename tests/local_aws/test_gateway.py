"""The gateway's door: who is let in, where a request goes, how an error comes back."""

from __future__ import annotations

import http.client
import json
import socket
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from sagemaker_serving.errors import Mistake
from tests.local_aws.aws import REGION, Aws, children, eventually, gateway_of, keys_of, running
from tests.local_aws.stand_in import StandIn


def port_of(aws: Aws) -> int:
    port = urlsplit(aws.url).port
    assert port is not None
    return port


def get(aws: Aws, path: str, headers: dict[str, str]) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(aws))
    token = {"Authorization": f"Bearer {aws.gateway.context.credentials.page_token}"}
    connection.request("GET", path, headers=headers | (token if "/_local/" in path else {}))
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_what_is_not_ours_goes_to_the_emulator(aws: Aws) -> None:
    content = bytes(range(256)) * 1000
    aws.s3.put_object(Bucket="models", Key="every/byte", Body=content)
    assert aws.s3.get_object(Bucket="models", Key="every/byte")["Body"].read() == content


def test_a_bucket_may_be_named_by_its_host(aws: Aws) -> None:
    aws.s3.put_object(Bucket="models", Key="by-host", Body=b"found", ACL="public-read")
    status, body = get(aws, "/by-host", {"Host": f"models.localhost:{port_of(aws)}"})
    assert (status, body) == (200, b"found")


def test_the_region_is_the_one_a_request_is_signed_for(aws: Aws) -> None:
    aws.model("here-only")
    there = aws.client("sagemaker", "ap-southeast-2")
    assert there.list_models()["Models"] == []
    with pytest.raises(ClientError, match="sagemaker:ap-southeast-2:123456789012:model/here-only"):
        there.describe_model(ModelName="here-only")


def test_a_connection_is_kept_for_the_next_request(aws: Aws) -> None:
    aws.s3.put_object(Bucket="models", Key="public", Body=b"found", ACL="public-read")
    connection = http.client.HTTPConnection("localhost", port_of(aws))
    connection.request("GET", "/_local/status")
    connection.getresponse().read()
    first = connection.sock
    connection.request("GET", "/models/public")
    assert connection.getresponse().read() == b"found"
    assert connection.sock is first is not None


def test_a_body_that_nobody_reads_does_not_spoil_the_next_request(aws: Aws) -> None:
    connection = http.client.HTTPConnection("localhost", port_of(aws))
    for _ in range(2):
        connection.request("PUT", "/models/key", body=b"GET /stolen HTTP/1.1\r\n\r\n" * 9999)
        answer = connection.getresponse()
        assert (answer.status, b"AccessDenied" in answer.read()) == (403, True)


def test_a_chunked_body_arrives_whole(aws: Aws) -> None:
    url = aws.s3.generate_presigned_url("put_object", {"Bucket": "models", "Key": "chunked"})
    connection = http.client.HTTPConnection("localhost", port_of(aws))
    chunks = [b"one", b"two", b"three"]
    target = url.removeprefix(aws.url)
    connection.request("PUT", target, body=iter(chunks), encode_chunked=True)
    assert connection.getresponse().status == 200
    assert aws.s3.get_object(Bucket="models", Key="chunked")["Body"].read() == b"onetwothree"


def test_answers_do_not_wait_for_delayed_acknowledgements(aws: Aws) -> None:
    connection = http.client.HTTPConnection("localhost", port_of(aws))
    seconds = []
    for _ in range(30):
        began = time.perf_counter()
        connection.request("GET", "/models/model.tar.gz")
        connection.getresponse().read()
        seconds.append(time.perf_counter() - began)
    # Each would wait for 40 ms, but for the first ones of a connection; on a busy machine some do.
    assert min(seconds[20:]) < 0.03


def test_both_loopback_addresses_are_listened_on(aws: Aws) -> None:
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        if family == socket.AF_INET6 and not has_ipv6():
            continue
        with socket.create_connection((host, port_of(aws)), timeout=60):
            pass


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


def test_cloudformation_is_answered_by_our_own_engine(aws: Aws) -> None:
    with pytest.raises(ClientError, match="no-such-stack") as refused:
        aws.client("cloudformation").describe_stacks(StackName="no-such-stack")
    assert refused.value.response["Error"]["Code"] == "ValidationError"


@pytest.mark.parametrize(
    ("service", "call"),
    [
        ("cloudformation", lambda client: client.list_stacks()),
        ("sagemaker", lambda client: client.list_models()),
    ],
)
def test_a_crash_is_an_internal_failure_in_the_services_protocol(
    aws: Aws, monkeypatch: pytest.MonkeyPatch, service: str, call: Any
) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(aws.gateway.service(service), "check", crash)
    once = Config(retries={"total_max_attempts": 1})
    client = boto3.client(
        service,
        region_name=REGION,
        endpoint_url=aws.url,
        **keys_of(aws.gateway),
        config=once,
    )
    with pytest.raises(ClientError) as failed:
        call(client)
    error = failed.value.response
    assert error["ResponseMetadata"]["HTTPStatusCode"] == 500
    assert error["Error"]["Code"] == "InternalFailure"
    assert "Traceback" not in error["Error"]["Message"]


def test_a_body_that_is_not_json_is_a_serialization_exception(aws: Aws) -> None:
    credentials = Credentials(*keys_of(aws.gateway).values())
    for body in ("{", "[]"):
        request = AWSRequest("POST", aws.url, {"X-Amz-Target": "SageMaker.ListModels"}, body)
        SigV4Auth(credentials, "sagemaker", REGION).add_auth(request)
        connection = http.client.HTTPConnection("localhost", port_of(aws))
        connection.request("POST", "/", body=body, headers=dict(request.headers.items()))
        answer = connection.getresponse()
        assert answer.status == 400
        assert json.loads(answer.read())["__type"] == "SerializationException"


def test_status_names_every_process(aws: Aws) -> None:
    aws.config("status", {"v": aws.model("status")})
    aws.endpoint("status", "status")
    try:
        status = aws.status()
        process = next(found for found in status["processes"] if found["name"] == "status/v")
        assert process["pid"] in children()
        assert process["memory_bytes"] > 1_000_000
        assert "version" in Path(process["log"]).read_text()
        assert status["memory_bytes"] > 1_000_000
    finally:
        aws.delete("status")
    eventually(lambda: aws.status()["processes"] == [])


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Mistake, match=f"port {port} is in use"):
            gateway_of(tmp_path, port)


def test_stopping_ends_what_is_still_starting(tmp_path: Path) -> None:
    gateway = gateway_of(tmp_path, launch=StandIn.start)
    gateway.start()
    aws = Aws(gateway)
    before = children()
    aws.config("c", {"v": aws.model("m", {"UNHEALTHY": "1"})})
    aws.sagemaker.create_endpoint(EndpointName="e", EndpointConfigName="c")
    eventually(lambda: children() - before)
    gateway.stop()  # it waits for no health check: that has eight minutes, and a test has five
    eventually(lambda: children() <= before)
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(gateway.url)


def test_a_gateway_begins_empty_in_an_empty_folder(tmp_path: Path) -> None:
    for folder in ("one", "another"):
        with running(tmp_path / folder, launch=StandIn.start) as gateway:
            aws = Aws(gateway)  # makes a bucket, which would be there already
            assert aws.sagemaker.list_models()["Models"] == []

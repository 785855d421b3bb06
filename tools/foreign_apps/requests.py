"""What is asked of what an app has made, to see whether it works.

Each request is one that AWS answers whatever the app: what is put is there, a function's own code
ran, an API leads to what stands behind it. An error of the app's own is right: a function that
finds nothing in an empty event fails on AWS, too.
"""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from botocore.exceptions import BotoCoreError, ClientError

Clients = Callable[[str], Any]
"""A boto3 client by its service's name."""

PATIENCE_SECONDS = 30.0
"""For what happens by itself: a message's arrival, an execution's end."""


@dataclass(frozen=True)
class Answer:
    """What one resource answered; ``wrong`` is what it did that AWS does not, or None."""

    resource: str
    wrong: str | None = None

    @property
    def right(self) -> bool:
        """Whether it did what it does on AWS."""
        return self.wrong is None

    def __str__(self) -> str:
        return f"{self.resource}: {self.wrong or 'right'}"


Request = Callable[[Clients], Answer]


def requests_of(made: Iterable[tuple[str, str]]) -> Iterator[Request]:
    """A request for each resource that can be asked something; ``made`` are types and ids."""
    for type_name, physical_id in made:
        ask = _ASKING.get(type_name)
        if ask is not None:
            yield partial(_answer, ask, f"{type_name} {physical_id}", physical_id)


def _answer(ask: Callable[[Clients, str], str | None], name: str, id_: str, of: Clients) -> Answer:
    try:
        wrong = ask(of, id_)
        return Answer(name, None if wrong is None else " ".join(wrong.split()))
    except (BotoCoreError, ClientError, OSError) as error:
        return Answer(name, " ".join(str(error).split()))


def _function(of: Clients, name: str) -> str | None:
    """Its own code runs: it answers, or raises an error that is not the runtime's.

    One whose reserved concurrency the app itself uses up is asked again.
    """
    functions, said = of("lambda"), {}

    def asked() -> bool:
        with suppress(functions.exceptions.TooManyRequestsException):
            said.update(functions.invoke(FunctionName=name, Payload=b"{}"))
        return bool(said)

    throttled = _until(asked, "it is throttled, and not taken")
    if throttled is not None:
        return throttled
    if "FunctionError" not in said:
        return None
    error = json.loads(said["Payload"].read())
    kind, message = (str(error.get(each, "")) for each in ("errorType", "errorMessage"))
    is_runtimes = kind.startswith(("Runtime.", "Sandbox.")) or "timed out" in message
    of_its_own = kind == "Runtime.UserCodeSyntaxError" or _brings_no(of, name, message)
    of_ours = "the local AWS" in message
    return f"{kind} {message}" if of_ours or (is_runtimes and not of_its_own) else None


def _brings_no(of: Clients, name: str, message: str) -> bool:
    """Whether a function has neither layers nor, in its code, the module that it looks for."""
    missing = re.search(r"(?:No module named|Cannot find module) '\W*(\w+)", message)
    function = of("lambda").get_function(FunctionName=name)
    if missing is None or function["Configuration"].get("Layers"):
        return False
    with urllib.request.urlopen(function["Code"]["Location"]) as answer:
        names = ZipFile(BytesIO(answer.read())).namelist()
    brought = rf"(^|/){missing[1]}(/|\.(c|m)?js$|\.py$)"
    return not any(re.search(brought, each) for each in names)


def _queue(of: Clients, url: str) -> str | None:
    """What is sent is received, by whoever asks or by the function that it is mapped to."""
    sqs = of("sqs")
    named = {"MessageGroupId": "one", "MessageDeduplicationId": "one"}
    sqs.send_message(QueueUrl=url, MessageBody="{}", **(named if url.endswith(".fifo") else {}))
    queue_arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]
    mappings = of("lambda").list_event_source_mappings(EventSourceArn=queue_arn["QueueArn"])
    if mappings["EventSourceMappings"]:
        names = ["ApproximateNumberOfMessages"]
        return _until(
            lambda: (
                sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"][names[0]]
                == "0"
            ),
            "the function that the queue is mapped to takes no message from it",
        )
    received = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=2).get("Messages")
    return None if received else "what was sent is not received"


def _table(of: Clients, name: str) -> str | None:
    """An item that is put is there."""
    dynamodb = of("dynamodb")
    table = dynamodb.describe_table(TableName=name)["Table"]
    types = {each["AttributeName"]: each["AttributeType"] for each in table["AttributeDefinitions"]}
    values = {"S": "one", "N": "1", "B": b"one"}
    key = {
        each["AttributeName"]: {types[each["AttributeName"]]: values[types[each["AttributeName"]]]}
        for each in table["KeySchema"]
    }
    dynamodb.put_item(TableName=name, Item={**key, "value": {"S": "two"}})
    found = dynamodb.get_item(TableName=name, Key=key, ConsistentRead=True).get("Item", {})
    return None if found.get("value") == {"S": "two"} else "what was put is not there"


def _bucket(of: Clients, name: str) -> str | None:
    """An object that is put is there; it is taken away again."""
    s3 = of("s3")
    version = s3.put_object(Bucket=name, Key="one.txt", Body=b"two").get("VersionId")
    found = s3.get_object(Bucket=name, Key="one.txt")["Body"].read()
    named = {} if version is None else {"VersionId": version}
    s3.delete_object(Bucket=name, Key="one.txt", **named)
    return None if found == b"two" else "what was put is not there"


def _topic(of: Clients, arn: str) -> str | None:
    named = {"MessageGroupId": "one", "MessageDeduplicationId": "one"}
    of("sns").publish(TopicArn=arn, Message="{}", **(named if arn.endswith(".fifo") else {}))
    return None


def _state_machine(of: Clients, arn: str) -> str | None:
    """An execution comes to an end; of an express one nobody is told more than that it began."""
    states = of("stepfunctions")
    execution = states.start_execution(stateMachineArn=arn, input="{}")["executionArn"]
    if states.describe_state_machine(stateMachineArn=arn)["type"] == "EXPRESS":
        return None
    return _until(
        lambda: states.describe_execution(executionArn=execution)["status"] != "RUNNING",
        "its execution does not end",
    )


def _rest_api(of: Clients, api: str) -> str | None:
    """Each method of each stage leads to what stands behind it."""
    client = of("apigateway")
    asked = [
        (f"{stage['stageName']}{resource['path']}", method)
        for stage in client.get_stages(restApiId=api)["item"]
        for resource in client.get_resources(restApiId=api, limit=500)["items"]
        for method in resource.get("resourceMethods", {})
    ]
    return _addresses(of, api, asked)


def _http_api(of: Clients, api: str) -> str | None:
    """Each route leads to what stands behind it."""
    client = of("apigatewayv2")
    routes = [
        each["RouteKey"].split(" ")[::-1]
        for each in client.get_routes(ApiId=api)["Items"]
        if " " in each["RouteKey"]
    ]
    return _addresses(of, api, [(path.lstrip("/"), method) for path, method in routes])


def _addresses(of: Clients, api: str, asked: Iterable[tuple[str, str]]) -> str | None:
    client = of("apigateway")
    where = f"{client.meta.endpoint_url}/_aws/execute-api/{api}"
    wrong = []
    for path, method in asked:
        path = path.replace("{proxy+}", "one").replace("{", "").replace("}", "")
        verb = "GET" if method == "ANY" else method
        body = b"{}" if verb in ("POST", "PUT", "PATCH") else None
        status, said = _sent(f"{where}/{path}", verb, body)
        if status is None or (status >= 500 and "Internal" not in said) or status == 501:
            wrong.append(f"{verb} /{path} answers {status} {said}")
    return "; ".join(wrong) or None


def _sent(url: str, verb: str, body: bytes | None) -> tuple[int | None, str]:
    request = urllib.request.Request(
        url, data=body, method=verb, headers={"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            return answer.status, answer.read(200).decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read(200).decode(errors="replace")


def _until(look: Callable[[], bool], otherwise: str) -> str | None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not look():
        if time.monotonic() > deadline:
            return f"{otherwise} within {PATIENCE_SECONDS:g} s"
        time.sleep(0.2)
    return None


_ASKING: Mapping[str, Callable[[Clients, str], str | None]] = {
    "AWS::ApiGateway::RestApi": _rest_api,
    "AWS::ApiGatewayV2::Api": _http_api,
    "AWS::DynamoDB::GlobalTable": _table,
    "AWS::DynamoDB::Table": _table,
    "AWS::Lambda::Function": _function,
    "AWS::S3::Bucket": _bucket,
    "AWS::SNS::Topic": _topic,
    "AWS::SQS::Queue": _queue,
    "AWS::StepFunctions::StateMachine": _state_machine,
}

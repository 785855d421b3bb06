"""Requests at random to every operation of the local AWS, made from botocore's models.

Each is right by its operation's model, or right but for one step: a member left out, of another
type, empty, far too long, or no value that the service knows. What the gateway answers is what
later requests name things by. A case is its number and the seed: the same numbers in the same order
ask the same of a fresh gateway. A failure shows the call as boto3 makes it, and what broke on it.
"""

from __future__ import annotations

import json
import logging
import string
import traceback
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from random import Random
from typing import Any

import regex
from botocore.config import Config
from botocore.exceptions import ClientError, HTTPClientError
from botocore.parsers import ResponseParserError

from local_aws import gateway as own
from local_aws.boto import DIRECTLY, isolated_session
from local_aws.gateway import Gateway

Operation = tuple[str, str]
"""boto3's name of a service, and the operation's."""

KEPT = 4
"""How many values are remembered of each member."""

DEEPEST = 6
"""How far down members are given that need not be."""

_DOCUMENT = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}],
    }
)
_TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "lambda.amazonaws.com"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
)
_KNOWN: dict[str, Any] = {
    "assumerolepolicydocument": _TRUST,
    "definition": '{"StartAt": "A", "States": {"A": {"Type": "Succeed"}}}',
    "eventpattern": '{"source": ["fuzz"]}',
    "policy": _DOCUMENT,
    "policydocument": _DOCUMENT,
    "scheduleexpression": "rate(5 minutes)",
    "templatebody": '{"Resources": {"Q": {"Type": "AWS::SQS::Queue"}}}',
    # How long an answer may take.
    "receivemessagewaittimeseconds": 0,
    "waittimeseconds": 0,
}
"""What some members hold, by their names in lower case."""

_TEXTS = (
    *("fuzz", "fuzz.txt", "/fuzz", "1", "0123456789abcdef" * 2, "a" * 64, "alias/fuzz", "{}"),
    *("123456789012", "eu-west-1", "2026-11-22T00:00:00Z", "rate(1 day)", "fuzz/fuzz:latest"),
    *("11111111-2222-3333-4444-555555555555", "arn:aws:iam::123456789012:role/fuzz"),
    *("sha256:" + "0" * 64, "http://localhost/fuzz", "s3://fuzz/fuzz", "ml.m5.large"),
)
"""Texts of which one fits most patterns."""

_WRONG: tuple[Any, ...] = (
    *(None, "", " ", "é\u2028😀", "x" * 3000, "{not json", "arn:", "arn:aws:::", "a:b:c:d:e:f:g"),
    *(0, -1, 2**40, 1.5, True, [], {}, ["x"], {"x": "y"}, "[]", "null", '"x"', "1e400", "\0"),
)
"""What stands in the one wrong place; None is a member that is left out."""

Path = tuple[str | int, ...]


class Fuzzer:
    """Asks one gateway, with the developer's keys."""

    def __init__(self, gateway: Gateway, region: str, seed: str = "") -> None:
        self._seed = seed
        self._broken = _Broken()
        keys = gateway.context.credentials
        self._session = isolated_session()
        self._options = {
            "region_name": region,
            "endpoint_url": gateway.url,
            "aws_access_key_id": keys.access_key_id,
            "aws_secret_access_key": keys.secret_access_key,
            "config": Config(
                parameter_validation=False, retries={"total_max_attempts": 1}, read_timeout=120
            ).merge(DIRECTLY),
        }
        self._clients: dict[str, Any] = {}
        self._seen: dict[str, list[Any]] = {}
        self.sent = 0

    def operations(self, service: str) -> list[Operation]:
        """All that boto3 can ask of a service."""
        names = self._client(service).meta.service_model.operation_names
        return [(service, name) for name in names]

    def ask(self, number: int, operation: Operation) -> str | None:
        """Send the case of this number to ``operation``: what is wrong with the answer, if any."""
        service, name = operation
        random = Random(f"{number} {service} {name}{self._seed}")
        shape = self._client(service).meta.service_model.operation_model(name).input_shape
        arguments = {} if shape is None else self._structure(shape, random, 0)
        if number % 3 and shape is not None:
            arguments = one_step_wrong(arguments, random)
        wrong = self._send(service, name, arguments)
        return None if wrong is None else f"case {number}: {service} {name} {arguments!r}: {wrong}"

    def _send(self, service: str, name: str, arguments: Mapping[str, Any]) -> str | None:
        self.sent += 1
        try:
            answer = self._client(service)._make_api_call(name, dict(arguments))
        except ClientError as error:
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            # HEAD has no body, and so no code but the status.
            return None if status < 500 else f"{status} {error}{self._broken.latest}"
        except (HTTPClientError, ResponseParserError) as error:
            if type(error) is HTTPClientError or "ContentLength" in arguments:
                self.sent -= 1  # nothing was sent, or less than was said
                return None
            return f"no answer that boto3 can read: {error}"
        except Exception:
            self.sent -= 1  # boto3 cannot write such a request
            return None
        self._learn(arguments)
        self._learn(answer)
        return None

    def _client(self, service: str) -> Any:
        if service not in self._clients:
            self._clients[service] = self._session.client(service, **self._options)
        return self._clients[service]

    def _learn(self, value: Any, *names: str) -> None:
        """Remember texts by the members that hold them: PolicyArn is the Arn of a Policy, too."""
        if isinstance(value, Mapping):
            for name, each in value.items():
                if name != "ResponseMetadata":
                    self._learn(each, str(name).lower(), *names[:1])
        elif isinstance(value, list):
            for each in value[:KEPT]:
                self._learn(each, *(name.removesuffix("s") for name in names))
        elif isinstance(value, str) and names:
            own, parent = names[0], "".join(names[1:2])
            for name in (own, parent + own):
                seen = self._seen.setdefault(name, [])
                if value not in seen:
                    seen.append(value)
                    del seen[:-KEPT]

    def _structure(self, shape: Any, random: Random, depth: int) -> dict[str, Any]:
        chance = 0.0 if depth >= DEEPEST else random.choice((0.0, 0.2, 0.6))
        return {
            name: self._value(member, name, random, depth + 1)
            for name, member in shape.members.items()
            if name in shape.required_members or random.random() < chance
        }

    def _value(self, shape: Any, name: str, random: Random, depth: int) -> Any:
        match shape.type_name:
            case "structure":
                return self._structure(shape, random, depth)
            case "list":
                count = 0 if depth > 2 * DEEPEST else max(1, shape.metadata.get("min", 1))
                return [
                    self._value(shape.member, name.removesuffix("s"), random, depth + 1)
                    for _ in range(count)
                ]
            case "map":
                if depth > 2 * DEEPEST:
                    return {}
                key = self._text(shape.key, "key", random)
                return {key: self._value(shape.value, name, random, depth + 1)}
            case "string":
                return self._text(shape, name, random)
            case "boolean":
                return random.random() < 0.5
            case "timestamp":
                return datetime(2026, 11, random.randint(1, 22), tzinfo=UTC)
            case "blob":
                return b"fuzz"
        if name.lower() in _KNOWN:
            return _KNOWN[name.lower()]
        least = int(max(shape.metadata.get("min", 1), 0))
        return random.randint(least, max(least, int(min(shape.metadata.get("max", 9), 10**9))))

    def _text(self, shape: Any, name: str, random: Random) -> str:
        lower = name.lower()
        seen = self._seen.get(lower, [])
        if seen and random.random() < 0.7:
            return str(random.choice(seen))
        if lower in _KNOWN:
            return str(_KNOWN[lower])
        if shape.enum:
            return str(random.choice(shape.enum))
        fitting = list(_fitting(shape)) or ["fuzz"]
        return str(random.choice(fitting))


class _Broken(logging.Handler):
    """Hears of the gateway's own failures."""

    latest = ""

    def __init__(self) -> None:
        super().__init__()
        logging.getLogger(own.__name__).addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep what was raised, and where."""
        if record.exc_info and (raised := record.exc_info[1]) is not None:
            places = traceback.extract_tb(raised.__traceback__)[-3:]
            where = "".join(f"\n  {each.filename}:{each.lineno} {each.line}" for each in places)
            self.latest = f"\n  {type(raised).__name__}: {raised}{where}"


def one_step_wrong(arguments: dict[str, Any], random: Random) -> dict[str, Any]:
    """``arguments`` with one member, anywhere in them, that is not as it should be."""
    places = [path for path, _ in _places(arguments)]
    if not places:
        return {random.choice(string.ascii_uppercase): random.choice(_WRONG[1:])}
    wrong: dict[str, Any] = _replaced(arguments, random.choice(places), random.choice(_WRONG))
    return wrong


def _places(value: Any, *above: str | int) -> Iterator[tuple[Path, Any]]:
    if above:
        yield above, value
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _places(each, *above, name)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _places(each, *above, number)


def _replaced(value: Any, path: Path, wrong: Any) -> Any:
    if not path:
        return wrong
    copied = value.copy()
    copied[path[0]] = _replaced(value[path[0]], path[1:], wrong)
    if copied[path[0]] is None:
        del copied[path[0]]
    return copied


def by_kind(operation: Operation) -> tuple[int, Operation]:
    """Sorts what makes things before what needs them, and what deletes them last."""
    kinds = enumerate(("Create", "Put", "Register", "Start", "Send", "Add", "Tag", "Update", "Get"))
    number = next((number for number, kind in kinds if operation[1].startswith(kind)), 10)
    return (11 if operation[1].startswith("Delete") else number), operation


def _fitting(shape: Any) -> Iterator[str]:
    pattern = shape.metadata.get("pattern")
    for text in _TEXTS:
        try:
            fits = pattern is None or regex.fullmatch(pattern, text) is not None
        except regex.error:  # Java's own
            fits = True
        least, most = shape.metadata.get("min", 0), shape.metadata.get("max", len(text))
        if fits and least <= len(text) <= most:
            yield text

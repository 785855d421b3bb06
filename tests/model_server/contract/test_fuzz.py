"""Any body under any headers, to every generation: an answer of the contract, and soon.

Hypothesis makes a few of them, and shrinks what fails; `requests_at_random` makes as many as
`SERVER_FUZZ_CASES` says, each from its number alone, at a millisecond or two apiece: half as many
to the default handler, a fifth to models. ``make fuzz`` makes it many. What the front is asked
byte for byte is in `tests/model_server/nginx`.
"""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import Client

from sagemaker_serving.model_server.generations import Generation
from tests.model_server.contract.damage import damaged, header
from tests.model_server.contract.light import HALF, Light
from tests.model_server.contract.multi import Multi
from tests.model_server.contract.test_code import client
from tests.model_server.contract.vectors import VECTORS

HEADERS = ("Content-Type", "Accept", "X-Amzn-SageMaker-Custom-Attributes")
CASES = int(os.environ.get("SERVER_FUZZ_CASES", "1000"))
SHRINKING_CASES = 60
WITHIN_SECONDS = 30
SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]

BODIES = sorted({vector.body.encode() for vector in VECTORS})
CONTENT_TYPES = sorted({(vector.content_type or "").encode() for vector in VECTORS})
ACCEPTS = sorted({(vector.accept or "").encode() for vector in VECTORS})
ATTRIBUTES = sorted({(vector.attributes or "").encode() for vector in VECTORS})
# What an HTTP header may hold: anything but control characters.
header_bytes = st.binary(max_size=20).map(
    lambda value: bytes(byte for byte in value if byte >= 32 and byte != 127).strip()
)


def mostly(known: list[bytes], anything: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """A known value, one with something in its midst, or anything."""
    return st.one_of(
        st.sampled_from(known),
        st.builds(
            lambda value, at, inserted: value[:at] + inserted + value[at:],
            st.sampled_from(known),
            st.integers(0, 40),
            anything,
        ),
        anything,
    )


requests = st.fixed_dictionaries(
    {
        "generation": st.sampled_from(list(Generation)),
        "body": mostly(BODIES, st.binary(max_size=60)),
        "Content-Type": st.none() | mostly(CONTENT_TYPES, header_bytes),
        "Accept": st.none() | mostly(ACCEPTS, header_bytes),
        "X-Amzn-SageMaker-Custom-Attributes": st.none() | mostly(ATTRIBUTES, header_bytes),
    }
)


def headers_of(request: dict[str, Any]) -> dict[str, bytes]:
    return {name: value for name in HEADERS if isinstance(value := request[name], bytes)}


@settings(max_examples=SHRINKING_CASES, suppress_health_check=SLOW)
@given(request=requests)
def test_without_code_an_answer_is_200_or_the_caller_s_mistake(
    container: Light, request: dict[str, Any]
) -> None:
    Front(container).send(request)


@settings(max_examples=SHRINKING_CASES, suppress_health_check=SLOW)
@given(request=requests)
def test_with_the_default_handler_a_500_is_one_of_the_contract(
    container: Light, request: dict[str, Any]
) -> None:
    Service(container).send(request)


def test_with_the_default_handler_many_requests_are_answered_by_the_contract(
    container: Light,
) -> None:
    service = Service(container)
    for request in requests_at_random(CASES // 2):
        service.send(request)


def test_many_requests_to_load_and_to_invoke_models_are_answered_by_the_contract(
    container: Light,
) -> None:
    multi = {generation: Multi(container, generation) for generation in Generation}
    for number, request in enumerate(requests_at_random(CASES // 5)):
        service = multi[request["generation"]]
        headers = {name: value.decode("latin-1") for name, value in headers_of(request).items()}
        if number % 2:
            response = service.ask("POST", "/models", data=load_body(number, request["body"]))
            # A load that makes no sense is the container's 500.
            assert response.status_code in (200, 400, 409, 500)
            assert response.status_code != 500 or "Internal Server Error" in response.text
        else:
            service.engine_forks.models.clear()
            service.load(HALF)
            response = service.invoke(data=request["body"], headers=headers)
            must_be_of_the_contract(request, response.status_code, response.get_data(as_text=True))


class Front:
    """Sends requests to the fronts, on connections that stay open."""

    def __init__(self, container: Light) -> None:
        self._connections = {
            generation: http.client.HTTPConnection("127.0.0.1", port, timeout=WITHIN_SECONDS)
            for generation, port in container.fronts.items()
        }

    def send(self, request: dict[str, Any]) -> None:
        generation, body = request["generation"], request["body"]
        connection = self._connections[generation]
        connection.putrequest("POST", "/invocations")
        for name, value in headers_of(request).items():
            connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        answer = response.read()
        assert response.status in (200, 400, 404, 415), request
        if generation is Generation.C:
            assert response.getheader("Content-Type") == "application/json", request
            assert not answer or json.loads(answer), request


class Service:
    """Sends requests to the Python service of each generation, without handlers."""

    def __init__(self, container: Light) -> None:
        self._clients: dict[Generation, Client] = {
            generation: client(container, generation) for generation in Generation
        }

    def send(self, request: dict[str, Any]) -> None:
        headers = {name: value.decode("latin-1") for name, value in headers_of(request).items()}
        service = self._clients[request["generation"]]
        response = service.post("/invocations", data=request["body"], headers=headers)
        must_be_of_the_contract(request, response.status_code, response.get_data(as_text=True))


def must_be_of_the_contract(request: dict[str, Any], status: int, text: str) -> None:
    """What the Python service may answer: a 500 has one of two reasons."""
    assert status in (200, 400, 404, 415, 500), request
    if status == 500:
        no_text = "'utf-8' codec can't decode" in text
        attributes = headers_of(request).get("X-Amzn-SageMaker-Custom-Attributes", b"")
        is_today = request["generation"] is Generation.C
        assert no_text or (not is_today and attributes.count(b"=") > 1), request


def requests_at_random(count: int) -> Iterator[dict[str, Any]]:
    """Known requests, damaged in many ways; request number n is always the same one."""
    for number in range(count):
        random = Random(number)
        yield {
            "generation": random.choice(list(Generation)),
            "body": damaged(random, BODIES),
            "Content-Type": header(random, CONTENT_TYPES),
            "Accept": header(random, ACCEPTS),
            "X-Amzn-SageMaker-Custom-Attributes": header(random, ATTRIBUTES),
        }


def load_body(number: int, damage: bytes) -> bytes:
    """A request to load a model, whole or damaged."""
    whole = json.dumps({"model_name": f"m{number}", "url": "/opt/ml/models/m"}).encode()
    return whole if number % 3 else whole[: number % len(whole)] + damage

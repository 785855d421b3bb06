"""Any body under any headers, to every generation: an answer of the contract, and soon.

``make fuzz`` does it 50,000 times, `SERVER_FUZZ_CASES` says how often.
"""

from __future__ import annotations

import http.client
import json
import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import Client

from sagemaker_serving.local.server.generations import Generation
from tests.local.server.contract.light import Light
from tests.local.server.contract.test_code import client
from tests.local.server.contract.vectors import VECTORS

HEADERS = ("Content-Type", "Accept", "X-Amzn-SageMaker-Custom-Attributes")
CASES = int(os.environ.get("SERVER_FUZZ_CASES", "150"))
WITHIN_SECONDS = 30

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


def headers_of(request: dict[str, object]) -> dict[str, bytes]:
    return {name: value for name in HEADERS if isinstance(value := request[name], bytes)}


@settings(max_examples=CASES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(request=requests)
def test_without_code_an_answer_is_200_or_the_caller_s_mistake(
    container: Light, request: dict[str, object]
) -> None:
    generation, body = request["generation"], request["body"]
    assert isinstance(generation, Generation)
    assert isinstance(body, bytes)
    port = container.fronts[generation]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WITHIN_SECONDS)
    try:
        connection.putrequest("POST", "/invocations")
        for name, value in headers_of(request).items():
            connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        answer = response.read()
    finally:
        connection.close()
    assert response.status in (200, 400, 404, 415)
    if generation is Generation.C:
        assert response.getheader("Content-Type") == "application/json"
        assert not answer or json.loads(answer)


@settings(max_examples=CASES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(request=requests)
def test_with_the_default_handler_a_500_is_one_of_the_contract(
    container: Light, request: dict[str, object]
) -> None:
    generation, body = request["generation"], request["body"]
    assert isinstance(generation, Generation)
    assert isinstance(body, bytes)
    service: Client = client(container, generation)
    headers = {name: value.decode("latin-1") for name, value in headers_of(request).items()}
    response = service.post("/invocations", data=body, headers=headers)
    assert response.status_code in (200, 400, 404, 415, 500)
    if response.status_code == 500:
        no_text = "'utf-8' codec can't decode" in response.get_data(as_text=True)
        attributes = headers.get("X-Amzn-SageMaker-Custom-Attributes", "")
        assert no_text or (generation is not Generation.C and attributes.count("=") > 1)

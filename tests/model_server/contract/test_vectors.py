"""A model without code: each request of the table, to each generation's container."""

from __future__ import annotations

import json

import pytest
import requests

from sagemaker_serving.model_server.generations import Generation
from tests.model_server.contract.light import Light
from tests.model_server.contract.vectors import VECTORS, Answer, Vector

SESSION = requests.Session()


def answer(container: Light, generation: Generation, vector: Vector) -> requests.Response:
    headers = {
        "Content-Type": vector.content_type,
        "Accept": vector.accept,
        "X-Amzn-SageMaker-Custom-Attributes": vector.attributes,
        "User-Agent": None,
    }
    url = f"http://127.0.0.1:{container.fronts[generation]}{vector.path}"
    body = vector.body.encode()
    return SESSION.request(vector.method, url, data=body, headers=headers, timeout=120)


@pytest.mark.parametrize("vector", VECTORS, ids=str)
def test_every_generation_answers_by_its_contract(container: Light, vector: Vector) -> None:
    for generation in Generation:
        response = answer(container, generation, vector)
        expected = vector.expected(generation)
        meant = response.text if isinstance(expected.body, str) else json.loads(response.text)
        came = Answer(
            status=response.status_code,
            body=meant,
            content_type=response.headers["Content-Type"],
        )
        assert came == expected, f"generation {generation}"


@pytest.mark.parametrize("generation", Generation)
def test_bytes_in_a_header_that_are_no_text_are_refused_like_any_others(
    container: Light, generation: Generation
) -> None:
    url = f"http://127.0.0.1:{container.fronts[generation]}/invocations"
    response = SESSION.post(url, data="1", headers={"Content-Type": b"x/\xff"}, timeout=120)
    assert response.status_code == 415
    assert response.content.startswith(b'{"error":')


def test_what_the_table_calls_a_difference_is_one() -> None:
    for vector in VECTORS:
        assert vector.before != vector.today, str(vector)
        assert vector.b1 is None or vector.b1 != vector.expected(Generation.B2), str(vector)

"""The digits model's handlers, called as the container calls them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

PROBABILITIES = [0.0] * 7 + [1.0, 0.0, 0.0]


class Context(NamedTuple):
    """What today's container hands to handlers."""

    model_name: str | None = None
    model_version: str | None = None
    method: str | None = None
    rest_uri: str = "http://localhost:8501/v1/models/digits:predict"
    grpc_port: str = "9000"
    channel: object = None
    custom_attributes: str | None = None
    request_content_type: str = "application/x-image"
    accept_header: str = "application/json"
    content_length: int = 0
    timeout: float = 60


IMAGE = Context()
JSON = Context(request_content_type="application/json")


def test_a_held_out_image_becomes_one_instance_scaled_to_one(
    inference: ModuleType, held_out: list[Path]
) -> None:
    with Image.open(held_out[0]) as image:
        expected = np.asarray(image)[np.newaxis, ..., np.newaxis] / 255

    body = json.loads(inference.input_handler(io.BytesIO(held_out[0].read_bytes()), IMAGE))

    assert list(body) == ["instances"]
    np.testing.assert_allclose(body["instances"], expected)


@settings(max_examples=50, deadline=None)
@given(width=st.integers(1, 40), height=st.integers(1, 40), seed=st.integers(0, 99))
def test_an_image_of_any_size_becomes_8x8_by_exact_area_means(
    inference: ModuleType, width: int, height: int, seed: int
) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width), np.uint8)
    magnified = np.kron(pixels, np.ones((8, 8)))
    expected = magnified.reshape(8, height, 8, width).mean(axis=(1, 3)) / 255

    body = json.loads(inference.input_handler(png_stream(Image.fromarray(pixels)), IMAGE))

    np.testing.assert_allclose(np.squeeze(body["instances"]), expected, atol=1e-12)


def test_json_reaches_tensorflow_serving_untouched(inference: ModuleType) -> None:
    body = b'{"instances": [ [[[0.5]]] ], "signature_name": "serving_default"}'

    assert inference.input_handler(io.BytesIO(body), JSON) == body


def test_parameters_and_case_of_the_content_type_do_not_matter(inference: ModuleType) -> None:
    context = Context(request_content_type="Application/JSON; charset=utf-8")

    assert inference.input_handler(io.BytesIO(b"{}"), context) == b"{}"
    assert inference.output_handler(answer(200, b"{}"), context) == (b"{}", "application/json")


def test_another_content_type_is_refused_with_those_allowed(inference: ModuleType) -> None:
    context = Context(request_content_type="text/csv")

    with pytest.raises(ValueError, match=r"'text/csv' is not supported; use application/x-image"):
        inference.input_handler(io.BytesIO(b"1,2"), context)


@pytest.mark.parametrize("body", [b"", b"GIF89a", b'{"instances": []}'])
def test_a_body_that_is_no_png_is_refused(inference: ModuleType, body: bytes) -> None:
    with pytest.raises(ValueError, match="not a PNG image"):
        inference.input_handler(io.BytesIO(body), IMAGE)


def test_an_image_is_answered_with_its_class_and_probabilities(inference: ModuleType) -> None:
    served = {"predictions": [{"probabilities": PROBABILITIES, "classes": 7}]}

    body, content_type = inference.output_handler(answer(200, served), IMAGE)

    assert json.loads(body) == {"predictions": [{"class": 7, "probabilities": PROBABILITIES}]}
    assert content_type == "application/json"


def test_json_is_answered_in_tensorflow_servings_own_words(inference: ModuleType) -> None:
    served = b'{\n    "predictions": [{"probabilities": [], "classes": 7}]\n}'

    assert inference.output_handler(answer(200, served), JSON) == (served, "application/json")


@pytest.mark.parametrize("context", [IMAGE, JSON])
def test_what_tensorflow_serving_refused_is_raised_with_its_words(
    inference: ModuleType, context: Context
) -> None:
    with pytest.raises(ValueError, match="Missing 'inputs' or 'instances' key"):
        inference.output_handler(
            answer(400, {"error": "Missing 'inputs' or 'instances' key"}), context
        )


def answer(status: int, body: bytes | Mapping[str, object]) -> requests.Response:
    response = requests.Response()
    response.status_code = status
    response.raw = io.BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode())
    return response


def png_stream(image: Image.Image) -> io.BytesIO:
    file = io.BytesIO()
    image.save(file, "PNG")
    file.seek(0)
    return file

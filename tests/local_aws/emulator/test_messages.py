"""Answers in XML say the same as the emulator's way of writing them, which takes longer."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
import xmltodict  # type: ignore[import-untyped]
from moto.core.serialize import QuerySerializer

from local_aws.emulator import messages
from local_aws.protocol.models import service_model

BODIES: list[dict[str, Any]] = [
    {"A": {"B": ["1", "2", ""], "C": None, "D": {}, "E": 0, "F": True, "G": 1.5}},
    {"A": {"@xmlns": 'https://a/?b="c"&d', "B": "<&>\"'", "C": {"@type": "x", "#text": "y"}}},
    {"A": {"B": [], "C": {"D": [{"E": "é\u2028😀"}, {"E": {"member": ["1"]}}]}, "F": b"bytes"}},
    {"A": ""},
]


@pytest.mark.parametrize("body", BODIES)
def test_xml_is_what_the_emulator_would_write(body: dict[str, Any]) -> None:
    messages.apply()
    model = service_model("sns").operation_model("CreateTopic")
    written = QuerySerializer(model)._serialize_body(body)
    expected = xmltodict.unparse(body, full_document=False, short_empty_elements=True)
    assert ElementTree.canonicalize(written) == ElementTree.canonicalize(expected)

from __future__ import annotations

import json

import pytest

from sagemaker_serving.model_server.engine.examples import Feature, request_examples
from sagemaker_serving.model_server.engine.status import StatusError


def features(examples: str) -> list[dict[str, Feature]]:
    found = request_examples({"examples": json.loads(examples)})
    return [dict(example) for example in found.examples]


@pytest.mark.parametrize(
    ("value", "kind", "values"),
    [
        ("1.0", "float_list", [1.0]),
        ("[1.5, NaN]", "float_list", [1.5, pytest.approx(float("nan"), nan_ok=True)]),
        ("1", "int64_list", [1]),
        ("[true, 2]", "int64_list", [1, 2]),
        ('"text"', "bytes_list", [b"text"]),
        ('["é", {"b64": "aGk="}]', "bytes_list", ["é".encode(), b"hi"]),
        ("36893488147419103232", "float_list", [2.0**65]),
        ("[]", None, []),
    ],
)
def test_the_json_type_decides_the_feature_s_list(
    value: str, kind: str | None, values: list[object]
) -> None:
    (example,) = features(f'[{{"x": {value}}}]')
    assert (example["x"].kind, example["x"].values) == (kind, values)


def test_the_context_is_an_example_of_its_own() -> None:
    found = request_examples({"context": {"y": 1.0}, "examples": [{}]})
    assert found.context is not None
    assert found.context["y"].values == [1.0]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{}",
         "JSON Value: {} When method is classify, key 'examples' is expected and was not found"),
        ('{"examples": 1}',
         "JSON Value: {\n    \"examples\": 1\n} Expecting 'examples' value to be an list/array"),
        ('{"examples": []}',
         "JSON Value: {\n    \"examples\": []\n} 'examples' value is an empty array"),
        ('{"examples": [1]}', "Example must be JSON object but got JSON Number"),
        ('{"examples": [{}], "context": []}', "Example must be JSON object but got JSON Array"),
        ('{"examples": [{"x": [1.0, 2]}]}',
         "Unexpected element type in feature: x expecting type: float"),
        ('{"examples": [{"x": ["a", true]}]}',
         "Unexpected element type in feature: x expecting type: bytes"),
        ('{"examples": [{"x": [1, "a"]}]}',
         "Unexpected element type in feature: x expecting type: int64"),
        ('{"examples": [{"x": null}]}', "Feature: x has element with unexpected JSON type: Null"),
        ('{"examples": [{"x": [[1]]}]}', "Feature: x has element with unexpected JSON type: Array"),
        ('{"examples": [{"x": {"y": 1}}]}',
         "Feature: x has element with unexpected JSON type: Object"),
        ('{"examples": [{"x": 9223372036854775808}]}',
         "Feature: x has uint64_t element. Only int64_t is supported."),
    ],
)  # fmt: skip
def test_what_is_no_example_is_refused_in_tf_serving_s_words(document: str, message: str) -> None:
    with pytest.raises(StatusError) as refused:
        request_examples(json.loads(document))
    assert refused.value.message == message

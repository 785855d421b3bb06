from __future__ import annotations

import pytest

from sagemaker_serving.model_server.attributes import (
    Attributes,
    BadAttribute,
    UnreadableAttributes,
    front_attributes,
    handler_attributes,
    judged_front_attributes,
    judged_handler_attributes,
)

READERS = [
    front_attributes,
    handler_attributes,
    judged_front_attributes,
    judged_handler_attributes,
]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("header", "path"),
    [
        (None, "/v1/models/mine:predict"),
        ("", "/v1/models/mine:predict"),
        ("trace=1", "/v1/models/mine:predict"),
        ("tfs-model-name=other", "/v1/models/other:predict"),
        ("tfs-model-version=3", "/v1/models/mine/versions/3:predict"),
        ("tfs-method=regress", "/v1/models/mine:regress"),
        (
            "a=b,tfs-model-name=o.t_h-er, tfs-model-version=003,tfs-method=classify",
            "/v1/models/o.t_h-er/versions/003:classify",
        ),
    ],
)
def test_attributes_lead_to_a_path(read: object, header: str | None, path: str) -> None:
    assert callable(read)
    assert read(header).path("mine") == path


@pytest.mark.parametrize(
    ("header", "front", "handler"),
    [
        ("tfs-model-name=../x", "invalid tfs-model-name", "invalid tfs-model-name"),
        ("tfs-model-name=-x", "invalid tfs-model-name", "invalid tfs-model-name"),
        ("tfs-model-name=" + "a" * 256, "invalid tfs-model-name", "invalid tfs-model-name"),
        (
            "tfs-model-version=v1",
            "invalid tfs-model-version",
            "invalid tfs-model-version: must be a positive integer",
        ),
        (
            "tfs-method=delete",
            "invalid tfs-method",
            "invalid tfs-method: must be one of predict|classify|regress",
        ),
        (
            "tfs-method=Predict",
            "invalid tfs-method",
            "invalid tfs-method: must be one of predict|classify|regress",
        ),
    ],
)
def test_bad_values_are_refused_in_the_words_of_each_path(
    header: str, front: str, handler: str
) -> None:
    with pytest.raises(BadAttribute, match=f"^{front}$"):
        judged_front_attributes(header)
    with pytest.raises(BadAttribute) as refused:
        judged_handler_attributes(header)
    assert str(refused.value) == handler


@pytest.mark.parametrize(
    ("header", "attributes"),
    [
        ("tfs-model-name=../x", Attributes("../x")),
        ("tfs-model-version=v1,tfs-method=Delete", Attributes(None, "v1", "Delete")),
        ("tfs-method= classify ", Attributes(None, None, " classify ")),
    ],
)
def test_values_are_not_judged_before_2_20(header: str, attributes: Attributes) -> None:
    assert front_attributes(header) == attributes
    assert handler_attributes(header) == attributes


def test_a_second_equals_sign_voids_a_pair_in_front_and_is_a_value_for_handlers() -> None:
    header = "tfs-model-version=1=2"
    assert judged_front_attributes(header) == front_attributes(header) == Attributes()
    with pytest.raises(BadAttribute):
        judged_handler_attributes(header)


def test_the_python_service_stumbled_over_a_second_equals_sign_before_2_20() -> None:
    with pytest.raises(UnreadableAttributes):
        handler_attributes("tfs-model-version=1,tfs-method=a=b")


def test_the_longest_name_is_255_characters() -> None:
    assert judged_front_attributes("tfs-model-name=" + "a" * 255).model_name == "a" * 255

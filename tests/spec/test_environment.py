from __future__ import annotations

from sagemaker_serving.spec import Batching, InstanceVariant, Model, overlay


def test_a_variant_overrides_its_model_field_by_field() -> None:
    model = Model(
        artifact="model",
        framework="tensorflow",
        framework_version="2.19",
        environment={"A": "1", "B": "1"},
        batching=Batching(max_batch_size=8, num_batch_threads=4),
    )
    variant = InstanceVariant(
        name="big",
        instance_type="ml.m5.large",
        framework_version="2.18",
        environment={"B": "2"},
        batching=Batching(max_batch_size=64),
    )
    container = model.container(variant)
    assert container.artifact == "model"
    assert container.framework_version == "2.18"
    assert container.environment == {"A": "1", "B": "2"}
    assert container.batching == Batching(max_batch_size=64, num_batch_threads=4)


def test_an_artifact_is_replaced_whole() -> None:
    below = {"artifact": {"s3": "s3://bucket/a.tar.gz", "sha256": "1"}}
    above = {"artifact": {"s3": "s3://bucket/b.tar.gz"}}
    assert overlay(below, above) == above


def test_absent_and_zero_are_two_things() -> None:
    assert overlay({"a": 1, "b": 1}, {"a": 0, "b": None}) == {"a": 0, "b": 1}

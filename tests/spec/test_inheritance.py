from __future__ import annotations

from pathlib import Path

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.spec import (
    Batching,
    EnvironmentFile,
    InstanceVariant,
    Model,
    S3Artifact,
    read_environment,
)
from sagemaker_serving.spec.overlay import overlay

BASE = """\
region: eu-west-1
tags: {team: search, stage: base}
models:
  digits:
    artifact: {s3: s3://models/digits.tar.gz, sha256: abc}
    framework: tensorflow
    framework_version: "2.19"
    batching: {max_batch_size: 32, num_batch_threads: 4}
    variants:
      - {name: cpu, instance_type: ml.c5.large}
      - {name: gpu, instance_type: ml.g4dn.xlarge}
"""


def read(folder: Path, text: str, base: str = BASE) -> EnvironmentFile:
    (folder / "_base.yaml").write_text(base)
    (folder / "dev.yaml").write_text(f"extends: _base.yaml\n{text}")
    return read_environment(folder / "dev.yaml")


def test_mappings_join_field_by_field(tmp_path: Path) -> None:
    file = read(tmp_path, "name: dev\ntags: {stage: dev}\nmodels: {digits: {batching: null}}\n")
    assert file.environment is not None
    assert file.environment.tags == {"team": "search", "stage": "dev"}
    assert file.environment.models["digits"].batching is not None


def test_lists_and_artifacts_are_replaced_whole(tmp_path: Path) -> None:
    text = """\
name: dev
models:
  digits:
    artifact: {s3: s3://other/digits.tar.gz, version_id: v1}
    variants: [{name: only, instance_type: ml.m5.large}]
"""
    environment = read(tmp_path, text).environment
    assert environment is not None
    model = environment.models["digits"]
    assert [variant.name for variant in model.variants] == ["only"]
    assert isinstance(model.artifact, S3Artifact)
    assert model.artifact.sha256 is None


def test_a_problem_is_told_in_the_file_that_has_it(tmp_path: Path) -> None:
    file = read(tmp_path, "name: 7\n", BASE.replace("max_batch_size: 32", "max_batch_size: many"))
    told = [str(problem).replace(f"{tmp_path}/", "") for problem in file.shape_problems]
    assert [text.split(" ")[0] for text in told] == ["dev.yaml:2", "_base.yaml:8"]


def test_a_replaced_list_has_its_own_places(tmp_path: Path) -> None:
    file = read(
        tmp_path,
        "name: dev\nmodels: {digits: {variants: [{name: only, instance_type: ml.m5.large}]}}\n",
    )
    entry = file.where / "models" / "digits" / "variants" / 1
    assert str(entry / "name").startswith(f"{tmp_path}/dev.yaml:3 ")
    assert "gpu" not in str(entry)


def test_a_base_may_extend_another(tmp_path: Path) -> None:
    (tmp_path / "_lowest.yaml").write_text("region: us-east-1\ntags: {lowest: yes-it-is}\n")
    file = read(tmp_path, "name: dev\n", f"extends: _lowest.yaml\n{BASE}")
    assert file.environment is not None
    assert file.environment.region == "eu-west-1"
    assert file.environment.tags["lowest"] == "yes-it-is"
    assert (file.where / "tags" / "lowest").file == str(tmp_path / "_lowest.yaml")


@pytest.mark.parametrize(
    ("extends", "message"),
    [
        ("dev.yaml", "a file cannot extend itself: dev.yaml extends dev.yaml"),
        ("_bsae.yaml", "extends is '_bsae.yaml'; there is no such file; "),
        ("../base.yaml", "it must be the name of a file beside this one"),
        ("[a, b]", "it must be the name of a file beside this one"),
    ],
)
def test_what_cannot_be_extended_is_refused_with_its_line(
    tmp_path: Path, extends: str, message: str
) -> None:
    (tmp_path / "dev.yaml").write_text(f"name: dev\nextends: {extends}\n")
    with pytest.raises(Mistake) as refused:
        read_environment(tmp_path / "dev.yaml")
    assert f"{tmp_path}/dev.yaml:2 extends: " in str(refused.value)
    assert message in str(refused.value)


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

from __future__ import annotations

import json
import re
from pathlib import Path
from types import NoneType
from typing import get_args

import pytest

from sagemaker_serving.errors import Mistake, ProblemsFound
from sagemaker_serving.spec import (
    Environment,
    InstanceVariant,
    Model,
    environment_schema,
    read_environment,
)
from sagemaker_serving.spec.base import Spec

ROOT = Path(__file__).parents[2]

MINIMAL = """\
name: dev
region: eu-west-1
models:
  digits:
    artifact: model
    framework: tensorflow
    framework_version: "2.19"
    variants:
      - {name: cpu, instance_type: ml.c5.large}
"""


def read(folder: Path, text: str) -> list[str]:
    path = folder / "dev.yaml"
    path.write_text(text)
    problems = read_environment(path).shape_problems
    return [str(problem).replace(str(folder) + "/", "") for problem in problems]


def test_a_sound_file_becomes_its_typed_value(tmp_path: Path) -> None:
    path = tmp_path / "dev.yaml"
    path.write_text(MINIMAL)
    environment = read_environment(path).environment
    assert environment is not None
    assert environment.endpoint_name("digits") == "dev-digits"
    (variant,) = environment.models["digits"].variants
    assert isinstance(variant, InstanceVariant)
    assert variant.initial_instance_count == 1


def test_weight_zero_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "dev.yaml"
    path.write_text(MINIMAL.replace("ml.c5.large", "ml.c5.large, weight: 0"))
    environment = read_environment(path).environment
    assert environment is not None
    (variant,) = environment.models["digits"].variants
    assert isinstance(variant, InstanceVariant)
    assert variant.weight == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("region:", "regoin:"), "dev.yaml:2: unknown field 'regoin'; did you mean 'region'"),
        (('"2.19"', "2.20"),
         "dev.yaml:7 models.digits.framework_version: framework_version is the number 2.2; it "
         "must be text: put it in quotes"),
        (("ml.c5.large", "ml.c5.large, weight: heavy"),
         "dev.yaml:9 models.digits.variants[0].weight: weight is 'heavy'; it must be a number"),
        (("name: cpu, ", ""), "dev.yaml:9 models.digits.variants[0]: 'name' is missing; add it"),
        (("    variants:", "    server: {gunicorn_loglevel: inf}\n    variants:"),
         "dev.yaml:8 models.digits.server.gunicorn_loglevel: gunicorn_loglevel is 'inf'; it must "
         "be debug, info, warning, error or critical; did you mean info"),
        (("    artifact:", "    artifact: {s3: s3://b/k.tar.gz, sha: 1}\n    framwork:"),
         "dev.yaml:5 models.digits.artifact: unknown field 'sha'; did you mean 'sha256'"),
        (("    artifact:", "    artifact: {folder: model, uncompresed: true}\n    framwork:"),
         "dev.yaml:5 models.digits.artifact: unknown field 'uncompresed'; did you mean "
         "'uncompressed'"),
        (("    artifact:", "    artifact: {uncompressed: true}\n    framwork:"),
         "dev.yaml:5 models.digits.artifact: 'folder' is missing; add it"),
        (("ml.c5.large", "ml.c5.large, max_concurrency: 2"),
         "dev.yaml:9 models.digits.variants[0] 'cpu': 'instance_type' belongs to another kind "
         "than the fields beside it; remove it, or them"),
        (("    variants:", "    update: {linear_percent: ten}\n    variants:"),
         "dev.yaml:8 models.digits.update.linear_percent: linear_percent is 'ten'; it must be a "
         "whole number"),
        (("ml.c5.large", "ml.c5.large, weight: 1e-4"),
         "dev.yaml:9 models.digits.variants[0].weight: weight is '1e-4'; it must be a number; "
         "write 0.0001, without quotes"),
        (("    variants:", "    update: {linear_percent: '10'}\n    variants:"),
         "dev.yaml:8 models.digits.update.linear_percent: linear_percent is '10'; it must be a "
         "whole number; write 10, without quotes"),
        (("    variants:", "    update: {all_at_once: false}\n    variants:"),
         "dev.yaml:8 models.digits.update.all_at_once: all_at_once is False; it must be true"),
        (("    variants:",
          "    scaling: {cpu: {min: 1, max: 2, invocation_per_instance: 2}}\n    variants:"),
         "dev.yaml:8 models.digits.scaling.cpu: unknown field 'invocation_per_instance'; did you "
         "mean 'invocations_per_instance'"),
        (("ml.c5.large", "ml.c5.large, initial_variant_weight: 2"),
         "dev.yaml:9 models.digits.variants[0] 'cpu': unknown field 'initial_variant_weight'; did "
         "you mean 'weight'"),
        (("ml.c5.large", "ml.c5.large, serverless_config: {}"),
         "dev.yaml:9 models.digits.variants[0] 'cpu': unknown field 'serverless_config'; here its "
         "parts are fields of their own: memory_size_in_mb, max_concurrency, "
         "provisioned_concurrency"),
        (("ml.c5.large", "ml.c5.large, instance_cuont: 2"),
         "dev.yaml:9 models.digits.variants[0] 'cpu': unknown field 'instance_cuont'; did you "
         "mean 'initial_instance_count'"),
        (("    variants:", "    update: {canary: 10}\n    variants:"),
         "dev.yaml:8 models.digits.update: unknown field 'canary'; did you mean 'canary_percent'"),
        (("region: eu-west-1", "region: eu-west-1\nname: prod"),
         "dev.yaml:3 name: 'name' is given twice; remove one of them"),
    ],
)  # fmt: skip
def test_a_wrong_shape_is_named_with_its_line(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    assert message in read(tmp_path, MINIMAL.replace(*change))


def blocks_of(kind: type[Spec]) -> list[str]:
    """Its fields that are a block of fields of one kind, or absent."""
    return [
        name
        for name, info in kind.model_fields.items()
        if (members := get_args(info.annotation))[1:] == (NoneType,)
        and isinstance(members[0], type)
        and issubclass(members[0], Spec)
    ]


@pytest.mark.parametrize(
    ("before", "block"),
    [
        *(("models:", block) for block in blocks_of(Environment)),
        *(("    variants:", block) for block in blocks_of(Model)),
    ],
)
def test_an_unknown_field_of_any_block_is_told_which_there_are(
    tmp_path: Path, before: str, block: str
) -> None:
    indented = " " * (len(before) - len(before.lstrip()))
    (found,) = (
        message
        for message in read(
            tmp_path, MINIMAL.replace(before, f"{indented}{block}: {{zyxwvuts: 1}}\n{before}")
        )
        if "unknown field" in message
    )
    _, fields = found.split("unknown field 'zyxwvuts'; the fields here are ")
    assert re.fullmatch(r"\w+(, \w+)*", fields)


def test_all_wrong_shapes_come_at_once_and_each_once(tmp_path: Path) -> None:
    """That there is no region is no fault beside the misspelt one."""
    wrong = MINIMAL.replace("region:", "regoin:").replace('"2.19"', "2.19")
    assert len(read(tmp_path, wrong)) == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [("name: [a\nb: c\n", 2), ("name: dev\n\tregion: x\n", 2), ("", 1), ("a: &x 1\nb: *y\n", 2)],
)
def test_yaml_that_cannot_be_read_is_named_with_its_line(
    tmp_path: Path, text: str, line: int
) -> None:
    with pytest.raises(ProblemsFound) as found:
        read(tmp_path, text)
    assert found.value.problems[0].where.line == line
    assert ("begins with a tab" in found.value.problems[0].message) == ("\t" in text)


def test_yaml_tags_run_no_code(tmp_path: Path) -> None:
    with pytest.raises(ProblemsFound, match="not YAML that can be read"):
        read(tmp_path, "name: !!python/object/apply:os.system ['true']\n")


@pytest.mark.parametrize("text", ["- a\n- b\n", "just text\n", "42\n"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    (problem,) = read(tmp_path, text)
    assert "it must be a mapping" in problem


@pytest.mark.parametrize("key", ["on", "1", "2026-11-29", "~", "0x1f", "1.50"])
def test_a_key_is_the_text_that_is_written(tmp_path: Path, key: str) -> None:
    """Where YAML reads a truth value, a number, a date or nothing."""
    path = tmp_path / "prod.yaml"
    path.write_text(MINIMAL.replace("models:", f"tags: {{{key}: written}}\nmodels:"))
    environment = read_environment(path).sound
    assert environment.tags == {key: "written"}


def test_a_missing_file_names_its_siblings(tmp_path: Path) -> None:
    (tmp_path / "prod.yaml").write_text(MINIMAL)
    with pytest.raises(Mistake, match=r"there is no such file; .* has prod"):
        read_environment(tmp_path / "prd.yaml")


@pytest.mark.parametrize("name", ["local", "dev", "staging", "prod"])
def test_shipped_environments_fit_the_schema(name: str) -> None:
    import jsonschema
    import yaml

    text = (ROOT / "environments" / f"{name}.yaml").read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=environment.schema.json\n")
    jsonschema.validate(yaml.safe_load(text), json.loads(environment_schema()))

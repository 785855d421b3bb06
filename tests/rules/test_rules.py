"""Every rule: a case that it names, and the nearest one that it lets pass."""

from __future__ import annotations

import copy
import importlib
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sagemaker_serving import rules
from sagemaker_serving.errors import Problem, Severity
from sagemaker_serving.rules import RULES, Rule, check_environment
from sagemaker_serving.spec import read_environment
from tests.models import saved_model
from tests.rules.changes import BLUE, COMPONENTS, DIGITS, SCALING, UPDATE, Change
from tests.rules.environment_cases import CASES
from tests.today import TODAY

BATCH = (*DIGITS, "batch_transform")
ROOT = Path(__file__).parents[2]

SOUND: dict[str, Any] = {
    "name": "prod",
    "region": "eu-west-1",
    "models": {
        "digits": {
            "artifact": "model",
            "framework": "tensorflow",
            "framework_version": "2.20",
            "batching": {"max_batch_size": 8},
            "variants": [
                {"name": "blue", "instance_type": "ml.c5.large"},
                {"name": "green", "instance_type": "ml.g4dn.xlarge"},
            ],
            "batch_transform": {"instance_type": "ml.m5.large"},
        }
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A right model beside the environment file."""
    folder = tmp_path_factory.mktemp("environments")
    model = folder / "model" / "digits" / "1" / "saved_model.pb"
    model.parent.mkdir(parents=True)
    model.write_bytes(saved_model())
    return folder


def problems(folder: Path, change: Change) -> list[Problem]:
    environment = copy.deepcopy(SOUND)
    for path, value in change.items():
        place: Any = environment
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
    path_of_file = folder / "prod.yaml"
    path_of_file.write_text(yaml.dump(environment, Dumper=yaml.CSafeDumper, sort_keys=False))
    return check_environment(read_environment(path_of_file), today=TODAY)


def variant(**fields: Any) -> Change:
    return {BLUE[:-1]: [{"name": "blue", **fields}]}


def model(**names: str) -> Change:
    """The model with fields under other names."""
    digits = SOUND["models"]["digits"]
    called = {field: name for name, field in names.items()}
    return {DIGITS: {called.get(field, field): value for field, value in digits.items()}}


def test_the_sound_environment_has_no_problem(folder: Path) -> None:
    assert problems(folder, {}) == []


def test_a_field_of_the_model_s_that_is_wrong_for_one_variant_names_that_variant(
    folder: Path,
) -> None:
    old = {
        (*BLUE, "accelerator_type"): "ml.eia2.medium",
        ("accept_retired",): ["elastic-inference"],
    }
    (of_one,) = [each for each in problems(folder, old) if each.rule == "image-known"]
    assert of_one.message.startswith(
        "for variant 'blue': framework_version is '2.20'; tensorflow images for Elastic Inference"
    )
    (of_all,) = [
        each
        for each in problems(folder, {(*DIGITS, "framework_version"): "2.17"})
        if each.rule == "image-known"
    ]
    assert of_all.message.startswith("framework_version is '2.17'")


@pytest.mark.parametrize(
    ("rule", "wrong", "said", "right"),
    CASES,
    ids=[f"{case[0]}-{n}" for n, case in enumerate(CASES)],
)
def test_the_rule_names_the_wrong_and_lets_the_nearest_pass(
    folder: Path, rule: str, wrong: Change, said: str, right: Change
) -> None:
    found = [problem for problem in problems(folder, wrong) if problem.rule == rule]
    assert any(said in problem.message for problem in found), found
    assert all(problem.where.line is not None for problem in found)
    assert [problem for problem in problems(folder, right) if problem.rule == rule] == []


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        ({SCALING: {"blue": {"min": 3, "max": 2}}}, ["scaling-bounds"]),
        ({SCALING: {"blue": {"min": "few", "max": 2}}}, ["wrong-type"]),
        # The GPU is a fault of its own.
        ({(*DIGITS, "multi_model"): True}, ["multi-model-gpu", "wrong-type"]),
        ({(*DIGITS, "artifact"): "s3://My_Models/model.tar.gz"}, ["location-bucket"]),
        ({(*DIGITS, "artifact"): "s3://my-models/model.zip"}, ["model-data-form"]),
        ({(*DIGITS, "variants"): {"name": "blue"}}, ["wrong-type"]),
        (variant(serverless={"memory_size_in_mb": 2048, "max_concurrency": 5}), ["unknown-field"]),
        (variant(serverless_config={"MemorySizeInMB": 2048}), ["unknown-field"]),
        (variant(memory_size_mb=2048), ["unknown-field"]),
        (variant(MemorySizeInMB=2048, MaxConcurrency=5), ["unknown-field", "unknown-field"]),
        (variant(instance_typ="ml.c5.large"), ["unknown-field"]),
        (variant(InstanceType="ml.c5.large"), ["unknown-field"]),
        (variant(instance_type=5), ["wrong-type"]),
        (variant(instance_type="ml.c5.large", initial_instance_count=1, max_concurrency=5),
         ["unknown-field"]),
        ({(*DIGITS, "variants"): ["ml.c5.large"]}, ["wrong-type"]),
        ({(*BLUE, "name"): 5, SCALING: {"blue": {"min": 1, "max": 1}}}, ["wrong-type"]),
        (model(production_variants="variants"), ["unknown-field"]),
        (model(artefact="artifact"), ["unknown-field"]),
        ({(*DIGITS, "framework"): "tensorflw", (*DIGITS, "framework_version"): 2.20},
         ["image-known", "wrong-type"]),
        (model(model_data_url="artifact"), ["unknown-field"]),
        (model(framwork="framework"), ["unknown-field"]),
        (model(FrameworkVersion="framework_version"), ["unknown-field"]),
        ({BATCH: {"InstanceType": "ml.m5.large"}}, ["unknown-field"]),
        ({BATCH: {"transform_resources": {"instance_type": "ml.m5.large"}}}, ["unknown-field"]),
        ({UPDATE: {"canary": 10}}, ["unknown-field"]),
        ({UPDATE: {"rolling_percnt": 50}}, ["unknown-field"]),
        ({UPDATE: {"linear": 50}}, ["unknown-field"]),
        ({SCALING: {"blue": {"MinCapacity": 1, "max": 4, "invocations_per_instance": 9}}},
         ["unknown-field"]),
        ({SCALING: {"blue": {"min": 1, "max": 4, "invocation_per_instance": 9}}},
         ["unknown-field"]),
        ({SCALING: {"blue": {"min": 1, "max": 4, "tracked_metric": []}}}, ["unknown-field"]),
        ({(*DIGITS, "monitoring"): {"threshold": {"cpu_utilization_percent": 100}}},
         ["unknown-field"]),
        ({("routers",): {"all": {"targets": {"main": {"destinations": ["digits"]}}}}},
         ["unknown-field"]),
        ({("routers",): {"all": {"routing_targets": {"main": {"destination": ["digits"]}}}}},
         ["unknown-field"]),
        ({**COMPONENTS, (*DIGITS, "inference_components"): {"half": {"specification": {}}}},
         ["unknown-field"]),
        ({**COMPONENTS, (*DIGITS, "inference_components"): {"half": {"min_memory": 512}}},
         ["unknown-field"]),
        ({("acknowledge",): {"instance-retired": 5}}, ["wrong-type"]),
    ],
)  # fmt: skip
def test_one_fault_is_one_message(folder: Path, change: Change, rules: list[str]) -> None:
    assert [problem.rule for problem in problems(folder, change)] == rules


def test_of_names_that_are_the_same_one_is_suggested(folder: Path) -> None:
    again: Change = {BLUE[:-1]: [{"name": "v", "instance_type": "ml.c5.large"}] * 2}
    (found,) = (
        problem
        for problem in problems(folder, {**again, SCALING: {"other": {"min": 1, "max": 1}}})
        if problem.rule == "scaling-named"
    )
    assert found.message.endswith("; use v")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize(
    "written",
    [
        lambda n: {(*DIGITS, "asynchronous"): {"max_concurrent_invocations_per_instance": n}},
        lambda n: {(*BLUE, "weight"): n},
        lambda n: {(*BLUE, "initial_instance_count"): n},
        lambda n: {(*DIGITS, "server"): {"fractional_gpu_mem_margin": n}},
        lambda n: {(*DIGITS, "batch_transform", "max_bytes_per_shard"): n},
        lambda n: {(*DIGITS, "update"): {"canary_percent": n}},
        lambda n: {(*DIGITS, "monitoring"): {"thresholds": {"cpu_utilization_percent": n}}},
        lambda n: {SCALING: {"blue": {"min": 1, "max": 2, "invocations_per_instance": n}}},
    ],
)
def test_a_number_without_an_end_is_a_wrong_type_and_named_once(
    folder: Path, written: Callable[[float], Change], number: float
) -> None:
    found = problems(folder, written(number))
    errors = [problem.rule for problem in found if problem.severity is Severity.ERROR]
    assert errors == ["wrong-type"]


@pytest.mark.parametrize("folder_of_code", ["rules", "spec", "catalog"])
def test_no_pattern_takes_digits_of_other_scripts(folder_of_code: str) -> None:
    sources = (ROOT / "constructs" / "sagemaker_serving" / folder_of_code).rglob("*.py")
    marks = ("\\d", "\\w", ".isdigit()", ".isdecimal()", ".isnumeric()")
    lax = [path.name for path in sources for mark in marks if mark in path.read_text()]
    assert lax == []


def test_all_problems_come_at_once_in_the_order_of_the_file(folder: Path) -> None:
    found = problems(
        folder,
        {
            ("region",): "nowhere",
            (*DIGITS, "artifact"): "gone",
            (*DIGITS, "framework_version"): 2.19,
            (*BLUE, "instance_type"): "ml.t3.medium",
        },
    )
    assert [problem.rule for problem in found] == [
        "region",
        "artifact-readable",
        "wrong-type",
        "endpoint-instance-type",
    ]


WHOLE = [("name",), ("region",), ("tags",), ("models",), DIGITS, (*DIGITS, "variants"), BLUE]
BELOW = [(*DIGITS, key) for key in (
    *("artifact", "framework", "batching", "server", "environment", "scaling", "update", "extra"),
    *("asynchronous", "multi_model", "containers", "inference_components", "shadow_variants"),
    *("model_package", "image_digest", "data_capture", "monitoring", "batch_transform"),
    *("transition", "metrics_config"),
)]  # fmt: skip
OTHERS = [*BELOW, ("production",), ("monitoring",), (*BLUE, "weight"), (*BLUE, "extra")]


@pytest.mark.parametrize("junk", [None, 3, "text", [], {}, [1], {"a": None}, True, 1e400])
def test_junk_anywhere_is_a_problem_and_never_a_crash(folder: Path, junk: Any) -> None:
    """Each place of others alone; what lies below them at once, and `test_fuzz` one by one."""
    for change in (*({path: junk} for path in WHOLE), dict.fromkeys(OTHERS, junk)):
        assert all(isinstance(problem, Problem) for problem in problems(folder, change))


@pytest.mark.parametrize("name", ["local", "dev", "staging", "prod"])
def test_shipped_environments_have_no_problem(name: str) -> None:
    file = read_environment(ROOT / "environments" / f"{name}.yaml")
    assert check_environment(file, today=TODAY) == []


def test_no_rule_is_left_out_of_the_registry() -> None:
    found = [
        rule
        for module in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}.")
        for value in vars(importlib.import_module(module.name)).values()
        for rule in (value if isinstance(value, tuple) else [value])
        if isinstance(rule, Rule)
    ]
    assert {rule.id for rule in found} == {rule.id for rule in RULES}


def test_no_two_rules_share_an_id() -> None:
    names = [rule.id for rule in RULES]
    assert len(set(names)) == len(names)

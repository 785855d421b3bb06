"""The ``compile`` field: its shape, the job it describes, and the name that follows from it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies
from pydantic import ValidationError

from sagemaker_serving.spec import Environment
from sagemaker_serving.spec.compilation import Compilation
from sagemaker_serving.spec.compilation_job import CompilationJob, compilation_job

JOB = CompilationJob(
    framework="TENSORFLOW",
    framework_version="2.9",
    data_input_config='{"x":[1,2]}',
    target_device="ml_c5",
)


def of(framework: str | None = "tensorflow", version: str | None = "2.9", **asked: Any) -> Any:
    return compilation_job(
        Compilation.model_validate(asked), framework=framework, framework_version=version
    )


def test_a_variant_is_compiled_and_another_one_is_not() -> None:
    environment = Environment.model_validate(
        {
            "name": "e",
            "region": "eu-west-1",
            "models": {
                "m": {
                    "artifact": "model",
                    "framework": "tensorflow",
                    "framework_version": "2.19",
                    "variants": [
                        {"name": "a", "instance_type": "ml.c5.large"},
                        {
                            "name": "b",
                            "instance_type": "ml.c5.large",
                            "framework_version": "2.9",
                            "compile": {"target_device": "ml_c5", "batch_size": 4},
                        },
                    ],
                }
            },
        }
    )
    model = environment.models["m"]
    plain, compiled = (model.container(variant) for variant in model.variants)
    assert plain.compile is None
    assert compiled.compile == Compilation(target_device="ml_c5", batch_size=4)


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": "ml_c5"},
        {"target_platform": {"os": "WINDOWS", "arch": "X86_64"}},
        {"framework_version": 2.9},
        {"batch_size": "1"},
        {"data_input_config": {"x": [1.5]}},
    ],
)
def test_what_has_the_wrong_shape_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Compilation.model_validate(wrong)


def test_the_job_takes_the_containers_framework_in_neos_spelling() -> None:
    job = of(target_device="ml_c5")
    assert (job.framework, job.framework_version) == ("TENSORFLOW", "2.9")
    job = of(target_device="ml_c5", framework="PYTORCH", framework_version="1.13")
    assert (job.framework, job.framework_version) == ("PYTORCH", "1.13")


def test_a_version_goes_only_where_neo_takes_one() -> None:
    assert of("keras", "2.2.4", target_device="ml_c5").framework_version is None


@pytest.mark.parametrize(
    ("options", "device", "text"),
    [
        ({"DTYPE": "float32"}, "ml_c5", '{"DTYPE":"float32"}'),
        ("--verbose 1", "ml_inf1", '"--verbose 1"'),
        ('"--verbose 1"', "ml_inf1", '"--verbose 1"'),
        ("{'a': 1}", "ml_c5", "{'a': 1}"),
    ],
)
def test_options_become_the_text_that_the_target_takes(
    options: Any, device: str, text: str
) -> None:
    assert of(target_device=device, compiler_options=options).compiler_options == text


def test_the_arguments_are_those_of_create_compilation_job() -> None:
    job = of(
        target_platform={"os": "LINUX", "arch": "ARM64"},
        data_input_config={"x": [1, 2]},
        max_pending_time_in_seconds=1800,
    )
    assert job.arguments(model_url="s3://m", output_url="s3://o/", key_arn="k") == {
        "InputConfig": {
            "S3Uri": "s3://m",
            "Framework": "TENSORFLOW",
            "FrameworkVersion": "2.9",
            "DataInputConfig": '{"x":[1,2]}',
        },
        "OutputConfig": {
            "S3OutputLocation": "s3://o/",
            "TargetPlatform": {"Os": "LINUX", "Arch": "ARM64"},
            "KmsKeyId": "k",
        },
        "StoppingCondition": {"MaxRuntimeInSeconds": 900, "MaxPendingTimeInSeconds": 1800},
    }


def test_the_name_follows_from_the_content_and_nothing_else() -> None:
    name = JOB.name("abc")
    assert name == replace(JOB, max_runtime_in_seconds=60, max_pending_time_in_seconds=1800).name(
        "abc"
    )
    others = [
        JOB.name("abd"),
        *(
            replace(JOB, **change).name("abc")  # type: ignore[arg-type]
            for change in (
                {"framework": "KERAS"},
                {"framework_version": "2.8"},
                {"data_input_config": '{"x":[2,2]}'},
                {"target_device": "ml_m5"},
                {"compiler_options": "x"},
            )
        ),
    ]
    assert len({name, *others}) == 7


def test_the_name_never_changes_from_release_to_release() -> None:
    """A new name would compile everything again, everywhere."""
    assert JOB.name("abc") == "neo-ml-c5-6e1d83799a79f7e86a7b"


@given(
    target=strategies.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"),
    model=strategies.recursive(strategies.none() | strategies.text(), strategies.lists),
)
def test_every_name_is_one_that_sagemaker_takes_for_many_attempts(target: str, model: Any) -> None:
    name = replace(JOB, target_device=f"m{target}").name(json.loads(json.dumps(model)))
    assert re.fullmatch(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}", f"{name}-99")
    assert len(f"{name}-99") <= 63

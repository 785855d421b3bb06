"""The rule on how long AWS patches an image, on the days around an end."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import read_environment

DLC = "763104351884.dkr.ecr.eu-west-1.amazonaws.com"
NOW = date(2026, 11, 23)


def said(folder: Path, today: date = NOW, instance_type: str = "ml.c5.large", **model: Any) -> str:
    """What the rule says of one model, "" where it says nothing."""
    path = folder / "prod.yaml"
    variant = {"name": "one", "instance_type": instance_type}
    models = {"digits": {"artifact": "s3://b/k.tar.gz", "variants": [variant], **model}}
    path.write_text(yaml.safe_dump({"name": "prod", "region": "eu-west-1", "models": models}))
    problems = check_environment(read_environment(path), today=today)
    found = [each for each in problems if each.rule == "image-support"]
    assert all(each.severity is Severity.WARNING and each.where.line for each in found)
    return "".join(each.message for each in found)


def tensorflow(version: str) -> dict[str, Any]:
    return {"framework": "tensorflow", "framework_version": version}


@pytest.mark.parametrize(
    ("today", "message"),
    [
        (date(2025, 12, 10), ""),
        (
            date(2025, 12, 11),
            "framework_version is '2.19', whose patches end on 2026-03-11, in 90 days; "
            "use '2.20', patched until 2027-08-20",
        ),
        (
            date(2026, 3, 12),
            "framework_version is '2.19', whose patches ended on 2026-03-11; "
            "use '2.20', patched until 2027-08-20",
        ),
    ],
)
def test_the_end_of_patches_is_said_ninety_days_before_and_after(
    tmp_path: Path, today: date, message: str
) -> None:
    assert said(tmp_path, today, **tensorflow("2.19")) == message


def test_an_image_that_is_patched_passes(tmp_path: Path) -> None:
    assert said(tmp_path, **tensorflow("2.20")) == ""


def test_after_the_last_end_nothing_is_recommended_that_has_ended_too(tmp_path: Path) -> None:
    assert said(tmp_path, date(2027, 8, 21), **tensorflow("2.20")) == (
        "framework_version is '2.20', whose patches ended on 2027-08-20; "
        "AWS's tables have no tensorflow image that is patched longer; bring your own"
    )


def test_what_aws_no_longer_lists_is_older_than_what_it_lists(tmp_path: Path) -> None:
    assert "older than 2.14, the oldest release that AWS lists" in said(
        tmp_path, **tensorflow("1.15")
    )


def test_pytorch_ended_with_torchserve_and_what_there_is_instead_is_said(tmp_path: Path) -> None:
    message = said(tmp_path, framework="pytorch", framework_version="2.6")
    assert message == (
        "framework_version is '2.6', whose patches ended on 2026-06-30; AWS's last PyTorch image "
        "with TorchServe is that of 2.6; Ray Serve's image, Triton's, or one of your own serves "
        "PyTorch models: sagemaker-serving docs images"
    )


def test_an_arm64_image_without_a_successor_names_that_for_x86(tmp_path: Path) -> None:
    message = said(tmp_path, instance_type="ml.c7g.large", **tensorflow("2.16"))
    assert message.endswith("on an x86 instance type use '2.20', patched until 2027-08-20")


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        (
            f"{DLC}/tensorflow-inference:2.19-cpu",
            "image_uri is tensorflow-inference:2.19-cpu, whose patches ended on 2026-03-11; "
            "use tensorflow-inference:2.20-cpu-py312, patched until 2027-08-20",
        ),
        (f"{DLC}/tensorflow-inference:2.20-cpu-py312", ""),
        (f"{DLC}/tensorflow-inference@sha256:{'0a' * 32}", ""),
        ("111122223333.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference:2.19-cpu", ""),
        ("111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1", ""),
    ],
)
def test_aws_images_by_their_uri_are_judged_and_others_are_not(
    tmp_path: Path, uri: str, message: str
) -> None:
    assert said(tmp_path, image_uri=uri) == message


def test_a_model_that_neo_compiles_is_left_to_neos_rules(tmp_path: Path) -> None:
    asked = {"target_device": "ml_c5", "data_input_config": {"input": [1, 2]}}
    assert said(tmp_path, compile=asked, **tensorflow("2.9")) == ""

"""The calendar of AWS's images, by the snapshot that is committed."""

from __future__ import annotations

from datetime import date

import pytest

from sagemaker_serving.catalog.ecr import EcrImage
from sagemaker_serving.catalog.images import container_image
from sagemaker_serving.catalog.support import image_support, newest_patched, support_as_of


def of(name: str) -> EcrImage:
    repository, _, tag = name.partition(":")
    return EcrImage(account="763104351884", region="eu-west-1", repository=repository, tag=tag)


@pytest.mark.parametrize(
    ("image", "until", "cuda", "python", "driver"),
    [
        ("tensorflow-inference:2.20-cpu-py312", "2027-08-20", "", "3.12", None),
        ("tensorflow-inference:2.20.0-gpu-py312", "2027-08-20", "12.9", "3.12", 525),
        ("tensorflow-inference:2.19-gpu", "2026-03-11", "12.2", "3.12", 525),
        ("tensorflow-inference:2.19.0-cpu-py312-sagemaker-v1.4", "2026-03-11", "", "3.12", None),
        ("tensorflow-inference-graviton:2.16-cpu", "2025-03-07", "", "", None),
        ("pytorch-inference:2.6-gpu-py312", "2026-06-30", "12.4", "3.12", 525),
        ("sagemaker-xgboost:3.2-0", "2027-05-13", "", "", None),
    ],
)
def test_an_image_has_its_dates_and_what_it_holds(
    image: str, until: str, cuda: str, python: str, driver: int | None
) -> None:
    found = image_support(of(image))
    assert (found.patched_until, found.older_than) == (date.fromisoformat(until), "")
    assert (found.cuda, found.python, found.driver) == (cuda, python, driver)


def test_a_tag_that_is_not_listed_names_its_cuda() -> None:
    assert image_support(of("vllm:9.9-gpu-py312-cu130-sagemaker")).cuda == "13.0"


def test_what_is_older_than_all_that_aws_lists_has_ended() -> None:
    found = image_support(of("sagemaker-tensorflow-serving:1.12-cpu"))
    assert (found.older_than, found.state(date(2026, 11, 23))) == ("2.14", "ended")


@pytest.mark.parametrize(
    "image",
    [
        "sagemaker-xgboost:1.7-1",
        "sagemaker-tritonserver:26.05-py3",
        f"tensorflow-inference:sha256:{'0a' * 32}",
        "my-own:2.19-cpu",
    ],
)
def test_nothing_is_made_up_of_what_aws_does_not_list(image: str) -> None:
    assert image_support(of(image)).state(date(2030, 1, 1)) == "unknown"


@pytest.mark.parametrize(
    ("today", "state"),
    [
        (date(2027, 5, 21), "patched"),
        (date(2027, 5, 22), "ends soon"),
        (date(2027, 8, 20), "ends soon"),
        (date(2027, 8, 21), "ended"),
    ],
)
def test_the_end_is_said_ninety_days_before(today: date, state: str) -> None:
    assert image_support(of("tensorflow-inference:2.20-cpu-py312")).state(today) == state


@pytest.mark.parametrize(
    ("image", "replacement"),
    [
        ("tensorflow-inference:2.19-gpu", "tensorflow-inference:2.20-gpu-py312"),
        ("sagemaker-tensorflow-serving:1.12-cpu", "tensorflow-inference:2.20-cpu-py312"),
        ("sagemaker-xgboost:3.0-5", "sagemaker-xgboost:3.2-0"),
        ("pytorch-inference:2.6-gpu-py312", None),
        ("tensorflow-inference-graviton:2.16-cpu", None),
    ],
)
def test_the_newest_patched_image_of_the_same_framework_is_named(
    image: str, replacement: str | None
) -> None:
    found = newest_patched(of(image), date(2026, 11, 23))
    named = None if found is None else f"{found.image.repository}:{found.image.tag}"
    assert named == replacement


def test_after_the_last_end_there_is_no_replacement() -> None:
    assert newest_patched(of("tensorflow-inference:2.19-gpu"), date(2027, 8, 21)) is None


def test_the_catalogs_newest_tensorflow_image_is_one_that_the_support_data_know() -> None:
    image = container_image(framework="tensorflow", version="2.20", region="eu-west-1")
    assert image.tag == "2.20-cpu-py312"
    assert image_support(image).state(support_as_of()) == "patched"

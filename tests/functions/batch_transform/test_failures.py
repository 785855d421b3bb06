from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.functions.batch_transform.failures import (
    failure_of,
    is_over_quota,
    wait_seconds,
)
from sagemaker_serving.spec import Retries

SERVICE = "(Service: AmazonSageMaker; Status Code: 400; Error Code: {}; Request ID: 1; Proxy: null)"


def refused(name: str, message: str, code: str) -> dict[str, str]:
    return {"Error": f"SageMaker.{name}", "Cause": f"{message} {SERVICE.format(code)}"}


def failed(reason: str, status: str = "Failed") -> dict[str, str]:
    job = {"TransformJobName": "j", "TransformJobStatus": status, "FailureReason": reason}
    return {"Error": "States.TaskFailed", "Cause": json.dumps(job)}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (refused("AmazonSageMakerException", "Rate exceeded", "ThrottlingException"), "throttling"),
        (refused("AmazonSageMakerException", "User: x is not authorized", "AccessDenied"),
         "denied"),
        (refused("AmazonSageMakerException", "Could not assume role x.", "ValidationException"),
         "denied"),
        (refused("AmazonSageMakerException", "1 validation error", "ValidationException"),
         "refused"),
        (refused("ResourceLimitExceededException", "The account-level", "ResourceLimitExceeded"),
         "capacity"),
        (refused("AmazonSageMakerException", "oh", "InternalFailure"), "internal"),
        (refused("ResourceInUseException", "name", "ResourceInUse"), "internal"),
        ({"Error": "States.Timeout", "Cause": ""}, "internal"),
        (failed("CapacityError: Unable to provision requested ML compute capacity."), "capacity"),
        (failed("InternalServerError: We encountered an internal error."), "internal"),
        (failed("ClientError: See job logs for more information"), "data"),
        (failed("AlgorithmError: See job logs for more information"), "data"),
        (failed("AlgorithmError: The primary container did not pass the ping"), "internal"),
        (failed("ClientError: Data download failed: AccessDenied"), "refused"),
        (failed("", "Stopped"), "stopped"),
    ],
)  # fmt: skip
def test_a_failure_is_told_by_its_cause(error: dict[str, str], kind: str) -> None:
    found = failure_of(error)
    assert found is not None
    assert found.kind == kind
    assert found.reason


def test_a_job_that_completed_has_no_failure() -> None:
    assert failure_of(None) is None


@given(used=st.integers(0, 30), seed=st.integers())
def test_waits_have_full_jitter_below_a_limit_that_doubles(used: int, seed: int) -> None:
    retry = {"max_attempts": 20, "interval_seconds": 2, "backoff_rate": 2, "max_delay_seconds": 60}
    wait = wait_seconds(retry, used, 0, random.Random(seed))
    if used >= 20:
        assert wait is None
    else:
        assert wait is not None
        assert 0 <= wait <= min(60, 2 * 2**used)


def test_no_budget_is_no_retry() -> None:
    retry = {"max_attempts": 0, "interval_seconds": 2, "backoff_rate": 2, "max_delay_seconds": 60}
    assert wait_seconds(retry, 0, 0, random.Random(1)) is None


def test_a_shard_waits_hours_for_capacity_by_default() -> None:
    retry, chance, waited, used = Retries().capacity.model_dump(), random.Random(1), 0, 0
    while (wait := wait_seconds(retry, used, waited, chance)) is not None:
        waited, used = waited + wait, used + 1
    assert 6 * 3600 <= waited <= 6 * 3600 + retry["max_delay_seconds"]


@pytest.mark.parametrize(
    ("limit", "used", "asked", "never"),
    [(0, 0, 1, True), (4, 0, 11, True), (2, 3, 1, False), (4, 2, 4, False)],
)
def test_a_job_that_no_quota_can_hold_waits_for_none(
    limit: int, used: int, asked: int, never: bool
) -> None:
    reason = (
        f"The account-level service limit 'ml.p3.2xlarge for transform job usage' is {limit} "
        f"Instances, with current utilization of {used} Instances and a request delta of {asked} "
        "Instances. Please contact AWS support to request an increase for this limit."
    )
    assert is_over_quota(reason) is never


def test_a_wait_is_never_too_long_to_reckon() -> None:
    retry = {"interval_seconds": 0.1, "backoff_rate": 100, "max_delay_seconds": 900}
    wait = wait_seconds({**retry, "max_attempts": 1000}, 999, 0, random.Random(1))
    assert wait is not None
    assert wait <= 900

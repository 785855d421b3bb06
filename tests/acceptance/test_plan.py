"""What is said before a run on an account: how much at most, for how long, for what price."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sagemaker_serving.operations.prices import Prices
from sagemaker_serving.spec import Environment, read_environment
from tests.acceptance.plan import LIMIT_MINUTES, plan

ENVIRONMENT = """\
name: acceptance
region: eu-west-1
models:
  half:
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
    variants: [{name: cpu, instance_type: TYPE, initial_instance_count: 2}]
    batch_transform: {instance_type: ml.m5.large, max_concurrent_jobs: 3}
"""
HOSTING = {"ml.c5.large": 0.1, "ml.c5.xlarge": 0.2}


@pytest.fixture
def environments(tmp_path: Path) -> list[Environment]:
    """The same endpoint on two types of instances, one after the other."""
    found = []
    for instance_type in HOSTING:
        path = tmp_path / f"{instance_type}.yaml"
        path.write_text(ENVIRONMENT.replace("TYPE", instance_type))
        found.append(read_environment(path).sound)
    return found


def prices(hosting: Mapping[str, float]) -> Prices:
    regions = {"eu-west-1": {"hosting": hosting, "transform": {"ml.m5.large": 0.3}}}
    return Prices(read="now", currency="USD", regions=regions)


def test_it_adds_up_the_most_of_each_type_until_the_run_ends(
    environments: list[Environment],
) -> None:
    lines = list(plan(environments, "eu-west-1", prices(HOSTING)))
    assert "  half, cpu: at most 4 of ml.c5.large, 0.1 an hour each" in lines
    assert "  half, cpu: at most 4 of ml.c5.xlarge, 0.2 an hour each" in lines
    assert "  half, batch: at most 3 of ml.m5.large, 0.3 an hour each" in lines
    assert lines[-2].startswith(f"at most {11 * LIMIT_MINUTES} instance-minutes")
    assert lines[-1].startswith("at most 6.30 USD for instances")


def test_a_missing_price_leaves_the_sum_unsaid(environments: list[Environment]) -> None:
    *_, last = plan(environments, "eu-west-1", prices({"ml.c5.large": 0.1}))
    assert last == "no price of ml.c5.xlarge is in AWS's list; what it costs is not known"


def test_without_prices_the_reason_is_said(environments: list[Environment]) -> None:
    *_, last = plan(environments, "eu-west-1", "GetProducts: AccessDeniedException: no")
    assert last == "no price: GetProducts: AccessDeniedException: no"

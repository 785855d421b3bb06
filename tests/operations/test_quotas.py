"""Quotas against what an environment takes, and what AWS says of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from botocore.stub import Stubber

from sagemaker_serving.client.aws import Aws
from sagemaker_serving.errors import Mistake, Where
from sagemaker_serving.operations import account as account_module
from sagemaker_serving.operations.account import Account
from sagemaker_serving.operations.quotas import quota_problems
from sagemaker_serving.spec import Environment

ENDPOINT_USAGE = "ml.c5.large for endpoint usage"


def environment(**model: Any) -> Environment:
    given = {
        "artifact": "model",
        "variants": [{"name": "cpu", "instance_type": "ml.c5.large", "initial_instance_count": 4}],
        **model,
    }
    return Environment.model_validate(
        {"name": "prod", "region": "eu-west-1", "models": {"digits": given}}
    )


def account(quota: float, **running: Any) -> Account:
    return Account(
        account="111122223333",
        region="eu-west-1",
        read="2026-11-21T00:00:00+00:00",
        quotas={ENDPOINT_USAGE: quota, "Number of endpoints": 100},
        **running,
    )


def said(found: Environment, known: Account) -> list[tuple[str, str]]:
    return [
        (problem.severity.value, problem.message)
        for problem in quota_problems(found, known, Where("prod.yaml"))
    ]


def test_enough_for_an_update_at_full_size_is_enough() -> None:
    assert said(environment(), account(8)) == []


def test_too_few_for_the_deploy_is_an_error() -> None:
    ((severity, message),) = said(environment(), account(3))
    assert severity == "error"
    assert message == (
        "the deploy takes 4 instances of ml.c5.large for endpoints; the quota of 111122223333 in "
        "eu-west-1 is 3: it would fail; ask for 4 in Service Quotas, or take fewer"
    )


def test_too_few_for_scaling_is_a_warning() -> None:
    ((severity, message),) = said(environment(scaling={"cpu": {"min": 4, "max": 9}}), account(8))
    assert (severity, "at most it takes 9 instances" in message) == ("warning", True)


def test_too_few_for_both_fleets_of_an_update_is_a_warning() -> None:
    ((severity, message),) = said(environment(), account(7))
    assert (severity, "an update at full size takes 8 instances" in message) == ("warning", True)


def test_what_others_run_counts_and_what_is_ones_own_does_not() -> None:
    running = {"prod-digits": {"ml.c5.large": 4}, "somebodys": {"ml.c5.large": 5}}
    assert said(environment(), account(13, endpoints=running)) == []
    ((severity, message),) = said(environment(), account(8, endpoints=running))
    assert severity == "error"
    assert "is 8 beside 5 in use" in message


def test_a_quota_that_is_not_listed_is_unknown_and_never_enough() -> None:
    (problem,) = quota_problems(
        environment(batch_transform={"instance_type": "ml.m5.large"}),
        account(8),
        Where("prod.yaml"),
    )
    assert (problem.rule, problem.severity.value) == ("quota-unknown", "note")
    assert "instances of ml.m5.large for transform jobs" in problem.message


def test_it_is_kept_in_a_file_for_runs_without_credentials(tmp_path: Path) -> None:
    known = account(8, endpoints={"somebodys": {"ml.c5.large": 5}})
    known.save(tmp_path / "account.json")
    assert Account.load(tmp_path / "account.json", "eu-west-1") == known
    with pytest.raises(Mistake, match="this is for eu-west-1, and the environment is in us-east-1"):
        Account.load(tmp_path / "account.json", "us-east-1")


def test_defaults_of_aws_stand_where_nothing_was_raised() -> None:
    client = _client("service-quotas")
    stubber = Stubber(client)
    for operation, quotas in (
        ("list_aws_default_service_quotas", {ENDPOINT_USAGE: 2.0, "Number of endpoints": 100.0}),
        ("list_service_quotas", {ENDPOINT_USAGE: 20.0}),
    ):
        listed = [{"QuotaName": name, "Value": value} for name, value in quotas.items()]
        stubber.add_response(operation, {"Quotas": listed}, {"ServiceCode": "sagemaker"})
    with stubber:
        assert account_module._quotas(client) == {
            ENDPOINT_USAGE: 20.0,
            "Number of endpoints": 100.0,
        }


def _client(service: str) -> Any:
    return Aws(
        region="eu-west-1",
        endpoint_url="http://localhost:1",
        access_key_id="test",
        secret_access_key="test",
    ).client(service)

"""The policy that lets routers of other accounts in: what stands in a template."""

from __future__ import annotations

import json

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import Endpoint, EndpointPolicy
from tests.infra.conftest import Bench


def let(bench: Bench, routers: list[str]) -> None:
    endpoint = Endpoint.from_endpoint_name(bench.stack, "Endpoint", "theirs")
    EndpointPolicy(bench.stack, "Let", endpoint=endpoint, router_arns=routers)


def router(account: int, name: str = "one") -> str:
    return f"arn:aws:sagemaker:eu-west-1:{account}:inference-router/{name}"


def test_an_account_with_two_routers_is_let_describe_once(bench: Bench) -> None:
    let(bench, [router(444455556666), router(444455556666, "two"), router(777788889999)])
    found = Template.from_stack(bench.stack).find_resources("Custom::EndpointPolicy")
    written = json.dumps(found)
    assert written.count("InvokeEndpointAsync") == 3
    assert written.count("DescribeEndpoint") == 2


def test_a_policy_that_is_too_long_is_refused_at_synth(bench: Bench) -> None:
    with pytest.raises(Mistake, match=r"the policy of 60 routers has over 20,480 characters"):
        let(bench, [router(444455550000 + number) for number in range(60)])


def test_routers_that_only_a_deploy_knows_are_not_counted(bench: Bench) -> None:
    parameter = cdk.CfnParameter(bench.stack, "Router").value_as_string
    let(bench, [parameter])

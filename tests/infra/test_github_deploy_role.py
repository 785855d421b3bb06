"""The role that a workflow deploys with: whom it trusts, and what it may do."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
import cdk_nag
import pytest
from aws_cdk.assertions import Template

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import GitHubDeployRole


def _stack() -> cdk.Stack:
    env = cdk.Environment(account="111122223333", region="eu-west-1")
    return cdk.Stack(cdk.App(), "Trust", env=env)


def _added(stack: cdk.Stack, **changed: Any) -> GitHubDeployRole:
    given = {"repository": "search/models", "github_environment": "production"}
    return GitHubDeployRole(stack, "Deploys", environment="prod", **{**given, **changed})


def test_only_one_environment_of_one_repository_is_trusted() -> None:
    stack = _stack()
    _added(stack)
    (role,) = Template.from_stack(stack).find_resources("AWS::IAM::Role").values()
    (statement,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Action"] == "sts:AssumeRoleWithWebIdentity"
    assert statement["Condition"] == {
        "StringEquals": {
            "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
            "token.actions.githubusercontent.com:sub": (
                "repo:search/models:environment:production"
            ),
        }
    }


def test_it_may_reach_only_its_own_account_region_and_environment() -> None:
    stack = _stack()
    _added(stack)
    (policy,) = Template.from_stack(stack).find_resources("AWS::IAM::Policy").values()
    resources = [
        str(resource)
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if statement["Action"] != "sagemaker:ListEndpointConfigs"  # AWS knows no resource for it
        for resource in (
            statement["Resource"]
            if isinstance(statement["Resource"], list)
            else [statement["Resource"]]
        )
    ]
    assert all("111122223333" in resource for resource in resources)
    assert all(
        "prod-*" in text
        for text in resources
        if any(kind in text for kind in ("endpoint/", ":stack/", ":logs:"))
    )


def test_an_account_that_trusts_github_already_gives_its_provider() -> None:
    stack = _stack()
    first = _added(stack)
    provider = first.node.find_child("Provider")
    GitHubDeployRole(
        stack,
        "Other",
        repository="search/models",
        github_environment="staging",
        environment="staging",
        provider=provider,  # type: ignore[arg-type]
    )
    template = Template.from_stack(stack)
    template.resource_count_is("AWS::IAM::OIDCProvider", 1)
    template.resource_count_is("AWS::IAM::Role", 2)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("repository", "search/*"),
        ("repository", "search"),
        ("repository", "search/models:ref"),
        ("github_environment", "prod*"),
        ("github_environment", ""),
        ("github_environment", "production:ref"),
    ],
)
def test_what_would_let_in_others_is_refused(field: str, value: str) -> None:
    with pytest.raises(Mistake, match=f"Trust/Deploys: {field} is "):
        _added(_stack(), **{field: value})


def test_scanners_have_nothing_unacknowledged() -> None:
    stack = _stack()
    _added(stack)
    packs = ("AwsSolutionsChecks", "NIST80053R5Checks", "PCIDSS321Checks", "HIPAASecurityChecks")
    app = cdk.App.of(stack)
    found = [getattr(cdk_nag, pack)(app).validate_scope(stack).violations for pack in packs]
    assert [violation.rule_name for violations in found for violation in violations] == []

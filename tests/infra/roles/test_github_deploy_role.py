"""The role that a workflow deploys with: whom it trusts, and what it may do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import cdk_nag
import pytest
from aws_cdk import aws_kms as kms
from aws_cdk.assertions import Match, Template

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import GitHubDeployRole

KEY = "arn:aws:kms:eu-west-1:111122223333:key/volumes"


def _allowed(stack: cdk.Stack) -> dict[str, set[str]]:
    """The actions that the role's policy allows, by resource."""
    (policy,) = Template.from_stack(stack).find_resources("AWS::IAM::Policy").values()
    allowed: dict[str, set[str]] = {}
    for statement in policy["Properties"]["PolicyDocument"]["Statement"]:
        for resource in _listed(statement["Resource"]):
            allowed.setdefault(str(resource), set()).update(_listed(statement["Action"]))
    return allowed


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _stack() -> cdk.Stack:
    env = cdk.Environment(account="111122223333", region="eu-west-1")
    return cdk.Stack(cdk.App(), "Trust", env=env)


def _added(stack: cdk.Stack, **changed: Any) -> GitHubDeployRole:
    given = {"repository": "search/models", "github_environment": "production"}
    return GitHubDeployRole(stack, "Deploys", environment="prod", **{**given, **changed})


def test_credentials_last_as_long_as_deploys_take() -> None:
    stack = _stack()
    _added(stack, max_session_duration=cdk.Duration.hours(4))
    Template.from_stack(stack).has_resource_properties(
        "AWS::IAM::Role", {"MaxSessionDuration": 14400}
    )


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


def test_repositories_whose_tokens_carry_numbers_are_trusted_by_them() -> None:
    stack = _stack()
    _added(stack, repository="search@1234/models@5678")
    (role,) = Template.from_stack(stack).find_resources("AWS::IAM::Role").values()
    (statement,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    subject = statement["Condition"]["StringEquals"]["token.actions.githubusercontent.com:sub"]
    assert subject == "repo:search@1234/models@5678:environment:production"


def test_it_may_reach_only_its_own_account_region_and_environment() -> None:
    stack = _stack()
    _added(stack)
    allowed = _allowed(stack)
    assert allowed.pop("*") == {
        "application-autoscaling:DescribeScalableTargets",
        "sagemaker:ListEndpointConfigs",
    }, "AWS knows no resource for them"
    assert all("111122223333" in resource for resource in allowed)
    assert all(
        "prod-*" in resource
        for resource in allowed
        if any(kind in resource for kind in ("endpoint/", "component/", ":stack/", ":logs:"))
    )


def test_endpoints_that_were_taken_over_are_watched_called_and_updated_as_its_own() -> None:
    stack = _stack()
    _added(stack, existing_endpoints=["Search"])
    allowed = _allowed(stack)

    def of(end: str) -> set[str]:
        (found,) = (actions for resource, actions in allowed.items() if end in resource)
        return found

    assert of(":endpoint/search") == of(":endpoint/prod-*")
    assert of("/aws/sagemaker/Endpoints/Search:*") == of("/aws/sagemaker/Endpoints/prod-*")


def test_it_rolls_back_an_endpoint_whose_volumes_a_key_encrypts() -> None:
    stack = _stack()
    _added(stack, encryption_keys=[kms.Key.from_key_arn(stack, "Key", KEY)])
    assert _allowed(stack)[KEY] == {"kms:CreateGrant", "kms:DescribeKey"}
    Template.from_stack(stack).has_resource_properties(
        "AWS::IAM::Policy",
        {
            "PolicyDocument": {
                "Statement": Match.array_with(
                    [
                        {
                            "Action": "kms:CreateGrant",
                            "Condition": {"Bool": {"kms:GrantIsForAWSResource": "true"}},
                            "Effect": "Allow",
                            "Resource": KEY,
                        }
                    ]
                )
            }
        },
    )


@pytest.mark.parametrize("name", ["*", "search*", "", "a/b"])
def test_an_endpoint_that_may_be_several_is_refused(name: str) -> None:
    with pytest.raises(Mistake, match="Trust/Deploys: existing_endpoints has "):
        _added(_stack(), existing_endpoints=[name])


def test_it_may_call_endpoints_and_the_inference_components_on_them() -> None:
    stack = _stack()
    _added(stack)
    allowed = _allowed(stack).items()
    called = [resource for resource, actions in allowed if "sagemaker:InvokeEndpoint" in actions]
    assert len(called) == 2
    for resource, kind in zip(called, ("endpoint", "inference-component"), strict=True):
        assert f":sagemaker:eu-west-1:111122223333:{kind}/prod-*" in resource


def test_it_may_do_what_the_page_says_that_watch_and_rollback_need() -> None:
    stack = _stack()
    _added(stack)
    allowed = {action for actions in _allowed(stack).values() for action in actions}
    page = (Path(__file__).parents[3] / "docs" / "operations.md").read_text(encoding="utf-8")
    needs = re.findall(r"[Ii]t needs (`.*?)\.\n", page, re.DOTALL)
    assert len(needs) == 2, "what watch and what rollback needs"
    for need in needs:
        service = ""
        for name in re.findall(r"`([\w:]+)`", need):
            service = name.partition(":")[0] if ":" in name else service
            assert f"{service}:{name.rpartition(':')[2]}" in allowed


def test_a_role_for_changes_that_nobody_approved_may_only_look() -> None:
    stack = _stack()
    _added(stack, only_diff=True)
    ((resource, actions),) = _allowed(stack).items()
    assert actions == {"sts:AssumeRole"}
    assert "-lookup-role-111122223333-eu-west-1" in resource


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
        ("repository", "search@*/models@*"),
        ("repository", "search@1234/"),
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

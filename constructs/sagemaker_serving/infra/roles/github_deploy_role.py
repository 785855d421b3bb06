"""The role that a GitHub workflow deploys with: no key is stored anywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from constructs import Construct

from sagemaker_serving.catalog.names import is_name
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.synth.acknowledge import acknowledge_own_policy, acknowledge_wildcard
from sagemaker_serving.infra.synth.granting import grant, grant_key_grants
from sagemaker_serving.infra.synth.tokens import colon_arn, in_lower_case, partition, stack_of
from sagemaker_serving.log_groups import endpoint_log_group

_ISSUER = "token.actions.githubusercontent.com"
"""Source: IAM user guide, "Create a role for OpenID Connect federation"."""

_BOOTSTRAP_ROLES = ("deploy", "file-publishing", "lookup")
"""What `cdk bootstrap` makes and the CDK CLI works through; images are not published here.
``cdk diff --method template`` needs the last one only, which reads.
Source: CDK developer guide, "Bootstrapping", roles of the template."""

_NAME = r"[\w.-]+(@\d+)?"
"""GitHub puts the numbers of owner and repository into the subject of repositories made or renamed
since July 2026, and of those that opted in: ``repo:search@1234/models@5678:…``.
Source: GitHub changelog of 2026-04-23, "Immutable subject claims"; the form with ``@`` is what
repositories' own records of their tokens show."""


class GitHubDeployRole(Construct):
    """Lets one GitHub environment of one repository deploy one environment of models.

    A job of that GitHub environment shows GitHub's signed token and gets credentials for an hour;
    other repositories, branches and environments get none. It may ask for longer ones where
    ``max_session_duration`` says so. The role itself may pass on to the roles that ``cdk
    bootstrap`` made in this account and region. It may watch, explain, call and roll back the
    endpoints of its environment, and no more. Whoever may deploy through those roles may do what
    CloudFormation may: bootstrap with ``--cloudformation-execution-policies`` to bound that.

    :param repository: ``owner/name`` on GitHub, or ``owner@1234/name@5678`` where the
        repository's tokens carry these numbers: ``gh api
        repos/<owner>/<name>/actions/oidc/customization/sub`` tells.
    :param github_environment: GitHub's name of the environment that the job runs in; its
        protection rules (approval, branches) decide who gets that far.
    :param environment: the name of the environment file's environment, ``prod`` for example:
        the endpoints are those whose names begin with ``<environment>-``.
    :param existing_endpoints: endpoints of other names that the environment has taken over by
        ``endpoint: {existing: NAME}``; the role may do the same with them.
    :param provider: the account's provider for GitHub; made here unless given. An account
        takes only one.
    :param encryption_keys: keys of endpoints that the role may roll back: UpdateEndpoint makes a
        grant of the key for SageMaker in the caller's name. Source: botocore
        CreateEndpointConfig.KmsKeyId.
    :param only_diff: for jobs of changes that nobody has approved: the role may compare what
        is deployed (``cdk diff --method template``), and do nothing else. It then reads
        whatever the bootstrap's lookup role may.
    :param qualifier: the bootstrap's, CDK's own unless changed.
    :param max_session_duration: how long a job's credentials may last, an hour to 12; an hour
        unless given. The CDK CLI assumes the bootstrap's roles again each hour for as long.

    Raises `Mistake` for a repository, environment or endpoint that has a wildcard in its
    name, since that would let in others.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        repository: str,
        github_environment: str,
        environment: str,
        existing_endpoints: Sequence[str] = (),
        encryption_keys: Sequence[kms.IKey] = (),
        provider: iam.IOidcProvider | None = None,
        only_diff: bool = False,
        qualifier: str = cdk.DefaultStackSynthesizer.DEFAULT_QUALIFIER,
        max_session_duration: cdk.Duration | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        _must_be_exact(self, repository, github_environment, existing_endpoints)
        trusted = provider if provider is not None else self._provider()
        self.role = iam.Role(
            self,
            "Resource",
            assumed_by=iam.FederatedPrincipal(
                trusted.oidc_provider_arn,
                {
                    "StringEquals": {
                        f"{_ISSUER}:aud": "sts.amazonaws.com",
                        f"{_ISSUER}:sub": f"repo:{repository}:environment:{github_environment}",
                    }
                },
                "sts:AssumeRoleWithWebIdentity",
            ),
            description=f"{'Compares' if only_diff else 'Deploys'} {environment} "
            f"from GitHub, {repository}, {github_environment}",
            max_session_duration=max_session_duration or cdk.Duration.hours(1),
        )
        """The role: ``role-to-assume`` of the workflow."""
        acknowledge_own_policy(self.role)
        self._allow_assuming(qualifier, _BOOTSTRAP_ROLES[-1:] if only_diff else _BOOTSTRAP_ROLES)
        if not only_diff:
            self._allow_operation(environment, existing_endpoints)
            for key in encryption_keys:
                grant(self.role, ["kms:DescribeKey"], key.key_arn)
                grant_key_grants(self.role, key.key_arn)

    def _provider(self) -> iam.OidcProviderNative:
        return iam.OidcProviderNative(
            self, "Provider", url=f"https://{_ISSUER}", client_ids=["sts.amazonaws.com"]
        )

    def _allow_assuming(self, qualifier: str, bootstrap_roles: Sequence[str]) -> None:
        stack = stack_of(self)
        roles = [
            f"arn:{partition()}:iam::{stack.account}:role/"
            f"cdk-{qualifier}-{role}-role-{stack.account}-{stack.region}"
            for role in bootstrap_roles
        ]
        grant(self.role, ["sts:AssumeRole"], *roles)

    def _allow_operation(self, environment: str, existing_endpoints: Sequence[str]) -> None:
        stack = stack_of(self)

        def named(service: str, resource: str, name: str) -> str:
            return stack.format_arn(service=service, resource=resource, resource_name=name)

        endpoints = named("sagemaker", "endpoint", in_lower_case(f"{environment}-*"))
        existing = [
            named("sagemaker", "endpoint", in_lower_case(name)) for name in existing_endpoints
        ]
        components = named("sagemaker", "inference-component", in_lower_case(f"{environment}-*"))
        routers = named("sagemaker", "inference-router", f"{environment}-*")
        configs = named("sagemaker", "endpoint-config", "*")
        models = named("sagemaker", "model", "*")
        stacks = named("cloudformation", "stack", f"{environment}-*")
        groups, *existing_groups = (
            colon_arn(self, "logs", "log-group", endpoint_log_group(name))
            for name in (f"{environment}-*", *(f"{name}:*" for name in existing_endpoints))
        )
        for actions, resources in (
            (
                [
                    "sagemaker:DescribeEndpoint",
                    "sagemaker:InvokeEndpoint",
                    "sagemaker:UpdateEndpoint",
                ],
                [endpoints, *existing],
            ),
            (["sagemaker:InvokeEndpoint"], [components]),
            (["sagemaker:DescribeInferenceRouter"], [routers]),
            (
                [
                    "sagemaker:DescribeEndpointConfig",
                    "sagemaker:ListTags",
                    "sagemaker:UpdateEndpoint",
                ],
                [configs],
            ),
            (["sagemaker:DescribeModel"], [models]),
            (
                [
                    "application-autoscaling:DescribeScalableTargets",
                    "sagemaker:ListEndpointConfigs",
                ],
                ["*"],
            ),
            (
                [
                    "cloudformation:DescribeStackEvents",
                    "cloudformation:DescribeStackResources",
                    "cloudformation:DescribeStacks",
                    "cloudformation:GetTemplate",
                    "cloudformation:ListChangeSets",
                ],
                [stacks],
            ),
            (
                ["logs:DescribeLogStreams", "logs:FilterLogEvents", "logs:GetLogEvents"],
                [groups, *existing_groups],
            ),
        ):
            grant(self.role, actions, *resources)
        for resource, reason in (
            (endpoints, f"Every endpoint of {environment}, which models come to and leave"),
            (components, f"Every inference component of {environment}, as its endpoints"),
            (routers, f"Every inference router of {environment}, described by `explain`"),
            (configs, "SageMaker's own names, which carry no environment; read, and updated to"),
            (models, "SageMaker's own names, which carry no environment; read only"),
            ("*", "Endpoint configs and what scales are listed as a whole"),
            (stacks, f"Every stack of {environment}, read by whoever watches it"),
            *(
                (group, f"The logs of those endpoints, read by whoever watches {environment}")
                for group in (groups, *existing_groups)
            ),
        ):
            acknowledge_wildcard(self.role, resource, reason)


def _must_be_exact(
    construct: Construct, repository: str, github_environment: str, endpoints: Sequence[str]
) -> None:
    if not re.fullmatch(f"{_NAME}/{_NAME}", repository):
        raise Mistake(
            f"{construct.node.path}: repository is {repository!r}; it must be one repository, "
            "owner/name, without wildcards: any other one would get this account's credentials"
        )
    if not github_environment or set(github_environment) & set("*?:"):
        raise Mistake(
            f"{construct.node.path}: github_environment is {github_environment!r}; it must be the "
            "name of one environment, without *, ? and colons"
        )
    for endpoint in endpoints:
        if not is_name(endpoint):
            raise Mistake(
                f"{construct.node.path}: existing_endpoints has {endpoint!r}; it must be the name "
                "of one endpoint: letters, digits, and hyphens between them"
            )

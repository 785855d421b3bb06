"""What an organization demands of every stack: roles, a boundary, a network, bootstrap names."""

from __future__ import annotations

from pydantic import Field

from sagemaker_serving.spec.base import Spec
from sagemaker_serving.spec.network import ExistingNetwork


class Bootstrap(Spec):
    """Names of a bootstrap that are not CDK's; what is left out has CDK's name.

    Names may hold ``${AWS::AccountId}`` and ``${AWS::Region}``.
    """

    qualifier: str | None = None
    """``cdk bootstrap --qualifier``."""

    file_assets_bucket_name: str | None = None
    """The bucket that models and functions are uploaded to."""

    deploy_role_arn: str | None = None
    """The role that the CDK CLI deploys with."""

    file_asset_publishing_role_arn: str | None = None
    """The role that it uploads with."""

    lookup_role_arn: str | None = None
    """The role that it reads with."""

    cloudformation_execution_role: str | None = None
    """The ARN of the role that CloudFormation works with."""

    bootstrap_stack_version_ssm_parameter: str | None = None
    """The SSM parameter with the bootstrap's version."""


class Organization(Spec):
    """What an organization demands of every stack of an environment."""

    permissions_boundary_arn: str | None = None
    """The managed policy that bounds each role that the stacks make."""

    roles: dict[str, str] = Field(default_factory=dict)
    """Names of existing roles, by the construct that would otherwise make one, such as
    ``digits/ExecutionRole``. With any name here the stacks make no role and no policy. Synth names
    the roles that are missing, and writes what each must allow to
    ``cdk.out/iam-policy-report.txt``."""

    functions: ExistingNetwork | None = None
    """Subnets and security groups of every function. AWS's APIs must be reachable from them, and
    S3, through which a function answers CloudFormation."""

    bootstrap: Bootstrap | None = None
    """The names of a bootstrap; left out: CDK's, or those of the app's synthesizer."""

"""A Lambda function of this project's own, from one folder of ``functions/``, and its log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from sagemaker_serving.infra.storage.keys import let_logs_use
from sagemaker_serving.infra.synth.acknowledge import (
    NO_DEAD_LETTERS,
    NO_KEY_ON_LOGS,
    NO_KEY_ON_VARIABLES,
    NO_RESERVED_CONCURRENCY,
    NOT_IN_A_VPC,
    acknowledge,
    acknowledge_own_policy,
    acknowledge_wildcard,
)
from sagemaker_serving.infra.synth.granting import grant, takes_policies, warn_of

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms


class OwnFunction(Construct):
    """A function whose zip holds one folder of ``sagemaker_serving.functions``, and what it shares.

    Its role begins with its log group and grows by grants; no managed policy is attached. X-Ray
    traces it.

    :param package: the folder's name, such as ``neo_compilation``.
    :param handler: module and function within it: ``start.handler``.
    :param shares: folders of ``sagemaker_serving`` that it imports, such as
        ``functions/custom_resource``; they need the standard library and boto3 alone.
    :param timeout: how long a call may take, at most 15 minutes.
    :param memory_size_mb: 128 to 10240; 256 by default.
    :param environment: the function's variables.
    :param role: what it runs as, made here unless given: lambda.amazonaws.com has to be let
        assume it.
    :param log_group: what it writes to; its own unless given.
    :param retain_logs: whether its own log outlives the stack; kept a year either way.
    :param encryption_key: encrypts its own log and the variables; CloudWatch Logs is let use it.
        Absent, AWS's own keys do.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        package: str,
        handler: str,
        shares: Sequence[str] = (),
        timeout: cdk.Duration,
        memory_size_mb: int = 256,
        environment: Mapping[str, str] | None = None,
        role: iam.IRole | None = None,
        log_group: logs.ILogGroup | None = None,
        retain_logs: bool = True,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self.role: iam.IRole = role if role is not None else self._own_role(f"{package}.{handler}")
        """Grants go to it; one made here is empty but for the function's own log and traces."""
        log = log_group
        if log is None:
            log = add_log(self, retain=retain_logs, encryption_key=encryption_key)
        else:
            acknowledge_wildcard(self.role, log.log_group_arn, "Lambda names the streams of a log")
        grant(self.role, ["logs:CreateLogStream", "logs:PutLogEvents"], log.log_group_arn)
        self.function = lambda_.Function(
            self,
            "Resource",
            # The newest that Lambda offers (Lambda developer guide, "Runtimes").
            runtime=lambda_.Runtime.PYTHON_3_14,
            architecture=lambda_.Architecture.ARM_64,
            code=_code_beside(package, shares) if shares else _code(package),
            handler=f"{_PACKAGE.name}.functions.{package}.{handler}"
            if shares
            else f"{package}.{handler}",
            role=self.role,
            timeout=timeout,
            memory_size=memory_size_mb,
            environment=dict(environment) if environment is not None else None,
            environment_encryption=encryption_key if environment else None,
            log_group=log,
            tracing=lambda_.Tracing.ACTIVE,
        )
        """The function itself."""
        if not takes_policies(self.role):
            warn_of(self.role, ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], "*")
        self._acknowledge(encrypted=encryption_key is not None)

    def _own_role(self, handler: str) -> iam.Role:
        role = iam.Role(
            self,
            "Role",
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            description=f"Runs {handler}; holds only what was granted",
        )
        acknowledge_own_policy(role)
        return role

    def _acknowledge(self, *, encrypted: bool) -> None:
        acknowledge_wildcard(self.role, "*", "X-Ray's actions know no resources")
        function = self.function
        acknowledge(
            function,
            NO_RESERVED_CONCURRENCY,
            "Its caller bounds how many run at once; a reserve would be taken from other functions",
        )
        acknowledge(
            function,
            NO_DEAD_LETTERS,
            "A state machine or CloudFormation calls it, and sees each failure itself",
        )
        acknowledge(
            function, NOT_IN_A_VPC, "It calls AWS's own APIs only, and keeps nothing of the data"
        )
        if not encrypted:
            acknowledge(
                function,
                NO_KEY_ON_VARIABLES,
                "Its variables are names of resources; Lambda encrypts them with its own key",
            )


def add_log(
    scope: Construct,
    construct_id: str = "Log",
    *,
    retain: bool,
    encryption_key: kms.IKey | None,
    without_key: str = "No key was asked for; CloudWatch encrypts with its own",
    of_state_machine: bool = False,
) -> logs.LogGroup:
    """A log group of ``scope``, kept for a year; ``retain`` outlives the stack, and scanners are
    told ``without_key`` where there is none.

    Of a state machine its name begins with ``/aws/vendedlogs/``: others are written one by one
    into CloudWatch Logs' resource policy, which takes 5,120 characters in all. It has a part of the
    stack's id, so that one that outlived its stack is not in the way of the next.
    Source: Step Functions developer guide, "Using CloudWatch Logs to log execution history".
    """
    log = logs.LogGroup(
        scope,
        construct_id,
        log_group_name=_vended_name(scope) if of_state_machine else None,
        retention=logs.RetentionDays.ONE_YEAR,
        removal_policy=cdk.RemovalPolicy.RETAIN if retain else cdk.RemovalPolicy.DESTROY,
        encryption_key=encryption_key,
    )
    if encryption_key is not None:
        let_logs_use(encryption_key, scope)
    else:
        acknowledge(log, NO_KEY_ON_LOGS, without_key)
    return log


def _vended_name(scope: Construct) -> str:
    name = cdk.Names.unique_resource_name(scope, max_length=200, separator="-")
    unique = cdk.Fn.select(2, cdk.Fn.split("/", cdk.Aws.STACK_ID))
    return f"/aws/vendedlogs/states/{name}-{cdk.Fn.select(0, cdk.Fn.split('-', unique))}"


_PACKAGE = Path(__file__).parents[2]


def _code(package: str) -> lambda_.Code:
    """The folder within its parent, so that relative imports work from the zip as they do here."""
    return lambda_.Code.from_asset(
        str(_PACKAGE / "functions"),
        exclude=["/*", f"!/{package}/", "__pycache__", "*.pyc"],
        ignore_mode=cdk.IgnoreMode.GIT,
    )


def _code_beside(package: str, shares: Sequence[str]) -> lambda_.Code:
    """The folder and what it shares, at their places in the package."""
    folders = sorted({"", "functions", f"functions/{package}", *shares})
    whole = {f"functions/{package}", *shares}
    kept = [f"/{_PACKAGE.name}/{folder}".rstrip("/") for folder in folders]
    exclude = ["/*"]
    for path, folder in zip(kept, folders, strict=True):
        exclude.append(f"!{path}/")
        if folder not in whole:
            exclude += [f"{path}/*", f"!{path}/__init__.py"]
    return lambda_.Code.from_asset(
        str(_PACKAGE.parent),
        exclude=[*exclude, "__pycache__", "*.pyc"],
        ignore_mode=cdk.IgnoreMode.GIT,
    )

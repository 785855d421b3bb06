"""The log of a function or state machine of this project's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aws_cdk as cdk
from aws_cdk import aws_logs as logs

from sagemaker_serving.infra.synth.acknowledge import NO_KEY_ON_LOGS, acknowledge

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms
    from constructs import Construct


def add_log(scope: Construct, *, retain: bool, encryption_key: kms.IKey | None) -> logs.LogGroup:
    """The log group ``Log`` of ``scope``, kept for a year; ``retain`` outlives the stack."""
    log = logs.LogGroup(
        scope,
        "Log",
        retention=logs.RetentionDays.ONE_YEAR,
        removal_policy=cdk.RemovalPolicy.RETAIN if retain else cdk.RemovalPolicy.DESTROY,
        encryption_key=encryption_key,
    )
    if encryption_key is None:
        acknowledge(log, NO_KEY_ON_LOGS, "No key was asked for; CloudWatch encrypts with its own")
    return log

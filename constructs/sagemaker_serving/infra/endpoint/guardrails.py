"""Deployment guardrails: how traffic moves to a new version, and what takes it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from aws_cdk import aws_iam as iam
from constructs import IConstruct

from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import colon_arn
from sagemaker_serving.spec.aws import aws_values
from sagemaker_serving.spec.update import MOST_ALARMS, TELLTALES, WAYS, Move


@dataclass(frozen=True, kw_only=True)
class Guardrails:
    """How an endpoint moves to a new EndpointConfig; made by `canary` and its siblings.

    While it moves, and while the old fleet is kept, SageMaker watches
    ``alarm_names`` (at most 10) and goes back when one of them goes off. An `Endpoint` lets its
    roles look at them. The whole update may take
    ``maximum_execution_timeout_seconds``, 600 to 28800. ``more`` are other fields of an
    environment file's ``update`` by their names.

    SageMaker has guardrails for endpoints on instances, real-time and
    asynchronous. On Inf1 and with Elastic Inference it moves all traffic at
    once and watches nothing, and so does a serverless endpoint.
    Source: botocore DeploymentConfig; SageMaker developer guide, "Deployment
    guardrails", "Exclusions".
    """

    way: Literal["ALL_AT_ONCE", "CANARY", "LINEAR", "ROLLING"]
    step_percent: int | None = None
    wait_seconds: int = 0
    termination_wait_seconds: int = 0
    rollback_percent: int | None = None
    alarm_names: Sequence[str] = ()
    maximum_execution_timeout_seconds: int | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, update: Move) -> Guardrails:
        """What an environment file says of ``update``."""
        way = next(way for way, kind in WAYS.items() if isinstance(update, kind))
        fields = vars(update)
        return cls(
            way=way,
            step_percent=None if way == "ALL_AT_ONCE" else fields[TELLTALES[way]],
            **{name: fields[name] for name in _NAMED if name in fields},
            alarm_names=tuple(update.alarms),
            more=fields,
        )

    @staticmethod
    def canary(
        *, percent: int = 10, wait_seconds: int = 300, termination_wait_seconds: int = 120
    ) -> Guardrails:
        """First ``percent`` (1 to 50) of the capacity, and all of it ``wait_seconds`` later.

        Both waits are 0 to 3600.
        """
        return Guardrails(
            way="CANARY",
            step_percent=percent,
            wait_seconds=wait_seconds,
            termination_wait_seconds=termination_wait_seconds,
        )

    @staticmethod
    def linear(
        *, percent: int, wait_seconds: int = 300, termination_wait_seconds: int = 120
    ) -> Guardrails:
        """In steps of ``percent`` (10 to 50) of the capacity, with ``wait_seconds`` after each."""
        return replace(
            Guardrails.canary(
                percent=percent,
                wait_seconds=wait_seconds,
                termination_wait_seconds=termination_wait_seconds,
            ),
            way="LINEAR",
        )

    @staticmethod
    def rolling(
        *, percent: int, wait_seconds: int = 300, rollback_percent: int | None = None
    ) -> Guardrails:
        """Without a second fleet, in batches of ``percent`` (5 to 50); for one variant only.

        The way back is in batches of ``rollback_percent``, SageMaker's own being 100.
        """
        return Guardrails(
            way="ROLLING",
            step_percent=percent,
            wait_seconds=wait_seconds,
            rollback_percent=rollback_percent,
        )

    @staticmethod
    def all_at_once(*, termination_wait_seconds: int = 0) -> Guardrails:
        """All traffic in one step; the old fleet is kept, and watched for, a while after."""
        return Guardrails(way="ALL_AT_ONCE", termination_wait_seconds=termination_wait_seconds)

    def watching(self, *alarm_names: str) -> Guardrails:
        """The same, and taken back when one of these alarms goes off, too; at most 10 in all."""
        return replace(self, alarm_names=(*self.alarm_names, *alarm_names))

    def watching_of(self, alarm_names: Sequence[str]) -> Guardrails:
        """The same with as many of these alarms, in their order, as there is room for."""
        room = max(0, MOST_ALARMS - len(self.alarm_names))
        return self.watching(*alarm_names[:room])

    def grant_watching(self, scope: IConstruct, role: iam.IGrantable) -> None:
        """Lets a role look at alarms, as that of an endpoint has to.

        At all of the account's: AWS judges DescribeAlarms so, whichever it is
        asked for. Source: SageMaker developer guide, "Auto-Rollback Configuration and
        Monitoring"; aws-samples/amazon-cloudwatch-auto-alarms#1.
        """
        if not self.alarm_names:
            return
        every = colon_arn(scope, "cloudwatch", "alarm", "*")
        grant(role, ["cloudwatch:DescribeAlarms"], every)
        acknowledge_wildcard(
            role, every, "DescribeAlarms is of every alarm, whichever it is asked for"
        )

    @property
    def members(self) -> dict[str, Any]:
        """The guardrails as SageMaker's DeploymentConfig takes them."""
        kind, telltale = WAYS[self.way], TELLTALES[self.way]
        step = True if self.way == "ALL_AT_ONCE" else self.step_percent
        said = {name: getattr(self, name) for name in _NAMED}
        made: dict[str, Any] = {
            kind.policy: aws_values(kind, {**self.more, **said, telltale: step})
        }
        if self.alarm_names:
            alarms = [{"AlarmName": name} for name in self.alarm_names]
            made["AutoRollbackConfiguration"] = {"Alarms": alarms}
        return made


_NAMED = (
    *("wait_seconds", "termination_wait_seconds", "rollback_percent"),
    "maximum_execution_timeout_seconds",
)
"""Fields of an update that guardrails have under the same name."""

"""Deployment guardrails: how traffic moves to a new version, and what takes it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct, IConstruct

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.arns import colon_arn
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import stack_of


@dataclass(frozen=True, kw_only=True)
class Guardrails:
    """How an endpoint moves to a new EndpointConfig; made by `canary` and its siblings.

    While it moves, and while the old fleet is kept, SageMaker watches
    ``alarm_names`` (at most 10) and goes back when one of them goes off. An `Endpoint` lets its
    roles look at them. The whole update may take
    ``maximum_execution_timeout_seconds``, 600 to 28800.

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

    def rendered(self) -> sagemaker.CfnEndpoint.DeploymentConfigProperty:
        """The guardrails as CloudFormation takes them."""
        endpoint = sagemaker.CfnEndpoint
        return endpoint.DeploymentConfigProperty(
            blue_green_update_policy=None if self.way == "ROLLING" else self._blue_green(),
            rolling_update_policy=self._rolling() if self.way == "ROLLING" else None,
            auto_rollback_configuration=endpoint.AutoRollbackConfigProperty(
                alarms=[endpoint.AlarmProperty(alarm_name=name) for name in self.alarm_names]
            )
            if self.alarm_names
            else None,
        )

    def in_api_words(self, scope: Construct) -> dict[str, Any]:
        """The same as UpdateEndpoint takes them, whose names are CloudFormation's.

        Names of alarms may be tokens, and stay so.
        """
        unwatched = replace(self, alarm_names=()).rendered()
        words: dict[str, Any] = _capitalized(stack_of(scope).resolve(unwatched))
        if self.alarm_names:
            alarms = [{"AlarmName": name} for name in self.alarm_names]
            words["AutoRollbackConfiguration"] = {"Alarms": alarms}
        return words

    def rendered_for_component(
        self,
    ) -> sagemaker.CfnInferenceComponent.InferenceComponentDeploymentConfigProperty:
        """The same for an inference component, which is replaced in rolling batches of its copies.

        Raises `Mistake` for any other way.
        """
        component = sagemaker.CfnInferenceComponent
        if self.way != "ROLLING" or self.step_percent is None:
            raise Mistake(
                f"the guardrails of an inference component are {self.way}; its copies are replaced "
                "batch by batch; use Guardrails.rolling"
            )
        back = self.rollback_percent
        return component.InferenceComponentDeploymentConfigProperty(
            rolling_update_policy=component.InferenceComponentRollingUpdatePolicyProperty(
                maximum_batch_size=_copies(self.step_percent),
                wait_interval_in_seconds=self.wait_seconds,
                rollback_maximum_batch_size=None if back is None else _copies(back),
                maximum_execution_timeout_in_seconds=self.maximum_execution_timeout_seconds,
            ),
            auto_rollback_configuration=component.AutoRollbackConfigurationProperty(
                alarms=[component.AlarmProperty(alarm_name=name) for name in self.alarm_names]
            )
            if self.alarm_names
            else None,
        )

    def _blue_green(self) -> sagemaker.CfnEndpoint.BlueGreenUpdatePolicyProperty:
        endpoint = sagemaker.CfnEndpoint
        return endpoint.BlueGreenUpdatePolicyProperty(
            traffic_routing_configuration=endpoint.TrafficRoutingConfigProperty(
                type=self.way,
                canary_size=_capacity(self.step_percent) if self.way == "CANARY" else None,
                linear_step_size=_capacity(self.step_percent) if self.way == "LINEAR" else None,
                wait_interval_in_seconds=self.wait_seconds,
            ),
            termination_wait_in_seconds=self.termination_wait_seconds,
            maximum_execution_timeout_in_seconds=self.maximum_execution_timeout_seconds,
        )

    def _rolling(self) -> sagemaker.CfnEndpoint.RollingUpdatePolicyProperty | None:
        size = _capacity(self.step_percent)
        assert size is not None
        return sagemaker.CfnEndpoint.RollingUpdatePolicyProperty(
            maximum_batch_size=size,
            wait_interval_in_seconds=self.wait_seconds,
            rollback_maximum_batch_size=_capacity(self.rollback_percent),
            maximum_execution_timeout_in_seconds=self.maximum_execution_timeout_seconds,
        )


def _capitalized(value: Any) -> Any:
    """Properties, which CDK names in lower camel case, by CloudFormation's names."""
    if isinstance(value, dict):
        return {
            f"{name[0].upper()}{name[1:]}": _capitalized(inner) for name, inner in value.items()
        }
    return [_capitalized(inner) for inner in value] if isinstance(value, list) else value


def _capacity(percent: int | None) -> sagemaker.CfnEndpoint.CapacitySizeProperty | None:
    if percent is None:
        return None
    return sagemaker.CfnEndpoint.CapacitySizeProperty(type="CAPACITY_PERCENT", value=percent)


def _copies(
    percent: int,
) -> sagemaker.CfnInferenceComponent.InferenceComponentCapacitySizeProperty:
    return sagemaker.CfnInferenceComponent.InferenceComponentCapacitySizeProperty(
        type="CAPACITY_PERCENT", value=percent
    )

"""Traffic moves from the old fleet to the new one, step by step, and back when an alarm goes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.context import LocalContext
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.common.store import Region
from sagemaker_serving.local_sagemaker.containers.container import ContainerFailed
from sagemaker_serving.local_sagemaker.fleets.deployment import Deployment
from sagemaker_serving.local_sagemaker.fleets.endpoint_runtime import EndpointRuntime
from sagemaker_serving.local_sagemaker.fleets.fleet import Fleet
from sagemaker_serving.local_sagemaker.models.roles import role_client


class RolledBack(ContainerFailed):
    """The deployment was undone; the message is the FailureReason.

    What SageMaker says of an alarm that has gone off is not documented: the
    words are our own.
    """


class Rollouts:
    """Carries deployments out; ``publish`` tells CloudWatch all that is known now."""

    def __init__(
        self,
        context: LocalContext,
        settings: Settings,
        *,
        publish: Callable[[], None],
        look_seconds: float,
    ) -> None:
        self._context = context
        self._settings = settings
        self._publish = publish
        self._look_seconds = look_seconds
        self._closed = threading.Event()

    def shift(
        self,
        region: Region,
        live: EndpointRuntime,
        fleet: Fleet,
        deployment: Deployment,
        spent_seconds: float,
    ) -> None:
        """Give ``fleet``, which is healthy, the traffic; return when it has proved itself.

        ``spent_seconds`` of the deployment's time went by while it was
        started; waits count as long as they are on AWS. Raises `RolledBack`,
        with all traffic on the old fleet again, when an alarm is in ALARM or
        cannot be looked at, and when the deployment's time is over.
        """
        alarms = _Alarms(
            role_client(self._context, _role_of(fleet), "cloudwatch", region.name),
            deployment.alarms,
        )
        bakes = [step.bake_seconds for step in deployment.steps]
        bakes[-1] += deployment.termination_seconds
        try:
            self._see(alarms)
            for step, bake_seconds in zip(deployment.steps, bakes, strict=True):
                with region.lock:
                    live.enter("ActivatingTraffic", step.share)
                    live.enter("Baking")
                spent_seconds += bake_seconds
                if spent_seconds > deployment.timeout_seconds:
                    raise RolledBack(
                        "The deployment was rolled back: it did not finish within its "
                        f"MaximumExecutionTimeoutInSeconds, {deployment.timeout_seconds:g}."
                    )
                self._bake(bake_seconds, alarms)
        except RolledBack:
            for share in deployment.way_back:
                with region.lock:
                    live.enter("ActivatingTraffic", share)
            raise

    def close(self) -> None:
        """End every wait; deployments under way are rolled back."""
        self._closed.set()

    def _bake(self, seconds: float, alarms: _Alarms) -> None:
        end = time.monotonic() + self._settings.seconds(seconds)
        while True:
            self._see(alarms)
            left = end - time.monotonic()
            if left <= 0:
                return
            if self._closed.wait(min(left, self._look_seconds)):
                raise RolledBack("The local AWS was stopped.")

    def _see(self, alarms: _Alarms) -> None:
        if alarms:
            self._publish()
            alarms.refuse_tripped()


class _Alarms:
    """The alarms of an AutoRollbackConfiguration, read in the name of the model's role.

    (Developer guide, "Auto-Rollback Configuration and Monitoring": the execution role needs
    cloudwatch:DescribeAlarms.)
    """

    def __init__(self, cloudwatch: Any, names: Any) -> None:
        self._cloudwatch = cloudwatch
        self._names = list(names)

    def __bool__(self) -> bool:
        return bool(self._names)

    def refuse_tripped(self) -> None:
        """Raise `RolledBack` unless none is in ALARM, and all can be looked at."""
        try:
            answer = self._cloudwatch.describe_alarms(
                AlarmNames=self._names, AlarmTypes=["MetricAlarm", "CompositeAlarm"]
            )
        except (ClientError, BotoCoreError) as error:
            raise RolledBack(
                f"The deployment was rolled back: its alarms could not be described. ({error})"
            ) from None
        states = {
            alarm["AlarmName"]: alarm["StateValue"]
            for alarm in (*answer.get("MetricAlarms", ()), *answer.get("CompositeAlarms", ()))
        }
        tripped = [name for name in self._names if states.get(name) == "ALARM"]
        missing = [name for name in self._names if name not in states]
        if tripped or missing:
            names, what = (tripped, "in ALARM state") if tripped else (missing, "not found")
            listed = ", ".join(f'"{name}"' for name in names)
            raise RolledBack(
                f"The deployment was rolled back: CloudWatch alarm {listed} is {what}."
            )


def _role_of(fleet: Fleet) -> str | None:
    return next(iter(fleet.variants.values())).role_arn

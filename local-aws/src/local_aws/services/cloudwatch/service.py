"""CloudWatch: the emulator keeps metrics, alarms and dashboards; alarms are evaluated here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from local_aws.context import LocalContext
from local_aws.permissions.service import Refusal, ServicePermissions
from local_aws.protocol.call import Call
from local_aws.service import Action, Limit, Service

from . import moto
from .evaluation import Evaluation
from .resources import Alarm, Dashboard


def _resources(call: Call) -> Iterator[str]:
    """DescribeAlarms is about every alarm, whichever it names.

    So AWS's own refusals say (aws-samples/amazon-cloudwatch-auto-alarms#1).
    """
    if call.operation == "DescribeAlarms":
        yield "alarm:*"


class CloudWatch(Service):
    """CloudWatch: the emulator keeps metrics, alarms and dashboards; alarms are evaluated here.

    ``changed`` is called when an alarm has moved.
    """

    name = "cloudwatch"
    limits = (
        Limit("alarms over metric math, anomaly detection, other alarms", "keep their state"),
        Limit("alarms over percentiles", "evaluated of ModelLatency and OverheadLatency only"),
        Limit("periods", "end when they are looked at, not at full minutes"),
        Limit("a state that was set by hand", "lasts until the next look"),
        Limit("actions that are no topic, function or scaling policy", "logged only"),
    )
    permissions = ServicePermissions(
        prefix="cloudwatch",
        resources=_resources,
        condition_keys={"cloudwatch:namespace": "Namespace"},
        denied=Refusal(code="AccessDenied", status=403),
    )
    types = (Alarm(), Dashboard())

    def __init__(self, context: LocalContext, changed: Callable[[], None]) -> None:
        self._account = context.account_id
        self._evaluation = Evaluation(context, changed)

    def actions(self) -> Mapping[str, Action]:
        """None of its own: who reads alarms finds them as all that was put calls for."""
        return {"DescribeAlarms": lambda call: self._evaluation.settle(call.region)}

    def prepare(self) -> None:
        """Hear of what is put."""
        moto.tell(self._account, self._evaluation)

    def recover(self, ended: str) -> None:
        """Look at the alarms that were found again."""
        moto.tell(self._account, self._evaluation)
        for region in moto.regions_with_alarms(self._account):
            self._evaluation.watch(region)

    def stop(self) -> None:
        """Look at no alarm any more."""
        self._evaluation.close()

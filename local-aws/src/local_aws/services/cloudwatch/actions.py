"""What an alarm does when its state changes: topics, functions and scaling policies are told."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from botocore.loaders import Loader

from local_aws.arn import Arn
from local_aws.context import LocalContext

from .alarms import Alarm

_ACTIONS = {
    "ALARM": "AlarmActions",
    "OK": "OKActions",
    "INSUFFICIENT_DATA": "InsufficientDataActions",
}
_SUBJECT_CHARACTERS = 100
_log = logging.getLogger(__name__)


def act(context: LocalContext, region: str, alarm: Alarm, previous: Alarm) -> None:
    """Carry out the actions of the state that an alarm has now; ``previous`` is as it was.

    Topics get a message, as far as their policies let CloudWatch publish; functions and scaling
    policies get an event. What stands behind any other action is not here, and that is logged.
    """
    _tell(context, region, alarm, previous, alarm[_ACTIONS[alarm["StateValue"]]])


def repeat(context: LocalContext, region: str, alarm: Alarm, previous: Alarm) -> None:
    """Carry out again what is done as long as an alarm stays in ALARM: scaling policies alone."""
    policies = [arn for arn in alarm["AlarmActions"] if Arn.parse(arn).service == "autoscaling"]
    _tell(context, region, alarm, previous, policies)


def _tell(
    context: LocalContext, region: str, alarm: Alarm, previous: Alarm, arns: Iterable[str]
) -> None:
    for arn in arns if alarm["ActionsEnabled"] else ():
        try:
            if Arn.parse(arn).service == "sns":
                _publish(context, region, alarm, previous, arn)
            elif context.targets.has(arn):
                context.targets.deliver(
                    arn,
                    _event(context, region, alarm, previous),
                    service="lambda.alarms.cloudwatch.amazonaws.com",
                    source_arn=alarm["AlarmArn"],
                )
            else:
                _log.warning("alarm %s: there is no action %s here", alarm["AlarmName"], arn)
        except (ClientError, BotoCoreError) as error:
            _log.warning("alarm %s: action %s failed: %s", alarm["AlarmName"], arn, error)


def _publish(context: LocalContext, region: str, alarm: Alarm, previous: Alarm, topic: str) -> None:
    known = {
        "aws:SourceArn": alarm["AlarmArn"],
        "aws:SourceAccount": context.account_id,
        "aws:SourceOwner": context.account_id,
    }
    if not context.evaluator.lets_service("cloudwatch.amazonaws.com", "sns:Publish", topic, known):
        _log.warning(
            "alarm %s: CloudWatch Alarms is not authorized to perform: SNS:Publish on resource: %s",
            alarm["AlarmName"],
            topic,
        )
        return
    subject = f'{alarm["StateValue"]}: "{alarm["AlarmName"]}" in {_name_of(region)}'
    place = Arn.parse(topic)
    context.client("sns", place.region, account=place.account).publish(
        TopicArn=topic,
        Subject=subject[:_SUBJECT_CHARACTERS],
        Message=json.dumps(_message(context, region, alarm, previous)),
    )


def _message(context: LocalContext, region: str, alarm: Alarm, previous: Alarm) -> Any:
    """What a topic gets: CloudWatch user guide, "Amazon SNS event destinations"; members as
    alphagov/cyber-security-shared-functions recorded one."""
    extended = alarm["ExtendedStatistic"]
    statistic = (
        {"StatisticType": "ExtendedStatistic", "ExtendedStatistic": extended}
        if extended is not None
        else {"StatisticType": "Statistic", "Statistic": (alarm["Statistic"] or "").upper()}
    )
    trigger = {
        "MetricName": alarm["MetricName"],
        "Namespace": alarm["Namespace"],
        **statistic,
        "Unit": alarm["Unit"],
        "Dimensions": [
            {"value": each["Value"], "name": each["Name"]} for each in alarm["Dimensions"]
        ],
        "Period": alarm["Period"],
        "EvaluationPeriods": alarm["EvaluationPeriods"],
        "ComparisonOperator": alarm["ComparisonOperator"],
        "Threshold": alarm["Threshold"],
        "TreatMissingData": alarm["TreatMissingData"] or "missing",
        "EvaluateLowSampleCountPercentile": "",
    }
    return {
        "AlarmName": alarm["AlarmName"],
        "AlarmDescription": alarm["AlarmDescription"],
        "AWSAccountId": context.account_id,
        "NewStateValue": alarm["StateValue"],
        "NewStateReason": alarm["StateReason"],
        "StateChangeTime": _time(alarm["StateUpdatedTimestamp"]),
        "Region": _name_of(region),
        "AlarmArn": alarm["AlarmArn"],
        "OldStateValue": previous["StateValue"],
        **{actions: alarm[actions] for actions in _ACTIONS.values()},
        "Trigger": trigger,
    }


def _event(context: LocalContext, region: str, alarm: Alarm, previous: Alarm) -> Any:
    """What a function gets: CloudWatch user guide, "Invoke a Lambda function from an alarm"."""
    return {
        "source": "aws.cloudwatch",
        "alarmArn": alarm["AlarmArn"],
        "accountId": context.account_id,
        "time": _time(datetime.now(UTC)),
        "region": region,
        "alarmData": {
            "alarmName": alarm["AlarmName"],
            "state": _state(alarm),
            "previousState": _state(previous),
            "configuration": {
                "description": alarm["AlarmDescription"],
                "metrics": [
                    {
                        "id": "m1",
                        "metricStat": {
                            "metric": {
                                "namespace": alarm["Namespace"],
                                "name": alarm["MetricName"],
                                "dimensions": {
                                    each["Name"]: each["Value"] for each in alarm["Dimensions"]
                                },
                            },
                            "period": alarm["Period"],
                            "stat": alarm["Statistic"] or alarm["ExtendedStatistic"],
                        },
                        "returnData": True,
                    }
                ],
            },
        },
    }


def _state(alarm: Alarm) -> dict[str, str]:
    return {
        "value": alarm["StateValue"],
        "reason": alarm["StateReason"],
        "reasonData": alarm["StateReasonData"],
        "timestamp": _time(alarm["StateUpdatedTimestamp"]),
    }


def _time(when: datetime) -> str:
    return f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03}+0000"


@cache
def _region_names() -> dict[str, str]:
    partitions = Loader().load_data("partitions")["partitions"]
    return {
        region: told["description"]
        for partition in partitions
        for region, told in partition["regions"].items()
    }


def _name_of(region: str) -> str:
    """As people call it: ``Europe (Ireland)``."""
    return _region_names().get(region, region)

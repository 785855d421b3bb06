"""What watches endpoints: alarms, whom they tell, and Model Monitor, as facts."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.template import Unknown
from sagemaker_serving.rules.facts import ABSENT, Fact
from sagemaker_serving.rules.facts.kinds import MetricFacts
from sagemaker_serving.rules.facts.resources import AlarmTopicFacts, MonitorFacts
from sagemaker_serving.rules.template.resources import Resource, Resources
from sagemaker_serving.rules.template.roles import at
from sagemaker_serving.rules.template.scaling import config_of
from sagemaker_serving.spec.members import ENDPOINT

_TOPIC, _KEY = "AWS::SNS::Topic", "AWS::KMS::Key"


def alarm_metrics(alarm: Resource, resources: Resources) -> Iterator[MetricFacts]:
    """The metrics that an alarm watches."""
    numbers = resources.numbered(alarm.properties)
    watched = [(alarm.properties, numbers)] if numbers.get("MetricName").given else []
    stats = [one.get("MetricStat") for one in alarm.properties.get("Metrics").items()]
    numbered = [one.get("MetricStat") for one in numbers.get("Metrics").items()]
    watched += [both for both in zip(stats, numbered, strict=True) if both[0].given]
    alone = alarm.properties.get("Metrics").size in (None, 1)
    for stat, number in watched:
        # Terraform has a metric's members and its period in one block.
        metric = stat.get("Metric") if stat.get("Metric").given else stat
        dimensions = metric.get("Dimensions")
        if not dimensions.unknown:
            named = {one.get("Name").text: one.get("Value") for one in dimensions.items()}
            name = named.get("EndpointName", ABSENT)
            endpoint = resources.referred(name, ENDPOINT)
            statistic = next(
                (stat.get(each) for each in _STATISTICS if stat.get(each).given), ABSENT
            )
            yield MetricFacts(
                where=dimensions.where if dimensions.given else metric.where,
                name=metric.get("MetricName"),
                namespace=metric.get("Namespace"),
                dimensions=tuple((one.get("Name"), one.get("Value")) for one in dimensions.items()),
                of_alarm=True,
                period=number.get("Period"),
                unit=stat.get("Unit"),
                statistic=statistic,
                bound=numbers.get("Threshold") if alone else ABSENT,
                comparison=alarm.properties.get("ComparisonOperator").text,
                config=config_of(endpoint, resources),
            )


_STATISTICS = ("Stat", "Statistic", "ExtendedStatistic")


def alarm_topics(alarm: Resource, resources: Resources) -> Iterator[AlarmTopicFacts]:
    """Each topic of the template that an alarm on SageMaker's metrics can't tell anything."""
    watched = [one.namespace.text or "" for one in alarm_metrics(alarm, resources)]
    if not any("/sagemaker" in namespace.lower() for namespace in watched):
        return
    for name in ("AlarmActions", "OKActions", "InsufficientDataActions"):
        for action in alarm.properties.get(name).items():
            topic = resources.referred(action, _TOPIC)
            key = ABSENT if topic is None else topic.properties.get("KmsMasterKeyId")
            if topic is not None and key.given and _is_closed(key, resources):
                yield AlarmTopicFacts(named=action, topic=topic.logical_id, key=key)


def _is_closed(named: Fact, resources: Resources) -> bool:
    """Whether a key's policy surely does not let CloudWatch in."""
    if named.shown.endswith("alias/aws/sns"):
        return True
    key = resources.referred(named, _KEY)
    policy = ABSENT if key is None else key.properties.get("KeyPolicy")
    statements = policy.get("Statement")
    if key is None or policy.unknown or statements.unknown:
        return False
    return not any(_lets_in(one.get("Principal")) for one in statements.each())


def _lets_in(principal: Fact) -> bool:
    """Whether a statement may be for CloudWatch, which comes as a service and not by an account."""
    if principal.text == "*" or principal.unknown:
        return True
    service, account = principal.get("Service"), principal.get("AWS")
    told = any(one.unknown or one.shown.startswith("cloudwatch.") for one in service.each())
    return account.text == "*" or (service.given and told)


def monitor_facts(monitor: Resource, resources: Resources) -> Iterator[MonitorFacts]:
    """When a schedule of Model Monitor's runs, and each endpoint that it, or a job, is for."""
    config = monitor.properties.get("MonitoringScheduleConfig")
    schedule = config.get("ScheduleConfig")
    if schedule.given:
        name = config.get("MonitoringJobDefinitionName")
        named = [resources.referred(name, f"AWS::SageMaker::{one}JobDefinition") for one in _JOBS]
        jobs = [one.properties for one in named if one is not None]
        stops = (*jobs, config.get("MonitoringJobDefinition"))[0].get("StoppingCondition")
        yield MonitorFacts(
            schedule=schedule.get("ScheduleExpression"), runtime=stops.get("MaxRuntimeInSeconds")
        )
    for place in _WATCHED_BY_MONITORS:
        for given in at(monitor.properties, f"{place}.EndpointInput.EndpointName".split(".")):
            endpoint = resources.referred(given, ENDPOINT)
            runs = config_of(endpoint, resources)
            if endpoint is not None and runs is not None:
                enabled = runs.capture.get("EnableCapture")
                known = not isinstance(enabled.value or runs.capture.value, Unknown)
                yield MonitorFacts(
                    endpoint=given,
                    named=endpoint.logical_id,
                    captures=runs.capture.given and enabled.flag is not False if known else None,
                )


_JOBS = ("DataQuality", "ModelQuality", "ModelBias", "ModelExplainability")
_WATCHED_BY_MONITORS = (
    "MonitoringScheduleConfig.MonitoringJobDefinition.MonitoringInputs.*",
    *(f"{what}JobInput" for what in _JOBS),
)
"""Where a schedule, or a job's definition, names its endpoint (CloudFormation template reference,
each type's page)."""

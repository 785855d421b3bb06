"""The operations of Application Auto Scaling over what it remembers."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.scaling import ScalableDimension, TrackedMetric
from local_aws.scaling.policies import TargetTracking
from local_aws.scaling.schedule import ScheduledAction
from local_aws.services.autoscaling.scaler import Scaler
from local_aws.services.autoscaling.store import Record, Store, key_of

_PAGE = 50
_SUSPENDED = (
    "DynamicScalingInSuspended",
    "DynamicScalingOutSuspended",
    "ScheduledScalingSuspended",
)
_CONFIGURATIONS = {
    "StepScaling": "StepScalingPolicyConfiguration",
    "TargetTrackingScaling": "TargetTrackingScalingPolicyConfiguration",
}


class Api:
    """One method for each operation that is offered, named as boto3 names it.

    Whether the resource of a target is there is asked by nobody, as far as it is registered only.
    """

    def __init__(self, context: LocalContext, store: Store, scaler: Scaler) -> None:
        self._context = context
        self._store = store
        self._scaler = scaler

    def register_scalable_target(self, call: Call) -> Mapping[str, Any]:
        """Keep a target or change it; its capacity is brought into bounds that it is out of."""
        given, key = call.parameters, key_of(call.parameters)
        _refuse_another_services(given)
        known = self._store.region(call.region).targets.get(key)
        bounds = {name: each for name, each in (known or {}).items() if name.endswith("Capacity")}
        self._judge(call, {**bounds, **given})
        with self._store.lock:
            region = self._store.region(call.region)
            known = region.targets.get(key)
            wanted = {name: each for name, each in given.items() if name != "Tags"}
            target = {**(known or self._new(call)), **wanted}
            for bound in ("MinCapacity", "MaxCapacity"):
                if bound not in target:
                    raise _invalid(f"{bound} is required when a scalable target is registered")
            if target["MinCapacity"] > target["MaxCapacity"]:
                raise _invalid(
                    f"MinCapacity is {target['MinCapacity']} and MaxCapacity "
                    f"{target['MaxCapacity']}; the minimum must not be above the maximum"
                )
            target["SuspendedState"] = {
                **dict.fromkeys(_SUSPENDED, False),
                **(known or {}).get("SuspendedState", {}),
                **given.get("SuspendedState", {}),
            }
            region.targets[key] = target
            arn: str = target["ScalableTargetARN"]
            region.tags.setdefault(arn, {}).update(given.get("Tags", {}))
        self._scaler.bring_into_bounds(call.region, key)
        return {"ScalableTargetARN": arn}

    def describe_scalable_targets(self, call: Call) -> Mapping[str, Any]:
        """The targets of a service, page by page."""
        found = self._of(call, self._store.region(call.region).targets.values())
        return _page(call, "ScalableTargets", found)

    def deregister_scalable_target(self, call: Call) -> Mapping[str, Any]:
        """Forget a target, its policies with their alarms, and its scheduled actions."""
        key = key_of(call.parameters)
        with self._store.lock:
            region = self._store.region(call.region)
            target = region.targets.pop(key, None)
            if target is None:
                raise _not_found(call, "No scalable target found for ")
            policies = _of_target(region.policies, key)
            for kept in (region.policies, region.scheduled):
                for each in _of_target(kept, key):
                    del kept[each]
            region.cooldowns.pop(key, None)
            region.tags.pop(target["ScalableTargetARN"], None)
        for policy in policies.values():
            self._delete_alarms(call.region, policy)
        return {}

    def put_scaling_policy(self, call: Call) -> Mapping[str, Any]:
        """Keep a policy or change it; target tracking makes its alarms."""
        given = call.parameters
        key = key_of(given, given["PolicyName"])
        with self._store.lock:
            region = self._store.region(call.region)
            if key_of(given) not in region.targets:
                raise _no_target(call)
            known = region.policies.get(key)
            others = _of_target(region.policies, key_of(given))
            policy: Record = {**(known or self._new_policy(call)), **given, "Alarms": []}
            if _CONFIGURATIONS.get(policy["PolicyType"]) not in policy:
                raise _invalid(
                    f"a policy of type {policy['PolicyType']} needs its configuration; followed "
                    f"here are {', '.join(_CONFIGURATIONS)}"
                )
        self._judge(call, policy, [other for name, other in others.items() if name != key])
        alarms = []
        if policy["PolicyType"] == "TargetTrackingScaling":
            alarms = list(alarms_of(policy, self._dimension(policy)))
        cloudwatch = self._context.client("cloudwatch", call.region)
        for alarm in alarms:
            cloudwatch.put_metric_alarm(**alarm)
            arn = self._arn(call, "cloudwatch", f"alarm:{alarm['AlarmName']}")
            policy["Alarms"].append({"AlarmName": alarm["AlarmName"], "AlarmARN": arn})
        with self._store.lock:
            region.policies[key] = policy
        if known is not None:
            self._delete_alarms(call.region, known)
        return {"PolicyARN": policy["PolicyARN"], "Alarms": policy["Alarms"]}

    def describe_scaling_policies(self, call: Call) -> Mapping[str, Any]:
        """The policies of a service, with the alarms that call them, page by page."""
        found = self._of(call, self._store.region(call.region).policies.values())
        names = call.parameters.get("PolicyNames")
        wanted = [each for each in found if names is None or each["PolicyName"] in names]
        page = _page(call, "ScalingPolicies", wanted)
        policies = [
            {**policy, "Alarms": policy["Alarms"] or self._calling(call.region, policy)}
            for policy in page["ScalingPolicies"]
        ]
        return {**page, "ScalingPolicies": policies}

    def delete_scaling_policy(self, call: Call) -> Mapping[str, Any]:
        """Forget a policy, and the alarms that were made for it."""
        name = call.parameters["PolicyName"]
        with self._store.lock:
            policies = self._store.region(call.region).policies
            policy = policies.pop(key_of(call.parameters, name), None)
        if policy is None:
            raise _not_found(call, "No scaling policy found for ", f", policy name: {name}")
        self._delete_alarms(call.region, policy)
        return {}

    def put_scheduled_action(self, call: Call) -> Mapping[str, Any]:
        """Keep a scheduled action or change it."""
        given = call.parameters
        key = key_of(given, given["ScheduledActionName"])
        with self._store.lock:
            region = self._store.region(call.region)
            if key_of(given) not in region.targets:
                raise _no_target(call)
            place = f"resource/{given['ServiceNamespace']}/{given['ResourceId']}"
            name = f"scheduledActionName/{given['ScheduledActionName']}"
            resource = f"scheduledAction:{uuid4()}:{place}:{name}"
            new = {
                "ScheduledActionARN": self._arn(call, "autoscaling", resource),
                "CreationTime": time.time(),
            }
            action = {**new, **region.scheduled.get(key, {}), **given}
            if not action.get("ScalableTargetAction"):
                # aws-cloudformation/community-registry-extensions#255
                raise _invalid(
                    "At least one of minimum capacity and maximum capacity should be provided"
                )
            self._judge(call, action)
            try:
                ScheduledAction.of(action)
            except (KeyError, ValueError) as wrong:
                raise _invalid(f"the schedule cannot be followed: {wrong}") from None
            region.scheduled[key] = action
        self._scaler.follow_schedules()
        return {}

    def describe_scheduled_actions(self, call: Call) -> Mapping[str, Any]:
        """The scheduled actions of a service, page by page."""
        found = self._of(call, self._store.region(call.region).scheduled.values())
        names = call.parameters.get("ScheduledActionNames")
        wanted = [each for each in found if names is None or each["ScheduledActionName"] in names]
        return _page(call, "ScheduledActions", wanted)

    def delete_scheduled_action(self, call: Call) -> Mapping[str, Any]:
        """Forget a scheduled action."""
        name = call.parameters["ScheduledActionName"]
        with self._store.lock:
            scheduled = self._store.region(call.region).scheduled
            if scheduled.pop(key_of(call.parameters, name), None) is None:
                raise _not_found(
                    call, "No scheduled action found for ", f", scheduled action name: {name}"
                )
        return {}

    def describe_scaling_activities(self, call: Call) -> Mapping[str, Any]:
        """What was done and why, the newest first, page by page."""
        found = self._of(call, self._store.region(call.region).activities)
        return _page(call, "ScalingActivities", found)

    def tag_resource(self, call: Call) -> Mapping[str, Any]:
        """Add tags to a target; the last value of a key stays."""
        self._tags(call).update(call.parameters["Tags"])
        return {}

    def untag_resource(self, call: Call) -> Mapping[str, Any]:
        """Take tags from a target."""
        tags = self._tags(call)
        for key in call.parameters["TagKeys"]:
            tags.pop(key, None)
        return {}

    def list_tags_for_resource(self, call: Call) -> Mapping[str, Any]:
        """The tags of a target."""
        return {"Tags": dict(self._tags(call))}

    def _judge(
        self, call: Call, parameters: Mapping[str, Any], others: Sequence[Record] = ()
    ) -> None:
        dimension = self._dimension(parameters)
        if dimension is not None:
            dimension.judge(call.region, call.operation, parameters, others)

    def _new(self, call: Call) -> Record:
        resource = f"scalable-target/{uuid4().hex}"
        return {
            "ScalableTargetARN": self._arn(call, "application-autoscaling", resource),
            "CreationTime": time.time(),
        }

    def _new_policy(self, call: Call) -> Record:
        given = call.parameters
        place = f"resource/{given['ServiceNamespace']}/{given['ResourceId']}"
        resource = f"scalingPolicy:{uuid4()}:{place}:policyName/{given['PolicyName']}"
        return {
            "PolicyARN": self._arn(call, "autoscaling", resource),
            "PolicyType": "StepScaling",
            "CreationTime": time.time(),
        }

    def _arn(self, call: Call, service: str, resource: str) -> str:
        return arn_in(call.region, service, self._context.account_id, resource)

    def _dimension(self, record: Mapping[str, Any]) -> ScalableDimension | None:
        return self._context.scalable.get(record["ScalableDimension"])

    def _of(self, call: Call, records: Iterable[Record]) -> list[Record]:
        """Those that the call's ServiceNamespace, ResourceId(s) and ScalableDimension name."""
        given = call.parameters
        resources = given.get("ResourceIds") or [given.get("ResourceId")]
        with self._store.lock:
            return [
                record
                for record in records
                if record["ServiceNamespace"] == given["ServiceNamespace"]
                and (resources == [None] or record["ResourceId"] in resources)
                and given.get("ScalableDimension") in (None, record["ScalableDimension"])
            ]

    def _tags(self, call: Call) -> dict[str, str]:
        arn = call.parameters["ResourceARN"]
        tags = self._store.region(call.region).tags.get(arn)
        if tags is None:
            raise AwsError("ResourceNotFoundException", f"Resource {arn} does not exist")
        return tags

    def _calling(self, region: str, policy: Record) -> list[Mapping[str, str]]:
        """The alarms of others that call a policy."""
        found = self._context.client("cloudwatch", region).describe_alarms(
            ActionPrefix=policy["PolicyARN"]
        )["MetricAlarms"]
        return [{name: alarm[api] for name, api in _ALARM.items()} for alarm in found]

    def _delete_alarms(self, region: str, policy: Record) -> None:
        names = [alarm["AlarmName"] for alarm in policy["Alarms"]]
        if names:
            self._context.client("cloudwatch", region).delete_alarms(AlarmNames=names)


_ALARM = {"AlarmName": "AlarmName", "AlarmARN": "AlarmArn"}


def _refuse_another_services(given: Mapping[str, Any]) -> None:
    service, kind, _ = given["ScalableDimension"].split(":")
    parts = given["ResourceId"].split("/")
    if service != given["ServiceNamespace"] or (service == "sagemaker" and kind not in parts):
        raise _invalid("Unsupported service namespace, resource type or scalable dimension")


def _of_target(kept: Mapping[str, Record], key: str) -> dict[str, Record]:
    return {name: record for name, record in kept.items() if name.startswith(f"{key}\t")}


def _page(call: Call, items: str, found: list[Record]) -> dict[str, Any]:
    token = call.parameters.get("NextToken") or "0"
    if not token.isdecimal():
        raise AwsError("InvalidNextTokenException", f"Invalid NextToken: '{token}'")
    start = int(token)
    end = start + (call.parameters.get("MaxResults") or _PAGE)
    more = {"NextToken": str(end)} if end < len(found) else {}
    return {items: found[start:end], **more}


def _invalid(message: str) -> AwsError:
    return AwsError("ValidationException", message)


def _no_target(call: Call) -> AwsError:
    return _not_found(call, "No scalable target registered for ")


def _not_found(call: Call, beginning: str, ending: str = "") -> AwsError:
    """AWS's words for what is not there; those of targets are as users quote them
    (gruntwork-io/terraform-aws-ecs), the others are inferred."""
    given = call.parameters
    return AwsError(
        "ObjectNotFoundException",
        f"{beginning}service namespace: {given['ServiceNamespace']}, resource ID: "
        f"{given['ResourceId']}, scalable dimension: {given['ScalableDimension']}{ending}",
    )


_PERIODS = {60: (3, 15), 10: (3, 90)}
"""How many periods of so many seconds are above the target, or below 90 % of it, before something
is done. Of a metric of 10 seconds, AlarmLow's 90 are measured: huggingface/skills,
hf-cloud-sagemaker-deployment; that AlarmHigh has 3, too, is inferred."""


def alarms_of(policy: Record, dimension: ScalableDimension | None) -> Iterator[Mapping[str, Any]]:
    """What PutMetricAlarm is to be given: first AlarmHigh, then AlarmLow, named anew.

    None for metrics of services that do not scale here, and for metric math. Raises `AwsError`.
    """
    metric = _metric_of(policy, dimension)
    if metric is None:
        return
    tracking = TargetTracking.of(policy)
    above, below = _PERIODS[metric.period_seconds]
    for kind, operator, threshold, periods in (
        ("AlarmHigh", "GreaterThanThreshold", tracking.target, above),
        ("AlarmLow", "LessThanThreshold", tracking.low, below),
    ):
        yield {
            "AlarmName": f"TargetTracking-{policy['ResourceId']}-{kind}-{uuid4()}",
            "AlarmDescription": "DO NOT EDIT OR DELETE. For TargetTrackingScaling policy "
            f"{policy['PolicyARN']}.",
            "AlarmActions": [policy["PolicyARN"]],
            "Namespace": metric.namespace,
            "MetricName": metric.name,
            "Dimensions": [
                {"Name": name, "Value": value} for name, value in metric.dimensions.items()
            ],
            "Statistic": metric.statistic,
            "Period": metric.period_seconds,
            "EvaluationPeriods": periods,
            "Threshold": threshold,
            "ComparisonOperator": operator,
        }


def _metric_of(policy: Record, dimension: ScalableDimension | None) -> TrackedMetric | None:
    config = policy["TargetTrackingScalingPolicyConfiguration"]
    own = config.get("CustomizedMetricSpecification", {})
    if "MetricName" in own:
        return TrackedMetric(
            namespace=own["Namespace"],
            name=own["MetricName"],
            dimensions={each["Name"]: each["Value"] for each in own.get("Dimensions", [])},
            statistic=own["Statistic"],
        )
    kind = config.get("PredefinedMetricSpecification", {}).get("PredefinedMetricType")
    if kind is None or dimension is None:
        return None
    return dimension.metrics(policy["ResourceId"]).get(kind)

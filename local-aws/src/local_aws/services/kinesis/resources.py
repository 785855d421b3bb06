"""Kinesis data streams."""

from __future__ import annotations

from typing_extensions import override

from local_aws.resources.api import ApiProvider
from local_aws.resources.base import Attributes, Request
from local_aws.resources.declared import Declared

_HOURS = 24
"""How long a stream keeps its records while it does not say."""


class ResourcePolicy(Declared):
    """``AWS::Kinesis::ResourcePolicy``: Ref is the ARN of what it is the policy of."""

    service = "kinesis"

    def __init__(self) -> None:
        super().__init__(
            "AWS::Kinesis::ResourcePolicy",
            *("PutResourcePolicy", "DeleteResourcePolicy"),
            replace="PutResourcePolicy",
            renamed={"ResourcePolicy": "Policy"},
        )


class Stream(ApiProvider):
    """``AWS::Kinesis::Stream``: Ref is the name."""

    type_name = "AWS::Kinesis::Stream"
    name_property = "Name"
    service = "kinesis"
    create_operation = "CreateStream"
    tag_operations = ("AddTagsToStream", "RemoveTagsFromStream")
    also_supported = frozenset(
        {"DesiredShardLevelMetrics", "Name", "RetentionPeriodHours", "StreamEncryption"}
    )
    not_carried_out = frozenset(
        {"MaxRecordSizeInKiB", "RecordDistributionStrategy", "WarmThroughputMiBps"}
    )

    @override
    def create(self, request: Request) -> str:
        name: str = request.properties.get("Name") or request.name(128)
        wanted = {**request.properties, "Tags": None}
        if "StreamModeDetails" not in wanted:
            wanted.setdefault("ShardCount", 1)
        self.call(request, "CreateStream", wanted, StreamName=name)
        return name

    @override
    def complete(self, request: Request) -> Attributes:
        self._configure(request)
        described = self.call(request, "DescribeStreamSummary", StreamName=request.physical_id)
        return {"Arn": described["StreamDescriptionSummary"]["StreamARN"]}

    @override
    def update(self, request: Request) -> Attributes:
        wanted = request.properties
        if request.changed("StreamModeDetails"):
            mode = wanted.get("StreamModeDetails", {"StreamMode": "PROVISIONED"})
            arn = request.attributes["Arn"]
            self.call(request, "UpdateStreamMode", StreamARN=arn, StreamModeDetails=mode)
        if request.changed("ShardCount") and "ShardCount" in wanted:
            self.call(
                request,
                "UpdateShardCount",
                StreamName=request.physical_id,
                TargetShardCount=wanted["ShardCount"],
                ScalingType="UNIFORM_SCALING",
            )
        self._configure(request)
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self.discard(
            request, "DeleteStream", StreamName=request.physical_id, EnforceConsumerDeletion=True
        )

    def _configure(self, request: Request) -> None:
        """Bring what has calls of its own from the previous to the wanted."""
        stream = {"StreamName": request.physical_id}
        old, new = request.previous, request.properties
        before, hours = (int(each.get("RetentionPeriodHours", _HOURS)) for each in (old, new))
        if hours != before:
            operation = "IncreaseStream" if hours > before else "DecreaseStream"
            self.call(request, f"{operation}RetentionPeriod", **stream, RetentionPeriodHours=hours)
        if request.changed("StreamEncryption"):
            operation = "Start" if "StreamEncryption" in new else "Stop"
            key = new.get("StreamEncryption") or old["StreamEncryption"]
            self.call(request, f"{operation}StreamEncryption", key, **stream)
        if request.changed("DesiredShardLevelMetrics"):
            for operation, each in (("Disable", old), ("Enable", new)):
                metrics = each.get("DesiredShardLevelMetrics")
                if metrics:
                    self.call(
                        request,
                        f"{operation}EnhancedMonitoring",
                        **stream,
                        ShardLevelMetrics=metrics,
                    )
        self.retag(request, **stream)

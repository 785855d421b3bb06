"""Log groups and the account's resource policies."""

from __future__ import annotations

from typing_extensions import override

from local_aws.arn import arn_in
from local_aws.resources.api import ApiProvider
from local_aws.resources.base import Attributes, Request
from local_aws.resources.declared import Declared


class LogGroup(ApiProvider):
    """``AWS::Logs::LogGroup``: Ref is the name."""

    type_name = "AWS::Logs::LogGroup"
    name_property = "LogGroupName"
    service = "logs"
    create_operation = "CreateLogGroup"
    reading = "DescribeLogGroups logGroupNamePrefix logGroups 0"
    adopts = True
    deletes = ("DeleteLogGroup", "LogGroupName")
    also_supported = frozenset({"RetentionInDays"})
    not_carried_out = frozenset({"DeletionProtectionEnabled", "LogGroupClass"})

    @override
    def create(self, request: Request) -> str:
        name: str = request.properties.get("LogGroupName") or request.name(512)
        self.call(request, "CreateLogGroup", request.properties, LogGroupName=name)
        return name

    @override
    def complete(self, request: Request) -> Attributes:
        self._retain(request)
        return {"Arn": f"{_arn(request)}:*"}

    @override
    def update(self, request: Request) -> Attributes:
        self._retain(request)
        group = {"LogGroupName": request.physical_id}
        self.switch(request, "KmsKeyId", "AssociateKmsKey", "DisassociateKmsKey", **group)
        self.retag(request, ResourceArn=_arn(request))
        return dict(request.attributes)

    def _retain(self, request: Request) -> None:
        put, drop = "PutRetentionPolicy", "DeleteRetentionPolicy"
        self.switch(request, "RetentionInDays", put, drop, LogGroupName=request.physical_id)


class ResourcePolicy(Declared):
    """``AWS::Logs::ResourcePolicy``: Ref is the name."""

    service = "logs"

    def __init__(self) -> None:
        super().__init__(
            "AWS::Logs::ResourcePolicy",
            "PutResourcePolicy",
            "DeleteResourcePolicy",
            replace="PutResourcePolicy",
            name_property="PolicyName",
        )


def _arn(request: Request) -> str:
    group = f"log-group:{request.physical_id}"
    return arn_in(request.region, "logs", request.context.account_id, group)

"""EFS's file systems, mount targets and access points."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider
from local_aws.resources.base import Attributes, Request
from local_aws.resources.declared import Declared

_THROUGHPUT = ("ProvisionedThroughputInMibps", "ThroughputMode")


class FileSystem(ApiProvider):
    """``AWS::EFS::FileSystem``: Ref is its id."""

    type_name = "AWS::EFS::FileSystem"
    service = "efs"
    create_operation = "CreateFileSystem"
    reading = "DescribeFileSystems FileSystemId FileSystems 0"
    adopts = True
    deletes = ("DeleteFileSystem", "FileSystemId")
    also_supported = frozenset(
        {
            *("BackupPolicy", "BypassPolicyLockoutSafetyCheck", "FileSystemPolicy"),
            *("FileSystemTags", "LifecyclePolicies"),
        }
    )

    @override
    def create(self, request: Request) -> str:
        name: str = self.call(request, "CreateFileSystem", request.properties)["FileSystemId"]
        return name

    @override
    def complete(self, request: Request) -> Attributes:
        self._bring(request)
        name = {"FileSystemId": request.physical_id}
        (found,) = self.call(request, "DescribeFileSystems", **name)["FileSystems"]
        return {**name, "Arn": found["FileSystemArn"]}

    @override
    def update(self, request: Request) -> Attributes:
        if request.changed(*_THROUGHPUT):
            absent = {"ThroughputMode": "bursting"}
            self._do(request, "UpdateFileSystem", {**absent, **request.properties})
        self._bring(request)
        return dict(request.attributes)

    def _bring(self, request: Request) -> None:
        """Bring what has operations of its own."""
        wanted = request.properties
        if request.changed("BackupPolicy"):
            policy = wanted.get("BackupPolicy", {"Status": "DISABLED"})
            self._do(request, "PutBackupPolicy", {"BackupPolicy": policy})
        if request.changed("LifecyclePolicies"):
            policies = {"LifecyclePolicies": wanted.get("LifecyclePolicies", [])}
            self._do(request, "PutLifecycleConfiguration", policies)
        if request.changed("FileSystemPolicy"):
            policy = wanted.get("FileSystemPolicy")
            operation = f"{'Delete' if policy is None else 'Put'}FileSystemPolicy"
            self._do(request, operation, {**wanted, "Policy": policy})
        self.retag(request, ResourceId=request.physical_id)

    def _do(self, request: Request, operation: str, arguments: dict[str, Any]) -> None:
        self.call(request, operation, arguments, FileSystemId=request.physical_id)


class AccessPoint(Declared):
    """``AWS::EFS::AccessPoint``: Ref is its id."""

    service = "efs"

    def __init__(self) -> None:
        super().__init__(
            "AWS::EFS::AccessPoint",
            *("CreateAccessPoint", "DeleteAccessPoint"),
            id_argument="AccessPointId",
            describe="DescribeAccessPoints",
            attributes={"Arn": "AccessPointArn"},
            renamed={"AccessPointTags": "Tags"},
        )

    @override
    def retag(self, request: Request, **target: Any) -> None:
        super().retag(request, ResourceId=request.physical_id)


class _MountTarget(Declared):
    service = "efs"


def mount_target() -> Declared:
    """``AWS::EFS::MountTarget``: Ref is its id."""
    return _MountTarget(
        "AWS::EFS::MountTarget",
        *("CreateMountTarget", "DeleteMountTarget"),
        id_argument="MountTargetId",
        modify=("ModifyMountTargetSecurityGroups",),
        not_carried_out=("IpAddressType", "Ipv6Address"),
    )

"""EFS: the emulator keeps what file systems are; nothing here mounts one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from moto.backends import get_backend

from local_aws.arn import Arn
from local_aws.permissions.service import ServicePermissions, first
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Action, Service

from .resources import AccessPoint, FileSystem, mount_target


def _named(call: Call) -> Iterator[str]:
    """File systems and access points by their ids, mount targets by what they are of."""
    named = first(call.parameters, "AccessPointId", "FileSystemId", "ResourceId")
    target = first(call.parameters, "MountTargetId")
    if target is not None:
        found = _backend(call.account, call.region).mount_targets_by_id.get(target)
        named = None if found is None else found.file_system_id
    if named is not None:
        kind = "access-point" if named.startswith("fsap-") else "file-system"
        yield named if named.startswith("arn:") else f"{kind}/{named}"


def _policy(arn: Arn) -> str | None:
    found = _backend(arn.account, arn.region).file_systems_by_id.get(arn.resource.split("/")[-1])
    policy: str | None = None if found is None else found.file_system_policy
    return policy


class Efs(Service):
    """File systems, their mount targets and access points."""

    name = "efs"
    invalid = "BadRequest"
    permissions = ServicePermissions(
        prefix="elasticfilesystem", resources=_named, document_of=_policy
    )

    def actions(self) -> Mapping[str, Action]:
        """What the emulator does not change of a file system."""
        return {
            "DeleteFileSystemPolicy": _delete_policy,
            "PutBackupPolicy": _put_backup_policy,
            "UpdateFileSystem": _update,
        }

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (AccessPoint(), FileSystem(), mount_target())


def _delete_policy(call: Call) -> dict[str, Any]:
    _file_system(call).file_system_policy = None
    return {}


def _put_backup_policy(call: Call) -> dict[str, Any]:
    policy = call.parameters["BackupPolicy"]
    _file_system(call)._backup = policy["Status"] == "ENABLED"
    return {"BackupPolicy": policy}


def _update(call: Call) -> dict[str, Any]:
    found = _file_system(call)
    found.throughput_mode = call.parameters.get("ThroughputMode", found.throughput_mode)
    wanted = call.parameters.get("ProvisionedThroughputInMibps")
    found.provisioned_throughput_in_mibps = wanted
    described: dict[str, Any] = found.info_json()
    return described


def _file_system(call: Call) -> Any:
    name = call.parameters["FileSystemId"]
    found = _backend(call.account, call.region).file_systems_by_id.get(name)
    if found is None:
        raise AwsError("FileSystemNotFound", f"File system '{name}' does not exist.", status=404)
    return found


def _backend(account_id: str, region: str) -> Any:
    return get_backend("efs")[account_id][region]

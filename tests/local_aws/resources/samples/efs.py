"""Samples of EFS."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import EVERYONE, TAGS, Sample

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::EFS::AccessPoint": (
        Sample(
            (
                "efs DescribeAccessPoints AccessPointId={Ref}",
                "efs ListTagsForResource ResourceId={Ref}",
            ),
            {
                "FileSystemId": "$Files",
                "ClientToken": "lost",
                "PosixUser": {"Uid": "37", "Gid": "38", "SecondaryGids": ["39"]},
                "RootDirectory": {
                    "Path": "/lost",
                    "CreationInfo": {"OwnerUid": "41", "OwnerGid": "42", "Permissions": "0750"},
                },
                "AccessPointTags": TAGS,
            },
        ),
    ),
    "AWS::EFS::FileSystem": (
        Sample(
            (
                "efs DescribeFileSystems FileSystemId={Ref}",
                "efs DescribeLifecycleConfiguration FileSystemId={Ref}",
                "efs DescribeBackupPolicy FileSystemId={Ref}",
                "efs DescribeFileSystemPolicy FileSystemId={Ref}",
                "efs ListTagsForResource ResourceId={Ref}",
            ),
            {
                "AvailabilityZoneName": "eu-west-1a",
                "BackupPolicy": {"Status": "ENABLED"},
                "Encrypted": True,
                "KmsKeyId": "$Key.Arn",
                "LifecyclePolicies": [
                    {"TransitionToIA": "AFTER_7_DAYS"},
                    {"TransitionToArchive": "AFTER_90_DAYS"},
                    {"TransitionToPrimaryStorageClass": "AFTER_1_ACCESS"},
                ],
                "PerformanceMode": "maxIO",
                "ProvisionedThroughputInMibps": 37,
                "ThroughputMode": "provisioned",
                "FileSystemPolicy": EVERYONE,
                "FileSystemTags": TAGS,
            },
            unread={"BypassPolicyLockoutSafetyCheck": "what is asked when the policy is put"},
        ),
    ),
    "AWS::EFS::MountTarget": (
        Sample(
            (
                "efs DescribeMountTargets MountTargetId={Ref}",
                "efs DescribeMountTargetSecurityGroups MountTargetId={Ref}",
            ),
            {
                "FileSystemId": "$Files",
                "SubnetId": "$Subnet",
                "SecurityGroups": ["$Firewall.GroupId"],
                "IpAddress": "10.0.1.79",
            },
        ),
    ),
}

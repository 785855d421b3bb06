"""Samples of the types that the emulator's own classes make, and what reads them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.local_aws.resources.made import made_in
from tests.local_aws.resources.samples.sample import TAGS, Sample

_GROUP = "autoscaling DescribeAutoScalingGroups AutoScalingGroupNames=[{Ref}]"
_INSTANCE = "ec2 DescribeInstances InstanceIds=[{Ref}]"
_IMAGE = "ami-12c6146b"
_DATABASE = "rds DescribeDBInstances DBInstanceIdentifier={Ref}"

EMULATED_GROUND: Mapping[str, Mapping[str, Any]] = {
    "Second": {
        "Type": "AWS::EC2::Subnet",
        "Properties": {
            "VpcId": {"Ref": "Vpc"},
            "CidrBlock": "10.0.2.0/24",
            "AvailabilityZone": "eu-west-1b",
        },
    },
    "Launch": {
        "Type": "AWS::AutoScaling::LaunchConfiguration",
        "Properties": {"ImageId": _IMAGE, "InstanceType": "m5.large"},
    },
    "Template": {
        "Type": "AWS::EC2::LaunchTemplate",
        "Properties": {
            "LaunchTemplateName": "ground",
            "LaunchTemplateData": {"InstanceType": "m5.large", "ImageId": _IMAGE},
        },
    },
    "Files": {"Type": "AWS::EFS::FileSystem"},
    "Machine": {"Type": "AWS::EC2::Instance", "Properties": {"ImageId": _IMAGE}},
    "Profile": {
        "Type": "AWS::IAM::InstanceProfile",
        "Properties": {"Roles": [{"Ref": "Role"}]},
    },
}
"""What they refer to, beside `GROUND`."""

EMULATED: Mapping[str, tuple[Sample, ...]] = {
    "AWS::AutoScaling::LaunchConfiguration": (
        Sample(
            ("autoscaling DescribeLaunchConfigurations LaunchConfigurationNames=[{Ref}]",),
            {
                "ImageId": _IMAGE,
                "InstanceType": "m5.large",
                "LaunchConfigurationName": "lost",
                "AssociatePublicIpAddress": True,
                "EbsOptimized": True,
                "IamInstanceProfile": "a-profile",
                "InstanceMonitoring": True,
                "KernelId": "aki-lost",
                "KeyName": "a-key",
                "SecurityGroups": ["$Firewall.GroupId"],
                "SpotPrice": "0.37",
                "UserData": "bG9zdA==",
            },
        ),
    ),
    "AWS::AutoScaling::AutoScalingGroup": (
        Sample(
            (_GROUP,),
            {
                "AutoScalingGroupName": "lost",
                "MinSize": "0",
                "MaxSize": "7",
                "DesiredCapacity": "2",
                "LaunchConfigurationName": "$Launch",
                "VPCZoneIdentifier": ["$Subnet"],
                "Cooldown": "301",
                "HealthCheckGracePeriod": 302,
                "HealthCheckType": "ELB",
                "NewInstancesProtectedFromScaleIn": True,
                "TerminationPolicies": ["OldestInstance"],
                "Tags": [{**TAGS[0], "PropagateAtLaunch": True}],
            },
            needs=("LaunchConfigurationName", "VPCZoneIdentifier"),
        ),
        Sample(
            (_GROUP,),
            {
                "MinSize": "0",
                "MaxSize": "7",
                "TargetGroupARNs": ["$Targets"],
                "LaunchTemplate": {"LaunchTemplateId": "$Template", "Version": "1"},
                "VPCZoneIdentifier": ["$Subnet"],
            },
            needs=("LaunchTemplate", "VPCZoneIdentifier"),
        ),
        Sample(
            (_GROUP,),
            {
                "MinSize": "0",
                "MaxSize": "7",
                "LaunchTemplate": {"LaunchTemplateName": "ground", "Version": "1"},
                "VPCZoneIdentifier": ["$Subnet"],
            },
            needs=("LaunchTemplate", "VPCZoneIdentifier"),
        ),
    ),
    "AWS::EC2::Instance": (
        Sample(
            (
                _INSTANCE,
                "ec2 DescribeInstanceAttribute InstanceId={Ref} Attribute=userData",
            ),
            {
                "ImageId": _IMAGE,
                "InstanceType": "m5.large",
                "KeyName": "a-key",
                "SubnetId": "$Subnet",
                "SecurityGroupIds": ["$Firewall.GroupId"],
                "SourceDestCheck": False,
                "PrivateIpAddress": "10.0.1.78",
                "UserData": "bG9zdA==",
                "Tags": TAGS,
            },
            needs=("ImageId",),
        ),
        Sample(
            (_INSTANCE,),
            {"ImageId": _IMAGE, "AvailabilityZone": "eu-west-1c"},
            needs=("ImageId",),
        ),
        Sample(
            (_INSTANCE, "ec2 DescribeIamInstanceProfileAssociations"),
            {"ImageId": _IMAGE, "IamInstanceProfile": "$Profile"},
            needs=("ImageId",),
        ),
        Sample(
            (_INSTANCE, "ec2 DescribeVolumes"),
            {
                "ImageId": _IMAGE,
                "BlockDeviceMappings": [
                    {"DeviceName": "/dev/sdb", "Ebs": {"VolumeSize": 37, "VolumeType": "gp3"}}
                ],
            },
            needs=("ImageId",),
        ),
    ),
    "AWS::EC2::LaunchTemplate": (
        Sample(
            (
                "ec2 DescribeLaunchTemplates LaunchTemplateIds=[{Ref}]",
                "ec2 DescribeLaunchTemplateVersions LaunchTemplateId={Ref}",
            ),
            {
                "LaunchTemplateName": "lost",
                "VersionDescription": "lost",
                "LaunchTemplateData": made_in(
                    "AWS::EC2::LaunchTemplate",
                    "LaunchTemplateData",
                    UserData="bG9zdA==",
                    ValidUntil="2030-01-01T00:00:00Z",
                ),
            },
        ),
    ),
    "AWS::IAM::AccessKey": (
        Sample(
            ("iam ListAccessKeys UserName=ground",),
            {"UserName": "ground", "Status": "Inactive", "Serial": 2},
            unread={"Serial": "another number makes another key"},
        ),
    ),
    "AWS::IAM::InstanceProfile": (
        Sample(
            ("iam GetInstanceProfile InstanceProfileName={Ref}",),
            {"InstanceProfileName": "lost", "Path": "/lost/", "Roles": ["$Role"]},
        ),
    ),
}

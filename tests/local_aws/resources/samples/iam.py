"""Samples of IAM."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import POLICY, TAGS, TRUST, Sample, document

OTHER_POLICY = document(Action="s3:PutObject", Resource="*")

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::IAM::Group": (
        Sample(
            (
                "iam GetGroup GroupName={Ref}",
                "iam ListAttachedGroupPolicies GroupName={Ref}",
                "iam GetGroupPolicy GroupName={Ref} PolicyName=within",
            ),
            {
                "GroupName": "lost",
                "ManagedPolicyArns": ["$Managed"],
                "Path": "/lost/",
                "Policies": [{"PolicyName": "within", "PolicyDocument": OTHER_POLICY}],
            },
        ),
    ),
    "AWS::IAM::ManagedPolicy": (
        Sample(
            (
                "iam GetPolicy PolicyArn={Ref}",
                "iam GetPolicyVersion PolicyArn={Ref} VersionId=v1",
                "iam ListEntitiesForPolicy PolicyArn={Ref}",
            ),
            {
                "Description": "a property was lost",
                "ManagedPolicyName": "lost",
                "Path": "/lost/",
                "PolicyDocument": POLICY,
                "Roles": ["$Role"],
                "Users": ["ground"],
                "Groups": ["ground"],
            },
            needs=("Roles",),
        ),
    ),
    "AWS::IAM::Policy": (
        Sample(
            (
                "iam GetRolePolicy RoleName=$Role PolicyName=lost",
                "iam GetUserPolicy UserName=ground PolicyName=lost",
                "iam GetGroupPolicy GroupName=ground PolicyName=lost",
            ),
            {
                "PolicyName": "lost",
                "PolicyDocument": POLICY,
                "Roles": ["$Role"],
                "Users": ["ground"],
                "Groups": ["ground"],
            },
            needs=("Roles",),
        ),
    ),
    "AWS::IAM::Role": (
        Sample(
            (
                "iam GetRole RoleName={Ref}",
                "iam ListAttachedRolePolicies RoleName={Ref}",
                "iam GetRolePolicy RoleName={Ref} PolicyName=within",
            ),
            {
                "RoleName": "lost",
                "AssumeRolePolicyDocument": TRUST,
                "Description": "a property was lost",
                "ManagedPolicyArns": ["$Managed"],
                "MaxSessionDuration": 7201,
                "Path": "/lost/",
                "PermissionsBoundary": "arn:aws:iam::aws:policy/ReadOnlyAccess",
                "Policies": [{"PolicyName": "within", "PolicyDocument": OTHER_POLICY}],
                "Tags": TAGS,
            },
        ),
    ),
    "AWS::IAM::GroupPolicy": (
        Sample(
            ("iam GetGroupPolicy GroupName=ground PolicyName=alone",),
            {"PolicyName": "alone", "GroupName": "ground", "PolicyDocument": POLICY},
            needs=("PolicyDocument",),
        ),
    ),
    "AWS::IAM::RolePolicy": (
        Sample(
            ("iam GetRolePolicy RoleName=$Role PolicyName=alone",),
            {"PolicyName": "alone", "RoleName": "$Role", "PolicyDocument": POLICY},
            needs=("PolicyDocument",),
        ),
    ),
    "AWS::IAM::UserPolicy": (
        Sample(
            ("iam GetUserPolicy UserName=ground PolicyName=alone",),
            {"PolicyName": "alone", "UserName": "ground", "PolicyDocument": POLICY},
            needs=("PolicyDocument",),
        ),
    ),
    "AWS::IAM::UserToGroupAddition": (
        Sample(
            ("iam GetGroup GroupName=$Group",),
            {"GroupName": "$Group", "Users": ["ground"]},
        ),
    ),
    "AWS::IAM::AccessKey": (
        Sample(
            ("iam ListAccessKeys UserName=ground",),
            {"UserName": "ground", "Status": "Inactive", "Serial": 2},
            unread={"Serial": "another number makes another key"},
        ),
    ),
    "AWS::IAM::User": (
        Sample(
            (
                "iam GetUser UserName={Ref}",
                "iam ListAttachedUserPolicies UserName={Ref}",
                "iam GetUserPolicy UserName={Ref} PolicyName=within",
                "iam ListGroupsForUser UserName={Ref}",
                "iam GetLoginProfile UserName={Ref}",
                "iam ListUserTags UserName={Ref}",
            ),
            {
                "UserName": "lost",
                "Groups": ["ground"],
                "LoginProfile": {"Password": "a-Pass-word-1", "PasswordResetRequired": False},
                "ManagedPolicyArns": ["$Managed"],
                "Path": "/lost/",
                "PermissionsBoundary": "arn:aws:iam::aws:policy/ReadOnlyAccess",
                "Policies": [{"PolicyName": "within", "PolicyDocument": OTHER_POLICY}],
                "Tags": TAGS,
            },
            unread={
                "LoginProfile": "no answer has a password; who may use it, GetLoginProfile says"
            },
        ),
    ),
}

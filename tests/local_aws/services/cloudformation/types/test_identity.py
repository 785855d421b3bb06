"""Keys, roles and their policies, users and groups: made as they say, changed in place, deleted."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    TRUST,
    get_att,
    ref,
    resource,
    template,
)
from tests.local_aws.services.cloudformation.types.changes import READS, changed_to, tags_of


def test_key_and_alias(aws: Aws) -> None:
    kms = aws.client("kms")
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*"}]}
    key = resource(
        "KMS::Key",
        Description="ours",
        EnableKeyRotation=True,
        KeyPolicy=policy,
        PendingWindowInDays=7,
        Tags=tags_of("a=1", "b=2"),
    )
    alias = resource("KMS::Alias", AliasName="alias/ours", TargetKeyId=ref("Key"))
    aws.create("key", template({"Arn": get_att("Key", "Arn")}, Key=key, Alias=alias))

    key_id = aws.physical_ids("key")["Key"]
    metadata = kms.describe_key(KeyId="alias/ours")["KeyMetadata"]
    assert (metadata["KeyId"], metadata["Description"]) == (key_id, "ours")
    assert aws.outputs("key") == {"Arn": metadata["Arn"]}
    assert kms.get_key_rotation_status(KeyId=key_id)["KeyRotationEnabled"] is True
    assert json.loads(kms.get_key_policy(KeyId=key_id, PolicyName="default")["Policy"]) == policy

    changed = changed_to(
        key, Description="theirs", EnableKeyRotation=False, Enabled=False, Tags=tags_of("b=3")
    )
    aws.update("key", template({"Arn": get_att("Key", "Arn")}, Key=changed, Alias=alias))

    metadata = kms.describe_key(KeyId=key_id)["KeyMetadata"]
    assert (metadata["Description"], metadata["Enabled"]) == ("theirs", False)
    assert kms.get_key_rotation_status(KeyId=key_id)["KeyRotationEnabled"] is False
    tags = kms.list_resource_tags(KeyId=key_id)["Tags"]
    assert tags == [{"TagKey": "b", "TagValue": "3"}]
    aws.delete("key")
    assert kms.describe_key(KeyId=key_id)["KeyMetadata"]["KeyState"] == "PendingDeletion"
    assert "alias/ours" not in [each["AliasName"] for each in kms.list_aliases()["Aliases"]]


def test_role_and_policies(aws: Aws) -> None:
    iam = aws.client("iam")
    role = resource(
        "IAM::Role",
        AssumeRolePolicyDocument=TRUST,
        Description="runs models",
        MaxSessionDuration="7200",
        Path="/serving/",
        ManagedPolicyArns=["arn:aws:iam::aws:policy/ReadOnlyAccess", ref("Managed")],
        Policies=[
            {"PolicyName": "one", "PolicyDocument": READS},
            {"PolicyName": "two", "PolicyDocument": READS},
        ],
        Tags=tags_of("a=1"),
    )
    managed = resource("IAM::ManagedPolicy", PolicyDocument=READS, Description="reads")
    inline = resource("IAM::Policy", PolicyName="inline", PolicyDocument=READS, Roles=[ref("Role")])
    body = template({"Arn": get_att("Role", "Arn")}, Role=role, Managed=managed, Inline=inline)
    aws.create("role", body)

    ids = aws.physical_ids("role")
    name = ids["Role"]
    found = iam.get_role(RoleName=name)["Role"]
    assert name.startswith("role-Role-")
    assert (found["Path"], found["MaxSessionDuration"]) == ("/serving/", 7200)
    assert aws.outputs("role") == {"Arn": found["Arn"]}
    assert sorted(iam.list_role_policies(RoleName=name)["PolicyNames"]) == ["inline", "one", "two"]
    attached = iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
    assert {each["PolicyArn"] for each in attached} == {
        "arn:aws:iam::aws:policy/ReadOnlyAccess",
        ids["Managed"],
    }

    wider = {**READS, "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
    changed = changed_to(
        role,
        Description=None,
        ManagedPolicyArns=[ref("Managed")],
        Policies=[{"PolicyName": "two", "PolicyDocument": wider}],
        Tags=tags_of("b=2"),
    )
    renamed = changed_to(inline, PolicyName="renamed")
    body = template(Role=changed, Managed=changed_to(managed, PolicyDocument=wider), Inline=renamed)
    assert aws.update("role", body)["StackStatus"] == "UPDATE_COMPLETE"

    assert aws.physical_ids("role") == ids
    assert sorted(iam.list_role_policies(RoleName=name)["PolicyNames"]) == ["renamed", "two"]
    assert iam.get_role_policy(RoleName=name, PolicyName="two")["PolicyDocument"] == wider
    attached = iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
    assert [each["PolicyArn"] for each in attached] == [ids["Managed"]]
    version = iam.get_policy(PolicyArn=ids["Managed"])["Policy"]["DefaultVersionId"]
    document = iam.get_policy_version(PolicyArn=ids["Managed"], VersionId=version)
    assert document["PolicyVersion"]["Document"] == wider
    assert iam.list_role_tags(RoleName=name)["Tags"] == tags_of("b=2")
    assert aws.delete("role")["StackStatus"] == "DELETE_COMPLETE"
    assert name not in [each["RoleName"] for each in iam.list_roles()["Roles"]]


def test_user_and_group(aws: Aws) -> None:
    iam = aws.client("iam")
    read = "arn:aws:iam::aws:policy/ReadOnlyAccess"
    own = {"ManagedPolicyArns": [read], "Policies": [{"PolicyName": "p", "PolicyDocument": READS}]}
    user = resource(
        "IAM::User",
        Groups=[ref("One"), ref("Two")],
        LoginProfile={"Password": "a-Pass-word-1"},
        Tags=tags_of("a=1"),
        **own,
    )
    body = template(
        {"Arn": get_att("User", "Arn")},
        One=resource("IAM::Group", **own),
        Two=resource("IAM::Group", GroupName="two", Path="/of/"),
        User=user,
    )
    aws.create("user", body)

    ids = aws.physical_ids("user")
    name = ids["User"]
    assert aws.outputs("user") == {"Arn": f"arn:aws:iam::123456789012:user/{name}"}
    assert iam.get_group(GroupName="two")["Group"]["Arn"].endswith(":group/of/two")

    def groups() -> set[str]:
        answer = iam.list_groups_for_user(UserName=name)
        return {each["GroupName"] for each in answer["Groups"]}

    assert groups() == {ids["One"], "two"}
    for kind, of in (("User", name), ("Group", ids["One"])):
        named = {f"{kind}Name": of}
        attached = getattr(iam, f"list_attached_{kind.lower()}_policies")(**named)
        assert [each["PolicyArn"] for each in attached["AttachedPolicies"]] == [read]
        assert getattr(iam, f"list_{kind.lower()}_policies")(**named)["PolicyNames"] == ["p"]
    assert iam.get_login_profile(UserName=name)["LoginProfile"]["UserName"] == name
    assert iam.list_user_tags(UserName=name)["Tags"] == tags_of("a=1")

    body["Resources"]["User"] = resource("IAM::User", Groups=["two"], Tags=tags_of("b=2"))
    body["Resources"]["One"] = resource("IAM::Group")
    assert aws.update("user", body)["StackStatus"] == "UPDATE_COMPLETE"

    assert aws.physical_ids("user") == ids
    assert groups() == {"two"}
    assert iam.list_attached_user_policies(UserName=name)["AttachedPolicies"] == []
    assert iam.list_user_policies(UserName=name)["PolicyNames"] == []
    assert iam.list_group_policies(GroupName=ids["One"])["PolicyNames"] == []
    with pytest.raises(ClientError, match="NoSuchEntity"):
        iam.get_login_profile(UserName=name)
    assert iam.list_user_tags(UserName=name)["Tags"] == tags_of("b=2")
    assert aws.delete("user")["StackStatus"] == "DELETE_COMPLETE"
    assert iam.list_users()["Users"] == []
    assert iam.list_groups()["Groups"] == []


def test_a_policy_and_a_membership_of_their_own_come_change_and_go(aws: Aws) -> None:
    iam = aws.client("iam")
    body = template(
        {"Ref": ref("Policy")},
        User=resource("IAM::User", UserName="alone"),
        Other=resource("IAM::User", UserName="another"),
        Group=resource("IAM::Group", GroupName="both"),
        Policy=resource(
            "IAM::UserPolicy", UserName=ref("User"), PolicyName="own", PolicyDocument=READS
        ),
        Member=resource("IAM::UserToGroupAddition", GroupName=ref("Group"), Users=[ref("User")]),
    )

    def members() -> list[str]:
        return [each["UserName"] for each in iam.get_group(GroupName="both")["Users"]]

    assert aws.create("alone", body)["StackStatus"] == "CREATE_COMPLETE"
    assert aws.outputs("alone")["Ref"] == "own|alone"
    found = iam.get_user_policy(UserName="alone", PolicyName="own")
    assert found["PolicyDocument"] == READS
    assert members() == ["alone"]
    other = json.loads(json.dumps(READS).replace("Get", "Put"))
    body["Resources"]["Policy"]["Properties"]["PolicyDocument"] = other
    body["Resources"]["Member"]["Properties"]["Users"] = [ref("Other")]
    assert aws.update("alone", body)["StackStatus"] == "UPDATE_COMPLETE"
    found = iam.get_user_policy(UserName="alone", PolicyName="own")
    assert found["PolicyDocument"] == other
    assert members() == ["another"]
    del body["Resources"]["Policy"]
    del body["Resources"]["Member"], body["Outputs"]
    assert aws.update("alone", body)["StackStatus"] == "UPDATE_COMPLETE"
    assert iam.list_user_policies(UserName="alone")["PolicyNames"] == members() == []
    assert aws.delete("alone")["StackStatus"] == "DELETE_COMPLETE"

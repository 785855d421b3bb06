"""What an app has already is taken where ours would be made, with the permissions it needs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecr as ecr
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk.assertions import Annotations, Match, Template
from cdk_nag import AwsSolutionsChecks

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import (
    ContainerImage,
    DataBucket,
    EndpointMonitoring,
    Model,
    ModelData,
    PrivateVpc,
    WatchedVariant,
)
from tests.infra.theirs import (
    ACCOUNT,
    IMAGE,
    REGION,
    ROLES,
    add_everything,
    attached,
    imported,
    warned,
    warnings,
)


def test_nothing_is_made_of_what_is_given(bench: Any) -> None:
    have = imported(bench)
    add_everything(have)
    DataBucket(have.stack, "Data", encryption_key=have.key, server_access_logs_bucket=have.bucket)
    made = Template.from_stack(have.stack).to_json()["Resources"].values()
    kinds = [each["Type"].removeprefix("AWS::") for each in made]
    unwanted = {"IAM::Role", "IAM::Policy", "Logs::LogGroup", "KMS::Key", "EC2::SecurityGroup"}
    assert unwanted.isdisjoint(kinds)
    assert "SNS::Topic" not in kinds
    assert kinds.count("S3::Bucket") == 1


def test_a_private_vpc_logs_where_and_as_whom_it_is_told(bench: Any) -> None:
    have = imported(bench)
    flows = have.roles["flows"]
    PrivateVpc(have.stack, "Private", flow_log_group=have.log, flow_log_role=flows)
    template = Template.from_stack(have.stack)
    template.resource_count_is("AWS::IAM::Role", 0)
    template.resource_count_is("AWS::Logs::LogGroup", 0)
    assert {action for action, _, _ in warned(have)["flows"]} == {
        "logs:CreateLogStream",
        "logs:DescribeLogStreams",
        "logs:PutLogEvents",
    }


def test_a_role_that_takes_no_policies_is_told_all_that_another_would_be_granted(
    new_bench: Callable[[], Any],
) -> None:
    """What aws_cdk grants roles by itself is among it."""
    immutable, made_here = imported(new_bench()), imported(new_bench())
    made_here.roles = {
        name: iam.Role(
            made_here.stack,
            f"Own{name.title()}",
            role_name=name,
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
        )
        for name in ROLES
    }
    for have in (immutable, made_here):
        add_everything(have)
        log, flows = have.log, have.roles["flows"]
        PrivateVpc(have.stack, "Private", flow_log_group=log, flow_log_role=flows)
    told, granted = warned(immutable), attached(made_here)
    assert set(told) == set(ROLES)
    for name in ROLES:
        assert told[name] == granted[name], name


def test_an_imported_role_gets_its_policy_as_one_made_here(bench: Any) -> None:
    have = imported(bench, mutable=True)
    add_everything(have)
    assert "takes no policies" not in str(warnings(have))
    granted = attached(have)
    assert {"s3:GetObject", "ecr:BatchGetImage"} <= {each for each, _, _ in granted["models"]}
    assert {"states:RedriveExecution", "sns:Publish"} <= {
        each for each, _, _ in granted["machines"]
    }
    found = AwsSolutionsChecks(bench.app).validate_scope(have.stack).violations
    assert [violation.rule_name for violation in found] == []


def test_the_policies_of_an_imported_key_and_topic_are_told_once_each(bench: Any) -> None:
    have = imported(bench)
    EndpointMonitoring(
        have.stack,
        "Watch",
        endpoint_name="theirs",
        variants=[WatchedVariant(name="a")],
        topic=have.topic,
        encryption_key=have.key,
    )
    key, topic = (text for text in sorted(warnings(have)) if "not this app's" in text)
    assert "key/theirs is not this app's to change" in key
    assert '"Service": "logs.eu-west-1.' in key
    assert f"sns:{REGION}:{ACCOUNT}:theirs is not this app's to change" in topic
    assert '"Service": "cloudwatch.amazonaws.com"' in topic


def test_the_policies_of_a_key_and_a_topic_of_the_app_are_made_right(bench: Any) -> None:
    stack = bench.stack
    key = kms.Key(stack, "Key")
    topic = sns.Topic(stack, "Topic", master_key=key, enforce_ssl=True)
    EndpointMonitoring(
        stack,
        "Watch",
        endpoint_name="theirs",
        variants=[WatchedVariant(name="a")],
        topic=topic,
        encryption_key=key,
    )
    template = Template.from_stack(stack)
    assert not Annotations.from_stack(stack).find_warning("*", Match.any_value())
    publish = {"Action": "sns:Publish", "Principal": {"Service": "cloudwatch.amazonaws.com"}}
    template.has_resource_properties(
        "AWS::SNS::TopicPolicy",
        {"PolicyDocument": {"Statement": Match.array_with([Match.object_like(publish)])}},
    )
    (made,) = template.find_resources("AWS::KMS::Key").values()
    services = json.dumps(made["Properties"]["KeyPolicy"])
    assert '"cloudwatch.amazonaws.com"' in services
    assert '"logs.eu-west-1.' in services


def test_a_topics_own_key_is_granted_to_who_publishes(bench: Any) -> None:
    have = imported(bench)
    have.topic = sns.Topic(have.stack, "Encrypted", master_key=have.key)
    add_everything(have)
    key_arn = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/theirs"
    assert ("kms:GenerateDataKey", key_arn, "null") in warned(have)["machines"]


def test_a_model_in_a_vpc_has_a_group_that_others_let_in(bench: Any) -> None:
    stack = bench.stack
    vpc = ec2.Vpc(stack, "Vpc", max_azs=1)
    database = ec2.SecurityGroup(stack, "Database", vpc=vpc)
    model = Model(stack, "Model", instance_type="ml.c5.large", image=IMAGE, vpc=vpc)
    database.connections.allow_from(model, ec2.Port.tcp(5432))
    s3.Bucket(stack, "Features").grant_read(model)
    template = Template.from_stack(stack)
    template.has_resource_properties(
        "AWS::EC2::SecurityGroupIngress",
        {"FromPort": 5432, "SourceSecurityGroupId": {"Fn::GetAtt": [Match.any_value(), "GroupId"]}},
    )
    (policy,) = template.find_resources("AWS::IAM::Policy").values()
    assert "s3:GetObject*" in str(policy)


def test_groups_known_by_their_ids_have_connections_too(bench: Any) -> None:
    have = imported(bench)
    config = Model(
        have.stack,
        "Model",
        instance_type="ml.c5.large",
        image=IMAGE,
        vpc=have.vpc,
        security_groups=[have.group],
    )
    config.connections.allow_from_any_ipv4(ec2.Port.tcp(8080))
    Template.from_stack(have.stack).has_resource_properties(
        "AWS::EC2::SecurityGroupIngress", {"GroupId": "sg-theirs", "FromPort": 8080}
    )


def test_a_model_outside_of_any_vpc_has_no_connections(bench: Any) -> None:
    model = Model(bench.stack, "Model", instance_type="ml.c5.large", image=IMAGE)
    with pytest.raises(Mistake, match="Stack/Model: it stands in no VPC"):
        _ = model.connections


def test_subnets_and_groups_without_their_vpc_are_refused(bench: Any) -> None:
    have = imported(bench)
    with pytest.raises(Mistake, match="Model: vpc_subnets and security_groups go with vpc"):
        Model(
            have.stack,
            "Model",
            instance_type="ml.c5.large",
            image=IMAGE,
            security_groups=[have.group],
        )


def test_files_below_a_prefix_of_a_bucket_are_listed_and_read(bench: Any) -> None:
    have = imported(bench)
    model_data = ModelData.from_bucket(have.bucket, "models/half/", sha256="1")
    role = have.roles["models"]
    Model(have.stack, "Model", role=role, instance_type=None, image=IMAGE, model_data=model_data)
    assert {
        action for action, resource, _ in warned(have)["models"] if ":ecr:" not in resource
    } == {
        "ecr:GetAuthorizationToken",
        "kms:Decrypt",
        "s3:GetObject",
        "s3:ListBucket",
    }


def test_an_image_of_the_apps_repository_is_pulled_from_there(bench: Any) -> None:
    repository = ecr.Repository(bench.stack, "Images")
    image = ContainerImage.from_ecr_repository(repository, "7")
    Model(bench.stack, "Model", instance_type="ml.c5.large", image=image)
    (policy,) = Template.from_stack(bench.stack).find_resources("AWS::IAM::Policy").values()
    (pull, token) = policy["Properties"]["PolicyDocument"]["Statement"]
    assert pull["Resource"] == {"Fn::GetAtt": [logical_id_of(bench, repository), "Arn"]}
    assert token["Action"] == "ecr:GetAuthorizationToken"


def logical_id_of(bench: Any, construct: Any) -> str:
    return str(bench.stack.get_logical_id(construct.node.default_child))

"""What nothing here carries out is kept by its schema and told, or refused where that is wanted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from local_aws.services.cloudformation.service import CloudFormation
from tests.local_aws.aws import service_in
from tests.local_aws.services.cloudformation.conftest import REGION, Aws, Endpoints
from tests.local_aws.services.cloudformation.templates import (
    get_att,
    parameter,
    ref,
    resource,
    template,
)

JOB = {"Role": "arn:aws:iam::123456789012:role/glue", "Command": {"Name": "glueetl"}}


def job(**properties: Any) -> dict[str, Any]:
    """A Glue job, of which nothing here can do anything."""
    return resource("Glue::Job", **{**JOB, **properties})


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """A local AWS that refuses what it would only keep."""
    endpoints = Endpoints()
    gateway = Gateway(
        tmp_path_factory.mktemp("strict"),
        region=REGION,
        services=[lambda context, changed: [endpoints]],
        strict=True,
    )
    gateway.start()
    try:
        yield Aws(gateway, endpoints)
    finally:
        gateway.stop()


@pytest.fixture
def kept(aws: Aws) -> Iterator[None]:
    """A stack with two jobs and a web ACL."""
    body = template(
        {
            "Job": ref("Job"),
            "Acl": ref("Acl"),
            "Arn": get_att("Acl", "Arn"),
            "Api": get_att("Api", "GraphQLUrl"),
            "ApiArn": ref("Api"),
        },
        Job=job(),
        Named=job(Name="nightly"),
        Api=resource("AppSync::GraphQLApi", Name="api", AuthenticationType="API_KEY"),
        Acl=resource(
            "WAFv2::WebACL",
            Scope="REGIONAL",
            DefaultAction={"Allow": {}},
            VisibilityConfig={
                "CloudWatchMetricsEnabled": True,
                "MetricName": "all",
                "SampledRequestsEnabled": "true",
            },
        ),
    )
    assert aws.create("kept", body)["StackStatus"] == "CREATE_COMPLETE"
    yield
    assert aws.delete("kept")["StackStatus"] == "DELETE_COMPLETE"


@pytest.mark.usefixtures("kept")
def test_ids_and_attributes_have_the_form_that_aws_gives_them(aws: Aws) -> None:
    outputs = aws.outputs("kept")

    assert re.fullmatch(r"kept-Job-[A-Z0-9]{12}", outputs["Job"])
    assert re.fullmatch(r"[\w-]+\|[0-9a-f-]{36}\|REGIONAL", outputs["Acl"])
    assert outputs["Arn"].startswith("arn:aws:wafv2:eu-west-1:123456789012:")
    assert outputs["Api"].startswith("https://")
    assert outputs["ApiArn"].startswith("arn:aws:appsync:eu-west-1:123456789012:apis/")
    assert aws.physical_ids("kept")["Named"] == "nightly"


@pytest.mark.usefixtures("kept")
def test_what_is_only_kept_is_told(aws: Aws) -> None:
    assert told_of(aws, "kept") == [
        "1 AWS::AppSync::GraphQLApi",
        "2 AWS::Glue::Job",
        "1 AWS::WAFv2::WebACL",
    ]
    shown = aws.cloudformation.describe_stack_resource(StackName="kept", LogicalResourceId="Job")
    assert shown["StackResourceDetail"]["ResourceStatusReason"] == (
        "the local AWS only keeps this, and does nothing that AWS::Glue::Job does on AWS"
    )


@pytest.mark.usefixtures("kept")
def test_a_call_of_a_service_that_is_only_kept_is_refused_by_name(aws: Aws) -> None:
    with pytest.raises(ClientError) as refusal:
        aws.client("glue").start_job_run(JobName="nightly")

    assert refusal.value.response["Error"]["Message"] == (
        "the local AWS does not offer StartJobRun of glue: of stack kept it only keeps Job "
        "(AWS::Glue::Job), and does nothing by it"
    )


def test_a_call_that_names_what_is_kept_of_a_service_that_is_here_is_refused(aws: Aws) -> None:
    body = template(Ring=resource("Logs::LogAnomalyDetector"), Own=resource("Logs::LogGroup"))
    aws.create("half", body)
    logs = aws.client("logs")

    with pytest.raises(ClientError, match=r"only keeps Ring \(AWS::Logs::LogAnomalyDetector\)"):
        logs.get_log_anomaly_detector(anomalyDetectorArn=aws.physical_ids("half")["Ring"])
    assert logs.describe_log_groups(logGroupNamePrefix="half")["logGroups"]
    aws.delete("half")


def test_a_call_that_names_what_is_here_beside_what_is_kept_is_answered(aws: Aws) -> None:
    """What associates a gateway has the gateway's id for its own."""
    body = template(
        Gateway=resource("EC2::InternetGateway"),
        Routed=resource(
            "EC2::GatewayRouteTableAssociation", GatewayId=ref("Gateway"), RouteTableId="rtb-1"
        ),
    )

    assert aws.create("beside", body)["StackStatus"] == "CREATE_COMPLETE"
    gateway = aws.physical_ids("beside")["Gateway"]
    assert aws.client("ec2").describe_internet_gateways(InternetGatewayIds=[gateway])
    assert aws.delete("beside")["StackStatus"] == "DELETE_COMPLETE"


def test_it_is_updated_in_place_or_replaced_as_its_schema_says(aws: Aws) -> None:
    aws.create("changing", template(Job=job(), After=parameter(ref("Job"))))
    first = aws.physical_ids("changing")["Job"]

    aws.update("changing", template(Job=job(MaxRetries="2"), After=parameter(ref("Job"))))
    assert aws.physical_ids("changing")["Job"] == first
    aws.update("changing", template(Job=job(Name="other"), After=parameter(ref("Job"))))
    assert aws.physical_ids("changing")["Job"] == "other"
    aws.delete("changing")


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"Role": None}, "#: required key [Role] not found"),
        ({"Command": []}, "#/Command: expected type: JSONObject, found: JSONArray"),
        ({"Commend": "x"}, "#: extraneous key [Commend] is not permitted"),
        ({"MaxRetries": "many"}, "#/MaxRetries: expected type: Number, found: String"),
    ],
)
def test_what_its_schema_does_not_take_is_refused_in_cloudformations_words(
    aws: Aws, properties: dict[str, Any], message: str
) -> None:
    given = {name: value for name, value in {**JOB, **properties}.items() if value is not None}

    with pytest.raises(ClientError) as refusal:
        aws.create("wrong", template(Job=resource("Glue::Job", **given)))

    assert refusal.value.response["Error"]["Message"].startswith(
        f"Properties validation failed for resource Job with message: {message}"
    )


def test_what_only_its_service_sets_is_left_out_in_silence(aws: Aws) -> None:
    topic = resource("SNS::Topic", TopicArn="arn:aws:sns:eu-west-1:123456789012:another")
    kept_only = resource("AppConfig::Application", Name="a", ApplicationId="mine")

    created = aws.create("given", template(Topic=topic, Application=kept_only))

    assert created["StackStatus"] == "CREATE_COMPLETE", aws.events("given")
    ids = aws.physical_ids("given")
    assert not ids["Topic"].endswith(":another")
    assert ids["Application"] != "mine"
    aws.delete("given")


def test_a_value_that_only_the_deployment_knows_is_judged_there(aws: Aws) -> None:
    wrong = job(Command={"Name": "glueetl"}, MaxRetries=ref("Text"))

    stack = aws.create("late", template(Text=parameter("x"), Job=wrong))

    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "for resource Job with message: #/MaxRetries: expected type" in str(aws.events("late"))
    aws.delete("late")


def test_attributes_without_effect_are_kept_and_told(aws: Aws) -> None:
    pool = resource("IAM::User", UserName="kept")
    pool["UpdatePolicy"] = {"UseOnlineResharding": True}
    group = resource(
        "AutoScaling::AutoScalingGroup", MinSize="0", MaxSize="1", LaunchConfigurationName="a"
    )
    group["UpdatePolicy"] = {"AutoScalingReplacingUpdate": {"WillReplace": True}}
    database = {**resource("RDS::DBInstance", Engine="mysql"), "DeletionPolicy": "Snapshot"}

    with pytest.raises(ClientError, match="UpdatePolicy is no attribute of AWS::IAM::User"):
        aws.create("attributes", template(User=pool))
    tags = [{"Key": "team", "Value": "a"}]
    made = aws.create("attributes", template(Group=group, Db=database), Tags=tags)
    assert made["StackStatus"] == "CREATE_COMPLETE", aws.events("attributes")

    assert told_of(aws, "attributes") == [
        "1 AWS::AutoScaling::AutoScalingGroup (UpdatePolicy)",
        "1 AWS::RDS::DBInstance (DeletionPolicy Snapshot)",
    ]
    assert aws.delete("attributes")["StackStatus"] == "DELETE_COMPLETE"


def test_what_is_about_a_kept_resource_is_kept_with_it(aws: Aws) -> None:
    """An app that has more than the local AWS carries out is deployed, and told what that is."""
    assume = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": "*"}
    body = template(
        Role=resource(
            "IAM::Role",
            AssumeRolePolicyDocument={"Version": "2012-10-17", "Statement": [assume]},
        ),
        Records=resource("Kinesis::Stream", ShardCount=1),
        Mapping=resource(
            "Lambda::EventSourceMapping",
            FunctionName="nobody",
            EventSourceArn=get_att("Records", "Arn"),
            StartingPosition="LATEST",
        ),
        Lines=resource("Logs::LogGroup"),
        Subscribed=resource(
            "Logs::SubscriptionFilter",
            LogGroupName=ref("Lines"),
            FilterPattern="",
            DestinationArn=get_att("Records", "Arn"),
            RoleArn=get_att("Role", "Arn"),
        ),
        Vpc=resource("EC2::VPC", CidrBlock="10.0.0.0/16"),
        Subnet=resource("EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.0.0/24"),
        Table=resource("EC2::RouteTable", VpcId=ref("Vpc")),
        Machine=resource("EC2::Instance", ImageId="ami-1", SubnetId=ref("Subnet")),
        Out=resource(
            "EC2::Route",
            RouteTableId=ref("Table"),
            DestinationCidrBlock="0.0.0.0/0",
            InstanceId=ref("Machine"),
        ),
        Private=resource("EC2::VPNGateway", Type="ipsec.1"),
        Attached=resource(
            "EC2::VPCGatewayAttachment", VpcId=ref("Vpc"), VpnGatewayId=ref("Private")
        ),
        Home=resource(
            "EC2::Route",
            "Attached",
            RouteTableId=ref("Table"),
            DestinationCidrBlock="10.9.0.0/16",
            GatewayId=ref("Private"),
        ),
        Balancer=resource("ElasticLoadBalancingV2::LoadBalancer", Subnets=[ref("Subnet")]),
        Files=resource("EFS::FileSystem"),
    )

    assert aws.create("about", body)["StackStatus"] == "CREATE_COMPLETE", aws.events("about")
    assert told_of(aws, "about") == [
        "1 AWS::EC2::Instance",
        "2 AWS::EC2::Route",
        "1 AWS::EC2::VPCGatewayAttachment",
        "1 AWS::EC2::VPNGateway",
        "1 AWS::EFS::FileSystem",
        "1 AWS::ElasticLoadBalancingV2::LoadBalancer",
        "1 AWS::Kinesis::Stream",
        "1 AWS::Lambda::EventSourceMapping",
        "1 AWS::Logs::SubscriptionFilter",
    ]
    with pytest.raises(ClientError, match=r"it only keeps Records \(AWS::Kinesis::Stream\)"):
        aws.client("kinesis").list_streams()
    changed = json.loads(json.dumps(body))
    changed["Resources"]["Mapping"]["Properties"]["BatchSize"] = 7
    assert aws.update("about", changed)["StackStatus"] == "UPDATE_COMPLETE"
    assert aws.delete("about")["StackStatus"] == "DELETE_COMPLETE"


def test_a_strict_local_aws_refuses_what_it_would_only_keep_all_at_once(strict: Aws) -> None:
    mapping = resource(
        "Lambda::EventSourceMapping",
        FunctionName="nobody",
        EventSourceArn="arn:aws:dynamodb:eu-west-1:123456789012:table/clicks/stream/1",
    )
    website = resource("S3::Bucket", WebsiteConfiguration={"IndexDocument": "index.html"})
    body = template(Job=job(), Scan=resource("Macie::Session"), Website=website)

    with pytest.raises(ClientError) as refusal:
        strict.create("strict", body)

    message = refusal.value.response["Error"]["Message"]
    assert "Resource Job: the local AWS only keeps AWS::Glue::Job, and it is strict" in message
    assert "Resource Scan: the local AWS only keeps AWS::Macie::Session" in message
    assert "Resource Website: the local AWS does not carry out WebsiteConfiguration of" in message
    with pytest.raises(ClientError, match="Mapping: the local AWS only keeps this AWS::Lambda::E"):
        strict.create("strict", template(Mapping=mapping))
    with pytest.raises(ClientError, match="does not exist"):
        strict.stack("strict")


def test_the_kept_are_found_again(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("again")

    def run(work: Any) -> Any:
        endpoints = Endpoints()
        gateway = Gateway(folder, region=REGION, services=[lambda *_: [endpoints]])
        gateway.start()
        try:
            return work(Aws(gateway, endpoints))
        finally:
            gateway.stop()

    run(lambda aws: aws.create("kept", template({"Job": ref("Job")}, Job=job())))

    def look(aws: Aws) -> Any:
        with pytest.raises(ClientError, match="only keeps Job"):
            aws.client("glue").get_jobs()
        aws.update("kept", template({"Job": ref("Job")}, Job=job(MaxRetries=1)))
        return aws.outputs("kept"), aws.delete("kept")["StackStatus"]

    outputs, status = run(look)
    assert outputs["Job"].startswith("kept-Job-")
    assert status == "DELETE_COMPLETE"


def test_a_stacks_tags_come_to_what_has_them_as_a_map(aws: Aws) -> None:
    tagged = {"Own": job(Tags={"own": "1"}), "Bare": job()}
    aws.create("tagged", template(**tagged), Tags=[{"Key": "team", "Value": "a"}])

    resources = aws.kept("tagged").version.resources
    assert resources["Own"].properties["Tags"] == {"team": "a", "own": "1"}
    assert resources["Bare"].properties["Tags"] == {"team": "a"}
    aws.delete("tagged")


def test_a_name_that_another_stack_has_given_is_taken(aws: Aws) -> None:
    aws.create("first", template(Job=job(Name="hourly"), Free=job()))

    second = aws.create("second", template(Job=job(Name="hourly"), Free=job()))

    assert second["StackStatus"] == "ROLLBACK_COMPLETE"
    reason = aws.reason("second", "CREATE_FAILED", "Job")
    assert "Resource of type 'AWS::Glue::Job' with identifier 'hourly' already exists." in reason
    assert "HandlerErrorCode: AlreadyExists" in reason
    for name in ("first", "second"):
        aws.delete(name)
    assert aws.create("third", template(Job=job(Name="hourly")))["StackStatus"] == "CREATE_COMPLETE"
    aws.delete("third")


def told_of(aws: Aws, name: str) -> list[str]:
    """What ``local status`` says is only kept of a stack."""
    stacks: Any = service_in(aws.gateway, CloudFormation).status()["stacks"]
    (found,) = [stack["only_kept"] for stack in stacks if stack["name"] == name]
    told: list[str] = found
    return told


def test_a_recipe_takes_the_versioned_arn_of_a_kept_component(aws: Aws) -> None:
    component = resource(
        "ImageBuilder::Component", Name="Git tools", Platform="Linux", Version="1.2.0", Data="{}"
    )
    recipe = resource(
        "ImageBuilder::ImageRecipe",
        Name="recipe",
        Version="1.0.0",
        ParentImage="ami-0123456789abcdef0",
        Components=[{"ComponentArn": get_att("Component", "Arn")}],
    )
    made = aws.create(
        "images", template({"Arn": get_att("Component", "Arn")}, Component=component, Recipe=recipe)
    )

    assert made["StackStatus"] == "CREATE_COMPLETE"
    assert aws.outputs("images")["Arn"].endswith(":component/git-tools/1.2.0/1")
    aws.delete("images")

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
    assert _told(aws, "kept") == [
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
    launch = resource("AutoScaling::LaunchConfiguration", ImageId="ami-1", InstanceType="m5.large")
    group = resource(
        "AutoScaling::AutoScalingGroup",
        MinSize="0",
        MaxSize="1",
        VPCZoneIdentifier=[ref("Subnet")],
        LaunchConfigurationName=ref("Launch"),
        CapacityRebalance=True,
    )
    group["UpdatePolicy"] = {"AutoScalingReplacingUpdate": {"WillReplace": True}}
    database = {**resource("RDS::DBInstance", Engine="mysql"), "DeletionPolicy": "Snapshot"}

    network = {
        "Vpc": resource("EC2::VPC", CidrBlock="10.0.0.0/16"),
        "Subnet": resource("EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.0.0/24"),
    }

    parts = {"Launch": launch, "Group": group, "Db": database}
    aws.create("attributes", template(**network, **parts))

    assert _told(aws, "attributes") == [
        "1 AWS::AutoScaling::AutoScalingGroup (CapacityRebalance, UpdatePolicy)",
        "1 AWS::RDS::DBInstance (DeletionPolicy Snapshot)",
    ]
    assert aws.delete("attributes")["StackStatus"] == "DELETE_COMPLETE"


def test_a_strict_local_aws_refuses_what_it_would_only_keep_all_at_once(strict: Aws) -> None:
    launch = resource(
        "EC2::LaunchTemplate",
        LaunchTemplateData={"InstanceType": "t3.micro"},
        TagSpecifications=[
            {"ResourceType": "launch-template", "Tags": [{"Key": "a", "Value": "b"}]}
        ],
    )
    body = template(Job=job(), Scan=resource("Macie::Session"), Launch=launch)

    with pytest.raises(ClientError) as refusal:
        strict.create("strict", body)

    message = refusal.value.response["Error"]["Message"]
    assert "Resource Job: the local AWS only keeps AWS::Glue::Job, and it is strict" in message
    assert "Resource Scan: the local AWS only keeps AWS::Macie::Session" in message
    assert "Resource Launch: the local AWS does not carry out TagSpecifications of" in message
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
    (failed,) = [e for e in aws.events("second") if e["ResourceStatus"] == "CREATE_FAILED"]
    reason = failed["ResourceStatusReason"]
    assert "Resource of type 'AWS::Glue::Job' with identifier 'hourly' already exists." in reason
    assert "HandlerErrorCode: AlreadyExists" in reason
    for name in ("first", "second"):
        aws.delete(name)
    assert aws.create("third", template(Job=job(Name="hourly")))["StackStatus"] == "CREATE_COMPLETE"
    aws.delete("third")


def test_a_user_pools_id_begins_with_its_region(aws: Aws) -> None:
    pool = resource("Cognito::UserPool")
    aws.create("pool", template({"Id": ref("Pool"), "Arn": get_att("Pool", "Arn")}, Pool=pool))
    told = aws.outputs("pool")

    assert re.fullmatch(r"eu-west-1_[0-9A-Za-z]{9}", told["Id"])
    assert told["Arn"] == f"arn:aws:cognito-idp:eu-west-1:123456789012:userpool/{told['Id']}"
    aws.delete("pool")


def test_what_api_gateway_keeps_without_effect_is_told(aws: Aws) -> None:
    limits = {"RateLimit": 1.0, "BurstLimit": 1}
    setting = {"HttpMethod": "*", "ResourcePath": "/*", "CachingEnabled": True}
    body = template(
        Api=resource("ApiGateway::RestApi", Name="limited"),
        Root=resource(
            "ApiGateway::Method",
            RestApiId=ref("Api"),
            ResourceId=get_att("Api", "RootResourceId"),
            HttpMethod="GET",
            AuthorizationType="NONE",
            Integration={"Type": "MOCK"},
        ),
        Deployed=resource("ApiGateway::Deployment", "Root", RestApiId=ref("Api")),
        Stage=resource(
            "ApiGateway::Stage",
            RestApiId=ref("Api"),
            DeploymentId=ref("Deployed"),
            StageName="prod",
            CacheClusterEnabled=True,
            CacheClusterSize="0.5",
            MethodSettings=[{**setting, "ThrottlingRateLimit": 10}],
        ),
        Plan=resource("ApiGateway::UsagePlan", Throttle=limits),
        Domain=resource("ApiGateway::DomainName", DomainName="api.example.com"),
        Http=resource("ApiGatewayV2::Api", Name="http", ProtocolType="HTTP"),
        Default=resource(
            "ApiGatewayV2::Stage",
            ApiId=ref("Http"),
            StageName="$default",
            DefaultRouteSettings={"ThrottlingRateLimit": 5, "DetailedMetricsEnabled": True},
        ),
    )

    assert aws.create("limits", body)["StackStatus"] == "CREATE_COMPLETE"
    assert _told(aws, "limits") == [
        "1 AWS::ApiGateway::DomainName (DomainName)",
        "1 AWS::ApiGateway::Stage (CacheClusterEnabled, CacheClusterSize, "
        "MethodSettings.CachingEnabled, MethodSettings.ThrottlingRateLimit)",
        "1 AWS::ApiGateway::UsagePlan (Throttle)",
        "1 AWS::ApiGatewayV2::Stage (DefaultRouteSettings.ThrottlingRateLimit)",
    ]
    assert aws.delete("limits")["StackStatus"] == "DELETE_COMPLETE"


def test_two_hundred_kept_resources_are_one_deployment(aws: Aws) -> None:
    jobs = {f"Job{number}": job(Name=f"job-{number}") for number in range(200)}

    aws.create("many", json.loads(json.dumps(template(**jobs))))

    assert len(aws.physical_ids("many")) == 200
    aws.delete("many")


def _told(aws: Aws, name: str) -> list[str]:
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

"""The constructs from archive to endpoint: what they render, grant and refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk.assertions import Match, Template

from sagemaker_serving.catalog.images import UnknownImage
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import (
    AnyContainer,
    BoundContainer,
    ContainerImage,
    Endpoint,
    EndpointConfig,
    Guardrails,
    Host,
    InstanceVariant,
    MetricsConfig,
    Model,
    ModelData,
    MultiModelContainer,
    S3Prefix,
    ServerlessVariant,
    Variant,
    WatchedVariant,
)

TENSORFLOW = ContainerImage.from_catalog("tensorflow", "2.20")


def add_model(bench: Any, construct_id: str = "Model", **changes: Any) -> Model:
    return Model(
        bench.stack,
        construct_id,
        **{
            "role": bench.role,
            "image": TENSORFLOW,
            "model_data": ModelData.from_path(bench.model_folder),
            "instance_type": "ml.c5.large",
            **changes,
        },
    )


def add_endpoint(bench: Any, **variant: Any) -> Endpoint:
    config = EndpointConfig(
        bench.stack,
        "Config",
        variants=[
            InstanceVariant(
                **{
                    "name": "blue",
                    "model": variant.get("model") or add_model(bench),
                    "instance_type": "ml.c5.large",
                    **variant,
                }
            )
        ],
    )
    return Endpoint(bench.stack, "Endpoint", endpoint_name="prod-digits", endpoint_config=config)


def logical_ids(bench: Any, kind: str) -> list[str]:
    return sorted(Template.from_stack(bench.stack).find_resources(kind))


def statements(bench: Any) -> list[dict[str, Any]]:
    (policy,) = Template.from_stack(bench.stack).find_resources("AWS::IAM::Policy").values()
    found: list[dict[str, Any]] = policy["Properties"]["PolicyDocument"]["Statement"]
    return found


def test_a_private_repository_is_granted_and_nothing_beside_it(bench: Any) -> None:
    arn = "arn:aws:codeartifact:eu-west-1:111122223333:"
    add_model(bench, environment={"CA_REPOSITORY_ARN": f"{arn}repository/team/python"})
    granted = [
        {name: value for name, value in statement.items() if name != "Effect"}
        for statement in statements(bench)
        if re.search("codeartifact:|sts:", str(statement["Action"]))
    ]
    assert granted == [
        {"Action": "codeartifact:GetAuthorizationToken", "Resource": f"{arn}domain/team"},
        {
            "Action": ["codeartifact:GetRepositoryEndpoint", "codeartifact:ReadFromRepository"],
            "Resource": f"{arn}repository/team/python",
        },
        {
            "Action": "sts:GetServiceBearerToken",
            "Resource": "*",
            "Condition": {"StringEquals": {"sts:AWSServiceName": "codeartifact.amazonaws.com"}},
        },
    ]


def test_what_is_no_repository_of_codeartifact_is_refused(bench: Any) -> None:
    with pytest.raises(Mistake, match="CA_REPOSITORY_ARN is 'team/python'; it must be arn:aws:"):
        add_model(bench, environment={"CA_REPOSITORY_ARN": "team/python"})


class New(AnyContainer):
    """Somebody's container, with a member that CDK's construct does not know yet."""

    def bind(self, scope: Any, host: Host) -> BoundContainer:
        made = {"Image": TENSORFLOW.bind(scope, host), "MadeUp": {"Inner": 1}}
        return BoundContainer(definition=made, identity=made, grant=None)


def test_a_container_has_members_that_the_cdk_does_not_know_yet(bench: Any) -> None:
    add_model(bench, image=None, model_data=None, containers=[New()])
    (model,) = Template.from_stack(bench.stack).find_resources("AWS::SageMaker::Model").values()
    container = model["Properties"]["PrimaryContainer"]
    assert container.keys() == {"Image", "MadeUp"}
    assert container["MadeUp"] == {"Inner": 1}


def test_a_folder_becomes_an_asset_whose_key_ends_in_tar_gz(bench: Any, tmp_path: Path) -> None:
    add_model(bench)
    template = Template.from_stack(bench.stack)
    template.has_resource_properties(
        "AWS::SageMaker::Model",
        {
            "PrimaryContainer": {
                "ModelDataUrl": {"Fn::Sub": Match.string_like_regexp(r"\.tar\.gz$")}
            }
        },
    )
    (archive,) = (tmp_path / "cdk.out").glob("asset.*.tar.gz")
    assets = json.loads((tmp_path / "cdk.out" / "Stack.assets.json").read_text())
    assert archive.name in {file["source"]["path"] for file in assets["files"].values()}


def test_sagemaker_gets_the_role_for_its_own_account_only(bench: Any) -> None:
    add_model(bench)
    (role,) = Template.from_stack(bench.stack).find_resources("AWS::IAM::Role").values()
    (trust,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "sagemaker.amazonaws.com"}
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


def test_the_role_may_read_this_archive_and_no_other_object(bench: Any, tmp_path: Path) -> None:
    add_model(bench)
    (read,) = (s for s in statements(bench) if s["Action"] == "s3:GetObject")
    (archive,) = (tmp_path / "cdk.out").glob("asset.*.tar.gz")
    sha256 = archive.name.removeprefix("asset.").removesuffix(".tar.gz")
    assert f"/{sha256}.tar.gz" in json.dumps(read["Resource"])
    assert "*" not in json.dumps(read["Resource"])


def test_the_role_may_pull_this_repository_and_no_other(bench: Any) -> None:
    add_model(bench)
    (pull,) = (s for s in statements(bench) if "ecr:BatchGetImage" in s["Action"])
    assert json.dumps(pull["Resource"]).endswith(
        ':ecr:eu-west-1:763104351884:repository/tensorflow-inference"]]}'
    )


def test_no_managed_policy_is_attached(bench: Any) -> None:
    add_endpoint(bench)
    for role in Template.from_stack(bench.stack).find_resources("AWS::IAM::Role").values():
        assert "ManagedPolicyArns" not in role["Properties"]


def test_the_model_waits_for_its_roles_policy(bench: Any) -> None:
    add_model(bench)
    template = Template.from_stack(bench.stack)
    (policy,) = template.find_resources("AWS::IAM::Policy")
    template.has_resource("AWS::SageMaker::Model", {"DependsOn": Match.array_with([policy])})


@pytest.mark.parametrize(
    ("instance_type", "version", "tag"),
    [
        ("ml.c5.large", "2.20", "tensorflow-inference:2.20-cpu-py312"),
        ("ml.g4dn.xlarge", "2.20", "tensorflow-inference:2.20-gpu-py312"),
        (
            "ml.c7g.large",
            "2.16",
            "tensorflow-inference-graviton:2.16-cpu-py310-ubuntu20.04-sagemaker",
        ),
    ],
)
def test_the_image_follows_from_the_instance_type(
    bench: Any, instance_type: str, version: str, tag: str
) -> None:
    image = ContainerImage.from_catalog("tensorflow", version)
    add_model(bench, image=image, instance_type=instance_type)
    Template.from_stack(bench.stack).has_resource_properties(
        "AWS::SageMaker::Model",
        {"PrimaryContainer": {"Image": f"763104351884.dkr.ecr.eu-west-1.amazonaws.com/{tag}"}},
    )


def test_a_digest_pins_the_image_and_the_role_reads_its_repository_alone(bench: Any) -> None:
    digest = f"sha256:{'0a' * 32}"
    add_model(bench, image=ContainerImage.from_catalog("tensorflow", "2.20", digest=digest))
    repository = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference"
    template = Template.from_stack(bench.stack)
    template.has_resource_properties(
        "AWS::SageMaker::Model", {"PrimaryContainer": {"Image": f"{repository}@{digest}"}}
    )
    (policy,) = template.find_resources("AWS::IAM::Policy").values()
    assert ":repository/tensorflow-inference" in str(policy)


def test_two_containers_of_one_repository_stand_in_one_stack(bench: Any) -> None:
    add_model(bench, "First")
    add_model(bench, "Second", instance_type="ml.g4dn.xlarge")
    assert len(logical_ids(bench, "AWS::SageMaker::Model")) == 2


def test_weight_zero_is_kept(bench: Any) -> None:
    add_endpoint(bench, weight=0)
    Template.from_stack(bench.stack).has_resource_properties(
        "AWS::SageMaker::EndpointConfig", {"ProductionVariants": [{"InitialVariantWeight": 0}]}
    )


def test_only_the_endpoint_has_a_name(bench: Any) -> None:
    add_endpoint(bench)
    template = Template.from_stack(bench.stack)
    template.has_resource_properties("AWS::SageMaker::Endpoint", {"EndpointName": "prod-digits"})
    template.has_resource_properties("AWS::SageMaker::Model", {"ModelName": Match.absent()})
    template.has_resource_properties(
        "AWS::SageMaker::EndpointConfig", {"EndpointConfigName": Match.absent()}
    )


Change = Callable[[Any], None]


@pytest.mark.parametrize(
    ("change", "replaced"),
    [
        (lambda bench: add_endpoint(bench), set()),
        (
            lambda bench: (bench.write("digits/1/x", "new"), add_endpoint(bench)),
            {"Model", "EndpointConfig"},
        ),
        (lambda bench: add_endpoint(bench, instance_type="ml.m5.large"), {"EndpointConfig"}),
        (lambda bench: add_endpoint(bench, weight=0), {"EndpointConfig"}),
    ],
    ids=["nothing", "the weights", "the instance type", "the traffic's share"],
)
def test_a_change_replaces_what_it_touches_and_never_the_endpoint(
    new_bench: Callable[[], Any], change: Change, replaced: set[str]
) -> None:
    before, after = new_bench(), new_bench()
    add_endpoint(before)
    change(after)
    kinds = ("Model", "EndpointConfig", "Endpoint")
    changed = {
        kind
        for kind in kinds
        if logical_ids(before, f"AWS::SageMaker::{kind}")
        != logical_ids(after, f"AWS::SageMaker::{kind}")
    }
    assert changed == replaced


@pytest.mark.parametrize("mark", ["sha256", "version_id"])
def test_a_changed_mark_of_an_s3_archive_replaces_the_model(
    new_bench: Callable[[], Any], mark: str
) -> None:
    ids = []
    for value in ("1", "2"):
        bench = new_bench()
        add_model(bench, model_data=ModelData.from_s3("s3://bucket/key.tar.gz", **{mark: value}))
        ids += logical_ids(bench, "AWS::SageMaker::Model")
    assert len(set(ids)) == 2


def test_an_s3_archive_is_used_where_it_is_and_granted_alone(bench: Any) -> None:
    add_model(bench, model_data=ModelData.from_s3("s3://bucket/a/key.tar.gz"))
    Template.from_stack(bench.stack).has_resource_properties(
        "AWS::SageMaker::Model",
        {"PrimaryContainer": {"ModelDataUrl": "s3://bucket/a/key.tar.gz"}},
    )
    (read,) = (s for s in statements(bench) if s["Action"] == "s3:GetObject")
    assert ":s3:::bucket/a/key.tar.gz" in json.dumps(read["Resource"])


def test_ones_own_image_is_granted_in_its_account(bench: Any) -> None:
    uri = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/server:7"
    add_model(bench, image=ContainerImage.from_uri(uri))
    (pull,) = (s for s in statements(bench) if "ecr:BatchGetImage" in s["Action"])
    assert ":111122223333:repository/team/server" in json.dumps(pull["Resource"])


def test_an_image_from_elsewhere_is_refused() -> None:
    with pytest.raises(Mistake, match="endpoints pull only from ECR"):
        ContainerImage.from_uri("docker.io/library/nginx:latest")


def test_an_image_that_aws_does_not_publish_is_refused(bench: Any) -> None:
    with pytest.raises(UnknownImage, match=r"use 2\.20"):
        add_model(bench, image=ContainerImage.from_catalog("tensorflow", "2.99"))


def test_two_variants_of_one_name_are_refused_with_the_path(bench: Any) -> None:
    model = add_model(bench)
    variant = InstanceVariant(name="blue", model=model, instance_type="ml.c5.large")
    with pytest.raises(Mistake, match="Stack/Config: more than one variant is named blue"):
        EndpointConfig(bench.stack, "Config", variants=[variant, variant])


def test_more_than_ten_variants_are_refused(bench: Any) -> None:
    model = add_model(bench)
    variants: list[Variant] = [
        InstanceVariant(name=f"v{n}", model=model, instance_type="ml.c5.large") for n in range(11)
    ]
    EndpointConfig(bench.stack, "Ten", variants=variants[:10])
    with pytest.raises(Mistake, match="there are 11 variants; an endpoint takes 1 to 10"):
        EndpointConfig(bench.stack, "Eleven", variants=variants)


def test_no_variant_at_all_is_refused_with_the_path(bench: Any) -> None:
    with pytest.raises(Mistake, match="Stack/Config: there are 0 variants"):
        EndpointConfig(bench.stack, "Config", variants=[])


def test_a_variant_added_later_is_as_one_given_at_once(new_bench: Callable[[], Any]) -> None:
    at_once, later = new_bench(), new_bench()
    for bench in (at_once, later):
        model = add_model(bench)
        blue, green = (
            InstanceVariant(name=name, model=model, instance_type="ml.c5.large")
            for name in ("blue", "green")
        )
        if bench is at_once:
            EndpointConfig(bench.stack, "Config", variants=[blue, green])
        else:
            EndpointConfig(bench.stack, "Config", variants=[blue]).add_variant(green)
    kind = "AWS::SageMaker::EndpointConfig"
    rendered = [Template.from_stack(bench.stack).find_resources(kind) for bench in (at_once, later)]
    assert rendered[0] == rendered[1]


def test_grant_invoke_gives_all_four_ways_to_call_and_tokens_where_asked(bench: Any) -> None:
    endpoint = add_endpoint(bench)
    caller = iam.Role(bench.stack, "Caller", assumed_by=iam.AccountRootPrincipal())
    endpoint.grant_invoke(caller, with_bearer_token=True)
    Template.from_stack(bench.stack).has_resource_properties(
        "AWS::IAM::Policy",
        {
            "PolicyDocument": {
                "Statement": [
                    {
                        "Action": "sagemaker:CallWithBearerToken",
                        "Effect": "Allow",
                        "Resource": "*",
                    },
                    {
                        "Action": [
                            "sagemaker:InvokeEndpoint",
                            "sagemaker:InvokeEndpointAsync",
                            "sagemaker:InvokeEndpointWithBidirectionalStream",
                            "sagemaker:InvokeEndpointWithResponseStream",
                        ],
                        "Resource": Match.any_value(),
                    },
                ]
            }
        },
    )


@pytest.mark.parametrize(
    "principal",
    [iam.AccountPrincipal("210987654321"), iam.ServicePrincipal("lambda.amazonaws.com")],
)
def test_what_can_hold_no_policy_is_refused(bench: Any, principal: iam.IPrincipal) -> None:
    """CDK grants it nothing, and says nothing of it."""
    with pytest.raises(Mistake, match="is a principal without policies, so that nothing can be"):
        add_endpoint(bench).grant_invoke(principal)


def test_an_endpoint_made_elsewhere_is_called_and_watched_by_its_name(bench: Any) -> None:
    endpoint = Endpoint.from_endpoint_name(bench.stack, "Theirs", "Their-Model")
    caller = iam.Role(bench.stack, "Caller", assumed_by=iam.AccountRootPrincipal())
    endpoint.grant_invoke(caller)
    assert json.dumps(statements(bench)).endswith(':endpoint/their-model"]]}}]')
    assert bench.stack.resolve(endpoint.metric_invocations("blue").dimensions) == {
        "EndpointName": "Their-Model",
        "VariantName": "blue",
    }


@pytest.mark.parametrize("name", ["", "my_model", "-model", "model-", "a" * 64])
def test_a_name_that_sagemaker_does_not_take_is_refused_with_the_path(
    bench: Any, name: str
) -> None:
    with pytest.raises(Mistake, match="Stack/Theirs: endpoint_name is"):
        Endpoint.from_endpoint_name(bench.stack, "Theirs", name)


def test_an_update_may_keep_the_instances_that_scaling_left_but_no_weights(bench: Any) -> None:
    config = EndpointConfig(
        bench.stack,
        "Config",
        variants=[
            InstanceVariant(name="blue", model=add_model(bench), instance_type="ml.c5.large")
        ],
    )
    Endpoint(
        bench.stack,
        "Endpoint",
        endpoint_name="prod-digits",
        endpoint_config=config,
        keep_instance_counts=True,
    )
    Template.from_stack(bench.stack).has_resource_properties(
        "AWS::SageMaker::Endpoint",
        {
            "RetainAllVariantProperties": True,
            "ExcludeRetainedVariantProperties": [
                {"VariantPropertyType": "DesiredWeight"},
                {"VariantPropertyType": "DataCaptureConfig"},
            ],
        },
    )


def test_a_config_knows_what_of_its_variants_is_watched(bench: Any) -> None:
    place = S3Prefix(bucket=s3.Bucket(bench.stack, "Bucket"), prefix="models")
    many = MultiModelContainer(image=TENSORFLOW, archives=place)
    variants: list[Variant] = [
        InstanceVariant(
            name="many",
            model=add_model(bench, "Many", image=None, model_data=None, containers=[many]),
            instance_type="ml.c5.large",
        ),
        ServerlessVariant(
            name="rare",
            model=add_model(bench, "Rare", instance_type=None),
            memory_size_in_mb=1024,
            max_concurrency=1,
        ),
    ]
    metrics = MetricsConfig(enable_enhanced_metrics=True)
    config = EndpointConfig(bench.stack, "Config", variants=variants, metrics_config=metrics)
    assert config.watched_variants == [
        WatchedVariant(name="many", instance_type="ml.c5.large", multi_model=True, enhanced=True),
        WatchedVariant(name="rare", enhanced=True),
    ]


@pytest.mark.parametrize(
    ("asked", "is_kept"),
    [
        ({}, False),
        ({"guardrails": Guardrails.canary()}, True),
        ({"guardrails": Guardrails.canary(), "keep_replaced": False}, False),
        ({"keep_replaced": True}, True),
    ],
)
def test_versions_that_may_serve_again_are_kept_those_of_variants_added_later_too(
    bench: Any, asked: dict[str, Any], is_kept: bool
) -> None:
    blue, green = (
        InstanceVariant(name=name, model=add_model(bench, name), instance_type="ml.c5.large")
        for name in ("blue", "green")
    )
    config = EndpointConfig(bench.stack, "Config", variants=[blue])
    Endpoint(bench.stack, "Endpoint", endpoint_name="digits", endpoint_config=config, **asked)
    config.add_variant(green)
    template = Template.from_stack(bench.stack)
    found = [
        each
        for kind in ("Model", "EndpointConfig")
        for each in template.find_resources(f"AWS::SageMaker::{kind}").values()
    ]
    kept = ["RetainExceptOnCreate"] * 3 if is_kept else [None] * 3
    assert [each.get("DeletionPolicy") for each in found] == kept
    tag = {"Key": "sagemaker-serving:endpoint", "Value": "digits"}
    assert (tag in found[-1]["Properties"].get("Tags", [])) is is_kept


def test_a_stack_without_a_region_cannot_choose_an_image(bench: Any) -> None:
    import aws_cdk as cdk

    bench.stack = cdk.Stack(bench.app, "Anywhere")
    with pytest.raises(Mistake, match="the stack has no region"):
        add_model(bench)

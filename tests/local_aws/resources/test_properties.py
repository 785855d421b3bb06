"""No property is lost: what the schema of a type has is read back, is refused by name, or is told
as only kept, which a strict local AWS refuses too.

A property that a newer schema brings fails here until it has a sample or is refused.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError

from local_aws.resources.base import Provider
from local_aws.schemas import Place, Schema, schema_of
from tests.local_aws.aws import REGION, Aws
from tests.local_aws.functions import zipped
from tests.local_aws.resources.made import made
from tests.local_aws.resources.samples import GROUND, SAMPLES, Sample
from tests.local_aws.stacks import Deployments

_GROUND = re.compile(r"\$([A-Z]\w+(?:\.\w+)?)")
"""``$Name.Attribute`` in a sample."""

PASS = {"StartAt": "P", "States": {"P": {"Type": "Pass", "Comment": "here", "End": True}}}
TEMPLATE = {
    "Parameters": {"Given": {"Type": "String", "Default": "nothing"}},
    "Resources": {"It": {"Type": "AWS::CloudFormation::WaitConditionHandle"}},
}


@pytest.fixture(scope="module")
def ground(aws: Aws) -> Iterator[Mapping[str, str]]:
    """What samples refer to, by ``Name`` and ``Name.Attribute``."""
    for bucket in ("policed", "texts"):
        aws.client("s3").create_bucket(
            Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION}
        )
    aws.client("s3").put_object(Bucket="texts", Key="pass.json", Body=json.dumps(PASS))
    aws.client("s3").put_object(Bucket="texts", Key="nested.json", Body=json.dumps(TEMPLATE))
    aws.client("iam").create_user(UserName="ground")
    aws.client("s3").put_object(Bucket="texts", Key="layer.zip", Body=zipped({"text": ""}))
    used = {
        name.partition(".")[::2]
        for name in _GROUND.findall(str(SAMPLES))
        if name.partition(".")[0] in GROUND
    }
    outputs = {
        f"{name}X{attribute}": {
            "Value": {"Fn::GetAtt": [name, attribute]} if attribute else {"Ref": name}
        }
        for name, attribute in used
    }
    with deployed(aws, "ground", {"Resources": dict(GROUND), "Outputs": outputs}) as given:
        known = {key.replace("X", ".", 1).removesuffix("."): given[key] for key in outputs}
        yield known


_QUICK = ("ApplicationAutoScaling", "SageMaker")
"""Services whose types only apps around endpoints have; the others' are read back in CI."""


_ANOTHER: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *(f"AWS::ApiGatewayV2::{name}" for name in ("Api", "Authorizer", "Integration")),
            *("AWS::ApiGatewayV2::Route", "AWS::ApplicationAutoScaling::ScalableTarget"),
            *("AWS::CloudFormation::Stack", "AWS::SageMaker::ModelPackage"),
        ),
        "its service's update keeps what it is not given, and does not take all that is",
    ),
    **dict.fromkeys(
        ("AWS::EC2::SecurityGroupEgress", "AWS::EC2::SecurityGroupIngress"),
        "the emulator keeps the description of a rule about a group or a prefix list",
    ),
    "AWS::ApiGateway::Deployment": "its stage is made with it",
    "AWS::SageMaker::Endpoint": "it tells how it was deployed last",
    "AWS::SageMaker::InferenceComponent": "its name changes with it",
}
"""Types of which another resource is read for each set of properties, and why."""


_ONCE_GIVEN: Mapping[str, frozenset[str]] = {
    "AWS::DynamoDB::GlobalTable": frozenset({"TimeToLiveSpecification", "WarmThroughput"}),
    "AWS::DynamoDB::Table": frozenset({"TimeToLiveSpecification", "WarmThroughput"}),
    "AWS::EC2::SecurityGroup": frozenset({"SecurityGroupEgress", "SecurityGroupIngress"}),
    "AWS::EC2::VPCEndpoint": frozenset({"IpAddressType"}),
    "AWS::ECR::Repository": frozenset({"ImageTagMutability"}),
    "AWS::KMS::Key": frozenset({"KeyPolicy"}),
    "AWS::Lambda::Function": frozenset(
        {"Architectures", "KmsKeyArn", "LoggingConfig", "TracingConfig", "VpcConfig"}
    ),
    "AWS::SNS::Topic": frozenset({"Subscription"}),
    "AWS::SSM::Parameter": frozenset({"Tier"}),
    "AWS::SecretsManager::Secret": frozenset({"Description", "KmsKeyId"}),
    "AWS::StepFunctions::StateMachine": frozenset({"EncryptionConfiguration"}),
}
"""Properties that are told still, some or all of them, when a template no longer has them: the
calls that change them keep what they are not given, or the emulator does."""


@pytest.mark.parametrize(
    ("type_name", "sample"),
    [
        pytest.param(
            type_name,
            sample,
            id=f"{type_name}-{number}",
            marks=[] if type_name.split("::")[1] in _QUICK else [pytest.mark.long],
        )
        for type_name, samples in SAMPLES.items()
        for number, sample in enumerate(samples)
    ],
)
def test_what_is_given_is_read_back_and_gone_when_it_is_taken_away(
    aws: Aws, ground: Mapping[str, str], type_name: str, sample: Sample
) -> None:
    """Against what is read of a resource that has no more than it needs; what is changed is all
    that an update changes in place."""
    schema, given = _schema(type_name), placed(sample.properties, ground)
    least = {*schema.document.get("required", ()), *sample.needs}
    fixed = {path[0] for path in schema.create_only} | _provider(aws, type_name).unchangeable
    fixed |= _ONCE_GIVEN.get(type_name, frozenset())
    needed = {name: value for name, value in given.items() if name in least}
    bare = {name: value for name, value in given.items() if name in least | fixed}
    before, made, after, again = (
        said_of(aws, known, sample, ground)
        for known in becoming(aws, type_name, sample, (needed, bare, given, bare))
    )
    told = {
        name: Counter(texts(sample.told.get(name, value)))
        for name, value in given.items()
        if name not in sample.unread
    }
    lost = {
        name: missing
        for name, wanted in told.items()
        if (missing := wanted - (after if name in least else after - before))
    }
    assert not lost
    left = {
        name: still
        for name, wanted in told.items()
        if name not in bare and (still := wanted & (again - made))
    }
    assert not left


@pytest.mark.parametrize("type_name", SAMPLES)
def test_what_has_no_sample_is_refused_or_told_by_name(aws: Aws, type_name: str) -> None:
    schema, provider = _schema(type_name), _provider(aws, type_name)
    samples = SAMPLES[type_name]
    sampled = {place for sample in samples for place in schema.places(sample.properties)}
    unread = {tuple(place.split(".")) for sample in samples for place in sample.unread}
    places = [
        place
        for place in schema.every_place()
        if place not in sampled and not _begins(place, unread)
    ]
    refused = provider.refused(aws.gateway.context, REGION, schema.every_place())
    told = provider.only_kept(aws.gateway.context, REGION, schema.every_place())
    by_value = [
        ".".join(place)
        for place in places
        for properties in [made(type_name, ".".join(place))]
        if provider.kept_by_value(properties) or list(provider.problems(properties))
    ]
    known = {tuple(place.split(".")) for place in (*refused, *told, *by_value)}
    assert [".".join(place) for place in places if not _begins(place, known)] == []
    for place in refused[:1]:  # one provider refuses all of them, and names them alike
        with pytest.raises(ClientError) as refusal:
            aws.client("cloudformation").create_stack(
                StackName="refused",
                TemplateBody=json.dumps(
                    {"Resources": {"It": {"Type": type_name, "Properties": made(type_name, place)}}}
                ),
                Capabilities=["CAPABILITY_NAMED_IAM"],
            )
        assert f"the local AWS does not carry out {place} of {type_name}" in str(refusal.value)


def test_every_type_has_samples(aws: Aws) -> None:
    assert sorted(aws.gateway.resource_types.own) == sorted(SAMPLES)


def becoming(
    aws: Aws, type_name: str, sample: Sample, each: Iterable[Mapping[str, Any]]
) -> Iterator[dict[str, str]]:
    """The outputs of a stack whose one resource becomes each of these, one after the other; where
    that would replace it, of another stack."""
    schema = _schema(type_name)
    attributes = {name for read in sample.reads for name in re.findall(r"{(\w+)}", read)}
    outputs = {
        "Ref": {"Value": {"Ref": "It"}},
        **{
            name: {"Value": {"Fn::GetAtt": ["It", name]}}
            for name in attributes & schema.properties.keys()
        },
    }
    was: Mapping[str, Any] | None = None
    known: dict[str, str] = {}
    with ExitStack() as stack:
        for properties in each:
            resource = {"Type": type_name, "Properties": properties}
            template = {"Resources": {"It": resource}, "Outputs": outputs}
            if (
                was is None
                or schema.replacing(was, properties)
                or _is_fixed(aws, type_name, was, properties)
            ):
                stack.close()
                name = f"it-{uuid4()}"
                known = stack.enter_context(deployed(aws, name, template))
            elif was != properties:
                known = updated(aws, name, template)
            yield dict(known)
            was = properties


def _is_fixed(
    aws: Aws, type_name: str, was: Mapping[str, Any], properties: Mapping[str, Any]
) -> bool:
    """Whether something changes that no update does."""
    fixed = _provider(aws, type_name).unchangeable
    return type_name in _ANOTHER or any(was.get(name) != properties.get(name) for name in fixed)


def said_of(
    aws: Aws, known: dict[str, str], sample: Sample, ground: Mapping[str, str]
) -> Counter[str]:
    """What its service says of a deployed resource: each value, how often."""
    found: Counter[str] = Counter()
    for read in sample.reads:
        service, operation, *arguments = placed(read, ground).format(**known).split(" ")
        client = aws.client(service)
        method = next(
            each for each, name in client.meta.method_to_api_mapping.items() if name == operation
        )
        given: dict[str, Any] = dict(argument.split("=", 1) for argument in arguments)
        shape = client.meta.service_model.operation_model(operation).input_shape
        for name, value in given.items():
            if value.startswith("["):
                given[name] = [value[1:-1]]
            elif shape.members[name].type_name == "long":
                given[name] = int(value)
        with suppress(ClientError):  # there is none of it
            answer = getattr(client, method)(**given)
            del answer["ResponseMetadata"]
            known |= {name: value for name, value in _named(answer) if name not in known}
            for text in texts([given, answer]):
                found.update({text, re.split("[/:]", text)[-1]})
    return found


def texts(value: Any) -> Iterator[str]:
    """Every value within, as text that does not depend on how it is written; JSON is read."""
    match value:
        case {"Key": _, "Value": tag, **rest} | {"TagKey": _, "TagValue": tag, **rest} if not rest:
            yield from texts(tag)
        case Mapping():
            for item in value.values():
                yield from texts(item)
        case list():
            for item in value:
                yield from texts(item)
        case datetime():
            yield value.isoformat().replace("+00:00", "Z").casefold()
        case int() | float() if not isinstance(value, bool):
            yield f"{value:g}"
        case str() if value.startswith(("{", "[")):
            yield from texts(json.loads(value))
        case _:
            yield str(value).casefold()


def placed(value: Any, ground: Mapping[str, str]) -> Any:
    """A sample with what it refers to."""
    if isinstance(value, Mapping):
        return {key: placed(item, ground) for key, item in value.items()}
    if isinstance(value, list):
        return [placed(item, ground) for item in value]
    if isinstance(value, str):
        return _GROUND.sub(lambda name: ground.get(name[1], name[0]), value)
    return value


@contextmanager
def deployed(aws: Aws, name: str, template: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The outputs of a stack that is there for a while; all that failed is in the error."""
    stacks = Deployments(aws.client("cloudformation"))
    stack_id = stacks.begin("create_stack", name, template)
    try:
        _done(stacks, stack_id, "CREATE_COMPLETE")
        yield stacks.outputs(stack_id)
    finally:
        stacks.cloudformation.delete_stack(StackName=stack_id)
        _done(stacks, stack_id, "DELETE_COMPLETE")


def updated(aws: Aws, name: str, template: dict[str, Any]) -> dict[str, str]:
    """The outputs of the stack once it has become what a template says."""
    stacks = Deployments(aws.client("cloudformation"))
    _done(stacks, stacks.begin("update_stack", name, template), "UPDATE_COMPLETE")
    return stacks.outputs(name)


def _done(stacks: Deployments, stack_id: str, status: str) -> None:
    found = stacks.done(stack_id)["StackStatus"]
    assert found == status, [
        (event["LogicalResourceId"], event.get("ResourceStatusReason"))
        for event in stacks.events(stack_id)
        if event["ResourceStatus"].endswith("_FAILED")
    ]


def _schema(type_name: str) -> Schema:
    schema = schema_of(type_name, REGION)
    assert schema is not None
    return schema


def _provider(aws: Aws, type_name: str) -> Provider:
    provider = aws.gateway.resource_types.provider_of(type_name)
    assert provider is not None
    return provider


def _begins(place: Place, others: set[Place]) -> bool:
    """Whether a place, or what it is in, is among others."""
    return any(place[:length] in others for length in range(1, len(place) + 1))


def _named(value: Any) -> Iterator[tuple[str, str]]:
    """Every text in an answer, by its member's name."""
    items = value.items() if isinstance(value, Mapping) else ()
    yield from ((name, item) for name, item in items if isinstance(item, str))
    for item in value if isinstance(value, list) else dict(items).values():
        if isinstance(item, Mapping | list):
            yield from _named(item)

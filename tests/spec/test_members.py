"""Every member that AWS knows is written by an environment file, or listed with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import botocore.loaders
import pytest

from sagemaker_serving.catalog.properties import member_paths, resource_properties
from sagemaker_serving.spec import BatchTransformSettings
from sagemaker_serving.spec.aws import written_members
from sagemaker_serving.spec.compilation import Compilation
from sagemaker_serving.spec.members import (
    COMPONENT,
    ENDPOINT,
    ENDPOINT_CONFIG,
    MODEL,
    not_writable,
    written_as,
)
from sagemaker_serving.spec.scaling import Scaling, Schedule, StepPolicy

REASONS = {"API only", "ended by AWS", "console only"}
ACTIONS = {
    MODEL: "CreateModel",
    ENDPOINT_CONFIG: "CreateEndpointConfig",
    ENDPOINT: "CreateEndpoint",
    COMPONENT: "CreateInferenceComponent",
}
ONLY_BY_EXTRA = {
    MODEL: {
        "ImageConfig",
        "InferenceSpecificationName",
        "AcceptEula",
        "HubContentArn",
        "InferenceExecutionConfig",
    },
    ENDPOINT_CONFIG: {"ExplainerConfig", "ModelNameOverride", "ServerlessConfig"},
    ENDPOINT: {"RetainDeploymentConfig"},
    COMPONENT: {
        "Container",  # a Model says what it runs; an adapter's artifact is its ArtifactUrl
        *("CurrentCopyCount", "CurrentDataCacheConfig", "DesiredCopyCount", "EndpointArn"),
        "PlacementStatus",
        "Specifications",  # one for each type of instance_types
    },
}
"""A new member of CloudFormation's stands in none of these: give it a field, or name it here."""
_TARGET = {"ResourceId", "ScalableDimension", "ServiceNamespace"}
_TRACKING, _STEPS = "TargetTrackingScalingPolicyConfiguration", "StepScalingPolicyConfiguration"
_QUEUED = "RoutingTargets.AsyncInferenceConfig"
_ROUTED = {
    *("RoutingTargets.Name", "RoutingTargets.Destinations.ResourceArn", "Tags"),
    "RoutingTargets.Destinations.RoutingStatus",  # requests have it for nothing
    f"{_QUEUED}.ClientConfig.MaxTimeInBacklogSeconds",
    *(f"{_QUEUED}.OutputConfig.{name}" for name in ("S3OutputPath", "S3FailurePath")),
    *(f"{_QUEUED}.OutputConfig.{name}" for name in ("KmsKeyId", "NotificationConfig")),
    "RoutingTargets.RoutingPreference",  # as the two before it: docs/limits.md says why not
}
_EACH = {"Body", "ContentType", "Accept", "CustomAttributes"}
_AT_ONCE = {
    *("InferenceComponentName", "TargetContainerHostname", "TargetModel", "TargetVariant"),
    "PrefixAwareId",  # one process serves all instances of the local AWS's variants
}
_QUEUE = {
    *("Filename", "InferenceId", "InputLocation", "InvocationTimeoutSeconds"),
    *("RequestTTLSeconds", "S3OutputPathExtension"),
}
OTHERS = (
    ("sagemaker", "CreateCompilationJob",
     {*("CompilationJobName", "ModelPackageVersionArn", "RoleArn", "Tags", "VpcConfig"),
      *("InputConfig.S3Uri", "OutputConfig.KmsKeyId", "OutputConfig.S3OutputLocation"),
      "StoppingCondition.MaxWaitTimeInSeconds", *dict(written_members(Compilation))}),
    ("application-autoscaling", "RegisterScalableTarget",
     _TARGET | {"RoleARN", "SuspendedState", "Tags", *dict(written_members(Scaling))}),
    ("application-autoscaling", "PutScheduledAction",
     _TARGET | {"EndTime", "StartTime", *dict(written_members(Schedule))}),
    (
        "application-autoscaling",
        "PutScalingPolicy",
        {
            *(*_TARGET, "PolicyName", "PolicyType"),
            "PredictiveScalingPolicyConfiguration",  # of ECS; SageMaker has none
            *dict(written_members(StepPolicy, above=f"{_STEPS}.")),
            f"{_STEPS}.MinAdjustmentMagnitude",
            *(f"{_TRACKING}.{name}" for name in ("DisableScaleIn", "TargetValue")),
            *dict(written_members(Scaling, above=f"{_TRACKING}.")),
            *(f"{_TRACKING}.{kind}MetricSpecification" for kind in ("Customized", "Predefined")),
        },
    ),
    ("sagemaker", "PutEndpointPolicy", {"EndpointName", "ResourcePolicy"}),
    ("sagemaker-runtime", "InvokeEndpoint",
     {"EndpointName", "EnableExplanations", "InferenceId", "SessionId", *_AT_ONCE, *_EACH}),
    ("sagemaker-runtime", "InvokeEndpointWithResponseStream",
     {"EndpointName", "InferenceId", "SessionId", *(_AT_ONCE - {"TargetModel"}), *_EACH}),
    ("sagemaker-runtime", "InvokeEndpointAsync", {"EndpointName", *_QUEUE, *_EACH}),
    ("sagemaker-inference-router-runtime", "InvokeInferenceRouter",
     {"InferenceRouterName", "RoutingTargetName", "InferenceId", "PrefixAwareId", *_EACH}),
    ("sagemaker-inference-router-runtime", "InvokeInferenceRouterAsync",
     {"InferenceRouterName", "RoutingTargetName", *_QUEUE, *_EACH}),
    *(
        ("sagemaker", f"{verb}InferenceRouter", {"InferenceRouterName", "ClientToken", *_ROUTED})
        for verb in ("Create", "Update")
    ),
)  # fmt: skip
"""Actions whose members the file, constructs, functions or local runtimes write or read by hand."""


@pytest.fixture(scope="module")
def shapes() -> Mapping[str, Any]:
    model = botocore.loaders.Loader().load_service_model("sagemaker", "service-2")
    found: Mapping[str, Any] = model["shapes"]
    return found


@pytest.mark.parametrize("resource_type", ACTIONS)
def test_the_api_has_no_member_that_is_neither_written_nor_listed(
    resource_type: str, shapes: Mapping[str, Any]
) -> None:
    asked = f"{ACTIONS[resource_type]}Input"
    writable = set(member_paths(resource_properties(resource_type)))
    for known, new in ((shapes, set[str]()), (with_another_member(shapes, asked), {"MadeUp"})):
        api = set(member_paths(action_tree(known, asked)))
        assert {path for path in api - writable if listed(resource_type, path) is None} == new


def test_a_transform_job_has_no_member_that_is_neither_written_nor_named_here(
    shapes: Mapping[str, Any],
) -> None:
    asked = "CreateTransformJobRequest"
    assert untransformed(shapes, asked) == set()
    assert untransformed(with_another_member(shapes, asked), asked) == {"MadeUp"}


def untransformed(shapes: Mapping[str, Any], asked: str) -> set[str]:
    api = set(member_paths(action_tree(shapes, asked)))
    by_the_pipeline = {
        *("ModelName", "Tags", "TransformJobName", "TransformInput.DataSource"),
        *("TransformOutput.KmsKeyId", "TransformOutput.S3OutputPath"),
        "TransformResources.VolumeKmsKeyId",
    }
    without = {"DataCaptureConfig", "ExperimentConfig"}  # of Model Monitor and of Experiments
    unwritten = api - set(dict(written_members(BatchTransformSettings)))
    return {
        path
        for path in unwritten
        if not any(f"{path}.".startswith(f"{each}.") for each in by_the_pipeline | without)
    }


@pytest.mark.parametrize(("service", "action", "known"), OTHERS)
def test_an_action_whose_members_are_written_by_hand_has_no_other_member(
    service: str, action: str, known: set[str]
) -> None:
    model = botocore.loaders.Loader().load_service_model(service, "service-2")
    asked = model["operations"][action]["input"]["shape"]
    given = action_tree(model["shapes"], asked)
    assert unknown(given, known) == set()
    assert unknown(action_tree(with_another_member(model["shapes"], asked), asked), known) == {
        "MadeUp"
    }


def with_another_member(shapes: Mapping[str, Any], asked: str) -> dict[str, Any]:
    """A copy of a service model's shapes in which an action takes one member more."""
    members = {**shapes[asked]["members"], "MadeUp": {"shape": "MadeUp"}}
    return {**shapes, "MadeUp": {"type": "string"}, asked: {**shapes[asked], "members": members}}


def unknown(tree: Any, known: set[str]) -> set[str]:
    """The members that are neither known nor below a known one."""
    return {
        path
        for path in member_paths(tree)
        if not any(f"{path}.".startswith(f"{one}.") for one in known)
    }


@pytest.mark.parametrize("resource_type", ACTIONS)
def test_cloudformation_has_no_member_without_a_field_but_those_named_here(
    resource_type: str,
) -> None:
    unnamed = {
        path
        for path in member_paths(resource_properties(resource_type))
        if written_as(resource_type, path) is None
        and not ONLY_BY_EXTRA[resource_type] & set(path.split("."))
    }
    assert unnamed == set()


@pytest.mark.parametrize("resource_type", ACTIONS)
def test_what_is_listed_is_in_the_api_alone_and_has_one_of_three_reasons(
    resource_type: str, shapes: Mapping[str, Any]
) -> None:
    api = set(member_paths(action_tree(shapes, f"{ACTIONS[resource_type]}Input")))
    writable = set(member_paths(resource_properties(resource_type)))
    reasons = {listed(resource_type, path) for path in api}
    assert reasons <= {None, *REASONS}
    assert {path for path in writable if listed(resource_type, path) is not None} == set()


def test_what_the_issue_names_is_api_only() -> None:
    layouts = "ProductionVariants.AcceleratorPartitionLayouts"
    assert not_writable(ENDPOINT_CONFIG, layouts) == "API only"
    assert not_writable(ENDPOINT_CONFIG, "CrossRegionTrafficConfig") == "API only"
    assert not_writable(ENDPOINT_CONFIG, "ProductionVariants.AcceleratorType") == "ended by AWS"


def test_a_field_is_told_for_a_member_and_none_for_what_extra_writes() -> None:
    assert written_as(ENDPOINT_CONFIG, "ProductionVariants.VolumeSizeInGB") == "volume_size_in_gb"
    assert written_as(ENDPOINT, "RetainDeploymentConfig") is None


def listed(resource_type: str, path: str) -> str | None:
    """The reason of a member, or of one that it stands below."""
    names = path.split(".")
    above = (".".join(names[:length]) for length in range(1, len(names) + 1))
    return next((said for each in above if (said := not_writable(resource_type, each))), None)


def action_tree(shapes: Mapping[str, Any], name: str) -> Any:
    """The shape of an input: members by their names, a list of one shape, or a type."""
    shape = shapes[name]
    if shape["type"] == "list":
        return [action_tree(shapes, shape["member"]["shape"])]
    if shape["type"] != "structure":
        return shape["type"]
    return {
        member: action_tree(shapes, inner["shape"]) for member, inner in shape["members"].items()
    }

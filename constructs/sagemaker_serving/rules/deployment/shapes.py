"""Rules on values by the shapes of AWS's API: ranges, lengths, choices, forms, what is required.

None of them is written here: botocore's service models have them. `rules.check` is silent where
another rule has named an error of the same place.
"""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, Rule, rule
from sagemaker_serving.rules.facts.shapes import ShapeFacts

_API = "botocore's service models of SageMaker and Application Auto Scaling"

_VARIANT, _CAPTURE = "ProductionVariant", "DataCaptureConfig"
_SIZE, _TRANSFORM = "InferenceComponentComputeResourceRequirements", "CreateTransformJobRequest"

_MEMBERS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("variant-name", "name: blue_1", ("VariantName",)),
    ("variant-count", "variants: [eleven of them]", ("ProductionVariantList",)),
    (
        "variant-instances",
        "initial_instance_count: 0",
        (f"{_VARIANT}.InitialInstanceCount", f"{_VARIANT}.InitialVariantWeight"),
    ),
    ("variant-volume", "VolumeSizeInGB: 513", (f"{_VARIANT}.VolumeSizeInGB",)),
    (
        "variant-timeouts",
        "ContainerStartupHealthCheckTimeoutInSeconds: 30",
        (
            f"{_VARIANT}.ModelDataDownloadTimeoutInSeconds",
            f"{_VARIANT}.ContainerStartupHealthCheckTimeoutInSeconds",
            f"{_VARIANT}.VariantInstanceProvisionTimeoutInSeconds",
        ),
    ),
    (
        "capture-ranges",
        "InitialSamplingPercentage: 101",
        (
            f"{_CAPTURE}.InitialSamplingPercentage",
            f"{_CAPTURE}.CaptureOptions",
            "CaptureOption.CaptureMode",
        ),
    ),
    ("capture-complete", "DataCaptureConfig: {EnableCapture: true}", (_CAPTURE,)),
    (
        "capture-content-types",
        "json_content_types: [json]",
        ("JsonContentTypes", "CsvContentTypes", "JsonContentType", "CsvContentType"),
    ),
    (
        "async-ranges",
        "MaxConcurrentInvocationsPerInstance: 1001",
        ("MaxConcurrentInvocationsPerInstance",),
    ),
    ("async-output", "AsyncInferenceConfig: {ClientConfig: {…}}", ("AsyncInferenceConfig",)),
    (
        "explainer-payload",
        "MaxPayloadInMB: 26   # of a Clarify explainer",
        ("ClarifyInferenceConfig.MaxPayloadInMB",),
    ),
    (
        "guardrail-waits",
        "WaitIntervalInSeconds: 3601",
        (
            "WaitIntervalInSeconds",
            "TerminationWaitInSeconds",
            "MaximumExecutionTimeoutInSeconds",
        ),
    ),
    ("guardrail-alarms", "AutoRollbackConfiguration: {Alarms: []}", ("AlarmList", "AlarmName")),
    (
        "container-environment",
        "environment: {MY-KEY: 1}",
        ("EnvironmentMap", "EnvironmentKey", "EnvironmentValue"),
    ),
    ("network", "subnet_ids: [seventeen]", ("VpcSecurityGroupIds", "Subnets")),
    (
        "transform-environment",
        "environment: {seventeen variables}",
        ("TransformEnvironmentMap", "TransformEnvironmentKey", "TransformEnvironmentValue"),
    ),
    ("neo-framework", "Framework: TENSORFLW", ("Framework",)),
    ("neo-version-form", "FrameworkVersion: v2.9", ("FrameworkVersion",)),
)
"""Ids that have long been a rule's, of which the shape says all: an example, and what they are
told of."""


def _of_members(rule_id: str, example: str, shapes: tuple[str, ...]) -> Rule:
    def judge(facts: ShapeFacts) -> Iterator[Finding]:
        yield from ()

    names = [f"``{each.rpartition('.')[2]}``" for each in shapes]
    said = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    judge.__doc__ = f"AWS's API takes what is written of {said}.\n\nIt refuses others."
    return rule(rule_id, source=_API, example=example, shapes=shapes)(judge)


BY_MEMBER = tuple(_of_members(*each) for each in _MEMBERS)


@rule(source=_API, example="CopyCount: -1", shapes=("value",))
def aws_value(facts: ShapeFacts) -> Iterator[Finding]:
    """A value is in the range, of the length, among the choices and of the form that AWS takes.

    Its API refuses others, often after other resources were made. What only a deploy knows passes,
    and what an id above is about is told by that.
    """
    yield from ()


@rule(source=_API, example="RoutingConfig: {}", shapes=("required",))
def aws_required(facts: ShapeFacts) -> Iterator[Finding]:
    """A structure has the members that AWS requires of it.

    CloudFormation's schemas require fewer, so the deploy fails at the service.
    """
    yield from ()


@rule(
    source=_API,
    example="ModelName: {Fn: mine}",
    shapes=("type",),
    silent={"environment files": "fields have types of their own: wrong-type"},
)
def aws_type(facts: ShapeFacts) -> Iterator[Finding]:
    """A value is of the type that AWS's API takes: text, a number, a list, a map.

    CloudFormation refuses others. Text may stand for numbers and truth values, and they for text.
    """
    yield from ()


@rule(source=_API, example="InstanceCount: two", shapes=("argument",))
def state_machine_argument(facts: ShapeFacts) -> Iterator[Finding]:
    """A task gives SageMaker's action what it requires, of the type and range that it takes.

    Step Functions or SageMaker refuses others, the latter when the job is to run. What comes from
    the execution's data passes, and what another rule is about is told by that.
    """
    yield from ()


GENERAL = (aws_value, aws_required, aws_type, state_machine_argument)

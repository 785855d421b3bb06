"""What the local SageMaker does not follow: refused by name, never passed over in silence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from local_aws.protocol import AwsError

_CONTAINER: dict[str, tuple[object, ...]] = {
    **{
        f"ModelDataSource.S3DataSource.{member}": ()
        for member in ("HubAccessConfig", "ManifestS3Uri", "ETag", "ManifestEtag")
    },
    "AdditionalModelDataSources": (),
    "InferenceSpecificationName": (),
    "ContainerMetricsConfig": (),
}

NOT_FOLLOWED: Mapping[str, Mapping[str, tuple[object, ...]]] = {
    "CreateModel": {
        **{f"PrimaryContainer.{member}": allowed for member, allowed in _CONTAINER.items()},
        **{f"Containers[].{member}": allowed for member, allowed in _CONTAINER.items()},
        "InferenceExecutionConfig.Mode": ("Serial",),
    },
    "CreateInferenceComponent": {
        "Specification.Container.ContainerMetricsConfig": (),
        "Specifications[].Container.ContainerMetricsConfig": (),
    },
    "CreateModelPackage": {
        "InferenceSpecification.Containers[].ModelDataSource": (),
        "InferenceSpecification.Containers[].AdditionalModelDataSources": (),
        "InferenceSpecification.Containers[].AdditionalS3DataSource": (),
        "ValidationSpecification": (),
        "SourceAlgorithmSpecification": (),
    },
    "CreateEndpointConfig": {
        "ExplainerConfig": (),
        "CrossRegionTrafficConfig": (),
    },
    "CreateCompilationJob": {"ModelPackageVersionArn": ()},
    "CreateTransformJob": {
        "TransformInput.DataSource.S3DataSource.S3DataType": ("S3Prefix", "ManifestFile"),
        "DataCaptureConfig": (),
        "ExperimentConfig": (),
    },
}
"""By action: parameters whose meaning is not followed, with the values that change nothing."""


def follows(action: str, place: Sequence[str]) -> bool:
    """Whether any value of a parameter, by the names that lead to it, is followed."""
    return not any(
        path.replace("[]", "").split(".") == [*place] and not allowed
        for path, allowed in NOT_FOLLOWED.get(action, {}).items()
    )


def refuse_what_is_not_followed(action: str, parameters: Mapping[str, Any]) -> None:
    """Raise `AwsError` for the first parameter that the local SageMaker does not follow."""
    for path, allowed in NOT_FOLLOWED.get(action, {}).items():
        for value in _values(parameters, path.split(".")):
            if value not in (None, [], {}) and value not in allowed:
                shown = "" if isinstance(value, (Mapping, list)) else f" '{value}'"
                raise AwsError(
                    "ValidationException",
                    f"the local AWS does not offer {action} with "
                    f"{path.replace('[]', '')}{shown} yet",
                )


def _values(value: object, path: list[str]) -> Iterator[object]:
    if not path:
        yield value
        return
    name, *rest = path
    member = value.get(name.removesuffix("[]")) if isinstance(value, Mapping) else None
    if not name.endswith("[]"):
        yield from _values(member, rest)
        return
    for item in member if isinstance(member, list) else ():
        yield from _values(item, rest)

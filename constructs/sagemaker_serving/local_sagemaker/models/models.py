"""Models: what is written down, and which containers they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.judged import refuse
from sagemaker_serving.local_sagemaker.common.kept import Kept
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now, without_tags
from sagemaker_serving.local_sagemaker.model_registry.model_packages import containers_of_package
from sagemaker_serving.local_sagemaker.models import archives
from sagemaker_serving.local_sagemaker.models.roles import role_client

Parameters = Mapping[str, Any]


class Models(Kept):
    """CreateModel, DescribeModel, ListModels, DeleteModel."""

    kind = "Model"
    arn_kind = words = "model"
    places = "models"

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Keep a model, after a look at its archives, as SageMaker does.

        A container that names a model package is kept with what the package
        holds beside that name; whether AWS describes it so is unverified.
        """
        name = parameters["ModelName"]
        arn = region.arn("model", name)
        refuse(region, "CreateModel", parameters)
        given = _with_packages(region, parameters)
        for container in containers_of(given):
            self._check_container(region, parameters.get("ExecutionRoleArn"), container)
        with region.lock:
            self.refuse_existing(region, name)
            region.models[name] = {
                **without_tags(given),
                "EnableNetworkIsolation": parameters.get("EnableNetworkIsolation", False),
                "ModelArn": arn,
                "CreationTime": now(),
            }
            region.tag(arn, parameters.get("Tags"))
        return {"ModelArn": arn}

    def _check_container(self, region: Region, role: str | None, container: Resource) -> None:
        files = archives.model_files(container)
        if container.get("Image") is None or (files is None and is_multi_model(container)):
            raise AwsError(
                "ValidationException",
                "the local AWS runs containers that have an Image, and a ModelDataUrl if they are "
                "MultiModel",
            )
        if files is None:
            return
        s3 = role_client(self._context, role, "s3", region.name)
        several = is_multi_model(container)
        many = files.is_prefix or several
        status = (archives.list_status if many else archives.head_status)(s3, files.url)
        if status == 403:
            raise AwsError("ValidationException", _no_access(files.url, role, region.name))
        # Models may come later: "we have no artifacts (i.e. tar.gz files) stored under our defined
        # S3 prefix" is said of a deployed endpoint (amazon-sagemaker-examples,
        # multi_model_sklearn_home_value).
        if status != 200 and not (several and status == 204):
            raise AwsError("ValidationException", f"Could not find model data at {files.url}.")


def containers_of(model: Parameters) -> list[Resource]:
    """The model's containers, in the order in which they are asked."""
    primary, several = model.get("PrimaryContainer"), model.get("Containers") or []
    containers = [primary] if primary is not None else list(several)
    if len(containers) > 1 and any(map(is_multi_model, containers)):
        raise AwsError(
            "ValidationException",
            "the local AWS does not offer MultiModel containers in pipelines yet",
        )
    return containers


def container_of(model: Parameters) -> Resource:
    """The only container of a model; raises `AwsError` for a pipeline and a MultiModel one."""
    containers = containers_of(model)
    what = "pipelines of containers" if len(containers) > 1 else "MultiModel containers"
    if len(containers) > 1 or is_multi_model(containers[0]):
        raise AwsError("ValidationException", f"the local AWS offers {what} to endpoints only")
    return containers[0]


def is_multi_model(container: Parameters) -> bool:
    """Whether the container is told its models as they are asked for."""
    return bool(container.get("Mode") == "MultiModel")


def _with_packages(region: Region, parameters: Parameters) -> Resource:
    """The parameters with what model packages hold in their containers' place."""
    containers = containers_of(parameters)
    if not any("ModelPackageName" in container for container in containers):
        return dict(parameters)
    found: list[Resource] = []
    for container in containers:
        if "ModelPackageName" not in container:
            found.append(container)
            continue
        both = sorted({"Image", "ModelDataUrl"} & container.keys())
        if both:
            raise AwsError(
                "ValidationException",
                f"Both ModelPackageName and {both[0]} are set for a container; use one of them",
            )
        found += [
            {**packed, **container, "Environment": _merged(packed, container)}
            for packed in containers_of_package(region, container["ModelPackageName"])
        ]
    rest = {key: value for key, value in parameters.items() if key != "PrimaryContainer"}
    if len(found) == 1 and "PrimaryContainer" in parameters:
        return {**rest, "PrimaryContainer": found[0]}
    return {**rest, "Containers": found}


def _merged(packed: Resource, container: Resource) -> dict[str, str]:
    return {**packed.get("Environment", {}), **container.get("Environment", {})}


def _no_access(url: str, role: str | None, region: str) -> str:
    """As AWS words it (github.com/philschmid/llm-sagemaker-sample/issues/2)."""
    return (
        f'Could not access model data at {url}. Please ensure that the role "{role}" exists and '
        'that its trust relationship policy allows the action "sts:AssumeRole" for the service '
        'principal "sagemaker.amazonaws.com". Also ensure that the role has "s3:GetObject" '
        f"permissions and that the object is located in {region}. If your Model uses multiple "
        'models or uncompressed models, please ensure that the role has "s3:ListBucket" '
        "permission."
    )

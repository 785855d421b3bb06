"""ECR repositories."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider
from local_aws.resources.base import Attributes, Properties, Request


class EcrRepository(ApiProvider):
    """``AWS::ECR::Repository``: Ref is the name; images keep it from deletion."""

    type_name = "AWS::ECR::Repository"
    name_property = "RepositoryName"
    service = "ecr"
    create_operation = "CreateRepository"
    also_supported = frozenset(
        {
            "EmptyOnDelete",
            "ImageTagMutabilityExclusionFilters",
            "LifecyclePolicy",
            "RepositoryPolicyText",
        }
    )
    unchangeable = frozenset({"ImageTagMutabilityExclusionFilters"})

    @override
    def create(self, request: Request) -> str:
        name: str = request.properties.get("RepositoryName") or request.name(256, lower=True)
        self.call(
            request,
            "CreateRepository",
            request.properties,
            RepositoryName=name,
            ImageTagMutabilityExclusionFilters=_filters(request.properties),
        )
        return name

    @override
    def complete(self, request: Request) -> Attributes:
        self._policies(request)
        answer = self.call(request, "DescribeRepositories", RepositoryNames=[request.physical_id])
        (repository,) = answer["repositories"]
        return {"Arn": repository["repositoryArn"], "RepositoryUri": repository["repositoryUri"]}

    @override
    def update(self, request: Request) -> Attributes:
        repository = {"RepositoryName": request.physical_id}
        if request.changed("ImageTagMutability"):
            mutability = request.properties.get("ImageTagMutability", "MUTABLE")
            self.call(request, "PutImageTagMutability", **repository, ImageTagMutability=mutability)
        if request.changed("ImageScanningConfiguration"):
            off = {"ScanOnPush": False}
            scanning = request.properties.get("ImageScanningConfiguration", off)
            self.call(
                request,
                "PutImageScanningConfiguration",
                **repository,
                ImageScanningConfiguration=scanning,
            )
        self._policies(request)
        self.retag(request, ResourceArn=request.attributes["Arn"])
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self.discard(
            request,
            "DeleteRepository",
            RepositoryName=request.physical_id,
            Force=request.properties.get("EmptyOnDelete", False),
        )

    def _policies(self, request: Request) -> None:
        repository = {"RepositoryName": request.physical_id}
        if request.changed("RepositoryPolicyText"):
            policy = request.properties.get("RepositoryPolicyText")
            if policy is None:
                self.discard(request, "DeleteRepositoryPolicy", **repository)
            else:
                self.call(request, "SetRepositoryPolicy", **repository, PolicyText=policy)
        if request.changed("LifecyclePolicy"):
            lifecycle = (request.properties.get("LifecyclePolicy") or {}).get("LifecyclePolicyText")
            if lifecycle is None:
                self.discard(request, "DeleteLifecyclePolicy", **repository)
            else:
                self.call(
                    request, "PutLifecyclePolicy", **repository, LifecyclePolicyText=lifecycle
                )


def _filters(properties: Properties) -> list[dict[str, Any]] | None:
    """The API's ``filterType`` and ``filter``, for the type's own longer names."""
    prefix = "ImageTagMutabilityExclusionFilter"
    names = {f"{prefix}Type": "FilterType", f"{prefix}Value": "Filter"}
    filters = properties.get("ImageTagMutabilityExclusionFilters")
    return filters and [{names[key]: value for key, value in each.items()} for each in filters]

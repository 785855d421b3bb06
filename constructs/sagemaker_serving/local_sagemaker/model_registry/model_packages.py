"""The model registry: groups, and packages in versions, as far as a Model can be made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.listing import Listing
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now, without_tags

Parameters = Mapping[str, Any]

_OF_A_CONTAINER = ("ContainerHostname", "Image", "ModelDataUrl", "Environment")


class ModelPackageGroups:
    """CreateModelPackageGroup, DescribeModelPackageGroup, List- and Delete-."""

    _listing = Listing("ModelPackageGroup", order="Ascending")

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Keep an empty group."""
        name = parameters["ModelPackageGroupName"]
        arn = region.arn("model-package-group", name)
        with region.lock:
            if name in region.model_package_groups:
                raise AwsError(
                    "ValidationException",
                    f"Model Package Group already exists: {arn}",
                )
            region.model_package_groups[name] = {
                **without_tags(parameters),
                "ModelPackageGroupArn": arn,
                "ModelPackageGroupStatus": "Completed",
                "CreationTime": now(),
                "CreatedBy": {},
            }
            region.tag(arn, parameters.get("Tags"))
        return {"ModelPackageGroupArn": arn}

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The group, by its name or its ARN."""
        return find_group(region, parameters["ModelPackageGroupName"])

    def list(self, region: Region, parameters: Parameters) -> Resource:
        """The groups of the region, page by page."""
        with region.lock:
            return self._listing.page(region.model_package_groups.values(), parameters)

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Forget a group that holds no package."""
        with region.lock:
            group = find_group(region, parameters["ModelPackageGroupName"])
            name = group["ModelPackageGroupName"]
            if any(_is_in(package, name) for package in region.model_packages.values()):
                raise AwsError(
                    "ConflictException",
                    f"Model Package Group {group['ModelPackageGroupArn']} cannot be deleted since "
                    "it still contains Model Packages.",
                )
            del region.model_package_groups[name]
            region.tags.pop(group["ModelPackageGroupArn"], None)
        return {}


class ModelPackages:
    """CreateModelPackage, DescribeModelPackage, UpdateModelPackage, List- and Delete-."""

    _listing = Listing("ModelPackage", status="ModelApprovalStatus", order="Ascending")

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Keep a package: of a name of its own, or the next version of a group.

        It is Completed at once: nothing is validated or scanned here.
        """
        group, name = parameters.get("ModelPackageGroupName"), parameters.get("ModelPackageName")
        if (group is None) == (name is None):
            raise AwsError(
                "ValidationException",
                "One of ModelPackageGroupName and ModelPackageName must be given, not both",
            )
        if "InferenceSpecification" not in parameters:
            raise AwsError(
                "ValidationException",
                "the local AWS keeps model packages that have an InferenceSpecification",
            )
        with region.lock:
            identity = _next_version(region, group) if group is not None else {}
            arn = region.arn(
                "model-package",
                name
                if name is not None
                else f"{identity['ModelPackageGroupName']}/{identity['ModelPackageVersion']}",
            )
            if arn in region.model_packages:
                raise AwsError("ConflictException", f"Model Package already exists: {arn}")
            region.model_packages[arn] = {
                "ModelPackageName": identity.get("ModelPackageGroupName", name),
                **without_tags(parameters),
                **identity,
                "ModelPackageArn": arn,
                "ModelPackageStatus": "Completed",
                "ModelPackageStatusDetails": {"ValidationStatuses": [], "ImageScanStatuses": []},
                "CreationTime": now(),
            }
            if group is not None:
                region.model_packages[arn].setdefault(
                    "ModelApprovalStatus", "PendingManualApproval"
                )
            region.tag(arn, parameters.get("Tags"))
        return {"ModelPackageArn": arn}

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The package as it was created."""
        return find_package(region, parameters["ModelPackageName"])

    def update(self, region: Region, parameters: Parameters) -> Resource:
        """Change the approval and its description."""
        with region.lock:
            package = find_package(region, parameters["ModelPackageArn"])
            for member in ("ModelApprovalStatus", "ApprovalDescription"):
                if member in parameters:
                    package[member] = parameters[member]
            package["LastModifiedTime"] = now()
        return {"ModelPackageArn": package["ModelPackageArn"]}

    def list(self, region: Region, parameters: Parameters) -> Resource:
        """The versions of a group, or the packages without one, page by page."""
        group = parameters.get("ModelPackageGroupName")
        approval = parameters.get("ModelApprovalStatus")
        name = None if group is None else _last(group)
        with region.lock:
            found = [
                package
                for package in region.model_packages.values()
                if package.get("ModelPackageGroupName") == name
                and approval in (None, package.get("ModelApprovalStatus"))
            ]
            return self._listing.page(found, parameters)

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Forget a package; models made of it go on."""
        with region.lock:
            package = find_package(region, parameters["ModelPackageName"])
            del region.model_packages[package["ModelPackageArn"]]
            region.tags.pop(package["ModelPackageArn"], None)
        return {}


def find_group(region: Region, name: str) -> Resource:
    """The group of that name or ARN; raises AWS's "does not exist"."""
    with region.lock:
        group = region.model_package_groups.get(_last(name))
    if group is None:
        arn = region.arn("model-package-group", _last(name))
        raise AwsError("ValidationException", f"Model Package Group {arn} does not exist.")
    return group


def find_package(region: Region, name: str) -> Resource:
    """The package of that name or ARN; raises AWS's "does not exist"."""
    arn = name if name.startswith("arn:") else region.arn("model-package", name)
    with region.lock:
        package = region.model_packages.get(arn)
    if package is None:
        raise AwsError("ValidationException", f"Model Package {arn} does not exist.")
    return package


def containers_of_package(region: Region, name: str) -> list[Resource]:
    """What a package says of its containers, as a Model has it."""
    package = find_package(region, name)
    return [
        {member: container[member] for member in _OF_A_CONTAINER if member in container}
        for container in package["InferenceSpecification"]["Containers"]
    ]


def _next_version(region: Region, group: str) -> Resource:
    name = find_group(region, group)["ModelPackageGroupName"]
    versions = [
        package["ModelPackageVersion"]
        for package in region.model_packages.values()
        if _is_in(package, name)
    ]
    return {"ModelPackageGroupName": name, "ModelPackageVersion": max(versions, default=0) + 1}


def _is_in(package: Resource, group: str) -> bool:
    return bool(package.get("ModelPackageGroupName") == group)


def _last(name: str) -> str:
    return name.rpartition("/")[2]

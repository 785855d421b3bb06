"""Inference components: models in copies of their own on the instances of an endpoint's variant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.judged import refuse
from sagemaker_serving.local_sagemaker.common.listing import Listing
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now
from sagemaker_serving.local_sagemaker.fleets.fleets import Fleets
from sagemaker_serving.local_sagemaker.fleets.request_pipeline import Route
from sagemaker_serving.local_sagemaker.fleets.rollout import Rollouts
from sagemaker_serving.local_sagemaker.fleets.routing import pick_variant
from sagemaker_serving.local_sagemaker.fleets.states import find_endpoint
from sagemaker_serving.local_sagemaker.inference_components.tasks import STATUS, ComponentWork
from sagemaker_serving.local_sagemaker.models.models import find_model
from sagemaker_serving.local_sagemaker.observability.metrics import Metrics, Series

Parameters = Mapping[str, Any]


class InferenceComponents:
    """CreateInferenceComponent, its Describe, Update and Delete, ListInferenceComponents.

    One process is all the copies; at 0 copies there is none. Memory, cores and
    accelerators that a copy asks for are kept and not reserved.
    """

    _listing = Listing(
        items="InferenceComponents",
        kind="InferenceComponent",
        members=(
            "CreationTime",
            "InferenceComponentArn",
            "InferenceComponentName",
            "EndpointArn",
            "EndpointName",
            "VariantName",
            STATUS,
            "LastModifiedTime",
        ),
        status=STATUS,
    )

    def __init__(self, fleets: Fleets, rollouts: Rollouts, metrics: Metrics) -> None:
        self._fleets = fleets
        self._metrics = metrics
        self._work = ComponentWork(fleets, rollouts)

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to run a component; DescribeInferenceComponent tells when it does."""
        name = parameters["InferenceComponentName"]
        arn = region.arn("inference-component", name)
        copies = parameters.get("RuntimeConfig", {}).get("CopyCount", 1)
        refuse(region, "CreateInferenceComponent", parameters)
        with region.lock:
            if name in region.inference_components:
                raise AwsError(
                    "ValidationException",
                    f'Cannot create already existing inference component "{arn}".',
                )
            endpoint = find_endpoint(region, parameters["EndpointName"])
            component = {
                "InferenceComponentName": name,
                "InferenceComponentArn": arn,
                "EndpointName": endpoint["EndpointName"],
                "EndpointArn": endpoint["EndpointArn"],
                "VariantName": self._variant(endpoint, parameters.get("VariantName")),
                "Specification": parameters.get("Specification", {}),
                "RuntimeConfig": {
                    "DesiredCopyCount": copies,
                    "CurrentCopyCount": 0,
                },
                STATUS: "Creating",
                "CreationTime": now(),
                "LastModifiedTime": now(),
            }
            model = self._model(region, component)
            region.inference_components[name] = component
            region.tag(arn, parameters.get("Tags"))
            self._fleets.begin(arn)
        self._work.bring_up(region, component, model)
        return {"InferenceComponentArn": arn}

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The component as it stands now."""
        component = dict(find_component(region, parameters["InferenceComponentName"]))
        specification = component["Specification"]
        if "Container" in specification:
            image = specification["Container"]["Image"]
            deployed = {
                "SpecifiedImage": image,
                "ResolvedImage": image,
                "ResolutionTime": component["CreationTime"],
            }
            container = {**specification["Container"], "DeployedImage": deployed}
            component["Specification"] = {**specification, "Container": container}
        return component

    def list(self, region: Region, parameters: Parameters) -> Resource:
        """The components of the region, of one endpoint or variant, page by page."""
        with region.lock:
            found = [
                component
                for component in region.inference_components.values()
                if parameters.get("EndpointNameEquals") in (None, component["EndpointName"])
                and parameters.get("VariantNameEquals") in (None, component["VariantName"])
            ]
            return self._listing.page(found, parameters)

    def update(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to replace a component's copies; the old ones serve until the new are healthy."""
        with region.lock:
            component = self._settled(region, parameters["InferenceComponentName"])
            wanted = {**component, "Specification": parameters.get("Specification")}
            if wanted["Specification"] is None:
                wanted["Specification"] = component["Specification"]
            copies = parameters.get("RuntimeConfig", {}).get("CopyCount")
            model = self._model(region, wanted)
            if "DeploymentConfig" in parameters:
                component["LastDeploymentConfig"] = parameters["DeploymentConfig"]
            if copies is not None:
                component["RuntimeConfig"]["DesiredCopyCount"] = copies
            component[STATUS] = "Updating"
            component["LastModifiedTime"] = now()
        self._work.replace(region, component, wanted["Specification"], model)
        return {"InferenceComponentArn": component["InferenceComponentArn"]}

    def update_runtime_config(self, region: Region, parameters: Parameters) -> Resource:
        """Change the number of copies."""
        with region.lock:
            component = self._settled(region, parameters["InferenceComponentName"])
            copies = parameters["DesiredRuntimeConfig"]["CopyCount"]
            component["RuntimeConfig"]["DesiredCopyCount"] = copies
            component[STATUS] = "Updating"
            component["LastModifiedTime"] = now()
        self._work.rescale(region, component)
        return {"InferenceComponentArn": component["InferenceComponentArn"]}

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to end a component; it is gone when DescribeInferenceComponent says so."""
        with region.lock:
            component = self._settled(region, parameters["InferenceComponentName"])
            component[STATUS] = "Deleting"
        self._work.take_down(region, component)
        return {}

    def resume(self, region: Region, serving: Mapping[str, Resource]) -> None:
        """Take up components that were restored; start those that were serving."""
        self._work.resume(region, serving)

    @contextmanager
    def route(self, region: Region, endpoint: str, name: str) -> Iterator[Route]:
        """Where a request for a component goes.

        Raises ValidationError, in words of our own; of a request that finds no copy CloudWatch is
        told (developer guide, "Scale an endpoint to zero instances").
        """
        with region.lock:
            component = region.inference_components.get(name)
            wanted = {"EndpointName": endpoint, "InferenceComponentName": name}
            if component is None or not wanted.items() <= component.items():
                raise AwsError(
                    "ValidationError", f"Inference Component {name} not found for {endpoint}."
                )
        live = self._fleets.awaited(component["InferenceComponentArn"])
        copies = component["RuntimeConfig"]["CurrentCopyCount"]
        if copies == 0:
            self._metrics.observe(
                Series(
                    region=region.name,
                    dimensions=(("InferenceComponentName", name),),
                    name="NoCapacityInvocationFailures",
                    unit="None",
                ),
                1,
            )
            raise AwsError(
                "ValidationError", f"Inference Component {name} has no capacity to process requests"
            )
        with pick_variant(region, endpoint, live, None) as route:
            yield route

    def _variant(self, endpoint: Resource, wanted: str | None) -> str:
        fleet = self._fleets.of(endpoint["EndpointArn"]).serving
        config = fleet.config if fleet is not None else {"ProductionVariants": []}
        bare = [
            variant["VariantName"]
            for variant in config["ProductionVariants"]
            if "ModelName" not in variant
        ]
        if wanted in bare or (wanted is None and len(bare) == 1):
            return wanted if wanted is not None else bare[0]
        if not bare:
            # In SageMaker's words (hashicorp/terraform-provider-aws#40644).
            raise AwsError(
                "ValidationException",
                "Inference Components are not supported in this Endpoint. Please make sure this "
                "endpoint can deploy inference components.",
            )
        raise AwsError(
            "ValidationException",
            f"Variant '{wanted}' cannot hold inference components; the variants of endpoint "
            f"{endpoint['EndpointName']} without a model of their own are: {', '.join(bare)}",
        )

    def _model(self, region: Region, component: Resource) -> Resource:
        """The model that a component runs: one by name, or its own container in the role of the
        endpoint's config."""
        specification = component["Specification"]
        if "ModelName" in specification:
            return find_model(region, specification["ModelName"])
        container = specification.get("Container", {})
        if "Image" not in container or "ArtifactUrl" not in container:
            raise AwsError(
                "ValidationException",
                "the local AWS runs components that name a Model, or an Image and an ArtifactUrl",
            )
        fleet = self._fleets.of(component["EndpointArn"]).serving
        role = fleet.config.get("ExecutionRoleArn") if fleet is not None else None
        return {
            "ModelName": component["InferenceComponentName"],
            "ExecutionRoleArn": role,
            "PrimaryContainer": {
                "Image": container["Image"],
                "ModelDataUrl": container["ArtifactUrl"],
                "Environment": container.get("Environment", {}),
            },
        }

    def _settled(self, region: Region, name: str) -> Resource:
        component = find_component(region, name)
        if component[STATUS] not in ("InService", "Failed"):
            raise AwsError(
                "ValidationException",
                f"Cannot update in-progress inference component "
                f'"{component["InferenceComponentArn"]}".',
            )
        return component


def find_component(region: Region, name: str) -> Resource:
    """The component of that name; raises AWS's "Could not find inference component"."""
    with region.lock:
        component = region.inference_components.get(name)
    if component is None:
        arn = region.arn("inference-component", name)
        raise AwsError("ValidationException", f'Could not find inference component "{arn}".')
    return component

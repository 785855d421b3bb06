"""Inference components: models in copies of their own on the instances of an endpoint's variant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.judged import refuse
from sagemaker_serving.local_sagemaker.common.kept import Kept
from sagemaker_serving.local_sagemaker.common.listing import Listing
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now
from sagemaker_serving.local_sagemaker.containers.container import ContainerFailed
from sagemaker_serving.local_sagemaker.fleets.fleets import Fleets
from sagemaker_serving.local_sagemaker.fleets.request_pipeline import Route
from sagemaker_serving.local_sagemaker.fleets.rollout import Rollouts
from sagemaker_serving.local_sagemaker.fleets.routing import pick_variant
from sagemaker_serving.local_sagemaker.fleets.states import KeptEndpoints
from sagemaker_serving.local_sagemaker.inference_components.adapters import Adapters
from sagemaker_serving.local_sagemaker.inference_components.tasks import STATUS, ComponentWork
from sagemaker_serving.local_sagemaker.models.models import Models
from sagemaker_serving.local_sagemaker.observability.metrics import Metrics, Series

Parameters = Mapping[str, Any]


class InferenceComponents(Kept):
    """CreateInferenceComponent, its Describe, Update and Delete, ListInferenceComponents.

    One process is all the copies; at 0 copies there is none. Memory, cores and
    accelerators that a copy asks for are kept and not reserved.
    """

    kind = "InferenceComponent"
    arn_kind = "inference-component"
    places = "inference_components"
    words = "inference component"

    def __init__(self, fleets: Fleets, rollouts: Rollouts, metrics: Metrics) -> None:
        self._fleets = fleets
        self._metrics = metrics
        self._adapters = Adapters(fleets)
        self._work = ComponentWork(fleets, rollouts, self._adapters)

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to run a component; DescribeInferenceComponent tells when it does."""
        name = parameters["InferenceComponentName"]
        arn = region.arn("inference-component", name)
        copies = parameters.get("RuntimeConfig", {}).get("CopyCount", 1)
        refuse(region, "CreateInferenceComponent", parameters)
        with region.lock:
            self.refuse_existing(region, name)
            endpoint = KeptEndpoints.find(region, parameters["EndpointName"])
            base = _base_of(region, parameters)
            wanted = parameters.get("VariantName")
            component = {
                "InferenceComponentName": name,
                "InferenceComponentArn": arn,
                "EndpointName": endpoint["EndpointName"],
                "EndpointArn": endpoint["EndpointArn"],
                "VariantName": self._variant(endpoint, wanted)
                if base is None
                else base["VariantName"],
                "Specification": {},
                **_specified(parameters),
                "RuntimeConfig": {
                    "DesiredCopyCount": copies,
                    "CurrentCopyCount": 0,
                },
                STATUS: "Creating",
                "CreationTime": now(),
                "LastModifiedTime": now(),
            }
            self._specify(component)
            model = self._model(region, component) if base is None else None
            region.inference_components[name] = component
            region.tag(arn, parameters.get("Tags"))
            self._fleets.begin(arn)
        if base is not None:
            self._work.adapt(region, component, component["Specification"], base)
        elif model is not None:
            self._work.bring_up(region, component, model)
        return {"InferenceComponentArn": arn}

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The component as it stands now."""
        component = dict(InferenceComponents.find(region, parameters["InferenceComponentName"]))
        if "Specifications" in component:
            del component["Specification"]
            each = [_deployed(part, component) for part in component["Specifications"]]
            component["Specifications"] = each
        else:
            component["Specification"] = _deployed(component["Specification"], component)
        placed = self._placed(component)
        if placed is not None:
            component["RuntimeConfig"] = {**component["RuntimeConfig"], "PlacementStatus": placed}
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
            return Listing(self.kind).page(found, parameters)

    def update(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to replace a component's copies; the old ones serve until the new are healthy."""
        with region.lock:
            component = self._settled(region, parameters["InferenceComponentName"])
            given = _specified(parameters)
            kept = {key: value for key, value in component.items() if key != "Specifications"}
            wanted = {**(kept if given else component), **given}
            self._specify(wanted)
            copies = parameters.get("RuntimeConfig", {}).get("CopyCount")
            base = _base_of(region, wanted)
            if (base is None) is ("BaseInferenceComponentName" in component["Specification"]):
                raise AwsError(
                    "ValidationException",
                    "an adapter stays an adapter, and a model a model; make another component",
                )
            model = self._model(region, wanted) if base is None else None
            if "Specifications" in wanted:
                component["Specifications"] = wanted["Specifications"]
            else:
                component.pop("Specifications", None)
            if "DeploymentConfig" in parameters:
                component["LastDeploymentConfig"] = parameters["DeploymentConfig"]
            if copies is not None:
                component["RuntimeConfig"]["DesiredCopyCount"] = copies
            component[STATUS] = "Updating"
            component["LastModifiedTime"] = now()
        if base is not None:
            self._work.adapt(region, component, wanted["Specification"], base)
        elif model is not None:
            self._work.replace(region, component, wanted["Specification"], model)
        return {"InferenceComponentArn": component["InferenceComponentArn"]}

    def update_runtime_config(self, region: Region, parameters: Parameters) -> Resource:
        """Change the number of copies."""
        with region.lock:
            component = self._settled(region, parameters["InferenceComponentName"])
            if "BaseInferenceComponentName" in component["Specification"]:
                raise AwsError(
                    "ValidationException",
                    f"{component['InferenceComponentName']} is an adapter, which has no copies of "
                    "its own; scale its base",
                )
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
            name = component["InferenceComponentName"]
            adapters = [
                each["InferenceComponentName"]
                for each in region.inference_components.values()
                if each["Specification"].get("BaseInferenceComponentName") == name
            ]
            if adapters:
                raise AwsError(
                    "ValidationException",
                    f"{name} is the base of the adapters {', '.join(adapters)}; delete them first",
                )
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
            base = component["Specification"].get("BaseInferenceComponentName")
            serves = component if base is None else region.inference_components[base]
        live = self._fleets.awaited(serves["InferenceComponentArn"])
        if serves["RuntimeConfig"]["CurrentCopyCount"] == 0:
            raise self._without_capacity(region, serves)
        with pick_variant(region, endpoint, live, None) as route:
            if not route.variant.instance_count:  # the last copy is about to end
                raise self._without_capacity(region, serves)
            if base is None:
                yield route
                return
            try:
                self._adapters.load(region, component, route.variant)
            except ContainerFailed as failed:
                raise AwsError("ModelNotReadyException", str(failed), status=429) from None
            yield replace(route, adapter=name)

    def _without_capacity(self, region: Region, serves: Resource) -> AwsError:
        """What a request is told where ``serves`` has no copy (in the words that stdapi.ai met)."""
        self._metrics.observe(
            Series(
                region=region.name,
                dimensions=(("InferenceComponentName", serves["InferenceComponentName"]),),
                name="NoCapacityInvocationFailures",
                unit="None",
            ),
            1,
        )
        return AwsError(
            "ValidationError",
            "Inference Component has no capacity to process this request. ApplicationAutoScaling "
            "may be in-progress (if configured) or try to increase the capacity by invoking "
            "UpdateInferenceComponentRuntimeConfig API.",
        )

    def _specify(self, component: Resource) -> None:
        """Lets a component of several specifications be what that of its host's type says."""
        fleet = self._fleets.of(component["EndpointArn"]).serving
        host = None if fleet is None else fleet.variants.get(component["VariantName"])
        several = component.get("Specifications")
        if several is not None and host is not None:
            of = {each.get("InstanceType", host.instance_type): each for each in several}
            if host.instance_type not in of:
                raise AwsError(
                    "ValidationException",
                    f"no entry of Specifications is of {host.instance_type}, which the variant has",
                )
            component["Specification"] = of[host.instance_type]

    def _placed(self, component: Resource) -> Sequence[Resource] | None:
        """How many copies are on which type, of a host that may have several."""
        fleet = self._fleets.of(component["EndpointArn"]).serving
        host = None if fleet is None else fleet.variants.get(component["VariantName"])
        described = {} if host is None else host.describe()
        if host is None or "InstancePools" not in described:
            return None
        copies = component["RuntimeConfig"]["CurrentCopyCount"]
        return [{"InstanceType": host.instance_type, "CurrentCopyCount": copies}]

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
            return Models.find(region, specification["ModelName"])
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
        component = InferenceComponents.find(region, name)
        if component[STATUS] not in ("InService", "Failed"):
            raise AwsError(
                "ValidationException",
                f"Cannot update in-progress inference component "
                f'"{component["InferenceComponentArn"]}".',
            )
        return component


def _specified(parameters: Parameters) -> Resource:
    """The specifications that are given, one or several."""
    given = {name: parameters[name] for name in _SPECIFIED if name in parameters}
    if len(given) > 1:
        raise AwsError("ValidationException", "give either Specification or Specifications")
    return given


def _deployed(specification: Resource, component: Resource) -> Resource:
    """A specification as it is described: with the image that was resolved."""
    image = specification.get("Container", {}).get("Image")
    if image is None:
        return specification
    deployed = {
        "SpecifiedImage": image,
        "ResolvedImage": image,
        "ResolutionTime": component["CreationTime"],
    }
    return {
        **specification,
        "Container": {**specification["Container"], "DeployedImage": deployed},
    }


_SPECIFIED = ("Specification", "Specifications")


def _base_of(region: Region, parameters: Parameters) -> Resource | None:
    """The component that an adapter stands on; None of what is no adapter.

    That SageMaker refuses a base that does not serve, in these words, is unverified.
    """
    specification = parameters.get("Specification", {})
    name = specification.get("BaseInferenceComponentName")
    if name is None:
        return None
    base = InferenceComponents.find(region, name)
    if "BaseInferenceComponentName" in base["Specification"]:
        wrong = f"{name} is an adapter itself"
    elif base["EndpointName"] != parameters["EndpointName"]:
        wrong = f"{name} is of endpoint {base['EndpointName']}"
    elif base[STATUS] in ("Creating", "Failed", "Deleting"):
        wrong = f"{name} is {base[STATUS]}"
    elif "ArtifactUrl" not in specification.get("Container", {}):
        wrong = "its Container has no ArtifactUrl"
    elif "ComputeResourceRequirements" in specification:
        wrong = "ComputeResourceRequirements is its base's"
    else:
        return base
    raise AwsError("ValidationException", f"the adapter cannot be made: {wrong}")

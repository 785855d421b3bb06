"""Inference routers and endpoint policies, as their API describes them.

Sources: botocore's documentation of CreateInferenceRouter and its neighbours; SageMaker developer
guide, "Route requests across AWS Regions with cross-Region inference routing".
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.policies.grammar import policy_problems
from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.listing import Listing
from sagemaker_serving.local_sagemaker.common.store import (
    Region,
    Resource,
    Store,
    now,
    without_tags,
)
from sagemaker_serving.local_sagemaker.fleets.states import KeptEndpoints

Parameters = Mapping[str, Any]

_SETTLES_SECONDS = 5.0
"""Unverified: AWS says of an update "within about 2 minutes", and nothing of a router that is
made."""

_POLICY = "ResourcePolicy"


class InferenceRouters:
    """CreateInferenceRouter, DescribeInferenceRouter, Update-, Delete- and List-."""

    _listing = Listing("InferenceRouter", order="Ascending")

    def __init__(self, context: LocalContext, store: Store) -> None:
        self._context = context
        self._store = store

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Keep a router, which is Creating for a while; the same ClientToken makes it once."""
        name, token = parameters["InferenceRouterName"], parameters.get("ClientToken")
        arn = region.arn("inference-router", name)
        with region.lock:
            known = region.inference_routers.get(name)
            if known is not None and token is not None and known.get("ClientToken") == token:
                if known["RoutingTargets"] != parameters["RoutingTargets"]:  # its code: unverified
                    raise AwsError(
                        "ConflictException", f"ClientToken {token} was given with other parameters."
                    )
                return {"InferenceRouterArn": arn}
            if known is not None:
                raise AwsError("ResourceAlreadyExists", f"Inference router {arn} already exists.")
            self._refuse(region, parameters["RoutingTargets"])
            region.inference_routers[name] = {
                **without_tags(parameters),
                "InferenceRouterArn": arn,
                "CreationTime": now(),
                **self._begun("Creating"),
            }
            region.tag(arn, parameters.get("Tags"))
        return {"InferenceRouterArn": arn}

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The router, with the RoutingStatus of each destination as it is now."""
        with region.lock:
            found = self.find(region, parameters["InferenceRouterName"])
            targets = [
                {
                    **target,
                    "Destinations": [
                        {**each, "RoutingStatus": self.status(each["ResourceArn"])}
                        for each in target["Destinations"]
                    ],
                }
                for target in found["RoutingTargets"]
            ]
        return {**found, "RoutingTargets": targets}

    def update(self, region: Region, parameters: Parameters) -> Resource:
        """Put these routing targets in place of all that there were."""
        with region.lock:
            router = self._settled(region, parameters["InferenceRouterName"])
            self._refuse(region, parameters["RoutingTargets"])
            router["RoutingTargets"] = parameters["RoutingTargets"]
            router.update(self._begun("Updating"))
        return {"InferenceRouterArn": router["InferenceRouterArn"]}

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Forget a router; its destinations stay."""
        with region.lock:
            router = self._settled(region, parameters["InferenceRouterName"])
            del region.inference_routers[router["InferenceRouterName"]]
            region.tags.pop(router["InferenceRouterArn"], None)
        return {}

    def list(self, region: Region, parameters: Parameters) -> Resource:
        """The routers of the region, page by page."""
        with region.lock:
            return self._listing.page(region.inference_routers.values(), parameters)

    def summaries(self, region: Region) -> Sequence[dict[str, Any]]:
        """The routers as ``local status`` shows them: destinations by ARN under each target."""
        with region.lock:
            names = list(region.inference_routers)
            found = [self.describe(region, {"InferenceRouterName": name}) for name in names]
        return [
            {
                "name": router["InferenceRouterName"],
                "region": region.name,
                "status": router["Status"],
                "targets": {
                    target["Name"]: {
                        each["ResourceArn"]: each["RoutingStatus"]
                        for each in target["Destinations"]
                    }
                    for target in router["RoutingTargets"]
                },
            }
            for router in found
        ]

    def find(self, region: Region, name: str) -> Resource:
        """The router of that name; raises ResourceNotFound."""
        with region.lock:
            router = region.inference_routers.get(name)
            if router is None:
                arn = region.arn("inference-router", name)
                raise AwsError("ResourceNotFound", f"Could not find inference router {arn}.")
            if router["Status"] != "InService" and now() >= router["SettlesAt"]:
                router["Status"] = "InService"
            return router

    def is_asynchronous(self, arn: str) -> bool | None:
        """Whether a destination is an asynchronous endpoint; None where that cannot be known."""
        place = Arn.parse(arn)
        region = self._store.region(place.region)
        kind, _, name = place.resource.partition("/")
        if place.account != region.account:
            return None
        if kind != "endpoint":
            return False
        endpoint = region.endpoints.get(name)
        config = region.endpoint_configs.get(endpoint["EndpointConfigName"]) if endpoint else None
        return None if config is None else "AsyncInferenceConfig" in config

    def status(self, arn: str) -> str:
        """A destination's RoutingStatus: Routable, Unroutable, or Unknown of another account's."""
        place = Arn.parse(arn)
        region = self._store.region(place.region)
        if place.account != region.account:
            return "Unknown"
        kind, _, name = place.resource.partition("/")
        if kind == "endpoint":
            status = region.endpoints.get(name, {}).get("EndpointStatus")
        else:
            status = region.inference_components.get(name, {}).get("InferenceComponentStatus")
        return "Routable" if status in ("InService", "Updating", "SystemUpdating") else "Unroutable"

    def _settled(self, region: Region, name: str) -> Resource:
        router = self.find(region, name)
        if router["Status"] != "InService":
            raise AwsError(
                "ConflictException",
                f"Inference router {router['InferenceRouterArn']} is {router['Status']}.",
            )
        return router

    def _begun(self, status: str) -> Resource:
        at = now()
        wait = self._context.seconds(_SETTLES_SECONDS)
        return {"Status": status, "LastModifiedTime": at, "SettlesAt": at + wait}

    def _refuse(self, region: Region, targets: Iterable[Resource]) -> None:
        """Raise ValidationException for what AWS says that it rejects, in words of our own."""
        partition = Arn.parse(region.arn("inference-router", "any")).partition
        names = [target["Name"] for target in targets]
        wrong = [f"the routing target {name} is there twice" for name in _twice(names)]
        for target in targets:
            arns = [each["ResourceArn"] for each in target["Destinations"]]
            wrong += [f"{arn} is twice in {target['Name']}" for arn in _twice(arns)]
            wrong += [
                f"{arn} is not of the partition {partition}"
                for arn in arns
                if Arn.parse(arn).partition != partition
            ]
            wanted = "AsyncInferenceConfig" in target
            if target.get("RoutingPreference") == "InstancePoolOrder" and not wanted:
                wrong.append(f"{target['Name']}: InstancePoolOrder is of asynchronous targets")
            kinds = ("a real-time", "an asynchronous")
            wrong += [
                f"{arn} is {kinds[not wanted]} destination, {target['Name']} {kinds[wanted]} "
                "routing target"
                for arn in arns
                if self.is_asynchronous(arn) is (not wanted)
            ]
        if wrong:
            raise AwsError("ValidationException", "; ".join(wrong))


class EndpointPolicies:
    """PutEndpointPolicy, GetEndpointPolicy, DeleteEndpointPolicy; a policy goes with its
    endpoint."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, region: Region, parameters: Parameters) -> Resource:
        """Attach a policy in place of the one that there was."""
        with region.lock:
            endpoint = self._endpoint(region, parameters)
            if endpoint["EndpointStatus"] in ("Deleting", "Failed"):
                raise AwsError(
                    "ValidationException",
                    f"Endpoint {endpoint['EndpointArn']} is {endpoint['EndpointStatus']}.",
                )
            text = parameters[_POLICY]
            try:
                wrong = [said for _, said in policy_problems(json.loads(text), "resource")]
            except (ValueError, RecursionError) as error:
                wrong = [str(error)]
            if wrong:
                raise AwsError("ValidationException", f"{_POLICY}: {'; '.join(wrong)}")
            endpoint[_POLICY] = text
        return {"EndpointArn": endpoint["EndpointArn"]}

    def get(self, region: Region, parameters: Parameters) -> Resource:
        """The policy; raises ValidationException of an endpoint that has none."""
        endpoint = self._endpoint(region, parameters)
        if _POLICY not in endpoint:
            raise AwsError(
                "ValidationException", f"Endpoint {endpoint['EndpointArn']} has no policy."
            )
        return {name: endpoint[name] for name in ("EndpointName", "EndpointArn", _POLICY)}

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Take the policy away, if there is one."""
        self._endpoint(region, parameters).pop(_POLICY, None)
        return {}

    def of(self, arn: Arn) -> str | None:
        """The policy of an endpoint, or of the one that a component is on, for whoever judges."""
        region = self._store.region(arn.region)
        kind, _, name = arn.resource.partition("/")
        if kind == "inference-component":
            name = region.inference_components.get(name, {}).get("EndpointName", "")
        elif kind != "endpoint":
            return None
        policy: str | None = region.endpoints.get(name, {}).get(_POLICY)
        return policy

    def _endpoint(self, region: Region, parameters: Parameters) -> Resource:
        name = parameters["EndpointName"]
        if name not in region.endpoints:
            arn = region.arn("endpoint", name)
            raise AwsError("ResourceNotFound", f'Could not find endpoint "{arn}".')
        return KeptEndpoints.find(region, name)


def _twice(given: list[str]) -> list[str]:
    return [each for each, times in Counter(given).items() if times > 1]

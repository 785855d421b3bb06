"""A live inference router: the endpoints here that it asks as models, and itself as the file's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.operations.adoption.draft import Draft, Path
from sagemaker_serving.operations.adoption.live import live_endpoints
from sagemaker_serving.operations.refusals import refused
from sagemaker_serving.rules.template import Template
from sagemaker_serving.spec.places import ROUTED

Router = Mapping[str, Any]
_COMPONENT = "inference-component/"


def live_router(name: str, aws: Aws) -> tuple[Template, Router]:
    """Asks AWS for the router ``name`` and for the endpoints of its region and account that it
    sends requests to, read-only; a template of these, and what SageMaker says of the router.

    Needs ``sagemaker:DescribeInferenceRouter``, and what `live_endpoint` does of each. Raises
    `NotFound` for an unknown router, `Mistake` where boto3 knows none (it does from 1.44.5), and
    where it asks no endpoint here, `Failure` when AWS refuses or fails.
    """
    client = aws.client("sagemaker")
    if not hasattr(client, "describe_inference_router"):
        raise Mistake("this boto3 knows no inference routers; install 1.44.5 or later")
    absent = NotFound(
        f"there is no inference router {name!r} in {client.meta.region_name}; see "
        "`aws sagemaker list-inference-routers`, or name another --region"
    )
    with aws_failures():
        with refused("ResourceNotFound", means=absent):
            found: Router = client.describe_inference_router(InferenceRouterName=name)
        place = f"{found['InferenceRouterArn'].rpartition(':')[0]}:"
        asked = [arn.removeprefix(place) for arn in _destinations(found) if arn.startswith(place)]
        endpoints = [
            client.describe_inference_component(
                InferenceComponentName=each.removeprefix(_COMPONENT)
            )["EndpointName"]
            if each.startswith(_COMPONENT)
            else client.describe_endpoint(EndpointName=each.partition("/")[2])["EndpointName"]
            for each in asked
        ]
    if not endpoints:
        raise Mistake(
            f"the inference router {name!r} asks no endpoint of its own region and account, and a "
            "file needs a model; write one, and the others' ARNs below routers"
        )
    return live_endpoints(list(dict.fromkeys(endpoints)), aws), found


def read_router(draft: Draft, router: Router, models: Mapping[str, str]) -> None:
    """Writes ``router`` below ``routers``; ``models`` are the file's by the endpoints that they
    were read from. What the file cannot say of it is a remark."""
    called = router["InferenceRouterName"]
    name = called.removeprefix(f"{draft.get(('name',))}-")
    base: Path = ("routers", name)
    draft.remark(
        base,
        f"read from the inference router {called}, which stays as it is; this one will be called "
        f"{draft.get(('name',))}-{name}",
    )
    place = f"{router['InferenceRouterArn'].rpartition(':')[0]}:"
    for target in router["RoutingTargets"]:
        path = (*base, "routing_targets", target["Name"])
        arns = [each["ResourceArn"] for each in target["Destinations"]]
        written = [_in_the_file(draft, arn.removeprefix(place), models) or arn for arn in arns]
        draft.set((*path, "destinations"), written)
        if target.get("RoutingPreference", "LocalRegionFirst") != "LocalRegionFirst":
            said = f"RoutingPreference {target['RoutingPreference']} is left out; it has no field"
            draft.remark(path, said)
        if "AsyncInferenceConfig" in target:
            _read_asynchronous(draft, target["AsyncInferenceConfig"], path, f"{name}/{path[-1]}")


def _destinations(router: Router) -> Iterator[str]:
    for target in router["RoutingTargets"]:
        yield from (each["ResourceArn"] for each in target["Destinations"])


def _in_the_file(draft: Draft, resource: str, models: Mapping[str, str]) -> str | None:
    """What the file calls ``endpoint/<name>`` or ``inference-component/<name>``, if it has it.

    ARNs have names in lower case.
    """
    for endpoint, model in models.items():
        if resource == f"endpoint/{endpoint}".lower():
            return model
        for short in draft.get(("models", model, "inference_components")) or ():
            names = (f"{_COMPONENT}{endpoint}-{short}", f"{_COMPONENT}{short}")
            if resource in map(str.lower, names):
                return f"{model}/{short}"
    return None


def _read_asynchronous(draft: Draft, config: Mapping[str, Any], path: Path, place: str) -> None:
    draft.set((*path, "asynchronous"), True)
    output, client = config["OutputConfig"], config.get("ClientConfig", {})
    if "MaxTimeInBacklogSeconds" in client:
        field = (*path, "max_time_in_backlog_seconds")
        draft.set(field, client["MaxTimeInBacklogSeconds"])
    draft.remark(
        (*path, "asynchronous"),
        f"answers went to {output['S3OutputPath']}, failures to {output['S3FailurePath']}; here "
        f"both go below {ROUTED}/{place}/ of the environment's bucket",
    )
    for member in ("KmsKeyId", "NotificationConfig"):
        if member in output:
            draft.remark(path, f"{member} is left out; it has no field")

"""What an environment file says of inference routers, also in AWS's words."""

from __future__ import annotations

import json
from collections.abc import Iterator

from local_aws.template import region_names
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.kinds import (
    EndpointPolicyFacts,
    Listed,
    Renamed,
    RoutingTargetFacts,
)
from sagemaker_serving.rules.facts.shapes import ShapeFacts
from sagemaker_serving.spec.routers import endpoint_policy


def router_facts(environment: Fact) -> Iterator[object]:
    """Routers of an environment file, and what AWS's shapes say of them."""
    models = environment.get("models")
    kinds = dict(_kinds(models))
    prefix = environment.get("name").text or "e"
    partition = region_names(environment.get("region").text or "us-east-1")["AWS::Partition"]
    arns = {name: _own(environment, partition, prefix, name) for name in kinds}
    multi = frozenset(name for name, model in models.entries() if model.get("multi_model").given)
    for name, model in models.entries():
        allowed = model.get("allowed_routers")
        let_in = [each.text for each in allowed.items() if _is_arn(each)]
        if let_in:
            principals = {
                arn: f"arn:{partition}:iam::{arn.split(':')[4]}:root"
                for arn in filter(None, let_in)
                if arn.count(":") == _COLONS
            }
            policy = endpoint_policy(_own(environment, partition, prefix, name), principals)
            text = json.dumps(policy, separators=(",", ":"))
            yield EndpointPolicyFacts(routers=allowed, document=text)
    for name, router in environment.get("routers").entries():
        targets = list(router.get("routing_targets").entries())
        for _, target in targets:
            yield RoutingTargetFacts(
                members=target,
                kinds=kinds,
                partition=partition,
                arns=arns if environment.get("account").given else {},
                multi_model=multi,
            )
        shaped = tuple(_shaped(each, target) for each, target in targets)
        written = router.get("routing_targets")
        parts: dict[str, Fact] = {"InferenceRouterName": Fact(f"{prefix}-{name}", router.where)}
        if written.given:
            parts["RoutingTargets"] = _list(written, shaped)
        yield ShapeFacts(shape="CreateInferenceRouterInput", value=Renamed({}, router.where, parts))


def _own(environment: Fact, partition: str, prefix: str, name: str) -> str:
    """The ARN of an endpoint or component of the file; SageMaker writes these in lower case."""
    region, account = (environment.get(each).text for each in ("region", "account"))
    account = account or _SOME_ACCOUNT
    model, _, component = name.partition("/")
    existing = environment.get("models").get(model).get("endpoint").get("existing").text
    endpoint = f"{prefix}-{model}" if existing is None else existing
    resource = f"endpoint/{endpoint}"
    if component:
        resource = f"inference-component/{endpoint}-{component}"
    return f"arn:{partition}:sagemaker:{region}:{account}:{resource}".lower()


def _kinds(models: Fact) -> Iterator[tuple[str, bool]]:
    for name, model in models.entries():
        if not model.get("variants").size:
            continue
        components = [each for each, _ in model.get("inference_components").entries()]
        yield from ((f"{name}/{each}", False) for each in components)
        if not components:
            yield name, model.get("asynchronous").given


def _shaped(name: str, target: Fact) -> Fact:
    """A target in AWS's words; models of the file are given as ARNs by the deploy."""
    arns = tuple(
        Renamed({}, each.where, {"ResourceArn": each if _is_arn(each) else Fact(_ANY, each.where)})
        for each in target.get("destinations").items()
    )
    written = target.get("destinations")
    parts: dict[str, Fact] = {"Name": Fact(name, target.where)}
    if written.given:
        parts["Destinations"] = _list(written, arns)
    seconds = target.get("max_time_in_backlog_seconds")
    if seconds.given:
        backlog = Renamed({}, target.where, {"MaxTimeInBacklogSeconds": seconds})
        place = Fact("s3://bucket/key", target.where)
        output = Renamed({}, target.where, {"S3OutputPath": place, "S3FailurePath": place})
        parts["AsyncInferenceConfig"] = Renamed(
            {}, target.where, {"ClientConfig": backlog, "OutputConfig": output}
        )
    return Renamed({}, target.where, parts)


def _list(written: Fact, entries: tuple[Fact, ...]) -> Fact:
    known = not written.unknown
    return Listed(list(entries) if known else written.value, written.where, entries)


_COLONS = 5
_SOME_ACCOUNT = "111122223333"
_ANY = "arn:aws:sagemaker:us-east-1:111122223333:endpoint/any"


def _is_arn(destination: Fact) -> bool:
    return (destination.text or "").startswith("arn:")

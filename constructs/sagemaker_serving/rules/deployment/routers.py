"""Rules on inference routers: whom they send requests to, and who lets them."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.suggest import nearest
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts.kinds import EndpointPolicyFacts, RoutingTargetFacts
from sagemaker_serving.spec.routers import MOST_OF_A_POLICY


@rule(
    source="botocore CreateInferenceRouter, Destination; InvokeInferenceRouter's members",
    example="destinations: [irsi]",
)
def router_destination(target: RoutingTargetFacts) -> Iterator[Finding]:
    """A destination is an endpoint or an inference component of the router's partition, and stands
    once in its target. A router calls no multi-model endpoint: it passes no TargetModel on.

    Models of the file are named; one that has no variants has no endpoint. `aws-value` judges ARNs.
    """
    seen: set[str] = set()
    for each in target.destinations.items():
        name = each.text
        if name is None:
            continue
        arn = target.arns.get(name, name).lower()
        if arn in seen:
            yield each.finding(f"{name!r} is in this routing target twice; leave one out")
        seen.add(arn)
        if name in target.multi_model:
            yield each.finding(
                f"{name!r} has many models, and InvokeInferenceRouter has no TargetModel that "
                "names one; call it by InvokeEndpoint, or name an endpoint of one model"
            )
        if name.startswith("arn:"):  # AWS's shape judges the rest of it
            if not name.startswith(f"arn:{target.partition}:"):
                yield each.finding(
                    f"{name!r} is of another partition than the router, which is in "
                    f"{target.partition}; make a router there"
                )
            continue
        if name not in target.kinds:
            close = nearest(name, target.kinds)
            hint = f"; did you mean {close}?" if close is not None else ""
            known = ", ".join(target.kinds) or "none"
            yield each.finding(
                f"{name!r} is no endpoint of this file{hint}; write one of {known}, or an ARN"
            )


@rule(
    source="SageMaker developer guide, inference-router-async",
    example="routing_targets: {iris: {destinations: [an-asynchronous-model]}}",
)
def router_asynchronous(target: RoutingTargetFacts) -> Iterator[Finding]:
    """All destinations of an asynchronous routing target are asynchronous endpoints, of any other
    none is.

    CreateInferenceRouter refuses a destination of the wrong kind, and an inference component is
    none of an asynchronous target.
    """
    wanted = target.asynchronous.value is True
    for each in target.destinations.items():
        name = each.text or ""
        kind = target.kinds.get(name)
        if name.startswith("arn:") and ":inference-component/" in name:
            kind = False
        if kind is not None and kind is not wanted:
            is_one, way = "a real-time", "take `asynchronous` out of the routing target"
            if kind:
                is_one, way = "an asynchronous", "write `asynchronous: true` in the routing target"
            yield each.finding(f"{name!r} is {is_one} destination; {way}, or leave {name!r} out")
    if not wanted and target.max_time_in_backlog_seconds.given:
        yield target.max_time_in_backlog_seconds.says(
            "is of asynchronous routing targets; write `asynchronous: true`, or leave it out"
        )


@rule(
    source="botocore PutEndpointPolicy, EndpointPolicyDocument",
    example="allowed_routers: 50 ARNs of as many accounts",
)
def endpoint_policy_length(policy: EndpointPolicyFacts) -> Iterator[Finding]:
    """The policy that lets routers of other accounts in has 20,480 characters at most.

    A deploy fails in the function that writes it. `EndpointPolicy` refuses it in your app, too.
    """
    if len(policy.document) > MOST_OF_A_POLICY:
        yield policy.routers.says(
            f"are {policy.routers.size}, whose policy has {len(policy.document):,} characters; "
            f"{MOST_OF_A_POLICY:,} is the most; let fewer in"
        )

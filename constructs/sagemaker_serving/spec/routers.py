"""Inference routers: several endpoints, in one region or more, behind one name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from sagemaker_serving.spec.base import Spec


def _must_be_router(arn: str) -> str:
    if not re.fullmatch(
        r"arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:[0-9]{12}:inference-router/[a-zA-Z0-9-]+", arn
    ):
        raise PydanticCustomError(
            "router",
            "a policy takes a router by its ARN alone; write "
            "arn:aws:sagemaker:<region>:<account>:inference-router/<name>",
        )
    return arn


RouterArn = Annotated[str, AfterValidator(_must_be_router)]
"""The ARN of an inference router (botocore, InferenceRouterArn)."""


MOST_OF_A_POLICY = 20_480
"""Characters of an endpoint policy (botocore 1.44.5, EndpointPolicyDocument)."""


def endpoint_policy(endpoint_arn: str, principals: Mapping[str, str]) -> dict[str, object]:
    """The policy that lets routers send requests to an endpoint; ``principals`` are the roots of
    their accounts, by their ARNs."""
    invoke = [
        {
            "Effect": "Allow",
            "Principal": {"AWS": principal},
            "Action": ["sagemaker:InvokeEndpoint", "sagemaker:InvokeEndpointAsync"],
            "Resource": endpoint_arn,
            "Condition": {"ArnEquals": {"sagemaker:SourceInferenceRouterArn": router}},
        }
        for router, principal in principals.items()
    ]
    describe = [
        {
            "Effect": "Allow",
            "Principal": {"AWS": principal},
            "Action": "sagemaker:DescribeEndpoint",
            "Resource": endpoint_arn,
        }
        for principal in dict.fromkeys(principals.values())
    ]
    return {"Version": "2012-10-17", "Statement": [*invoke, *describe]}


class RoutingTarget(Spec):
    """One model of a router, and the endpoints that serve it, all in the same format."""

    destinations: list[str]
    """1 to 10: models of this file by name, their inference components as ``<model>/<component>``,
    and ARNs of endpoints and inference components of any region and account. Those of this file's
    region are asked first."""

    asynchronous: bool = False
    """Whether requests are asynchronous ones, as the destinations' are then. Put them below
    ``routers/<router>/<target>/input/`` of the environment's bucket. Answers are written below
    ``output/`` beside it, the reasons of failures below ``failed/``. The models' roles may read and
    write there; those of other destinations have to be let."""

    max_time_in_backlog_seconds: int | None = None
    """How long an asynchronous request may wait at a destination before it moves to another, 60 to
    21600; left out: 900."""


class Router(Spec):
    """An inference router, ``<environment>-<router>``, which callers invoke instead of an
    endpoint."""

    routing_targets: dict[str, RoutingTarget]
    """1 to 20, by the name that callers give."""

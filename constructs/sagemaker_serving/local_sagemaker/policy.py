"""What calls of SageMaker need to be allowed, and how it refuses them.

Sources: service authorization reference; the words of its refusal of a role as users quote them
(awslabs/predictive-maintenance-using-machine-learning#3). That the runtime refuses
with 403, as REST services do, is inferred: it answers 403 to what is not signed
(aws/amazon-sagemaker-examples#290).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from local_aws.permissions.need import Need
from local_aws.permissions.service import PassedRole, Refusal, ServicePermissions, first
from local_aws.protocol import AwsError, openai_route
from local_aws.protocol.call import Call
from sagemaker_serving.local_sagemaker.common.arns import written


def _resources(call: Call) -> Iterator[str]:
    """``CreateTransformJob`` is about ``transform-job/<TransformJobName>``, and so on."""
    if "ResourceArn" in call.parameters:
        yield written(str(call.parameters["ResourceArn"]))
        return
    operation = re.sub("^[A-Z][a-z]+", "", call.operation)
    own = next((noun for noun in _WITH_MORE_OPERATIONS if operation.startswith(noun)), operation)
    for noun in (own, *_ALSO.get(call.operation, ())):
        name = first(call.parameters, f"{noun}Name", f"{noun}Arn")
        if name is not None:
            yield _named(re.sub("(?<=[a-z])(?=[A-Z])", "-", noun).lower(), name)


_WITH_MORE_OPERATIONS = ("EndpointConfig", "Endpoint", "InferenceComponent")
"""As in ``UpdateEndpointWeightsAndCapacities``, which is of an endpoint."""

_ALSO = {
    "CreateEndpoint": ("EndpointConfig",),
    "UpdateEndpoint": ("EndpointConfig",),
    "CreateInferenceComponent": ("Endpoint",),
}
"""What else some calls are about, where they name it."""


def _routers(call: Call) -> Iterator[str]:
    """Tags of inference routers are judged by the router, which is newer than the service
    authorization reference here."""
    arn = str(call.parameters.get("ResourceArn", ""))
    if ":inference-router/" in arn:
        yield arn


def _asked(call: Call) -> Iterator[str]:
    """The endpoint, and the inference component where the request names one.

    InvokeEndpointAsync knows none.
    """
    yield from _resources(call)
    name = call.parameters.get(
        "InferenceComponentName", call.headers.get("x-amzn-sagemaker-inference-component")
    )
    if name and call.operation != "InvokeEndpointAsync":
        yield _named("inference-component", name)


def _named(kind: str, name: str) -> str:
    return written(name if name.startswith("arn:") else f"{kind}/{name}")


@dataclass(frozen=True, kw_only=True)
class SageMakerPermissions(ServicePermissions):
    """SageMaker's, which asks for more where something is made with tags, and of ``keys``."""

    keys: Callable[[Call], Iterable[Need]] = lambda _: ()

    def needs(self, call: Call) -> Sequence[Need]:
        """With ``Tags``, AddTags on what is made (aws/aws-cdk#26012 and #32294, which quote the
        refusals)."""
        found = [*super().needs(call), *self.keys(call)]
        if not call.operation.startswith("Create") or not call.parameters.get("Tags"):
            return found
        return [*found, replace(found[0], action="sagemaker:AddTags")]


PERMISSIONS = SageMakerPermissions(
    prefix="sagemaker",
    resources=_resources,
    resources_beside=_routers,
    passed_role=PassedRole(
        principal="sagemaker.amazonaws.com",
        parameters=("ExecutionRoleArn", "RoleArn"),
        refusal=lambda arn: AwsError(
            "ValidationException",
            f"Could not assume role {arn}. Please ensure that the role exists and allows "
            "principal 'sagemaker.amazonaws.com' to assume the role.",
        ),
    ),
)


class RuntimePermissions(ServicePermissions):
    """The runtime's. A streamed answer needs two actions, as AWS's own texts differ: the API
    reference of InvokeEndpointWithResponseStream names InvokeEndpoint, the service authorization
    reference has an action of its own. The OpenAI route needs the two that its guide names, whether
    it streams or not."""

    def needs(self, call: Call) -> Sequence[Need]:
        """Both, for each thing that is asked."""
        found = super().needs(call)
        if call.request is not None and openai_route(call.request.path) is not None:
            return [Need("sagemaker:CallWithBearerToken", "*"), *found]
        if call.operation != "InvokeEndpointWithResponseStream":
            return found
        return [*(replace(each, action="sagemaker:InvokeEndpoint") for each in found), *found]


RUNTIME_PERMISSIONS = RuntimePermissions(
    prefix="sagemaker",
    resources=_asked,
    denied=Refusal(code="AccessDeniedException", status=403),
)

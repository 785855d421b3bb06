"""SageMaker, plugged into the local AWS: the service, and the runtime that asks its endpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from werkzeug import Response

from local_aws.context import LocalContext
from local_aws.protocol.answers import request_id
from local_aws.protocol.call import Call
from local_aws.service import Action, Service
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from sagemaker_serving.local_sagemaker.endpoints.runtime import Answer, Runtime
from sagemaker_serving.local_sagemaker.engines.launch import Launch
from sagemaker_serving.local_sagemaker.policy import RUNTIME_PERMISSIONS


def services(
    context: LocalContext,
    changed: Callable[[str], None],
    *,
    launch: Launch | None = None,
    settings: Settings | None = None,
) -> tuple[Service, ...]:
    """SageMaker and its runtime, for the local AWS of ``context``.

    ``changed("sagemaker")`` is called when something has changed by itself; the rest is as
    `SageMaker` has it.
    """
    sagemaker = SageMaker(
        context, launch=launch, changed=partial(changed, "sagemaker"), settings=settings
    )
    return sagemaker, SageMakerRuntime(sagemaker.runtime)


class SageMakerRuntime(Service):
    """InvokeEndpoint and InvokeEndpointAsync; bodies pass as bytes and are never looked into."""

    name = "sagemaker-runtime"
    whole = True
    permissions = RUNTIME_PERMISSIONS

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def actions(self) -> Mapping[str, Action]:
        """What is offered: no answers in streams."""
        return {
            "InvokeEndpoint": partial(self._ask, self._runtime.invoke),
            "InvokeEndpointAsync": partial(self._ask, self._runtime.invoke_async),
        }

    def _ask(self, invoke: Callable[..., Answer], call: Call) -> Response:
        request = call.request
        assert request is not None
        answer = invoke(
            call.region,
            call.parameters["EndpointName"],
            headers=request.headers,
            body=self._runtime.read_body(request.stream, request.content_length),
        )
        return Response(answer.body, answer.status, headers=[*answer.headers, request_id()])

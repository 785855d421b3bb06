"""SageMaker, plugged into the local AWS: the service, and the runtime that asks its endpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from werkzeug import Response
from werkzeug.datastructures import Headers

from local_aws.authentication.events import EVENTS
from local_aws.context import LocalContext
from local_aws.protocol import AwsError, event_stream, openai_route
from local_aws.protocol.answers import request_id
from local_aws.protocol.call import Call
from local_aws.service import Action, Service
from sagemaker_serving.local_sagemaker.common.quotas import Quotas
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from sagemaker_serving.local_sagemaker.endpoints.response_stream import Stream
from sagemaker_serving.local_sagemaker.endpoints.runtime import Answer, Runtime
from sagemaker_serving.local_sagemaker.engines.launch import Launch
from sagemaker_serving.local_sagemaker.inference_routers.runtime import InferenceRouterRuntime
from sagemaker_serving.local_sagemaker.policy import RUNTIME_PERMISSIONS


def services(
    context: LocalContext,
    changed: Callable[[str], None],
    *,
    launch: Launch | None = None,
    settings: Settings | None = None,
) -> tuple[Service, ...]:
    """SageMaker, its runtimes and its quotas, for the local AWS of ``context``.

    ``changed("sagemaker")`` is called when something has changed by itself; the rest is as
    `SageMaker` has it.
    """
    sagemaker = SageMaker(
        context, launch=launch, changed=partial(changed, "sagemaker"), settings=settings
    )
    routers = InferenceRouterRuntime(context, sagemaker.store, sagemaker.routers, sagemaker.runtime)
    return (
        sagemaker,
        SageMakerRuntime(sagemaker.runtime),
        routers,
        Quotas(sagemaker.settings.quotas),
    )


class SageMakerRuntime(Service):
    """What asks endpoints; bodies pass as bytes and are never looked into."""

    name = "sagemaker-runtime"
    whole = True
    permissions = RUNTIME_PERMISSIONS

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def actions(self) -> Mapping[str, Action]:
        """What is offered."""
        return {
            "InvokeEndpoint": self._ask_once,
            "InvokeEndpointAsync": partial(self._ask, self._runtime.invoke_async),
            "InvokeEndpointWithBidirectionalStream": self._converse,
            "InvokeEndpointWithResponseStream": self._ask_for_parts,
        }

    def _ask(self, invoke: Callable[..., Answer], call: Call) -> Response:
        answer = invoke(*self._asked(call))
        return Response(answer.body, answer.status, headers=[*answer.headers, request_id()])

    def _ask_once(self, call: Call) -> Response:
        assert call.request is not None
        if openai_route(call.request.path) is None:
            return self._ask(self._runtime.invoke, call)
        region, endpoint, headers, body = self._asked(call)
        component = call.parameters.get("InferenceComponentName")
        answer = self._runtime.chat(region, endpoint, component, headers, body)
        if isinstance(answer, Stream):
            return _streamed(answer)
        return Response(answer.body, answer.status, headers=[*answer.headers, request_id()])

    def _ask_for_parts(self, call: Call) -> Response:
        return _streamed(self._runtime.stream(*self._asked(call)))

    def _converse(self, call: Call) -> Response:
        assert call.request is not None
        environ, endpoint = call.request.environ, call.parameters["EndpointName"]
        events = environ.get(EVENTS)
        if events is None or environ["SERVER_PROTOCOL"] != "HTTP/2.0":
            what = f"{call.operation} takes a stream of signed events over HTTP/2"
            raise AwsError("InputValidationError", what)
        return _streamed(
            self._runtime.converse(call.region, endpoint, call.request.headers, events)
        )

    def _asked(self, call: Call) -> tuple[str, str, Headers, bytes]:
        request = call.request
        assert request is not None
        body = self._runtime.read_body(request.stream, request.content_length)
        return call.region, call.parameters["EndpointName"], request.headers, body


def _streamed(stream: Stream) -> Response:
    headers = [*stream.headers, request_id()]
    return event_stream.streamed(stream.events, headers, close=stream.close)

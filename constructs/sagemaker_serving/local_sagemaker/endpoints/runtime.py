"""InvokeEndpoint: a request to an endpoint becomes one to a variant's server, and back.

InvokeEndpointWithResponseStream: the answer goes back as it comes. InvokeEndpointAsync: the request
becomes one of a queue's. The OpenAI route: the request goes to the container's own path of it.
InvokeEndpointWithBidirectionalStream: events go to the container's WebSocket and come from it.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import IO, Any

from werkzeug.datastructures import Headers

from local_aws.arn import arn_in
from local_aws.authentication.events import Event
from local_aws.protocol import AwsError
from local_aws.protocol.event_stream import CONTENT_TYPE
from sagemaker_serving.catalog.request_sizes import MIB, REAL_TIME
from sagemaker_serving.local_sagemaker.async_inference.request import read_async_request
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, Store
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer, NoAnswer, Part
from sagemaker_serving.local_sagemaker.endpoints.endpoints import Endpoints
from sagemaker_serving.local_sagemaker.endpoints.response_stream import Stream, chunks_of, events_of
from sagemaker_serving.local_sagemaker.endpoints.two_way_stream import (
    TALK_SECONDS,
    parts_of,
    path_in,
    two_way_events,
)
from sagemaker_serving.local_sagemaker.fleets.request_pipeline import RequestPipeline, Route
from sagemaker_serving.local_sagemaker.fleets.variant import Variant
from sagemaker_serving.local_sagemaker.hosting import Bare, Invocation, MultiModel, Serverless
from sagemaker_serving.log_groups import endpoint_log_group

TIMEOUT_SECONDS = 60.0
"""A model's time for one answer (SageMaker API reference, InvokeEndpoint)."""

STREAM_SECONDS = 480.0
"""A model's time for all parts of a streamed answer (SageMaker hosting FAQs: 8 minutes). Of the
time between two parts AWS says nothing: here it is that for an answer, after
which boto3's clients give up, too."""

_TO_THE_MODEL = (
    "Content-Type",
    "X-Amzn-SageMaker-Custom-Attributes",
    "X-Amzn-SageMaker-Inference-Id",
    "X-Amzn-SageMaker-Session-Id",
)
_FROM_THE_MODEL = (
    "X-Amzn-SageMaker-Custom-Attributes",
    "X-Amzn-SageMaker-New-Session-Id",
    "X-Amzn-SageMaker-Closed-Session-Id",
)
"""A container opens and closes sessions itself, and says so (botocore InvokeEndpoint;
aws/model-hosting-container-standards, docs/sagemaker/04_sticky_session_routing.md)."""
_TARGET_VARIANT = "X-Amzn-SageMaker-Target-Variant"
_TARGET_MODEL = "X-Amzn-SageMaker-Target-Model"
_COMPONENT = "X-Amzn-SageMaker-Inference-Component"
_CHAT_PATH = "/v1/chat/completions"
"""What a container of the OpenAI route must implement (SageMaker developer guide, "Invoke endpoints
with OpenAI-compatible APIs")."""

_NOT_FOLLOWED = (
    "X-Amzn-SageMaker-Target-Container-Hostname",
    "X-Amzn-SageMaker-Enable-Explanations",
)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What InvokeEndpoint answers: the model's bytes and the headers that go with them."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class ModelError(AwsError):
    """The model refused or failed a request: 424, with the model's own answer inside."""

    def __init__(self, message: str, *, members: Mapping[str, Any], status: int = 424) -> None:
        super().__init__("ModelError", message, status=status)
        self.original_status: int = members["OriginalStatusCode"]
        self.members = members
        """OriginalStatusCode, OriginalMessage and LogStreamArn, as the API has them."""


class Runtime:
    """Asks the variants of endpoints; bodies pass as bytes and are never looked into."""

    def __init__(
        self,
        store: Store,
        endpoints: Endpoints,
        pipeline: RequestPipeline,
        *,
        payload_mb: float | None = None,
    ) -> None:
        self.max_body_bytes = int(payload_mb * MIB) if payload_mb else REAL_TIME.most
        self._store = store
        self._endpoints = endpoints
        self._pipeline = pipeline

    def read_body(self, stream: IO[bytes], content_length: int | None) -> bytes:
        """A request's body; raises `AwsError` (413) above ``max_body_bytes``.

        The error is the one of aws/sagemaker-python-sdk#171.
        """
        if content_length is None or content_length <= self.max_body_bytes:
            body = stream.read(self.max_body_bytes + 1)
            if len(body) <= self.max_body_bytes:
                return body
        raise AwsError(
            "413", f"HTTP content length exceeded {self.max_body_bytes} bytes.", status=413
        )

    def invoke(self, region_name: str, endpoint: str, headers: Headers, body: bytes) -> Answer:
        """Ask the variant that the request names, or one by weight.

        Raises `AwsError`: ValidationError (400) for an endpoint or variant that
        does not serve; `ModelError` (424) for a model's 4xx and 5xx, and for no
        answer within `TIMEOUT_SECONDS`.
        """
        with self._asked(region_name, endpoint, headers, body) as (answer, variant):
            return Answer(
                status=answer.status,
                headers=[("Content-Type", _type_of(answer)), *_told(answer, variant)],
                body=answer.body,
            )

    def stream(self, region_name: str, endpoint: str, headers: Headers, body: bytes) -> Stream:
        """Ask as `invoke` does; returns when the first part of the answer is here.

        Raises as `invoke` does until then. What breaks off later is an event.
        """
        asked = self._asked(region_name, endpoint, headers, body, streamed=True)
        return _stream(asked, events_of, kind_header="X-Amzn-SageMaker-Content-Type")

    def chat(
        self,
        region_name: str,
        endpoint: str,
        component: str | None,
        headers: Headers,
        body: bytes,
    ) -> Answer | Stream:
        """The container's answer to a request of OpenAI's, as it is; in parts where it asks so.

        Raises as `invoke` does, but that a model's own status stays (stdapi.ai measured 400; of
        others it is unverified), and for a component in a header, which the route refuses.
        """
        if _COMPONENT in headers:
            what = f"{_COMPONENT} is not taken here; the path names the inference component"
            raise AwsError("ValidationError", what)
        if component is not None:
            headers = Headers([*headers, (_COMPONENT, component)])
        with ExitStack() as asked:
            streamed = _wants_a_stream(body)
            try:
                answer, variant = asked.enter_context(
                    self._asked(
                        region_name, endpoint, headers, body, streamed=streamed, path=_CHAT_PATH
                    )
                )
            except ModelError as failed:
                status = failed.original_status or failed.status
                raise ModelError(failed.message, members=failed.members, status=status) from None
            told = [("Content-Type", _type_of(answer)), *_told(answer, variant)]
            if answer.parts is None:
                return Answer(status=answer.status, headers=told, body=answer.body)
            parts = asked.enter_context(closing(answer.parts))
            return Stream(headers=told, events=chunks_of(parts), close=asked.pop_all().close)

    def converse(
        self, region_name: str, endpoint: str, headers: Headers, events: Iterable[Event]
    ) -> Stream:
        """Open a two-way stream to the container's WebSocket; returns when that is open.

        Raises as `invoke` does until then, and ValidationError where no WebSocket can be. What
        breaks off later is an event.
        """
        path = path_in(headers)
        sent = parts_of(events)
        asked = self._asked(
            region_name, endpoint, headers, b"", streamed=True, path=path, sent=sent
        )
        return _stream(asked, two_way_events)

    @contextmanager
    def _asked(
        self,
        region_name: str,
        endpoint: str,
        headers: Headers,
        body: bytes,
        *,
        streamed: bool = False,
        path: str = "/invocations",
        sent: Iterator[Part] | None = None,
    ) -> Iterator[tuple[ModelAnswer, Variant]]:
        """A model's 2XX and the variant that gives it, which is kept meanwhile."""
        _refuse_not_followed(headers)
        received = time.perf_counter()
        given = {name: headers[name] for name in _TO_THE_MODEL if name in headers}
        is_events = streamed and path != _CHAT_PATH
        operation = "InvokeEndpointWithResponseStream" if is_events else "InvokeEndpoint"
        seconds = STREAM_SECONDS
        if sent is not None:
            operation, seconds = "InvokeEndpointWithBidirectionalStream", TALK_SECONDS
        accept = headers.get("X-Amzn-SageMaker-Accept" if is_events else "Accept")
        region = self._store.region(region_name)
        component = headers.get(_COMPONENT)
        with (
            self._endpoints.route(region, endpoint, headers.get(_TARGET_VARIANT))
            if component is None
            else self._endpoints.components.route(region, endpoint, component)
        ) as route:
            _refuse_wrong_kind(route, headers, streamed=streamed)
            if sent is not None:
                _refuse_without_web_socket(route)
            invocation = Invocation(
                body=body,
                headers=given if accept is None else {**given, "Accept": accept},
                timeout_seconds=TIMEOUT_SECONDS,
                stream_seconds=seconds if streamed else None,
                target_model=headers.get(_TARGET_MODEL),
                path=path,
                sent=sent,
            )
            try:
                answer = self._pipeline.ask(
                    route, invocation, operation=operation, received=received
                )
            except NoAnswer as failed:
                raise _model_error(
                    region, endpoint, failed.container, 0, _why(failed, endpoint)
                ) from None
            if not 200 <= answer.status < 300:
                text = answer.body.decode("utf-8", "replace")
                raise _model_error(region, endpoint, answer.container, answer.status, text)
            yield answer, route.variant

    def invoke_async(
        self,
        region_name: str,
        endpoint: str,
        headers: Headers,
        body: bytes,
        *,
        output: Resource | None = None,
    ) -> Answer:
        """Take a request into the endpoint's queue; the answer says where to look for its own.

        ``output`` is a router's OutputConfig, in place of the endpoint's.

        Raises ValidationError for an endpoint that is none of asynchronous
        inference, and for a request that is none.
        """
        _refuse_not_followed(headers)
        region = self._store.region(region_name)
        queue, config = self._endpoints.queue(region, endpoint)
        if output is not None:
            config = {**config, "OutputConfig": output}
        request = read_async_request(endpoint, region, config, headers, body)
        queue.put(request)
        where = [("X-Amzn-SageMaker-OutputLocation", str(request.output))]
        if request.failure is not None:
            where.append(("X-Amzn-SageMaker-FailureLocation", str(request.failure)))
        content = json.dumps({"InferenceId": request.inference_id}).encode()
        return Answer(
            status=202, headers=[("Content-Type", "application/json"), *where], body=content
        )


def _stream(
    asked: AbstractContextManager[tuple[ModelAnswer, Variant]],
    events: Callable[[Iterable[bytes]], Iterator[bytes]],
    *,
    kind_header: str | None = None,
) -> Stream:
    """An answer as ``events`` of its parts; ``kind_header`` tells what the parts are of."""
    with ExitStack() as kept:
        answer, variant = kept.enter_context(asked)
        assert answer.parts is not None
        parts = kept.enter_context(closing(answer.parts))
        kind = [] if kind_header is None else [(kind_header, _type_of(answer))]
        return Stream(
            headers=[("Content-Type", CONTENT_TYPE), *kind, *_told(answer, variant)],
            events=events(parts),
            close=kept.pop_all().close,
        )


def _wants_a_stream(body: bytes) -> bool:
    try:
        asked = json.loads(body)
    except ValueError:
        return False  # the container says what is wrong with it
    return isinstance(asked, dict) and asked.get("stream") is True


def _refuse_not_followed(headers: Headers) -> None:
    for header in _NOT_FOLLOWED:
        if header in headers:
            raise AwsError("ValidationError", f"the local AWS does not offer {header} yet")


def _refuse_wrong_kind(route: Route, headers: Headers, *, streamed: bool) -> None:
    """What InvokeEndpoint says of a target model where there is none, and the other way round.

    (github.com/aws/amazon-sagemaker-examples/issues/1026 and
    github.com/aws/sagemaker-tensorflow-serving-container/issues/166; of asynchronous endpoints in
    words of our own.) Streams are documented for real-time endpoints alone, and their request has
    no target model (developer guide, "Invoke a serverless endpoint"; API reference); whether AWS
    refuses the others is unverified.
    """
    if isinstance(route.variant.host, Bare):
        return  # which says what is wrong itself
    if streamed and isinstance(route.variant.host, (MultiModel, Serverless)):
        kind = "multi-model" if isinstance(route.variant.host, MultiModel) else "serverless"
        raise AwsError(
            "ValidationError",
            f"Endpoint {route.endpoint} is a {kind} endpoint, which does not answer in streams; "
            "use InvokeEndpoint.",
        )
    is_multi, has_target = isinstance(route.variant.host, MultiModel), _TARGET_MODEL in headers
    if has_target and not is_multi:
        raise AwsError(
            "ValidationError",
            f"Endpoint {route.endpoint} is not a multi-model endpoint and does not support target "
            "model header.",
        )
    if is_multi and not has_target:
        raise AwsError(
            "ValidationError", f"Request {uuid.uuid4()} is missing a target model header."
        )
    if "AsyncInferenceConfig" in route.fleet.config:
        raise AwsError(
            "ValidationError",
            f"Endpoint {route.endpoint} is an asynchronous endpoint; use InvokeEndpointAsync.",
        )


def _refuse_without_web_socket(route: Route) -> None:
    """Of the programs that stand in for images only users' own open WebSockets.

    AWS goes by a label of the image; what it says of one without is unverified.
    """
    containers = route.variant.host.containers
    if isinstance(route.variant.host, Bare):
        return
    if len(containers) > 1:
        what = "is a pipeline, whose containers take no two-way streams here"
        raise AwsError("ValidationError", f"Endpoint {route.endpoint} {what}.")
    if not containers[0].may_open_web_sockets:
        image = containers[0].plan.container["Image"]
        raise AwsError(
            "ValidationError",
            f"the local AWS has nothing that opens a WebSocket in the place of image {image}; to "
            "say which program does, also while this runs: "
            "`local up --engine REPOSITORY=command:PROGRAM`",
        )


def _type_of(answer: ModelAnswer) -> str:
    return answer.headers.get("Content-Type", "application/octet-stream")


def _told(answer: ModelAnswer, variant: Variant) -> Iterator[tuple[str, str]]:
    yield "x-Amzn-Invoked-Production-Variant", variant.name
    yield from ((name, answer.headers[name]) for name in _FROM_THE_MODEL if name in answer.headers)


def _model_error(
    region: Region, endpoint: str, container: str, status: int, text: str
) -> ModelError:
    side = "client" if 400 <= status < 500 else "server"
    group = endpoint_log_group(endpoint)
    message = (
        f'Received {side} error ({status}) from {container} with message "{text}". See '
        f"https://{region.name}.console.aws.amazon.com/cloudwatch/home?region={region.name}"
        f"#logEventViewer:group={group} in account {region.account} for more information."
    )
    return ModelError(
        message,
        members={
            "OriginalStatusCode": status,
            "OriginalMessage": text,
            "LogStreamArn": arn_in(region.name, "logs", region.account, f"log-group:{group}"),
        },
    )


def _why(failed: NoAnswer, endpoint: str) -> str:
    if failed.timed_out:
        return (
            "Your invocation timed out while waiting for a response from container "
            f"{failed.container}. Review the latency metrics for each container in Amazon "
            "CloudWatch, resolve the issue, and try again."
        )
    return f"Amazon SageMaker could not get a response from the {endpoint} endpoint. ({failed})"

"""One asynchronous request, from its turn in the queue to its answer in S3."""

from __future__ import annotations

import time
from functools import partial

from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.async_inference.delivery import Delivery, DeliveryFailed
from sagemaker_serving.local_sagemaker.async_inference.request import AsyncRequest
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer, NoAnswer
from sagemaker_serving.local_sagemaker.fleets.request_pipeline import RequestPipeline, Route
from sagemaker_serving.local_sagemaker.hosting import Invocation
from sagemaker_serving.local_sagemaker.models.roles import role_client
from sagemaker_serving.local_sagemaker.observability.metrics import Metrics, Series


class AsyncWork:
    """Fetches, asks, writes and tells, all in the name of the model's role."""

    def __init__(
        self,
        context: LocalContext,
        *,
        metrics: Metrics,
        pipeline: RequestPipeline,
        settings: Settings,
    ) -> None:
        self._context = context
        self._metrics = metrics
        self._pipeline = pipeline
        self._settings = settings

    def is_expired(self, request: AsyncRequest) -> bool:
        """Whether a request has waited longer than its RequestTTLSeconds."""
        age = time.time() - request.received_at
        return age > self._settings.seconds(request.ttl_seconds)

    def do(self, request: AsyncRequest, route: Route) -> None:
        """Do a request whose turn it is."""
        delivery = self._delivery(route)
        expired = self.is_expired(request)
        waited = time.time() - request.received_at
        delivery.observe("TimeInBacklog", waited * 1e6, "Microseconds")
        answer: ModelAnswer | None = None
        try:
            if expired:
                delivery.observe("ExpiredRequests", 1, "Count")
                raise DeliveryFailed(
                    "ClientError: The request expired before it was processed; its "
                    f"RequestTTLSeconds is {request.ttl_seconds:g}."
                )
            answer = self._ask(route, request, delivery.fetch(request))
            if not 200 <= answer.status < 300:
                side = "client" if answer.status < 500 else "server"
                failed = answer
                raise DeliveryFailed(
                    f"ClientError: Received {side} error ({failed.status}) from "
                    f"{failed.container}. See the SageMaker Endpoint logs in your account for "
                    "more information."
                )
            delivery.succeed(request, answer)
        except DeliveryFailed as reason:
            is_the_models = answer is not None and not 200 <= answer.status < 300
            delivery.fail(request, str(reason), answer if is_the_models else None)
        delivery.observe("InvocationsProcessed", 1, "Count")
        took = time.time() - request.received_at
        delivery.observe("TotalProcessingTime", took * 1e3, "Milliseconds")

    def _ask(self, route: Route, request: AsyncRequest, body: bytes) -> ModelAnswer:
        invocation = Invocation(
            body=body, headers=request.headers, timeout_seconds=request.timeout_seconds
        )
        try:
            return self._pipeline.ask(
                route,
                invocation,
                operation="InvokeEndpointAsync",
                received=time.perf_counter(),
            )
        except NoAnswer as failed:
            if failed.timed_out:
                raise DeliveryFailed(
                    f"ClientError: Your invocation timed out while waiting for a response from "
                    f"container {failed.container}; its InvocationTimeoutSeconds is "
                    f"{request.timeout_seconds:g}."
                ) from None
            raise DeliveryFailed(
                f"ClientError: No response from {failed.container}. ({failed})"
            ) from None
        except AwsError as refused:
            raise DeliveryFailed(f"ClientError: {refused.message}") from None

    def _delivery(self, route: Route) -> Delivery:
        role, region = route.variant.role_arn, route.region
        dimensions = (("EndpointName", route.endpoint), ("VariantName", route.variant.name))

        def observe(name: str, value: float, unit: str) -> None:
            self._metrics.observe(
                Series(region=region, dimensions=dimensions, name=name, unit=unit), value
            )

        return Delivery(
            config=route.fleet.config["AsyncInferenceConfig"],
            region=region,
            client=partial(_client, self._context, role, region),
            observe=observe,
        )


def _client(context: LocalContext, role: str | None, region: str, service: str) -> object:
    return role_client(context, role, service, region)

"""One request to a variant: asked, counted, copied to a shadow variant, captured."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Generator
from contextlib import closing
from dataclasses import dataclass, replace

from local_aws.faults import Faults
from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.containers.faulty_answers import ask_through
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer, NoAnswer
from sagemaker_serving.local_sagemaker.fleets.capture import Payload
from sagemaker_serving.local_sagemaker.fleets.fleet import Fleet
from sagemaker_serving.local_sagemaker.fleets.variant import Variant
from sagemaker_serving.local_sagemaker.hosting import Invocation
from sagemaker_serving.local_sagemaker.observability.metric_counts import (
    ASYNCHRONOUS,
    REAL_TIME,
    SERVERLESS,
)
from sagemaker_serving.local_sagemaker.observability.metrics import Metrics

INFERENCE_ID = "X-Amzn-SageMaker-Inference-Id"
_ADAPTER = "X-Amzn-SageMaker-Adapter-Identifier"
"""Tells a container which adapter answers (aws/model-hosting-container-standards,
sagemaker/lora/constants.py)."""


@dataclass(frozen=True, kw_only=True)
class Route:
    """Where a request goes: a variant of a fleet, both kept until it is answered."""

    region: str
    endpoint: str
    fleet: Fleet
    variant: Variant
    adapter: str | None = None
    """The adapter of the variant's model that is to answer."""


class RequestPipeline:
    """Asks variants, with the faults that users have set in between."""

    def __init__(self, metrics: Metrics, faults: Faults) -> None:
        self._metrics = metrics
        self._faults = faults

    def ask(
        self, route: Route, invocation: Invocation, *, operation: str, received: float
    ) -> ModelAnswer:
        """The model's answer, whatever its status; ``received`` is when the request came.

        A copy goes to a shadow variant, by its weight; what that says is
        dropped. A 2XX is captured, where the endpoint captures, but for a
        streamed one, of which AWS says nothing. Neither is done of a two-way stream.
        Raises `NoAnswer`, and the host's `AwsError`, which counts in no metric.
        """
        if route.adapter is not None:
            headers = {**invocation.headers, _ADAPTER: route.adapter}
            invocation = replace(invocation, headers=headers)
        is_copied = invocation.sent is None
        shadow = route.fleet.pick_shadow(route.variant) if is_copied else None
        if shadow is not None:
            copy = replace(route, variant=shadow)
            whole = replace(invocation, stream_seconds=None)
            threading.Thread(
                target=self._ask_shadow, args=(copy, whole, operation), daemon=True
            ).start()
        answer = self._ask_counted(route, invocation, operation, received)
        is_captured = answer.parts is None and 200 <= answer.status < 300
        if route.fleet.capture is not None and is_captured:
            route.fleet.capture.offer(
                route.variant.name,
                route.variant.role_arn,
                request=Payload(
                    body=invocation.body, content_type=invocation.headers.get("Content-Type")
                ),
                answer=Payload(body=answer.body, content_type=answer.headers.get("Content-Type")),
                inference_id=invocation.headers.get(INFERENCE_ID),
            )
        return answer

    def _ask_shadow(self, route: Route, invocation: Invocation, operation: str) -> None:
        try:
            self._ask_counted(route, invocation, operation, time.perf_counter())
        except (NoAnswer, AwsError):
            pass  # its metrics tell
        finally:
            route.fleet.release(route.variant)

    def _ask_counted(
        self, route: Route, invocation: Invocation, operation: str, received: float
    ) -> ModelAnswer:
        variant, concurrent, asked = route.variant, route.variant.in_flight, time.perf_counter()

        component = route.adapter or route.fleet.config.get("InferenceComponentName")

        def count(status: int, waited: float) -> None:
            self._metrics.record(
                route.region,
                route.endpoint,
                variant.name,
                status=status,
                model_seconds=time.perf_counter() - asked - waited,
                overhead_seconds=asked - received + waited,
                instance_count=variant.instance_count,
                concurrent=concurrent,
                published=_published(route),
                component=component,
                config=route.fleet.config_name if component is None else None,
            )

        try:
            answer = ask_through(
                self._faults,
                lambda seconds: variant.ask(replace(invocation, timeout_seconds=seconds)),
                operation=operation,
                names=(route.endpoint, variant.name),
                timeout_seconds=invocation.timeout_seconds,
                kill=variant.host.kill,
            )
        except NoAnswer:
            count(0, 0.0)
            raise
        if answer.parts is not None:
            return replace(answer, parts=_counted(answer, answer.parts, count))
        count(answer.status, answer.waited_seconds)
        return answer


def _counted(
    answer: ModelAnswer, parts: Generator[bytes], count: Callable[[int, float], None]
) -> Generator[bytes]:
    """The parts of an answer that counts at its end: as no answer, where they break off."""
    status = answer.status
    try:
        with closing(parts):
            yield from parts
    except NoAnswer:
        status = 0
        raise
    finally:
        count(status, answer.waited_seconds)


def _published(route: Route) -> Collection[str]:
    if route.variant.serverless is not None:
        return SERVERLESS
    return ASYNCHRONOUS if "AsyncInferenceConfig" in route.fleet.config else REAL_TIME

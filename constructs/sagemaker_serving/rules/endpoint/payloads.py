"""Rules on the size of requests and the time for an answer."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.catalog.request_sizes import REAL_TIME, SERVERLESS
from sagemaker_serving.rules.container.variables import is_read
from sagemaker_serving.rules.engine import Finding, warning
from sagemaker_serving.rules.facts import ContainerFacts, Fact, VariantFacts
from sagemaker_serving.rules.facts.numbers import whole_number

_SIZES = (
    "botocore InvokeEndpoint.Body (6291456 bytes), AWS hosting FAQ (25 MB), serverless endpoints "
    "(4 MB)"
)
_TIMES = "AWS SageMaker Runtime InvokeEndpoint, 60 seconds"
_SIZE_VARIABLES = ("MMS_MAX_REQUEST_SIZE", "TS_MAX_REQUEST_SIZE", "SAGEMAKER_MAX_REQUEST_SIZE")
_TIME_VARIABLES = (
    "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS",
    "SAGEMAKER_NGINX_PROXY_READ_TIMEOUT_SECONDS",
)
"""Those for an answer alone. The response time-outs of TorchServe, MMS and their toolkits hold for
loading the model, too, which may take minutes (pytorch/serve#2452, aws/sagemaker-python-sdk#2574).
"""


@warning(source=_SIZES, example='environment: {MMS_MAX_REQUEST_SIZE: "20000000"}')
def payload_size(variant: VariantFacts) -> Iterator[Finding]:
    """A server is not set up for requests that SageMaker never lets through to it.

    AWS documents 25 MB for InvokeEndpoint in its hosting FAQ; its service model has 6 MB, and 5 MB
    was the limit once. So this warns above 6 MB, and above 4 MB for a serverless variant.
    Asynchronous inference takes 1 GB, batch transform 100 MB.
    """
    for container in variant.containers:
        for fact in _set(container, _SIZE_VARIABLES):
            size = _number(fact)
            if size is None:
                continue
            if variant.is_serverless and size > SERVERLESS.most:
                why = "a serverless variant gets at most 4 MB"
            elif size > REAL_TIME.split and not variant.asynchronous:
                why = REAL_TIME.documented
            else:
                continue
            yield fact.says(
                f"is {fact.value}; {why}; larger inputs go to asynchronous inference or batch "
                "transform"
            )


@warning(source=_TIMES, example="server: {gunicorn_timeout_seconds: 300}")
def answer_time(variant: VariantFacts) -> Iterator[Finding]:
    """A real-time server does not wait longer than its caller may.

    InvokeEndpoint ends after 60 seconds; a later answer is lost.
    """
    if variant.asynchronous:
        return
    for container in variant.containers:
        typed = container.server.get("gunicorn_timeout_seconds")
        facts = [*_set(container, _TIME_VARIABLES), *([typed] if typed is not None else [])]
        for fact in facts:
            seconds = _number(fact)
            if seconds is not None and seconds > 60:
                yield fact.says(
                    f"is {fact.value}; InvokeEndpoint waits 60 seconds for an answer; use at most "
                    "60, or asynchronous inference, which waits an hour"
                )


def _set(container: ContainerFacts, names: tuple[str, ...]) -> Iterator[Fact]:
    for name in names:
        fact = container.environment.get(name)
        if fact is not None and is_read(name, container):
            yield fact


def _number(fact: Fact) -> float | None:
    return fact.number if fact.text is None else whole_number(fact.text)

"""Sending the requests, variant after variant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from local_aws.suggest import instead
from sagemaker_serving.answers.differences import largest_difference, number_of
from sagemaker_serving.client.aws import Aws
from sagemaker_serving.client.decoding import decoded
from sagemaker_serving.client.endpoint_facts import look_up
from sagemaker_serving.client.in_order import threads
from sagemaker_serving.client.options import Limits
from sagemaker_serving.client.prediction import Prediction
from sagemaker_serving.client.predictor import Predictor
from sagemaker_serving.client.retrying import Retries
from sagemaker_serving.errors import Failure, Mistake, ModelFailed, NotFound
from sagemaker_serving.operations.bench.inputs import BenchInput
from sagemaker_serving.operations.bench.load import load
from sagemaker_serving.operations.bench.report import BenchReport, InputDifference, VariantReport
from sagemaker_serving.progress import Progress


def bench(
    endpoint: str,
    inputs: Sequence[BenchInput],
    *,
    aws: Aws | None = None,
    variants: Sequence[str] | None = None,
    requests: int = 200,
    concurrency: int = 8,
    accept: str | None = None,
    progress: Progress | None = None,
) -> BenchReport:
    """Send ``requests`` requests to each variant, ``concurrency`` at a time, and compare.

    Inputs are taken in turn, so that every variant is sent the same. Variants (default: all
    of the endpoint's) are measured one after another, each after one request for each connection
    that does not count. boto3 tries throttled requests again, within the time that is measured;
    a model that is not ready is an error here.

    Every answer is held against the first variant's first answer to the same input, number
    by number, after the time is taken. The distinct answers of a variant are kept in memory
    until then. ``progress`` is told of every request that has ended.

    Raises `NotFound` for an unknown endpoint or variant and `Mistake` when there is nothing to
    send; what fails afterwards is counted.
    """
    if not inputs:
        raise Mistake("there is nothing to send")
    for name, value in (("requests", requests), ("concurrency", concurrency)):
        if value < 1:
            raise Mistake(f"{name} is {value}; it is at least 1")
    aws = aws if aws is not None else Aws()
    chosen = _variants(endpoint, aws, variants)
    references: dict[int, tuple[str, Any]] = {}
    reports: list[VariantReport] = []

    def ended(count: int) -> None:
        if progress is not None:
            progress(len(reports) * requests + count, len(chosen) * requests)

    limits, once = Limits(concurrency=concurrency), Retries(deadline_seconds=0)
    with Predictor(endpoint, aws, limits=limits, retries=once) as predictor:
        for variant in chosen:
            one = _Run(predictor, inputs, variant, accept, ended)
            one.warm_up(concurrency)
            measured = one.measure(requests, concurrency)
            reports.append(one.compared(measured, references))
    return BenchReport(
        endpoint=endpoint, requests=requests, concurrency=concurrency, variants=reports
    )


@dataclass
class _Run:
    """One variant's requests, and what came of them."""

    predictor: Predictor
    inputs: Sequence[BenchInput]
    variant: str
    accept: str | None
    progress: Callable[[int], None]
    ended: int = 0
    answers: dict[int, dict[bytes, Prediction]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def warm_up(self, concurrency: int) -> None:
        """A request on every connection that does not count; raises what is no model's error."""

        def ask(number: int) -> None:
            with suppress(ModelFailed, Failure):
                self._invoke(number)

        with threads(concurrency) as pool:
            list(pool.map(ask, range(concurrency)))

    def measure(self, requests: int, concurrency: int) -> VariantReport:
        """Send them all, and keep the answers."""
        return load(
            self.variant,
            lambda: self._send,
            callers=concurrency,
            more=lambda number: number < requests,
        )

    def compared(
        self, measured: VariantReport, references: dict[int, tuple[str, Any]]
    ) -> VariantReport:
        """The figures, and what differs; fills in the references that are missing."""
        largest: InputDifference | None = None
        own: InputDifference | None = None
        compared = 0
        for index, different in sorted(self.answers.items()):
            first, *others = (_value(answer) for answer in different.values())
            reference, value = references.setdefault(index, (self.variant, first))
            name = self.inputs[index].name
            for other in others:
                own = _larger(own, self.variant, name, first, other)
            if reference != self.variant:
                for found in (first, *others):
                    compared += 1
                    largest = _larger(largest, reference, name, value, found)
        return replace(measured, compared=compared, difference=largest, own_difference=own)

    def _send(self, number: int) -> float:
        try:
            answer = self._invoke(number)
            with self._lock:
                different = self.answers.setdefault(number % len(self.inputs), {})
                different.setdefault(answer.body, answer)
            return answer.seconds
        finally:
            with self._lock:
                self.ended += 1
                self.progress(self.ended)

    def _invoke(self, number: int) -> Prediction:
        given = self.inputs[number % len(self.inputs)]
        return self.predictor.invoke(
            given.body,
            content_type=given.content_type,
            accept=self.accept,
            target_variant=self.variant,
        )


def _variants(endpoint: str, aws: Aws, asked: Sequence[str] | None) -> Sequence[str]:
    there = look_up(aws, endpoint).variants
    if asked is None:
        if not there:
            raise NotFound(
                f"{endpoint} has no variants that can be seen: there is no such endpoint in "
                f"{aws.client('sagemaker').meta.region_name}, or "
                "sagemaker:DescribeEndpoint is not permitted; give --variants"
            )
        return there
    for name in asked:
        if there and name not in there:
            raise NotFound(f"{endpoint} has no variant {name!r}; {instead(name, there)}")
    return list(dict.fromkeys(asked))


def _value(answer: Prediction) -> Any:
    """An answer as numbers; its bytes when it is not what its content type says."""
    try:
        value = decoded(answer)
    except Failure:
        return answer.body
    is_csv = answer.content_type.partition(";")[0].strip().lower() == "text/csv"
    return [[number_of(field) for field in row] for row in value] if is_csv else value


def _larger(
    known: InputDifference | None, baseline: str, name: str, expected: Any, found: Any
) -> InputDifference | None:
    difference = largest_difference(expected, found)
    if difference is None or (known is not None and known.difference.size >= difference.size):
        return known
    return InputDifference(baseline=baseline, input=name, difference=difference)

"""Requests on their way to one endpoint: checked, routed, many at once."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

from sagemaker_serving.catalog.request_sizes import ASYNCHRONOUS, SERVERLESS, PayloadLimits
from sagemaker_serving.client import asynchronous, streaming
from sagemaker_serving.client.asynchronous import AsyncInference
from sagemaker_serving.client.aws import Aws
from sagemaker_serving.client.calling import Caller
from sagemaker_serving.client.endpoint_facts import EndpointFacts, look_up
from sagemaker_serving.client.in_order import in_order
from sagemaker_serving.client.options import AsyncRequests
from sagemaker_serving.client.pace import Pace
from sagemaker_serving.client.payload import Batch, Piece, written
from sagemaker_serving.client.payload.batch import too_large
from sagemaker_serving.client.prediction import Prediction
from sagemaker_serving.client.retrying import Retries
from sagemaker_serving.client.rows import rows_in
from sagemaker_serving.client.runtime_errors import about_records
from sagemaker_serving.errors import ReportedError

T = TypeVar("T")

_AHEAD = 4
"""Answers for each thread that may wait to be taken."""


class Sender:
    """Sends to ``endpoint_name`` from ``concurrency`` threads; see `Predictor` for the rest."""

    def __init__(
        self,
        endpoint_name: str,
        aws: Aws,
        *,
        concurrency: int,
        retries: Retries,
        async_requests: AsyncRequests,
        facts: EndpointFacts | None,
        on_prediction: Callable[[Prediction], None] | None,
    ) -> None:
        self.endpoint_name = endpoint_name
        self.client = aws.client("sagemaker-runtime", connections=concurrency)
        self._aws = aws
        self._concurrency = concurrency
        self._caller = Caller(self.client, retries)
        self._given_facts = facts
        self._async_requests = async_requests
        self._on_prediction = on_prediction

    @cached_property
    def facts(self) -> EndpointFacts:
        """What is known of the endpoint, which is asked once."""
        given = self._given_facts
        return given if given is not None else look_up(self._aws, self.endpoint_name)

    @property
    def pace(self) -> Pace:
        """How many requests may be under way, and how many were refused."""
        return self._caller.pace

    def limits(self, variant: str | None) -> PayloadLimits:
        """What a request may have: more where it may go by way of S3."""
        limits = self.facts.limits(variant)
        if self._async_requests.upload_to is not None and self.facts.asynchronous is not False:
            return replace(limits, most=ASYNCHRONOUS.most)
        return limits

    def one(self, members: Mapping[str, Any], body: bytes) -> Prediction:
        """The answer to ``body``. Raises `Mistake` before a body is sent that is too large."""
        if len(body) > SERVERLESS.most:  # smaller ones every endpoint takes, whatever it is
            limits = self.limits(members.get("TargetVariant"))
            if len(body) > limits.most:
                raise too_large("the body", len(body), limits)
        return self._told(self._send(members, body))

    def counted(self, members: Mapping[str, Any], body: bytes) -> Prediction:
        """`one`, with the rows that ``body`` says it has."""
        rows = rows_in(body, members["ContentType"])
        return replace(self.one(members, body), rows=rows)

    def all(
        self, batch: Batch, members: Mapping[str, Any], most_records: int | None
    ) -> Iterator[Prediction]:
        """The answers to the requests that ``batch`` is cut into, in order."""
        limits = self.limits(members.get("TargetVariant"))
        pieces = written(batch.pieces(limits, most_records=most_records))

        def send(piece: Piece) -> Prediction:
            return self.piece(piece, members, of=batch.records)

        return map(send, pieces) if batch.records == 1 else self.in_threads(send, pieces)

    def in_threads(
        self, work: Callable[[T], Prediction], items: Iterable[T], *, endless: bool = False
    ) -> Iterator[Prediction]:
        """``work`` of ``items`` in the threads, in order; see `in_order`."""
        return in_order(
            work,
            items,
            executor=self.pool,
            at_once=self._concurrency,
            ahead=_AHEAD * self._concurrency if endless else None,
        )

    def piece(self, piece: Piece, members: Mapping[str, Any], *, of: int | None) -> Prediction:
        """The answer to one of the requests of a batch of so many records, None: without end."""
        try:
            sent = self._send({**members, "ContentType": piece.content_type}, piece.body)
        except ReportedError as error:
            raise about_records(error, piece.first, piece.count, of) from None
        rows = rows_in(piece.body, piece.content_type) if piece.rows is None else piece.rows
        return self._told(replace(sent, first=piece.first, records=piece.count, rows=rows))

    def submit(self, members: Mapping[str, Any], body: bytes) -> AsyncInference:
        """Hands a request in at an asynchronous endpoint."""
        return self._caller.attempt(
            lambda: asynchronous.submit(
                self.client,
                self._s3,
                members=members,
                body=body,
                upload_to=self._async_requests.upload_to,
            ),
            self.endpoint_name,
        )[0]

    def stream(self, members: Mapping[str, Any], body: bytes) -> Generator[bytes]:
        """The parts of a streamed answer, as they come; it returns when the first one is here."""

        def events() -> Any:
            return self.client.invoke_endpoint_with_response_stream(**members, Body=body)["Body"]

        name = self.endpoint_name
        (first, others), _, _ = self._caller.attempt(lambda: streaming.begun(events, name), name)
        return streaming.handed_on(first, others, name)

    @cached_property
    def pool(self) -> ThreadPoolExecutor:
        """The threads that send."""
        return ThreadPoolExecutor(self._concurrency, thread_name_prefix=self.endpoint_name)

    def close(self, *, wait: bool = True) -> None:
        """Ends waits and threads; with ``wait`` requests that are under way are waited for."""
        self._caller.close()
        if "pool" in self.__dict__:
            self.pool.shutdown(wait=wait, cancel_futures=True)
        self.client.close()

    @cached_property
    def _s3(self) -> Any:
        return self._aws.client("s3", connections=self._concurrency)

    def _send(self, members: Mapping[str, Any], body: bytes) -> Prediction:
        if self._goes_by_s3(members, len(body)):
            seconds = self._async_requests.deadline_seconds
            return self.submit(members, body).result(deadline_seconds=seconds)
        return self._caller.invoke(members, body)

    def _goes_by_s3(self, members: Mapping[str, Any], size: int) -> bool:
        facts = self._given_facts if "facts" not in self.__dict__ else self.facts
        if facts is not None and facts.asynchronous is not None:
            return facts.asynchronous
        if self._async_requests.upload_to is None or size <= SERVERLESS.most:
            return False
        return size > self.facts.limits(members.get("TargetVariant")).most

    def _told(self, prediction: Prediction) -> Prediction:
        if self._on_prediction is not None:
            self._on_prediction(prediction)
        return prediction

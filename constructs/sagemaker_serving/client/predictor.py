"""Calls an endpoint, whoever made it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from types import TracebackType
from typing import Any, Never, Self

from sagemaker_serving.client import openai_route
from sagemaker_serving.client.asynchronous import AsyncInference
from sagemaker_serving.client.aws import Aws
from sagemaker_serving.client.calling import must_be_attributes
from sagemaker_serving.client.deserializers import Deserializer
from sagemaker_serving.client.endpoint_facts import EndpointFacts
from sagemaker_serving.client.joining import joined
from sagemaker_serving.client.model_facts import model_facts
from sagemaker_serving.client.options import AsyncRequests, Limits, Model, refuse_of_the_sdk
from sagemaker_serving.client.payload import Batch, Encoding, ModelFacts
from sagemaker_serving.client.payload.images import JSON, Accepted, accepted_by
from sagemaker_serving.client.prediction import Prediction
from sagemaker_serving.client.retrying import Retries
from sagemaker_serving.client.rows import must_have_rows
from sagemaker_serving.client.runtime_errors import about_records
from sagemaker_serving.client.sending import Sender
from sagemaker_serving.client.serializers import Serializer
from sagemaker_serving.client.translation import Members, Translation
from sagemaker_serving.errors import Mistake, ReportedError


class Predictor:
    """One endpoint, ready to be called, from one thread or from many.

    `predict` takes data and returns the model's answer as a value: it chooses
    the densest encoding that the model accepts, cuts batches into requests that
    fit, sends them at the same time, and joins the answers in order. `invoke`
    sends one body as it is. Use it as a context manager, or `close` it.

    :param endpoint_name: an endpoint of this account and region.
    :param aws: where it is; by default the AWS of the shell.
    :param serializer: writes the data of `predict` into one request, as
        SageMaker SDK v2's Predictor does; by default the encoding is chosen.
    :param deserializer: reads answers; by default their content type decides.
    :param component_name: the inference component to ask.
    :param local: it is of the local AWS that runs in this folder: see `Aws.local`.
    :param model: which model of a container with several, and what is known of it beforehand.
    :param limits: requests at the same time (default 8), and records in one (default: what fits).
    :param retries: how long a model that is not ready is waited for (default 120 s).
    :param async_requests: where large requests to an asynchronous endpoint are put, and how long
        their answers are waited for (default 900 s).
    :param facts: what is known of the endpoint; by default it is asked once, where permitted.
    :param on_prediction: is told every `Prediction` with its timings, as it comes, by the
        thread that sent the request.

    Raises `Mistake` for a keyword of SageMaker SDK's Predictor that is another one here.
    """

    def __init__(
        self,
        endpoint_name: str,
        aws: Aws | None = None,
        serializer: Serializer | None = None,
        deserializer: Deserializer | None = None,
        component_name: str | None = None,
        *,
        local: bool = False,
        model: Model = Model(),
        limits: Limits = Limits(),
        retries: Retries = Retries(),
        async_requests: AsyncRequests = AsyncRequests(),
        facts: EndpointFacts | None = None,
        on_prediction: Callable[[Prediction], None] | None = None,
        **of_the_sdk: Never,
    ) -> None:
        refuse_of_the_sdk(type(self).__name__, of_the_sdk)
        self.endpoint_name = endpoint_name
        self.component_name = component_name
        self._translation = Translation(
            serializer, deserializer, lambda: self.model, lambda: self.facts.image()
        )
        self._asked_model = model
        self._records_per_request = limits.records_per_request
        if local and aws is not None:
            raise Mistake("give either aws or local")
        self._aws = Aws.local(endpoint_name) if local else aws if aws is not None else Aws()
        self._sender = Sender(
            endpoint_name,
            self._aws,
            concurrency=limits.concurrency,
            retries=retries,
            async_requests=async_requests,
            facts=facts,
            on_prediction=on_prediction,
        )

    def invoke(
        self,
        body: bytes | str,
        *,
        content_type: str = JSON,
        accept: str | None = None,
        target_model: str | None = None,
        target_variant: str | None = None,
        inference_id: str | None = None,
        custom_attributes: str | None = None,
        component_name: str | None = None,
        session_id: str | None = None,
        prefix_aware_id: str | None = None,
    ) -> Prediction:
        """Sends one request with ``body`` as it is, and returns the model's answer as it is.

        ``session_id`` is ``NEW_SESSION``, or that of a session that a container keeps, such as
        AWS's vLLM image with ``SAGEMAKER_ENABLE_STATEFUL_SESSIONS``: the answer says which it
        opened or closed. ``prefix_aware_id`` tells applications apart whose requests begin alike,
        where ``routing_strategy`` is PREFIX_AWARE. `predict` and `stream` take them as
        ``{"SessionId": …}`` and ``{"PrefixAwareId": …}``.
        ``body`` is at most 25 MB (serverless: 4 MB); AWS answers within 60 s.
        Raises `NotFound` for an unknown endpoint or variant, `ModelFailed` with
        the model's own words and its log when it refuses, `Mistake` for a body
        that is too large, `Failure` when AWS fails or the model is not ready in time.
        """
        members = self._members(
            None,
            ContentType=content_type,
            Accept=accept,
            TargetModel=target_model,
            TargetVariant=target_variant,
            InferenceId=inference_id,
            CustomAttributes=custom_attributes,
            InferenceComponentName=component_name,
            SessionId=session_id,
            PrefixAwareId=prefix_aware_id,
        )
        return self._sender.one(members, body.encode() if isinstance(body, str) else body)

    def predict(
        self,
        data: Any,
        initial_args: Mapping[str, Any] | None = None,
        target_model: str | None = None,
        target_variant: str | None = None,
        inference_id: str | None = None,
        custom_attributes: str | None = None,
        component_name: str | None = None,
        *,
        encoding: Encoding | None = None,
        content_type: str | None = None,
        accept: str | None = None,
    ) -> Any:
        """The model's answer to ``data``: one value, whatever number of requests it takes.

        What ``data`` may be, see `batch_of`. A list of numbers is a batch of that many records:
        ``{"instances": [1.0, 2.0]}``. SageMaker SDK sends ``[1.0, 2.0]``, of which TensorFlow's
        container makes one record, ``{"instances": [[1.0, 2.0]]}``; write ``[[1.0, 2.0]]`` for
        it, or give a `JSONSerializer`. Answers to a batch are joined as if
        it had been one request (``{"predictions": […]}``); a list of files or
        bytes gets a list, one answer each. ``encoding`` and ``content_type``
        override the choice; ``initial_args`` are boto3's own, by name. With a
        serializer everything is as in SageMaker SDK v2: one request, its bytes.

        Raises as `invoke` does, and `Mistake` before anything is sent for data
        that cannot be written, is empty, does not fit the model's signature, or
        has a record that no request can carry. An error in the middle of a
        batch names the records that it is about; nothing more is sent then.
        """
        members = self._members(
            initial_args,
            ContentType=content_type,
            Accept=accept,
            TargetModel=target_model,
            TargetVariant=target_variant,
            InferenceId=inference_id,
            CustomAttributes=custom_attributes,
            InferenceComponentName=component_name,
        )
        words = self._translation
        if words.serializer is not None:
            return words.value(self._sender.counted(*words.serialized(data, members)))
        batch, members = words.batch(data, members, encoding)
        most = self._most_records(batch, members.get("TargetVariant"))
        sent = self._sender.all(batch, members, most)
        answers = [self._value(prediction, batch.records) for prediction in sent]
        if batch.joining == "one":
            return answers[0]
        if batch.joining == "list":
            return answers
        answer = joined(answers)
        if len(answers) > 1:  # a deserializer makes what it likes of one
            must_have_rows(answer, batch.records)
        return answer

    def predict_each(
        self,
        items: Iterable[Any],
        initial_args: Mapping[str, Any] | None = None,
        *,
        encoding: Encoding | None = None,
        content_type: str | None = None,
        accept: str | None = None,
        target_variant: str | None = None,
    ) -> Iterator[Prediction]:
        """The answers to ``items``, each in a request of its own, in order, as they come.

        ``items`` may go on without end: they are taken as threads get free, and
        no more than four answers for each thread wait to be taken.
        """
        members = self._members(
            initial_args, ContentType=content_type, Accept=accept, TargetVariant=target_variant
        )

        def send(numbered: tuple[int, Any]) -> Prediction:
            index, item = numbered
            limits = self._sender.limits(members.get("TargetVariant"))
            piece, given = self._translation.whole(item, members, encoding, limits)
            return self._sender.piece(replace(piece, first=index, count=1), given, of=None)

        return self._sender.in_threads(send, enumerate(items), endless=True)

    def stream(
        self,
        data: Any,
        initial_args: Mapping[str, Any] | None = None,
        target_variant: str | None = None,
        inference_id: str | None = None,
        custom_attributes: str | None = None,
        component_name: str | None = None,
        target_container_hostname: str | None = None,
        *,
        encoding: Encoding | None = None,
        content_type: str | None = None,
        accept: str | None = None,
    ) -> Generator[bytes]:
        """The model's answer in the parts that it comes in; `lines` makes lines of them.

        It returns when the first part is here. The container must stream; AWS gives it
        8 minutes. Options are `predict`'s. Closing the iterator closes the connection.
        Raises as `predict` does, and while it is read `ModelFailed` and `Failure` for
        what breaks it off; they say how many bytes had come.
        """
        members = self._members(
            initial_args,
            ContentType=content_type,
            Accept=accept,
            TargetVariant=target_variant,
            InferenceId=inference_id,
            CustomAttributes=custom_attributes,
            InferenceComponentName=component_name,
            TargetContainerHostname=target_container_hostname,
        )
        return self._sender.stream(*self._one(data, members, encoding))

    def submit(
        self,
        data: Any,
        initial_args: Mapping[str, Any] | None = None,
        *,
        inference_id: str | None = None,
        custom_attributes: str | None = None,
        filename: str | None = None,
        s3_output_path_extension: str | None = None,
        request_ttl_seconds: int | None = None,
        invocation_timeout_seconds: int | None = None,
        encoding: Encoding | None = None,
    ) -> AsyncInference:
        """Hands ``data`` in at an asynchronous endpoint; the answer is `AsyncInference.result`.

        The answer lies below the endpoint's output path, at ``s3_output_path_extension`` and
        ``filename`` where these are given (up to 512 and 32 characters), else by its inference
        id. It may wait for ``request_ttl_seconds`` (60 to 21600, SageMaker's default 21600) and
        be worked on for ``invocation_timeout_seconds`` (1 to 3600, default 900).
        """
        members = self._members(
            initial_args,
            InferenceId=inference_id,
            CustomAttributes=custom_attributes,
            Filename=filename,
            S3OutputPathExtension=s3_output_path_extension,
            RequestTTLSeconds=request_ttl_seconds,
            InvocationTimeoutSeconds=invocation_timeout_seconds,
        )
        return self._sender.submit(*self._one(data, members, encoding))

    def openai(self, expires_seconds: int = openai_route.MAX_SECONDS) -> dict[str, str]:
        """What a client of OpenAI's API needs: ``OpenAI(**predictor.openai())`` calls the endpoint.

        ``base_url`` and ``api_key``, a bearer token that is good for ``expires_seconds`` (1 to
        43200) and no longer than the credentials that it is made of. The container must serve
        /v1/chat/completions, as AWS's vLLM and SGLang do; leave ``model`` empty. Who calls needs
        `grant_invoke` with ``with_bearer_token``. Raises `Mistake` for another number of seconds,
        and without credentials.
        """
        return {
            "base_url": openai_route.base_url(
                self._sender.client, self.endpoint_name, self.component_name
            ),
            "api_key": self.bearer_token(expires_seconds),
        }

    def bearer_token(self, expires_seconds: int = openai_route.MAX_SECONDS) -> str:
        """The token of `openai`. Nothing is sent for it, so each request may have a new one:
        ``OpenAI(base_url=…, api_key=predictor.bearer_token)`` asks for one each time.

        It lets its holder do all that these credentials may. Raises as `openai` does.
        """
        return openai_route.bearer_token(self._sender.client, expires_seconds)

    def classify(self, data: Any) -> Any:
        """TensorFlow Serving's classify: examples, or ``{"examples": …, "signature_name": …}``."""
        return self._by_examples(data, "classify")

    def regress(self, data: Any) -> Any:
        """TensorFlow Serving's regress: examples, or ``{"examples": …, "signature_name": …}``."""
        return self._by_examples(data, "regress")

    @property
    def serializer(self) -> Serializer | None:
        """What writes the data of `predict`; None: the encoding is chosen. It may be set."""
        return self._translation.serializer

    @serializer.setter
    def serializer(self, serializer: Serializer | None) -> None:
        self._translation.serializer = serializer

    @property
    def deserializer(self) -> Deserializer | None:
        """What reads answers; None: their content type decides. It may be set."""
        return self._translation.deserializer

    @deserializer.setter
    def deserializer(self, deserializer: Deserializer | None) -> None:
        self._translation.deserializer = deserializer

    @property
    def facts(self) -> EndpointFacts:
        """What is known of the endpoint: its kind, its variants' images and limits."""
        return self._sender.facts

    @cached_property
    def model(self) -> ModelFacts:
        """What is known of the model: the content types that it accepts, its signature."""
        told = self._asked_model
        if told.content_types is not None:
            accepted = Accepted(content_types=tuple(told.content_types), by="content_types")
        else:
            image = self.facts.image()
            accepted = Accepted() if image is None else accepted_by(image)
        return model_facts(accepted, told, self._aws)

    def close(self) -> None:
        """Ends threads and connections; requests that are under way are waited for."""
        self._sender.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._sender.close(wait=not isinstance(error, KeyboardInterrupt))

    def _members(
        self, initial_args: Mapping[str, Any] | None, **given: str | int | None
    ) -> Members:
        if given.get("InferenceComponentName") is None:
            given["InferenceComponentName"] = self.component_name
        return members_of(self.endpoint_name, initial_args, self._asked_model, **given)

    def _most_records(self, batch: Batch, variant: str | None) -> int | None:
        """The caller's own limit, the container's, and that of a model of one batch size."""
        if batch.joining != "rows":
            return None
        fixed = self.model.fixed_batch
        if fixed is not None and batch.records % fixed:
            raise Mistake(
                f"the model takes batches of exactly {fixed} records, and there are "
                f"{batch.records}; add records, and drop their rows from the answer"
            )
        if fixed is not None:
            return fixed
        known = (self._records_per_request, self.facts.records(variant))
        return min((most for most in known if most is not None), default=None)

    def _value(self, prediction: Prediction, of: int) -> Any:
        try:
            return self._translation.value(prediction)
        except ReportedError as error:
            raise about_records(error, prediction.first, prediction.records, of) from None

    def _one(self, data: Any, members: Members, encoding: Encoding | None) -> tuple[Members, bytes]:
        return self._translation.one(data, members, encoding, self._sender.limits)

    def _by_examples(self, data: Any, method: str) -> Any:
        examples = self._translation.examples(data, method)
        return self.predict(examples, {"CustomAttributes": f"tfs-method={method}"})


def members_of(
    endpoint_name: str,
    initial_args: Mapping[str, Any] | None,
    model: Model,
    **given: Any,
) -> dict[str, Any]:
    """``initial_args`` with what is ``given`` laid over it, None left out.

    Which ``model`` of a TensorFlow Serving container is asked is added to the
    custom attributes. Raises `Mistake` for custom attributes that AWS would refuse.
    """
    members = {"EndpointName": endpoint_name, **(initial_args or {})}
    members.update({name: value for name, value in given.items() if value is not None})
    attributes = [members.pop("CustomAttributes", None), _attributes(model)]
    if any(attributes):
        members["CustomAttributes"] = ",".join(text for text in attributes if text)
        must_be_attributes(members["CustomAttributes"])
    return members


def _attributes(model: Model) -> str:
    named = {"tfs-model-name": model.name, "tfs-model-version": model.version}
    return ",".join(f"{key}={value}" for key, value in named.items() if value is not None)

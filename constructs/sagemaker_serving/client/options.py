"""What a predictor may be told beside its endpoint: small values, each about one thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sagemaker_serving.archive import Sources
from sagemaker_serving.errors import Mistake


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much is sent at once.

    ``concurrency`` (default 8) is how many requests are under way at the same time, and how many
    connections are kept open; ``records_per_request`` how many records one request has at most
    (default None: what fits). Raises `Mistake` for less than 1 of either.
    """

    concurrency: int = 8
    records_per_request: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and value < 1:
                raise Mistake(f"{name} is {value}; it is at least 1")


@dataclass(frozen=True, kw_only=True)
class Model:
    """Which model is asked, and what the caller knows of it.

    ``name`` is the SavedModel to ask in a TensorFlow Serving container with several, ``version``
    its version (default: the highest). With ``artifact``, the model's folder, archive, sources or
    ``s3://`` address, its signature is known: what does not fit is named before it is sent.
    ``content_types`` are what the model accepts (default: what is known of its image).
    """

    name: str | None = None
    version: str | int | None = None
    artifact: str | Sources | None = None
    content_types: Sequence[str] | None = None


@dataclass(frozen=True, kw_only=True)
class AsyncRequests:
    """How requests go to an asynchronous endpoint.

    ``upload_to`` is a prefix in S3, ``s3://bucket/prefix/``, for requests of over 128,000 bytes
    (default None: such requests are a `Mistake`); ``deadline_seconds`` how long the answer to one
    is waited for (default 900).
    """

    upload_to: str | None = None
    deadline_seconds: float = 900.0


_OF_THE_SDK = {
    "sagemaker_session": "aws=Aws(region=…, profile=…), or nothing for the shell's AWS",
    "endpoint": "endpoint_name=…",
    "model_name": "model=Model(name=…), or take TensorFlowPredictor, which has model_name",
    "model_version": "model=Model(name=…, version=…), or take TensorFlowPredictor",
    "content_type": "predict(data, content_type=…), or serializer=CSVSerializer() and the like",
    "accept": "predict(data, accept=…), or a deserializer with accept=…",
}
"""What to write for a keyword of ``sagemaker.predictor.Predictor`` of SDK v2, of its
``TensorFlowPredictor``, and of v1's ``RealTimePredictor`` (their source,
github.com/aws/sagemaker-python-sdk)."""


def refuse_of_the_sdk(name: str, given: Iterable[str]) -> None:
    """Raise `Mistake` for keywords that SageMaker SDK has and the class ``name`` has not.

    Raises TypeError, as Python does, for one that neither has.
    """
    for keyword in given:
        if keyword not in _OF_THE_SDK:
            raise TypeError(f"{name}() got an unexpected keyword argument {keyword!r}")
    if told := [f"for {keyword} write {_OF_THE_SDK[keyword]}" for keyword in given]:
        raise Mistake(f"{name} has other keywords than SageMaker SDK's: {'; '.join(told)}")

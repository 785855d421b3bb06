"""Data into bodies, and answers into values, for one endpoint's model."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from sagemaker_serving.catalog.request_sizes import PayloadLimits
from sagemaker_serving.client.decoding import Undecodable, decoded
from sagemaker_serving.client.deserializers import Deserializer
from sagemaker_serving.client.payload import (
    Batch,
    Encoding,
    ModelFacts,
    Piece,
    batch_of,
    unwritable,
    written,
)
from sagemaker_serving.client.payload.images import CSV, JSON, answers_in_one_line
from sagemaker_serving.client.prediction import Prediction
from sagemaker_serving.client.rows import must_have_rows
from sagemaker_serving.client.serializers import Serializer, body_of
from sagemaker_serving.errors import Mistake

Members = dict[str, Any]
"""The members of a request beside its body."""


@dataclass(eq=False)
class Translation:
    """By the caller's serializer and deserializer, or by what is known of the model.

    ``model``, and ``image``, the model's image, are asked only where something depends on them.
    """

    serializer: Serializer | None
    deserializer: Deserializer | None
    model: Callable[[], ModelFacts]
    image: Callable[[], str | None]

    def batch(
        self, data: Any, members: Members, encoding: Encoding | None
    ) -> tuple[Batch, Members]:
        """``data`` as a batch, and the members with what its answers should be."""
        given = {"Accept": self._accept(otherwise=JSON), **members}
        return self._batch(data, members, encoding), given

    def whole(
        self, data: Any, members: Members, encoding: Encoding | None, limits: PayloadLimits
    ) -> tuple[Piece, Members]:
        """``data`` as one request, whose answer is not read here: it may be anything.

        Raises `Mistake` when it takes several.
        """
        batch = self._batch(data, members, encoding)
        piece = next(written(batch.pieces(replace(limits, split=limits.most))))
        if piece.count < batch.records:
            raise Mistake(
                f"of {batch.records} records {piece.count} fit the {limits.most:,} bytes of one "
                "request; use predict(), which sends several"
            )
        return piece, {**members, "ContentType": piece.content_type}

    def serialized(self, data: Any, members: Members) -> tuple[Members, bytes]:
        """As SageMaker SDK v2's Predictor does it; without a deserializer anything is accepted."""
        assert self.serializer is not None
        given = {
            "ContentType": self.serializer.CONTENT_TYPE,
            "Accept": self._accept(otherwise="*/*"),
            **members,
        }
        with unwritable(f" by {type(self.serializer).__name__}"):
            return given, body_of(self.serializer.serialize(data))

    def one(
        self,
        data: Any,
        members: Members,
        encoding: Encoding | None,
        limits: Callable[[str | None], PayloadLimits],
    ) -> tuple[Members, bytes]:
        """``data`` as the members and the body of one request."""
        if self.serializer is not None:
            return self.serialized(data, members)
        piece, given = self.whole(data, members, encoding, limits(members.get("TargetVariant")))
        return given, piece.body

    def value(self, prediction: Prediction) -> Any:
        """The value of an answer. Raises `Failure` when it has not a row for each of the request.

        The body is what is counted: a deserializer may make anything of it.
        """
        if self.deserializer is None:
            return self._counted(decoded(prediction), prediction)
        if prediction.rows is not None:
            with suppress(Undecodable):
                self._counted(decoded(prediction), prediction)
        return self.deserializer.deserialize(io.BytesIO(prediction.body), prediction.content_type)

    def examples(self, data: Any, method: str) -> Mapping[str, Any]:
        """``data`` in the form of TensorFlow Serving's classify and regress."""
        if self.serializer is not None and self.serializer.CONTENT_TYPE != JSON:
            raise Mistake(
                f"{method} takes JSON; the serializer writes {self.serializer.CONTENT_TYPE}"
            )
        given: Mapping[str, Any] = {"examples": data} if isinstance(data, list | tuple) else data
        return given

    def _counted(self, answer: Any, prediction: Prediction) -> Any:
        rows = prediction.rows
        if rows is None:
            return answer
        if (
            prediction.content_type.startswith(CSV)
            and [len(row) for row in answer] == [rows]
            and rows > 1
            and answers_in_one_line(self.image())
        ):
            answer = [[value] for value in answer[0]]
        must_have_rows(answer, rows)
        return answer

    def _batch(self, data: Any, members: Members, encoding: Encoding | None) -> Batch:
        return batch_of(
            data, model=self.model, encoding=encoding, content_type=members.get("ContentType")
        )

    def _accept(self, *, otherwise: str) -> str:
        if self.deserializer is None:
            return otherwise
        accept = self.deserializer.ACCEPT
        return accept if isinstance(accept, str) else ", ".join(accept)

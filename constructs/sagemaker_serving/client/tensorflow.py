"""SageMaker SDK v2's TensorFlowPredictor, by its name and with its defaults."""

from __future__ import annotations

from typing import Any

from sagemaker_serving.client.aws import Aws
from sagemaker_serving.client.deserializers import Deserializer, JSONDeserializer
from sagemaker_serving.client.options import Model
from sagemaker_serving.client.predictor import Predictor
from sagemaker_serving.client.serializers import JSONSerializer, Serializer


class TensorFlowPredictor(Predictor):
    """For code written for ``sagemaker.tensorflow.TensorFlowPredictor``.

    JSON both ways, in one request. ``options`` are those of `Predictor`, but for ``model``.
    New code: `Predictor`, which has ``classify`` and ``regress`` itself, asks one of several
    models by ``model=Model(name=…)``, and splits batches.
    """

    def __init__(
        self,
        endpoint_name: str,
        aws: Aws | None = None,
        serializer: Serializer | None = None,
        deserializer: Deserializer | None = None,
        model_name: str | None = None,
        model_version: str | int | None = None,
        component_name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(
            endpoint_name,
            aws,
            serializer if serializer is not None else JSONSerializer(),
            deserializer if deserializer is not None else JSONDeserializer(),
            component_name,
            model=Model(name=model_name, version=model_version),
            **options,
        )

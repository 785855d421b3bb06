"""Trials on AWS: a copy of one variant of an endpoint, with other settings."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from sagemaker_serving.catalog.instances import variant_types
from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.client.options import Limits
from sagemaker_serving.client.predictor import Predictor
from sagemaker_serving.client.retrying import Retries
from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.operations.bench import BenchInput, Send, VariantReport, load_for
from sagemaker_serving.operations.rollout.state import endpoint_state
from sagemaker_serving.operations.tuning.search import Settings
from sagemaker_serving.operations.watch import watch
from sagemaker_serving.spec.batching import BATCHING_VARIABLES

_KEPT = (
    *("VolumeSizeInGB", "RoutingConfig", "InferenceAmiVersion"),
    *("ModelDataDownloadTimeoutInSeconds", "ContainerStartupHealthCheckTimeoutInSeconds"),
)
"""What the copy's variant has of the original's, beside its type; it has one instance."""


class EndpointTrials:
    """Measures settings on a copy of ``variant`` of ``endpoint``, which itself is never touched.

    The copy is an endpoint of its own with one instance of the same type, or of
    the one that the variant prefers, and the same host software, paid for by the hour
    while it exists; the first trial makes it, each further one updates it, and `close`
    deletes whatever was made. A trial takes minutes on AWS.

    Needs SageMaker's Describe, Create, Update and Delete of endpoints, configs
    and models, and ``iam:PassRole`` for the model's role. Raises `NotFound` for an unknown
    endpoint or variant, `Mistake` for a variant that has no batching to tune.
    """

    def __init__(self, aws: Aws, endpoint: str, variant: str | None) -> None:
        self._aws = aws
        self._client = aws.client("sagemaker")
        self.name = f"{endpoint[:46]}-tuning-{secrets.token_hex(4)}"
        """The copy's name."""
        with aws_failures():
            self._variant = self._described(endpoint, variant)
            self._model = self._client.describe_model(ModelName=self._variant["ModelName"])
        if "PrimaryContainer" not in self._model:
            raise Mistake(f"{endpoint}: the model is a pipeline; tune its containers one by one")
        self._trials = 0
        self._made = ExitStack()

    def measure(
        self, settings: Settings, inputs: Sequence[BenchInput], *, callers: int, seconds: float
    ) -> VariantReport:
        """Brings ``settings`` to the copy and loads it. Raises `Failure` when it does not serve."""
        config = self._made_config(settings)
        with aws_failures():
            if self._trials == 0:
                self._client.create_endpoint(EndpointName=self.name, EndpointConfigName=config)
            else:
                self._client.update_endpoint(EndpointName=self.name, EndpointConfigName=config)
        self._trials += 1
        for _ in watch(self.name, self._aws, config=config):
            pass
        # A refusal tried again would look like a slow answer, and the settings like good ones.
        once = Retries(deadline_seconds=0)
        limits = Limits(concurrency=callers)
        with Predictor(self.name, self._aws, limits=limits, retries=once) as predictor:
            return load_for(
                seconds, str(settings), lambda: _sender(predictor, inputs), callers=callers
            )

    def close(self) -> None:
        """Deletes the copy, and every config and model that was made for it.

        The copy comes first: an endpoint that lost its config no longer shows which
        instances it has (API reference, DeleteEndpointConfig).
        """
        with aws_failures(), self._made:
            if self._trials:
                self._client.delete_endpoint(EndpointName=self.name)

    def _described(self, endpoint: str, name: str | None) -> Any:
        serving = endpoint_state(self._client, endpoint).config
        config = self._client.describe_endpoint_config(EndpointConfigName=serving)
        variants = {variant["VariantName"]: variant for variant in config["ProductionVariants"]}
        chosen = next(iter(variants)) if name is None else name
        if chosen not in variants:
            raise NotFound(f"{endpoint} has no variant {chosen!r}; it has {', '.join(variants)}")
        if not variant_types(variants[chosen]):
            raise Mistake(
                f"{endpoint}: {chosen} is serverless, which handles one request at a time"
            )
        return variants[chosen]

    def _made_config(self, settings: Settings) -> str:
        name = f"{self.name}-{self._trials}"
        container = dict(self._model["PrimaryContainer"])
        kept = {
            key: value
            for key, value in container.get("Environment", {}).items()
            if key not in BATCHING_VARIABLES.values()
        }
        container["Environment"] = {**kept, **settings.variables}
        copied = ("ExecutionRoleArn", "VpcConfig", "EnableNetworkIsolation")
        with aws_failures():
            self._client.create_model(
                ModelName=name,
                PrimaryContainer=container,
                **{key: self._model[key] for key in copied if key in self._model},
            )
            self._made.callback(self._client.delete_model, ModelName=name)
            self._client.create_endpoint_config(
                EndpointConfigName=name,
                ProductionVariants=[
                    {
                        **{key: self._variant[key] for key in _KEPT if key in self._variant},
                        "InstanceType": variant_types(self._variant)[0],
                        "VariantName": "trial",
                        "ModelName": name,
                        "InitialInstanceCount": 1,
                        "InitialVariantWeight": 1.0,
                    }
                ],
            )
            self._made.callback(self._client.delete_endpoint_config, EndpointConfigName=name)
        return name


def _sender(predictor: Predictor, inputs: Sequence[BenchInput]) -> Send:
    def send(number: int) -> float:
        chosen = inputs[number % len(inputs)]
        return predictor.invoke(chosen.body, content_type=chosen.content_type).seconds

    return send

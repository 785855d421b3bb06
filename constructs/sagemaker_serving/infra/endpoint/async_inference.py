"""Asynchronous inference: requests and answers in S3, and who is told of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns

from sagemaker_serving.infra.storage.keys import keys_of_topics
from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
from sagemaker_serving.infra.synth.fields import Unjudged, given_fields
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.spec.aws import aws_values
from sagemaker_serving.spec.kinds import QueuedRequests


class AsyncInference(Unjudged, QueuedRequests):
    """Where an asynchronous endpoint finds its requests and leaves its answers.

    ``inputs`` is what the role may read, ``output`` where answers go, and
    ``failure`` where the reason of a failed request goes. Without it nothing is left of one but the
    error topic's message. Each is encrypted with its
    bucket's key.

    ``routed`` is where inference routers keep requests to it and want their answers: the
    `RoutingTarget.asynchronous_output` of each. Every destination writes to the same place
    (botocore, InvokeInferenceRouterAsync.InputLocation, RoutingTargetAsyncInferenceOutputConfig).

    ``success_topic`` and ``error_topic`` are told of each request;
    ``topic_key`` is the key that these are encrypted with, if it is one's own and the
    topics do not tell it. All other fields are what an environment file says of
    ``asynchronous``. Source: botocore AsyncInferenceConfig; SageMaker developer guide,
    asynchronous inference, "Complete the prerequisites".
    """

    inputs: S3Prefix
    output: S3Prefix
    failure: S3Prefix | None = None
    routed: tuple[S3Prefix, ...] = ()
    success_topic: sns.ITopic | None = None
    error_topic: sns.ITopic | None = None
    topic_key: kms.IKey | None = None

    @property
    def content(self) -> list[Any]:
        """What makes two of them different, as plain data that may hold tokens."""
        return [
            self.output.uri,
            None if self.failure is None else self.failure.uri,
            self.output.key_arn,
            *[topic.topic_arn for topic in self._topics()],
            *given_fields(self, QueuedRequests, but=2),
        ]

    def grant(self, grantee: iam.IGrantable) -> None:
        """Lets a model's role read requests, write answers and reasons, and tell the topics."""
        for place in self.routed:
            of = "Asynchronous requests of a router"
            replace(place, prefix=f"{place.prefix}/input").grant_read(grantee, of=of)
            for below in ("output", "failed"):
                replace(place, prefix=f"{place.prefix}/{below}").grant_write(grantee, of=of)
        self.inputs.grant_read(grantee, of="Requests of an asynchronous endpoint")
        self.output.grant_write(grantee, of="Answers of an asynchronous endpoint")
        if self.failure is not None:
            self.failure.grant_write(grantee, of="Failures of an asynchronous endpoint")
        if self._topics():
            grant(grantee, ["sns:Publish"], *(topic.topic_arn for topic in self._topics()))
        for key_arn in keys_of_topics(self._topics(), self.topic_key):
            grant(grantee, ["kms:Decrypt", "kms:GenerateDataKey"], key_arn)

    @property
    def members(self) -> dict[str, Any]:
        """The configuration as SageMaker's CreateEndpointConfig takes it."""
        made = aws_values(QueuedRequests, vars(self))
        output = made.setdefault("OutputConfig", {})
        output["S3OutputPath"] = self.output.uri
        if self.failure is not None:
            output["S3FailurePath"] = self.failure.uri
        if self.output.key_arn is not None:
            output["KmsKeyId"] = self.output.key_arn
        for name, topic in (("SuccessTopic", self.success_topic), ("ErrorTopic", self.error_topic)):
            if topic is not None:
                output.setdefault("NotificationConfig", {})[name] = topic.topic_arn
        return made

    def _topics(self) -> list[sns.ITopic]:
        return [topic for topic in (self.success_topic, self.error_topic) if topic is not None]

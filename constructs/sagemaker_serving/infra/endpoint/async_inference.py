"""Asynchronous inference: requests and answers in S3, and who is told of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker

from sagemaker_serving.infra.storage.keys import keys_of_topics
from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
from sagemaker_serving.infra.synth.granting import grant

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_sns as sns


@dataclass(frozen=True, kw_only=True)
class AsyncInference:
    """Where an asynchronous endpoint finds its requests and leaves its answers.

    ``inputs`` is what the role may read, ``output`` where answers go, and
    ``failure`` where the reason of a failed request goes. Without it nothing is left of one but the
    error topic's message. Each is encrypted with its
    bucket's key.

    ``success_topic`` and ``error_topic`` are told of each request;
    ``topic_key`` is the key that these are encrypted with, if it is one's own and the
    topics do not tell it.
    ``include_inference_response_in`` may hold SUCCESS_NOTIFICATION_TOPIC and
    ERROR_NOTIFICATION_TOPIC: their messages carry answers of up to 128 KB.
    ``max_concurrent_invocations_per_instance`` is 1 to 1000; None leaves it to
    SageMaker. Source: botocore AsyncInferenceConfig; SageMaker developer guide,
    asynchronous inference, "Complete the prerequisites".
    """

    inputs: S3Prefix
    output: S3Prefix
    failure: S3Prefix | None = None
    success_topic: sns.ITopic | None = None
    error_topic: sns.ITopic | None = None
    topic_key: kms.IKey | None = None
    include_inference_response_in: Sequence[str] = ()
    max_concurrent_invocations_per_instance: int | None = None

    @property
    def content(self) -> list[Any]:
        """What makes two of them different, as plain data that may hold tokens."""
        return [
            self.output.uri,
            None if self.failure is None else self.failure.uri,
            self.output.key_arn,
            *[topic.topic_arn for topic in self._topics()],
            list(self.include_inference_response_in),
            self.max_concurrent_invocations_per_instance,
        ]

    def grant(self, grantee: iam.IGrantable) -> None:
        """Lets a model's role read requests, write answers and reasons, and tell the topics."""
        self.inputs.grant_read(grantee, of="Requests of an asynchronous endpoint")
        self.output.grant_write(grantee, of="Answers of an asynchronous endpoint")
        if self.failure is not None:
            self.failure.grant_write(grantee, of="Failures of an asynchronous endpoint")
        if self._topics():
            grant(grantee, ["sns:Publish"], *(topic.topic_arn for topic in self._topics()))
        for key_arn in keys_of_topics(self._topics(), self.topic_key):
            grant(grantee, ["kms:Decrypt", "kms:GenerateDataKey"], key_arn)

    def rendered(self) -> sagemaker.CfnEndpointConfig.AsyncInferenceConfigProperty:
        """The configuration as CloudFormation takes it."""
        config = sagemaker.CfnEndpointConfig
        most = self.max_concurrent_invocations_per_instance
        return config.AsyncInferenceConfigProperty(
            client_config=None
            if most is None
            else config.AsyncInferenceClientConfigProperty(
                max_concurrent_invocations_per_instance=most
            ),
            output_config=config.AsyncInferenceOutputConfigProperty(
                s3_output_path=self.output.uri,
                s3_failure_path=None if self.failure is None else self.failure.uri,
                kms_key_id=self.output.key_arn,
                notification_config=self._notifications(),
            ),
        )

    def _topics(self) -> list[sns.ITopic]:
        return [topic for topic in (self.success_topic, self.error_topic) if topic is not None]

    def _notifications(
        self,
    ) -> sagemaker.CfnEndpointConfig.AsyncInferenceNotificationConfigProperty | None:
        if not self._topics():
            return None
        success, error = self.success_topic, self.error_topic
        included = list(self.include_inference_response_in)
        return sagemaker.CfnEndpointConfig.AsyncInferenceNotificationConfigProperty(
            success_topic=None if success is None else success.topic_arn,
            error_topic=None if error is None else error.topic_arn,
            include_inference_response_in=included if included else None,
        )

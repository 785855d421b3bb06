"""``arn:aws:states:::sagemaker:…`` for Step Functions: SageMaker's calls, and waiting for jobs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from botocore import xform_name
from botocore.exceptions import ClientError
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.resource import (
    ResourceCondition,
)

from local_aws.clock import epoch_milliseconds
from local_aws.services.stepfunctions.engine.interpreter import compact
from local_aws.services.stepfunctions.engine.waiting import Job, JobFailed, WaitingTask

MANAGED = {"Key": "MANAGED_BY_AWS", "Value": "STARTED_BY_STEP_FUNCTIONS"}
"""What Step Functions tags a job with that it waits for (aws/aws-cdk#26012 and #27264, which users
reported; no page of AWS names the tag)."""

_JOB = "TransformJobName"
_STATUS = "TransformJobStatus"
_ENDED_BADLY = ("Failed", "Stopped")
_THROTTLED = ("ThrottlingException", "Throttling")


class SageMakerTask(WaitingTask):
    """A Task state of the optimised SageMaker integration.

    Request and answer keep the API's names; times in an answer are milliseconds since the
    epoch. It waits for transform jobs (``createTransformJob.sync``), and stops one when its
    execution is stopped or the state times out. A job that is waited for is tagged `MANAGED`, for
    which the machine's role needs ``sagemaker:AddTags``.
    """

    def call(self, client: Any, parameters: Mapping[str, Any]) -> Any:
        """Make the call."""
        action = self.resource.api_action
        if self.resource.condition == ResourceCondition.Sync:
            parameters = {**parameters, "Tags": [*parameters.get("Tags", ()), MANAGED]}
        method = getattr(client, xform_name(action[:1].upper() + action[1:]))
        return _plain(method(**parameters))

    def job(self, client: Any, parameters: Mapping[str, Any], answer: Any) -> Job:
        """The transform job that was started."""
        return _TransformJob(client, parameters[_JOB])


class _TransformJob(Job):
    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def result(self) -> Any:
        try:
            job = self._described()
        except ClientError as error:
            if error.response["Error"]["Code"] in _THROTTLED:
                return None  # AWS looks again; a job is not given up over a look that failed
            raise
        if job[_STATUS] in _ENDED_BADLY:
            raise JobFailed(compact(job))
        return job if job[_STATUS] == "Completed" else None

    def cancel(self) -> None:
        if self._described()[_STATUS] == "InProgress":
            self._client.stop_transform_job(**{_JOB: self._name})

    def _described(self) -> Any:
        return _plain(self._client.describe_transform_job(**{_JOB: self._name}))


def _plain(answer: dict[str, Any]) -> Any:
    """An answer of boto3 as JSON has it, without what belongs to the transport."""
    return _as_json({key: value for key, value in answer.items() if key != "ResponseMetadata"})


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_json(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_as_json(member) for member in value]
    return epoch_milliseconds(value) if isinstance(value, datetime) else value

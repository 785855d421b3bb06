"""``arn:aws:states:::sagemaker:createTransformJob.sync`` for the emulator's Step Functions.

The emulator forwards calls of this integration but cannot wait for what they
start; this task waits for the job, fails as AWS's does, and stops the job when
the execution is stopped or the state times out.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from botocore.exceptions import ClientError
from moto.stepfunctions.parser.api import HistoryEventType, TaskFailedEventDetails
from moto.stepfunctions.parser.asl.component.common.error_name.error_name import ErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEvent,
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_callback as emulated,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.resource import (
    ResourceCondition,
)
from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails
from moto.stepfunctions.parser.asl.utils.encoding import to_json_str

from sagemaker_serving.local.context import LocalContext

_JOB = "TransformJobName"
_STATUS = "TransformJobStatus"
_ENDED_BADLY = ("Failed", "Stopped")


class SageMakerTask(emulated.StateTaskServiceCallback):  # type: ignore[misc]
    """A Task state of the optimised SageMaker integration.

    Request and answer keep the API's names; times in an answer are
    milliseconds since the epoch. A call that SageMaker refuses fails as
    ``SageMaker.<Code>Exception`` where its API declares the error and as
    ``SageMaker.AmazonSageMakerException`` otherwise; a job that ends Failed or
    Stopped fails as ``States.TaskFailed`` with DescribeTransformJob's answer as
    cause.
    """

    context: LocalContext

    def __init__(self) -> None:
        # The emulator cleans up after a wait by way of a task token's endpoint,
        # and makes one only for tasks that support waiting for tokens.
        super().__init__({ResourceCondition.Sync, ResourceCondition.WaitForTaskToken})

    def _validate_service_integration_is_supported(self) -> None:
        if self.resource.condition is not None and self.resource.api_action != "createTransformJob":
            raise ValueError(
                f"{self.resource.resource_arn}: the local AWS waits for transform jobs only"
            )

    def _client(self, region: str) -> Any:
        return self.context.client("sagemaker", region)

    def _eval_service_task(
        self,
        env: Any,
        resource_runtime_part: Any,
        normalised_parameters: dict[str, Any],
        state_credentials: Any,
    ) -> None:
        call = getattr(self._client(resource_runtime_part.region), self._get_boto_service_action())
        env.stack.append(_plain(call(**normalised_parameters)))

    def _build_sync_resolver(
        self,
        env: Any,
        resource_runtime_part: Any,
        normalised_parameters: dict[str, Any],
        state_credentials: Any,
    ) -> Callable[[], Any]:
        env.stack.pop()  # the answer to the call itself; the job's description takes its place
        client = self._client(resource_runtime_part.region)
        name = normalised_parameters[_JOB]

        def resolve() -> Any:
            job = _plain(client.describe_transform_job(**{_JOB: name}))
            if job[_STATUS] in _ENDED_BADLY:
                raise FailureEventException(
                    self._failure(env, "States.TaskFailed", to_json_str(job))
                )
            return job if job[_STATUS] == "Completed" else None

        def stop() -> None:
            if _is_running(client, name):
                client.stop_transform_job(**{_JOB: name})

        resolve.stop = stop  # type: ignore[attr-defined]
        return resolve

    def _eval_sync(self, env: Any, sync_resolver: Any, **options: Any) -> Any:
        outcome = super()._eval_sync(env=env, sync_resolver=sync_resolver, **options)
        if not isinstance(outcome, dict):  # the execution was stopped, or the state timed out
            sync_resolver.stop()
        return outcome

    def _from_error(self, env: Any, ex: Exception) -> Any:
        if isinstance(ex, ClientError):
            return self._failure(env, _error_name(ex), _cause(ex))
        return super()._from_error(env=env, ex=ex)

    def _failure(self, env: Any, error: str, cause: str) -> FailureEvent:
        details = TaskFailedEventDetails(
            resource=self._get_sfn_resource(),
            resourceType=self._get_sfn_resource_type(),
            error=error,
            cause=cause,
        )
        return FailureEvent(
            env=env,
            error_name=ErrorName(error),
            event_type=HistoryEventType.TaskFailed,
            event_details=EventDetails(taskFailedEventDetails=details),
        )


def _is_running(client: Any, name: str) -> bool:
    return bool(client.describe_transform_job(**{_JOB: name})[_STATUS] == "InProgress")


def _error_name(error: ClientError) -> str:
    declared = type(error) is not ClientError
    name = type(error).__name__ if declared else "AmazonSageMaker"
    return f"SageMaker.{name.removesuffix('Exception')}Exception"


def _cause(error: ClientError) -> str:
    answer = error.response["ResponseMetadata"]
    return (
        f"{error.response['Error']['Message']} (Service: AmazonSageMaker; "
        f"Status Code: {answer['HTTPStatusCode']}; Error Code: {error.response['Error']['Code']}; "
        f"Request ID: {answer.get('RequestId')}; Proxy: null)"
    )


def _plain(answer: dict[str, Any]) -> Any:
    """An answer of boto3 as JSON has it, without what belongs to the transport."""
    return _as_json({key: value for key, value in answer.items() if key != "ResponseMetadata"})


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_json(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_as_json(member) for member in value]
    if isinstance(value, datetime):
        return round(value.timestamp() * 1000)
    return value

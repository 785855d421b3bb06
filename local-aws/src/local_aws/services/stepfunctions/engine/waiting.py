"""Task states that can wait for what they start: ``….sync`` and ``….sync:2``."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_callback as emulated,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.resource import (
    ResourceCondition,
)

from local_aws.integration import Integrations
from local_aws.services.stepfunctions.engine import errors, interpreter
from local_aws.services.stepfunctions.engine.roles import Roles

NOTICE_SECONDS = 0.2
"""How soon an end is noticed that a service told of between a look and the wait."""
LOOK_SECONDS = 1.0
"""When what was started is looked at all the same: a look may have been throttled."""


class JobFailed(Exception):
    """What a task waited for has ended badly; ``cause`` is its description as JSON."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


class Job(ABC):
    """Something that a task has started and waits for."""

    @abstractmethod
    def result(self) -> Any:
        """The task's result once it has ended well, else None. Raises JobFailed."""

    @abstractmethod
    def cancel(self) -> None:
        """Stop it, if it still runs: the execution was stopped, or the state took too long."""


class WaitingTask(emulated.StateTaskServiceCallback, ABC):  # type: ignore[misc]
    """A Task state of an optimised integration that starts jobs.

    Calls are made in the name of the machine's role. A call that is refused fails as
    `errors.optimised_error` names it; a job that ends badly as ``States.TaskFailed``, with its
    description as cause.
    """

    roles: Roles
    integrations: Integrations

    def __init__(self) -> None:
        patterns = {ResourceCondition.Sync, ResourceCondition.Sync2}
        super().__init__({*patterns, ResourceCondition.WaitForTaskToken})

    @abstractmethod
    def call(self, client: Any, parameters: Mapping[str, Any]) -> Any:
        """Make the call; its answer as the task's output has it."""

    @abstractmethod
    def job(self, client: Any, parameters: Mapping[str, Any], answer: Any) -> Job:
        """What the call has started."""

    def _get_supported_parameters(self) -> None:
        return None  # the definition was judged by the API's own model

    def _validate_service_integration_is_supported(self) -> None:
        pass  # so was the resource

    def _eval_service_task(
        self, env: Any, resource_runtime_part: Any, normalised_parameters: Any, **options: Any
    ) -> None:
        client = self._client(resource_runtime_part, **options)
        env.stack.append(self.call(client, normalised_parameters))

    def _eval_integration_pattern(
        self, env: Any, resource_runtime_part: Any, normalised_parameters: Any, **options: Any
    ) -> None:
        if self.resource.condition == ResourceCondition.WaitForTaskToken:
            super()._eval_integration_pattern(
                env=env,
                resource_runtime_part=resource_runtime_part,
                normalised_parameters=normalised_parameters,
                **options,
            )
            return
        client = self._client(resource_runtime_part, **options)
        job = self.job(client, normalised_parameters, env.stack.pop())
        ends, due = self.integrations.ends, 0.0
        with self.integrations.waking(env.program_state_event):
            while env.is_running():
                if self.integrations.ends != ends or time.monotonic() >= due:
                    ends, due = self.integrations.ends, time.monotonic() + LOOK_SECONDS
                    result = job.result()
                    if result is not None:
                        env.stack.append(result)
                        return
                env.program_state_event.wait(NOTICE_SECONDS)
        job.cancel()
        raise TimeoutError("the state is no longer waited for")

    def _client(self, runtime_part: Any, state_credentials: Any) -> Any:
        service = self._get_boto_service_name()
        return self.roles.client(state_credentials.role_arn, service, runtime_part.region)

    def _from_error(self, env: Any, ex: Exception) -> Any:
        if isinstance(ex, JobFailed):
            named: errors.TaskError | None = errors.TaskError(
                error=errors.TASK_FAILED, cause=ex.cause
            )
        else:
            named = errors.optimised_error(self.integrations.get(self.resource.service_name), ex)
        if named is None:
            return super()._from_error(env=env, ex=ex)
        return interpreter.task_failure(self, env, named)

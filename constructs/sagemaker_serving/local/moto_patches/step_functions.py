"""Changes to the emulator's Step Functions, so that state machines run as on AWS."""

from __future__ import annotations

import logging
import sys
import threading
import uuid
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from moto.core.config import default_user_config
from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.asl.component.state.exec.state_task import state_task_factory
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_aws_sdk as aws_sdk,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_factory as factory,
)
from moto.stepfunctions.parser.models import (
    StepFunctionsParserBackend,
    stepfunctions_parser_backends,
)

from sagemaker_serving.local.api_models import operation
from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.sagemaker.states_task import SageMakerTask
from sagemaker_serving.local.sdk_tasks import as_json


def apply(context: LocalContext) -> None:
    """Apply every patch; a second time only leads the emulator to another gateway."""
    execute_state_machines()
    name_executions()
    wait_for_sagemaker_jobs(context)
    call_the_gateway(context)
    ask_as_the_api_has_it()
    answer_in_json()
    name_sdk_errors()
    be_quiet()


def execute_state_machines() -> None:
    """The emulator only records executions unless it is told to run them."""
    default_user_config["stepfunctions"] = {"execute_state_machine": True}


def name_executions() -> None:
    """An execution started without a name is called "None"; AWS makes one up."""
    backend = StepFunctionsParserBackend
    original = getattr(backend.start_execution, "__wrapped__", backend.start_execution)

    @wraps(original)
    def start_execution(self: Any, arn: str, name: str | None, *rest: Any, **options: Any) -> Any:
        return original(self, arn, name or str(uuid.uuid4()), *rest, **options)

    backend.start_execution = start_execution


def wait_for_sagemaker_jobs(context: LocalContext) -> None:
    """``sagemaker:createTransformJob.sync`` is "unsupported"; `SageMakerTask` takes its place.

    The function that picks a task's class is imported by name elsewhere, so it
    is replaced in both places.
    """
    SageMakerTask.context = context
    original = getattr(
        factory.state_task_service_for, "__wrapped__", factory.state_task_service_for
    )

    @wraps(original)
    def state_task_service_for(service_name: str) -> Any:
        return SageMakerTask() if service_name == "sagemaker" else original(service_name)

    factory.state_task_service_for = state_task_service_for
    state_task_factory.state_task_service_for = state_task_service_for


def call_the_gateway(context: LocalContext) -> None:
    """Tasks call ``http://localhost:$MOTO_PORT`` with a client made anew for each call.

    Making one takes tenths of a second for SageMaker and is not safe in
    threads, which a Map state has. They get the context's clients instead.
    """

    making = threading.Lock()

    def boto_client_for(region: str, service: str, state_credentials: object = None) -> Any:
        with making:
            return context.client(service, region)

    for name, module in list(sys.modules.items()):
        if name.startswith("moto.stepfunctions.") and hasattr(module, "boto_client_for"):
            setattr(module, "boto_client_for", boto_client_for)  # noqa: B010


def ask_as_the_api_has_it() -> None:
    """``aws-sdk:*`` arguments reach boto3 as they stand in the definition, and are refused.

    Step Functions capitalises every member (``StateMachineArn``) and writes a
    JSON value into a body as JSON; the emulator has the translation, unused.
    """

    def normalise_parameters(self: Any, parameters: dict[str, Any], *_: object) -> None:
        known = operation(self._get_boto_service_name(), self.resource.api_action)
        if known is not None and known.input_shape is not None:
            self._to_boto_request(parameters, known.input_shape)

    aws_sdk.StateTaskServiceAwsSdk._normalise_parameters = normalise_parameters


def answer_in_json() -> None:
    """An ``aws-sdk:*`` answer with a time or a body in it cannot become a state's output."""
    task = aws_sdk.StateTaskServiceAwsSdk
    original = getattr(task._eval_service_task, "__wrapped__", task._eval_service_task)

    @wraps(original)
    def eval_service_task(self: Any, env: Any, *arguments: Any, **options: Any) -> None:
        original(self, env, *arguments, **options)
        known = operation(self._get_boto_service_name(), self.resource.api_action)
        env.stack.append(as_json(env.stack.pop(), known.output_shape))

    task._eval_service_task = eval_service_task


def name_sdk_errors() -> None:
    """Error names of ``aws-sdk:*`` tasks begin with the service as AWS's SDK for Java spells it.

    The emulator takes the resource's spelling (``sagemaker.…``), which no
    Catch written for AWS would match.
    """
    aws_sdk._SERVICE_ERROR_NAMES.update(
        {
            "sagemaker": "SageMaker",
            "sagemakerruntime": "SageMakerRuntime",
            "s3": "S3",
            "sns": "Sns",
            "sqs": "Sqs",
            "cloudwatch": "CloudWatch",
            "cloudwatchlogs": "CloudWatchLogs",
            "lambda": "Lambda",
        }
    )


def be_quiet() -> None:
    """Every failing state logs its whole definition; the execution's history has it too."""
    logging.getLogger("moto.stepfunctions").setLevel(logging.CRITICAL)


def running_executions() -> list[dict[str, str]]:
    """Executions of state machines that run now, in every region."""
    return [{"arn": execution.exec_arn, "status": execution.status} for execution in _running()]


def stop_executions() -> None:
    """Abort every execution that runs."""
    for execution in _running():
        if execution.exec_worker.env is not None:
            execution.stop(stop_date=datetime.now(UTC), error=None, cause="the local AWS stops")


def _running() -> list[Any]:
    return [
        execution
        for regions in list(stepfunctions_parser_backends.values())
        for backend in list(regions.values())
        for execution in backend._get_executions(ExecutionStatus.RUNNING)
    ]

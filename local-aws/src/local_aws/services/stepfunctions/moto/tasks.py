"""Task states: whose name they call in, what they send, what they answer, how they fail."""

from __future__ import annotations

import sys
from typing import Any

from botocore import xform_name
from moto.stepfunctions.parser.api import HistoryEventType
from moto.stepfunctions.parser.asl.component.state.exec.state_task import (
    state_task_factory,
    state_task_lambda,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.lambda_eval_utils import (
    LambdaFunctionErrorException,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_aws_sdk as aws_sdk,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_dynamodb as dynamodb,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_events as events,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_factory as factory,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_lambda as lambda_,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_sns as sns,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_sqs as sqs,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service import (  # noqa: E501
    StateTaskService,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.state_task import StateTask

from local_aws.context import LocalContext
from local_aws.emulator.replacing import Original, replaces
from local_aws.integration import Integrations
from local_aws.services.stepfunctions.engine import errors, interpreter, task_resources
from local_aws.services.stepfunctions.engine.roles import Roles
from local_aws.services.stepfunctions.engine.sdk_tasks import (
    as_json,
    as_request,
    require,
    without_nulls,
)
from local_aws.services.stepfunctions.engine.waiting import WaitingTask

_OPTIMISED = (
    dynamodb.StateTaskServiceDynamoDB,
    events.StateTaskServiceEvents,
    lambda_.StateTaskServiceLambda,
    sns.StateTaskServiceSns,
    sqs.StateTaskServiceSqs,
)


def apply(context: LocalContext, roles: Roles) -> None:
    """Apply every patch of this file."""
    wait_for_jobs_and_executions(context.integrations, roles)
    call_as_the_role(context, roles)
    take_other_roles(roles)
    know_services_by_their_java_names()
    leave_out_what_is_null(context.integrations)
    ask_as_the_api_has_it(context.integrations)
    answer_in_json(context.integrations)
    name_errors_of_sdk_calls()
    name_errors_of_optimised_calls(context.integrations)
    name_errors_of_functions(context.integrations)


def wait_for_jobs_and_executions(integrations: Integrations, roles: Roles) -> None:
    """``sagemaker:createTransformJob.sync`` is unsupported; ``states:startExecution`` fails.

    The latter looks for the started execution under a name that boto3 spells otherwise. The
    function that picks a task's class is imported by name elsewhere, so it is replaced in
    both places.
    """
    WaitingTask.roles, WaitingTask.integrations = roles, integrations

    @replaces(factory, "state_task_service_for")
    def state_task_service_for(original: Original, service_name: str) -> Any:
        own = integrations.get(service_name)
        if own is None or own.task is None:
            return original(service_name)
        return own.task()()

    state_task_factory.state_task_service_for = factory.state_task_service_for


def call_as_the_role(context: LocalContext, roles: Roles) -> None:
    """Tasks call ``http://localhost:$MOTO_PORT`` as nobody, with a client made for each call.

    Making one takes tenths of a second for SageMaker and is not safe in threads, which a Map
    state has. They get clients of the gateway that call in the name of the machine's role.
    """

    def boto_client_for(region: str, service: str, state_credentials: Any = None) -> Any:
        if state_credentials is None:
            return context.client(service, region)
        return roles.client(state_credentials.role_arn, service, region)

    for name, module in list(sys.modules.items()):
        if name.startswith("moto.stepfunctions.") and hasattr(module, "boto_client_for"):
            setattr(module, "boto_client_for", boto_client_for)  # noqa: B010


def take_other_roles(roles: Roles) -> None:
    """A task's ``Credentials`` name a role that the machine's own must be able to assume."""

    @replaces(StateTask, "_eval_state_credentials")
    def eval_state_credentials(original: Original, self: Any, env: Any) -> Any:
        credentials = original(self, env)
        own = env.aws_execution_details
        if credentials.role_arn == own.role_arn:
            return credentials
        refused = roles.refusal_to_assume(own.role_arn, credentials.role_arn, own.region)
        if refused is not None:
            kind = HistoryEventType.TaskFailed
            raise interpreter.failure(env, errors.PERMISSIONS, refused, kind)
        return credentials


def know_services_by_their_java_names() -> None:
    """``aws-sdk:cloudwatchlogs:…`` is boto3's ``logs``, ``describeDBInstances`` a word of its own.

    The emulator knows ``sfn`` only, and splits names in its own way.
    """

    def service_name(self: Any, boto_service_name: str | None = None) -> str:
        return task_resources.boto_name(boto_service_name or self.resource.api_name)

    def service_action(self: Any, service_action_name: str | None = None) -> str:
        action = service_action_name or self.resource.api_action
        return str(xform_name(action[:1].upper() + action[1:]))

    aws_sdk.StateTaskServiceAwsSdk._get_boto_service_name = service_name
    aws_sdk.StateTaskServiceAwsSdk._get_boto_service_action = service_action


def leave_out_what_is_null(integrations: Integrations) -> None:
    """boto3 refuses what is null, and what is absent, before the service does.

    The execution would end; on AWS the task fails, with the service's error, and is caught.
    """

    def normalise_parameters(
        self: Any, parameters: dict[str, Any], *_: object, **__: object
    ) -> None:
        operation = _operation(self, integrations)
        given = without_nulls(parameters, operation.input_shape)
        require(given, operation)
        parameters.clear()
        parameters.update(given)

    StateTaskService._normalise_parameters = normalise_parameters


def ask_as_the_api_has_it(integrations: Integrations) -> None:
    """``aws-sdk:*`` arguments reach boto3 as they stand in the definition, and are refused.

    Step Functions capitalises every member (``StateMachineArn``) and writes a JSON value into
    a body as JSON.
    """

    def normalise_parameters(self: Any, parameters: dict[str, Any], *_: object) -> None:
        StateTaskService._normalise_parameters(self, parameters)
        asked = as_request(parameters, _operation(self, integrations).input_shape)
        parameters.clear()
        parameters.update(asked)

    aws_sdk.StateTaskServiceAwsSdk._normalise_parameters = normalise_parameters


def answer_in_json(integrations: Integrations) -> None:
    """An ``aws-sdk:*`` answer with a time or a body in it cannot become a state's output."""
    task = aws_sdk.StateTaskServiceAwsSdk

    @replaces(task, "_eval_service_task")
    def eval_service_task(
        original: Original, self: Any, env: Any, *arguments: Any, **options: Any
    ) -> None:
        original(self, env, *arguments, **options)
        env.stack.append(as_json(env.stack.pop(), _operation(self, integrations).output_shape))


def name_errors_of_sdk_calls() -> None:
    """``aws-sdk:*`` errors begin with the resource's spelling (``sagemaker.…``).

    No Catch written for AWS would match: there it is the SDK for Java's.
    """

    def named(task: Any, failure: Exception) -> errors.TaskError | None:
        service = task_resources.boto_name(task.resource.api_name)
        return errors.sdk_error(task_resources.service_id(service), failure)

    _name_errors(aws_sdk.StateTaskServiceAwsSdk, named)


def name_errors_of_optimised_calls(integrations: Integrations) -> None:
    """Each optimised integration spells its errors in its own way, and few in AWS's."""

    def named(task: Any, failure: Exception) -> errors.TaskError | None:
        if isinstance(failure, LambdaFunctionErrorException):
            return errors.lambda_error(failure.payload)
        if isinstance(failure, events.SfnFailedEntryCountException):
            cause = interpreter.compact(failure.cause)
            return errors.TaskError(error="EventBridge.FailedEntry", cause=cause)
        return errors.optimised_error(integrations.get(task.resource.service_name), failure)

    for task in _OPTIMISED:
        _name_errors(task, named)


def name_errors_of_functions(integrations: Integrations) -> None:
    """A Task whose Resource is a function's ARN calls every failure of the call "Exception"."""
    task = state_task_lambda.StateTaskLambda

    @replaces(task, "_from_error")
    def from_error(original: Original, self: Any, env: Any, ex: Exception) -> Any:
        if isinstance(ex, LambdaFunctionErrorException):
            named: errors.TaskError | None = errors.lambda_error(ex.payload)
        else:
            named = errors.optimised_error(integrations.get("lambda"), ex)
        if named is None:
            return original(self, env=env, ex=ex)
        kind = HistoryEventType.LambdaFunctionFailed
        return interpreter.failure_event(env, named.error, named.cause, kind)


def _name_errors(task: Any, named: Any) -> None:
    @replaces(task, "_from_error")
    def from_error(original: Original, self: Any, env: Any, ex: Exception) -> Any:
        error = named(self, ex)
        if error is None:
            return original(self, env=env, ex=ex)
        return interpreter.task_failure(self, env, error)


def _operation(task: Any, integrations: Integrations) -> Any:
    """botocore's model of what an ``aws-sdk:*`` task calls; the definition was judged by it."""
    found = task_resources.resource(task.resource.resource_arn, integrations)
    return found.operation  # type: ignore[union-attr]

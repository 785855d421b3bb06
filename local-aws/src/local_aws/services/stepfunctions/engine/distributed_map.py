"""A Distributed Map: items from S3 or the state's input, one child execution each or per batch.

https://docs.aws.amazon.com/step-functions/latest/dg/state-map-distributed.html.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError
from moto.stepfunctions.parser.api import HistoryEventType
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEventException,
)

from local_aws.services.stepfunctions.engine import errors, interpreter, item_reader, result_writer
from local_aws.services.stepfunctions.engine.batches import (
    PAYLOAD_BYTES,
    ChildInput,
    batched,
    single,
    size_of,
)
from local_aws.services.stepfunctions.engine.execution import Execution, Machine, execution_of
from local_aws.services.stepfunctions.engine.language import DistributedState
from local_aws.services.stepfunctions.engine.map_run import Child, MapRun, Tolerance
from local_aws.services.stepfunctions.engine.registry import Executions
from local_aws.services.stepfunctions.engine.roles import Roles

_EXCEEDED = "The specified tolerated failure threshold was exceeded"
_TOO_LARGE = (
    "The state/task '{}' returned a result with a size exceeding the maximum number of bytes "
    "service limit."
)

Kind = TypeVar("Kind", int, float)


class DistributedMap:
    """Evaluates Distributed Maps; ``executions`` keeps the children, ``roles`` make the calls."""

    def __init__(self, executions: Executions, roles: Roles) -> None:
        self._executions = executions
        self._roles = roles

    def evaluate(self, name: str, spec: DistributedState, env: Any) -> None:
        """Run the state of this name; its result is put on the environment's stack.

        Raises the interpreter's FailureEventException with AWS's error name.
        """
        state = spec.state
        reader = state.get("ItemReader")
        with _frame(env) as frame:
            at_once = _at_once(spec, frame)
            items = [] if reader is not None else _items(spec, frame, env)
            entered = copy(env.event_history_context)
            _event(env, HistoryEventType.MapStateStarted, length=len(items))
            frame.event_history_context = entered
            run = _map_run(spec, frame, env, at_once)
            limit = (
                None if reader is None else _number(spec, _config(reader), "MaxItems", frame, int)
            )
            frame.event_history_context = env.event_history_context
            execution_of(env).map_runs.append(run)
            _event(env, HistoryEventType.MapRunStarted, mapRunArn=run.arn)
            try:
                if reader is not None:
                    items = self._read(spec, frame, env, limit)
                result = self._process(name, spec, frame, env, run, items)
            except FailureEventException as error:
                run.end("FAILED")
                reported, cause = error.extract_error_cause_pair()
                _event(env, HistoryEventType.MapRunFailed, error=reported, cause=cause)
                raise
            except Exception:
                run.end("FAILED")
                raise
        if env.is_running():
            run.end("SUCCEEDED")
            _event(env, HistoryEventType.MapRunSucceeded)
            _event(env, HistoryEventType.MapStateSucceeded, update=False)
        else:
            run.stop()
        env.stack.append(result)

    def _process(
        self,
        name: str,
        spec: DistributedState,
        frame: Any,
        env: Any,
        run: MapRun,
        items: Sequence[Any],
    ) -> Any:
        inputs = _inputs(spec, frame, env, items)
        if any(each.size > PAYLOAD_BYTES for each in inputs):
            raise _failure(env, errors.DATA_LIMIT_EXCEEDED, _TOO_LARGE.format(name))
        self._may_start_children(env)
        machine = _child_machine(spec, env, run)
        run.process(inputs, lambda child: self._child(machine, run, child), env.is_running)
        if not env.is_running():
            return None
        result = self._result(spec, frame, env, run)
        if run.has_failed:
            raise _failure(env, errors.EXCEED_TOLERATED_FAILURE_THRESHOLD, _EXCEEDED)
        if size_of(result) > PAYLOAD_BYTES:
            raise _failure(env, errors.DATA_LIMIT_EXCEEDED, _TOO_LARGE.format(name))
        return result

    def _child(self, machine: Machine, run: MapRun, child: Child) -> Execution:
        name = str(uuid.uuid4())
        return self._executions.add(
            machine,
            name,
            interpreter.compact(child.input),
            map_run_arn=run.arn,
            item_count=child.item_count,
        )

    def _may_start_children(self, env: Any) -> None:
        """The role must be allowed to start executions of the machine itself."""
        execution = execution_of(env)
        refused = self._roles.refusal(
            execution.machine.role_arn,
            "states:StartExecution",
            execution.machine.arn.partition("/")[0],
        )
        if refused is not None:
            raise _failure(env, errors.PERMISSIONS, refused)

    def _read(self, spec: DistributedState, frame: Any, env: Any, limit: int | None) -> list[Any]:
        reader = spec.state["ItemReader"]
        if limit is not None and limit < 0:
            cause = "field MaxItems must be positive"
            raise _failure(env, errors.ITEM_READER_FAILED, cause)
        parameters = _object(spec.evaluate(spec.parameters_of(reader), frame))
        try:
            if reader["Resource"].endswith("listObjectsV2"):
                return item_reader.listed(self._s3(env), parameters, limit)
            return item_reader.read(self._s3(env), parameters, _config(reader), limit)
        except ClientError as error:
            raise _failure(env, errors.ITEM_READER_FAILED, errors.cause_of_s3(error)) from None
        except (item_reader.UnreadableItems, BotoCoreError) as error:
            raise _failure(env, errors.ITEM_READER_FAILED, str(error)) from None

    def _result(self, spec: DistributedState, frame: Any, env: Any, run: MapRun) -> Any:
        writer = spec.state.get("ResultWriter", {})
        config = writer.get("WriterConfig", {})
        if "Resource" not in writer:
            kind = {"Transformation": "COMPACT", **config}
            shown = [child for child in run.children if child.status == "SUCCEEDED" or config]
            run.results_written(shown)
            return result_writer.results(shown, kind)
        parameters = _object(spec.evaluate(spec.parameters_of(writer), frame))
        try:
            return result_writer.export(self._s3(env), run, parameters, config)
        except ClientError as error:
            raise _failure(env, errors.RESULT_WRITER_FAILED, errors.cause_of_s3(error)) from None
        except (KeyError, BotoCoreError) as error:
            raise _failure(env, errors.RESULT_WRITER_FAILED, str(error)) from None

    def _s3(self, env: Any) -> Any:
        role = execution_of(env).machine.role_arn
        return self._roles.client(role, "s3", _region(env))


def _items(spec: DistributedState, frame: Any, env: Any) -> list[Any]:
    if spec.jsonata:
        items = spec.evaluate(spec.state.get("Items", "{% $states.input %}"), frame)
    else:
        path = spec.state.get("ItemsPath", "$")
        items = spec.evaluate({"Value.$": path}, frame)["Value"]
    if not isinstance(items, list):
        kind = HistoryEventType.EvaluationFailed
        cause = f"Map state input must be an array but was: {type(items).__name__}"
        raise interpreter.failure(env, "States.QueryEvaluationError", cause, kind)
    return items


def _at_once(spec: DistributedState, frame: Any) -> int:
    found = _number(spec, spec.state, "MaxConcurrency", frame, int) or 0
    if found < 0:
        cause = f"Expected non-negative integer for MaxConcurrency, got '{found}' instead."
        raise _unusable(frame, cause)
    return found


def _map_run(spec: DistributedState, frame: Any, env: Any, at_once: int) -> MapRun:
    execution = execution_of(env)
    state = spec.state
    label = state.get("Label") or str(uuid.uuid4())
    arn = execution.machine.arn.partition("/")[0]
    count = _number(spec, state, "ToleratedFailureCount", frame, int)
    if count is not None and count < 0:
        raise _unusable(frame, "ToleratedFailureCount cannot be negative.")
    percentage = _number(spec, state, "ToleratedFailurePercentage", frame, float)
    if percentage is not None and not 0 <= percentage <= 100:
        raise _unusable(frame, "ToleratedFailurePercentage must be between 0 and 100.")
    return MapRun(
        arn=f"{arn.replace(':stateMachine:', ':mapRun:')}/{label}:{uuid.uuid4()}",
        execution_arn=execution.arn,
        machine_arn=f"{arn}/{label}",
        max_concurrency=at_once,
        tolerance=Tolerance(count=count, percentage=percentage),
    )


def _inputs(spec: DistributedState, frame: Any, env: Any, items: Sequence[Any]) -> list[ChildInput]:
    state = spec.state
    selector = state.get("ItemSelector", state.get("Parameters"))
    if selector is not None:
        items = [_selected(spec, selector, env, index, item) for index, item in enumerate(items)]
    batcher = state.get("ItemBatcher")
    if batcher is None:
        return single(items)
    given = batcher.get("BatchInput")
    return batched(
        items,
        max_items=_number(spec, batcher, "MaxItemsPerBatch", frame, int),
        max_bytes=_number(spec, batcher, "MaxInputBytesPerBatch", frame, int),
        batch_input=None if given is None else spec.evaluate(given, frame),
    )


def _selected(spec: DistributedState, selector: Any, env: Any, index: int, item: Any) -> Any:
    with _frame(env) as frame:
        context = frame.states.context_object.context_object_data
        context["Map"] = {"Item": {"Index": index, "Value": item}}
        return spec.evaluate(selector, frame)


def _child_machine(spec: DistributedState, env: Any, run: MapRun) -> Machine:
    return replace(
        execution_of(env).machine,
        arn=run.machine_arn,
        name=run.machine_arn.rpartition(":")[2],
        definition=spec.child_definition,
        kind=spec.config.get("ExecutionType", "STANDARD"),
    )


@contextmanager
def _frame(env: Any) -> Iterator[Any]:
    """A scope of its own for templates, so that evaluating them leaves the state's data alone."""
    frame = env.open_inner_frame()
    frame.states.reset(input_value=env.stack[-1] if env.stack else env.states.get_input())
    frame.event_history_context = env.event_history_context
    try:
        yield frame
    finally:
        env.delete_frame(frame)


def _event(env: Any, kind: Any, *, update: bool = True, **details: Any) -> None:
    name = f"{kind.value[:1].lower()}{kind.value[1:]}EventDetails"
    shown = {key: value for key, value in details.items() if value is not None}
    env.event_manager.add_event(
        context=env.event_history_context,
        event_type=kind,
        event_details={name: shown} if details else None,
        update_source_event_id=update,
    )


def _failure(env: Any, error: str, cause: str) -> Exception:
    return interpreter.failure(env, error, cause, HistoryEventType.MapRunFailed)


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _config(reader: Mapping[str, Any]) -> Mapping[str, Any]:
    return _object(reader.get("ReaderConfig"))


def _number(
    spec: DistributedState,
    owner: Mapping[str, Any],
    name: str,
    frame: Any,
    kind: type[Kind],
) -> Kind | None:
    """A field that is a number, or its text; None when absent.

    Raises the interpreter's FailureEventException, which no Catch stops, for anything else.
    """
    value = spec.field(owner, name, frame)
    if value is None:
        return None
    with suppress(ValueError):
        if isinstance(value, str | kind | int) and not isinstance(value, bool):
            return kind(value)
    field = f"{name}Path" if f"{name}Path" in owner else name
    shown = value if isinstance(value, str) else interpreter.compact(value)
    what = "integer" if kind is int else "float"
    raise _unusable(
        frame,
        f'The {field} field refers to value "{shown}" which is not a valid {what}: {owner[field]}',
    )


def _unusable(env: Any, cause: str) -> Exception:
    return interpreter.failure(env, errors.RUNTIME, cause, HistoryEventType.ExecutionFailed)


def _region(env: Any) -> str:
    return str(env.aws_execution_details.region)

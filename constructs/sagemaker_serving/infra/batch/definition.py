"""The batch pipeline's state machine, in the Amazon States Language with JSONata.

::

    Plan ─┬─(more)── Plan
          ├─(no turn is free)── Turn ── Plan
          ├─(nothing to do)───────────┐
          └─ Shards: a Distributed Map│ over the plan in S3, one child for each shard
                │  Settle ─┬─(more)── Settle
                │          ├─ Wait ─ Transform ─ Settle …
                │          ├─ Isolate ─┬─ Wait ─ Transform …
                │          ├─ Done     └─ Done
                │          └─ GiveUp
                └───────── Report ─┬─(more)── Report
                                   └─ Publish: metric, event, message
                                        └─ Verdict ─ Complete | Incomplete
    Plan or Report fails ── TellOfFailure: event, message ── Broken

Everything that grows with the data is in S3: a state's input has names and numbers, and the
arguments of one job. Jobs are not retried here: Step Functions cannot tell throttling from a
missing permission by name, so ``Settle`` reads the cause and says what to wait.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sagemaker_serving.infra.functions.own_machine import REFUSED_CALLS

NAMESPACE = "SageMakerServing/BatchTransform"
"""The namespace of the metrics."""
EVENT_SOURCE = "sagemaker-serving.batch-transform"
DETAIL_TYPE = "Batch Transform Ended"
"""What the event on the default bus is called."""
METRICS = {
    "Objects": "objects",
    "Answered": "answered",
    "Quarantined": "quarantined",
    "Records": "records",
    "AnsweredRecords": "records_answered",
    "QuarantinedRecords": "records_quarantined",
    "Unaccounted": "unaccounted",
}
"""Each metric and the report's count that it has."""
NOT_TOLD = "Batch Transform Not Told"
"""What the event is called that says that the topic could not be told."""
OTHER_ENDS = [
    {"status": ["ABORTED", "TIMED_OUT"]},
    {"status": ["FAILED"], "error": [{"prefix": "States."}]},
    {"told": [False]},
]
"""How an execution ends that told nobody: as Step Functions' own event has it, or `NOT_TOLD`.

An error of Step Functions' own that ends an execution was caught by nothing. Some never are,
States.ALL included, and Choice, Wait, Succeed and Fail have no Catch: an expression of theirs that
fails is States.QueryEvaluationError (its developer guide, "Handling errors"). The machine itself
ends with no such name, which are reserved (Amazon States Language, "Errors"). The event says what
DescribeExecution says (the guide, "Automating event delivery with EventBridge")."""

_NEVER = {"ErrorEquals": ["Refused"], "MaxAttempts": 0}
_FOR_A_MINUTE = {
    "ErrorEquals": ["NotAllowed", *REFUSED_CALLS],
    "IntervalSeconds": 12,
    "MaxAttempts": 5,
    "BackoffRate": 1,
}
"""A policy that a deploy has just written takes seconds until every service knows it."""
_THROTTLED = {
    "ErrorEquals": ["Lambda.TooManyRequestsException"],
    "IntervalSeconds": 2,
    "MaxAttempts": 60,
    "BackoffRate": 2,
    "MaxDelaySeconds": 60,
    "JitterStrategy": "FULL",
}
"""A new account runs few functions at once (Lambda developer guide, "Lambda quotas"), and those of
other work count as well: some half an hour."""
_AGAIN = {
    "ErrorEquals": ["States.ALL"],
    "IntervalSeconds": 2,
    "MaxAttempts": 4,
    "BackoffRate": 3,
    "MaxDelaySeconds": 60,
    "JitterStrategy": "FULL",
}


_TOLD = {
    "ErrorEquals": ["States.ALL"],
    "Output": {
        "status": "{% $states.errorOutput.Error %}",
        "cause": "{% $states.errorOutput.Cause %}",
        "summary": "{% $contains($states.errorOutput.Cause, '\"errorMessage\"') "
        "? $parse($states.errorOutput.Cause).errorMessage : $states.errorOutput.Cause %}",
    },
    "Next": "TellOfFailure",
}
"""What a function of Lambda's fails with is JSON, whose errorMessage is for people."""


def batch_definition(
    *,
    partition: str,
    function_arn: str,
    settings: Mapping[str, Any],
    topic_arn: str | None,
) -> dict[str, Any]:
    """The machine's definition.

    ``settings`` are the function's, as `transform_settings` makes them. Without a topic nobody
    gets a message.
    """

    def call(payload: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "Type": "Task",
            "Resource": f"arn:{partition}:states:::lambda:invoke",
            "Arguments": {"FunctionName": function_arn, "Payload": payload},
            "Output": "{% $states.result.Payload %}",
            "Retry": [_NEVER, _FOR_A_MINUTE, _THROTTLED, _AGAIN],
        }

    def told_if_it_fails(payload: Mapping[str, Any]) -> dict[str, Any]:
        return {**call(payload), "Catch": [_TOLD]}

    return {
        "Comment": "Transforms every object of an input, and lists what has no answer",
        "QueryLanguage": "JSONata",
        "StartAt": "Plan",
        "States": {
            "Plan": {
                **told_if_it_fails(
                    {
                        "step": "plan",
                        "settings": settings,
                        "input": "{% $states.context.Execution.Input %}",
                        "execution": "{% $states.context.Execution.Id %}",
                        "began": "{% $states.context.Execution.StartTime %}",
                        "cursor": _if_given("cursor"),
                        "work": _if_given("work"),
                        "waits": _if_given("waits"),
                    }
                ),
                "Next": "IsPlanned",
            },
            "Turn": {
                "Type": "Wait",
                "Seconds": "{% $states.input.wait_seconds %}",
                "Output": {"waits": "{% $states.input.waits %}"},
                "Next": "Plan",
            },
            "IsPlanned": {
                "Type": "Choice",
                "Choices": [
                    {"Condition": "{% $exists($states.input.wait_seconds) %}", "Next": "Turn"},
                    {"Condition": "{% $states.input.more %}", "Next": "Plan"},
                    {
                        "Condition": "{% $states.input.shards = 0 %}",
                        "Output": {"work": "{% $states.input.work %}"},
                        "Next": "Report",
                    },
                ],
                "Default": "Shards",
            },
            "Shards": _shards(
                partition,
                call,
                settings["limits"]["max_concurrent_jobs"],
                asks=asks_for_jobs(settings["job"]),
            ),
            "Report": {
                **told_if_it_fails(
                    {
                        "step": "report",
                        "work": "{% $states.input.work %}",
                        "cursor": _if_given("cursor"),
                    }
                ),
                "Next": "IsReported",
            },
            "IsReported": {
                "Type": "Choice",
                "Choices": [{"Condition": "{% $states.input.more %}", "Next": "Report"}],
                "Default": "Publish",
            },
            "Publish": _publish(partition, topic_arn),
            "Verdict": {
                "Type": "Choice",
                "Choices": [
                    {"Condition": "{% $states.input.status = 'COMPLETE' %}", "Next": "Complete"}
                ],
                "Default": "Incomplete",
            },
            "TellOfFailure": _tell_of_failure(partition, topic_arn),
            "Broken": {
                "Type": "Fail",
                "Error": "{% $substringAfter($states.input.status, 'States.') %}",
                "Cause": "{% $states.input.cause %}",
            },
            "Complete": {"Type": "Succeed"},
            "Incomplete": {
                "Type": "Fail",
                "Error": "{% $states.input.status %}",
                "Cause": "{% $states.input.summary %}",
            },
        },
    }


def asks_for_jobs(job: Mapping[str, Any]) -> bool:
    """Whether the machine looks at its jobs itself, where ``.sync`` may refuse their arguments.

    That integration has a list of fields of its own, and ends a task with States.Runtime, which
    nothing catches, at any other: aws-step-functions-data-science-sdk-python#15. No page of Step
    Functions names the fields, nor TransformAmiVersion, which is newer: so it is unverified there.
    ``aws-sdk:sagemaker`` takes what the API takes.
    """
    return "TransformAmiVersion" in job["TransformResources"]


def _if_given(field: str) -> str:
    """A field of the state's input; null, which JSONata makes of nothing only when told so."""
    return f"{{% $exists($states.input.{field}) ? $states.input.{field} : null %}}"


def _shards(partition: str, call: Any, max_concurrency: int, *, asks: bool) -> dict[str, Any]:
    return {
        "Type": "Map",
        "Label": "Shards",
        "ItemReader": {
            "Resource": f"arn:{partition}:states:::s3:getObject",
            "ReaderConfig": {"InputType": "JSONL"},
            "Arguments": {
                "Bucket": "{% $states.input.bucket %}",
                "Key": "{% $states.input.key & 'plan.jsonl' %}",
            },
        },
        "ItemSelector": {
            "work": "{% $states.input.work %}",
            "shard": "{% $states.context.Map.Item.Value.shard %}",
        },
        "ItemProcessor": {
            "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
            "StartAt": "Settle",
            "States": _shard(partition, call, asks=asks),
        },
        "MaxConcurrency": max_concurrency,
        "ToleratedFailurePercentage": 100,
        "ResultWriter": {
            "Resource": f"arn:{partition}:states:::s3:putObject",
            "Arguments": {
                "Bucket": "{% $states.input.bucket %}",
                "Prefix": "{% $states.input.key & 'map' %}",
            },
        },
        "Output": {"work": "{% $states.input.work %}"},
        "Retry": [
            {**_FOR_A_MINUTE, "ErrorEquals": ["States.ItemReaderFailed", "States.Permissions"]}
        ],
        "Catch": [
            {
                "ErrorEquals": ["States.ALL"],
                "Output": {"work": "{% $states.input.work %}"},
                "Next": "Report",
            }
        ],
        "Next": "Report",
    }


def _shard(partition: str, call: Any, *, asks: bool) -> dict[str, Any]:
    """One shard: jobs until all that can have an output has one."""
    shard = {
        "work": "{% $states.input.work %}",
        "shard": "{% $states.input.shard %}",
        "after": _if_given("after"),
    }
    merged = (
        "{% $merge([{'work': $states.input.work, 'shard': $states.input.shard}, "
        "$states.result.Payload]) %}"
    )
    carried = {
        "work": "{% $states.input.work %}",
        "shard": "{% $states.input.shard %}",
        "after": "{% $states.input.after %}",
    }
    return {
        "Settle": {
            **call(
                {
                    "step": "settle",
                    **shard,
                    "error": _if_given("error"),
                }
            ),
            "Output": merged,
            "Next": "WhatNext",
        },
        "WhatNext": {
            "Type": "Choice",
            "Choices": [
                {
                    "Condition": "{% $states.input.next = 'transform' "
                    "and $states.input.wait_seconds > 0 %}",
                    "Next": "Wait",
                },
                {"Condition": "{% $states.input.next = 'transform' %}", "Next": "Transform"},
                {"Condition": "{% $states.input.next = 'settle' %}", "Next": "Settle"},
                {"Condition": "{% $states.input.next = 'isolate' %}", "Next": "Isolate"},
                {"Condition": "{% $states.input.next = 'done' %}", "Next": "Done"},
            ],
            "Default": "GiveUp",
        },
        "Wait": {
            "Type": "Wait",
            "Seconds": "{% $states.input.wait_seconds %}",
            "Next": "Transform",
        },
        **(_asked if asks else _waited_for)(partition, carried),
        "Isolate": {
            **call({"step": "isolate", **shard}),
            "Output": merged,
            "Next": "WhatNext",
        },
        "Done": {"Type": "Succeed", "Output": {"shard": "{% $states.input.shard %}"}},
        "GiveUp": {
            "Type": "Fail",
            "Error": "{% $states.input.error %}",
            "Cause": "{% $states.input.cause %}",
        },
    }


def _waited_for(partition: str, carried: Mapping[str, Any]) -> dict[str, Any]:
    """A job that Step Functions waits for."""
    return {
        "Transform": {
            "Type": "Task",
            "Resource": f"arn:{partition}:states:::sagemaker:createTransformJob.sync",
            "Arguments": "{% $states.input.job %}",
            "Output": carried,
            "Catch": [_settled(carried)],
            "Next": "Settle",
        }
    }


def _asked(partition: str, carried: Mapping[str, Any]) -> dict[str, Any]:
    """A job that is looked at every half minute; one that failed is told as ``.sync`` tells it."""
    described = "$states.result.TransformJobStatus in ['Failed', 'Stopped']"
    return {
        "Transform": {
            "Type": "Task",
            "Resource": f"arn:{partition}:states:::aws-sdk:sagemaker:createTransformJob",
            "Arguments": "{% $states.input.job %}",
            "Output": {**carried, "name": "{% $states.input.job.TransformJobName %}"},
            "Catch": [_settled(carried)],
            "Next": "Transforming",
        },
        "Transforming": {"Type": "Wait", "Seconds": 30, "Next": "Look"},
        "Look": {
            "Type": "Task",
            "Resource": f"arn:{partition}:states:::aws-sdk:sagemaker:describeTransformJob",
            "Arguments": {"TransformJobName": "{% $states.input.name %}"},
            "Output": {
                **carried,
                "name": "{% $states.input.name %}",
                "status": "{% $states.result.TransformJobStatus %}",
                "error": f"{{% {described} ? {{'Error': 'States.TaskFailed', "
                "'Cause': $string($states.result)} : null %}",
            },
            "Retry": [{**_AGAIN, "IntervalSeconds": 30, "MaxAttempts": 20}],
            "Catch": [_settled(carried)],
            "Next": "HasEnded",
        },
        "HasEnded": {
            "Type": "Choice",
            "Choices": [
                {
                    "Condition": "{% $states.input.status in ['InProgress', 'Stopping'] %}",
                    "Next": "Transforming",
                }
            ],
            "Default": "Settle",
        },
    }


def _settled(carried: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "ErrorEquals": ["States.ALL"],
        "Output": {**carried, "error": "{% $states.errorOutput %}"},
        "Next": "Settle",
    }


def _publish(partition: str, topic_arn: str | None) -> dict[str, Any]:
    counted = {
        "Metric": {
            "Resource": f"arn:{partition}:states:::aws-sdk:cloudwatch:putMetricData",
            "Arguments": {
                "Namespace": NAMESPACE,
                "MetricData": [
                    {
                        "MetricName": metric,
                        "Dimensions": [
                            {
                                "Name": "StateMachine",
                                "Value": "{% $states.context.StateMachine.Name %}",
                            }
                        ],
                        "Unit": "Count",
                        "Value": f"{{% $states.input.counts.{count} %}}",
                    }
                    for metric, count in METRICS.items()
                ],
            },
        },
    }
    detail = {
        "counts": "{% $states.input.counts %}",
        "report": "{% $states.input.report %}",
    }
    return _tell([counted, *_told(partition, topic_arn, "", detail)], then="Verdict")


def _tell_of_failure(partition: str, topic_arn: str | None) -> dict[str, Any]:
    detail = {"reason": "{% $states.input.summary %}"}
    return _tell(_told(partition, topic_arn, "OfFailure", detail), then="Broken")


def _told(
    partition: str, topic_arn: str | None, of: str, detail: Mapping[str, str]
) -> list[dict[str, dict[str, Any]]]:
    """The tasks that tell the default bus, and the topic if there is one."""
    status = {"status": "{% $states.input.status %}"}
    execution = "{% $states.context.Execution.Id %}"
    event = _event(partition, DETAIL_TYPE, {"execution": execution, **status, **detail})
    message = {
        "Resource": f"arn:{partition}:states:::sns:publish",
        "Arguments": {
            "TopicArn": topic_arn,
            "Subject": "{% 'Batch transform: ' & $states.input.status %}",
            "Message": "{% $states.input.summary %}",
        },
    }
    tasks = [{f"Event{of}": event}]
    if topic_arn is None:
        return tasks
    not_told = {
        "stateMachineArn": "{% $states.context.StateMachine.Id %}",
        "executionArn": execution,
        **status,
        "told": False,
    }
    # The rule that knows of `OTHER_ENDS` tells the topic then, as a role of its own.
    otherwise = _event(partition, NOT_TOLD, not_told)
    return [*tasks, {f"Message{of}": message, f"NotTold{of}": otherwise}]


def _event(partition: str, detail_type: str, detail: Mapping[str, Any]) -> dict[str, Any]:
    entry = {"Source": EVENT_SOURCE, "DetailType": detail_type, "Detail": detail}
    resource = f"arn:{partition}:states:::events:putEvents"
    return {"Resource": resource, "Arguments": {"Entries": [entry]}}


def _tell(branches: Sequence[Mapping[str, dict[str, Any]]], *, then: str) -> dict[str, Any]:
    """Tell of the end, of each branch by the first task that can; that somebody could not be told
    changes nothing of it."""
    return {
        "Type": "Parallel",
        "Branches": [_first_that_can(tasks) for tasks in branches],
        "Output": "{% $states.input %}",
        "Next": then,
    }


def _first_that_can(tasks: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    first = next(iter(tasks))
    states: dict[str, Any] = {
        name: {
            "Type": "Task",
            **task,
            "Retry": [_AGAIN],
            "Catch": [
                {
                    "ErrorEquals": ["States.ALL"],
                    "Output": "{% $states.input %}",
                    "Next": otherwise,
                }
            ],
            "End": True,
        }
        for (name, task), otherwise in zip(
            tasks.items(), [*list(tasks)[1:], f"No{first}"], strict=True
        )
    }
    return {"StartAt": first, "States": {**states, f"No{first}": {"Type": "Pass", "End": True}}}

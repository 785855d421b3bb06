"""Rules on a batch pipeline: shards, retries, schedules and notifications."""

from __future__ import annotations

import re
from collections.abc import Iterator

from local_aws.schedules import EVENTS, schedule_fault
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.engine.numbers import at_least, between
from sagemaker_serving.rules.facts.resources import BatchPipelineFacts

_OWN = "this project's batch pipeline: sagemaker-serving docs batch"
_STEPS = "AWS Step Functions developer guide, quotas and fields of Retry"
_EVENTS = "Amazon EventBridge user guide, cron and rate expressions"
_SNS = "AWS SNS developer guide, topics' ARNs"

_KINDS = ("throttling", "capacity", "internal")
_MAX_ENVIRONMENT = 32 * 1024
_LARGEST_SIZE = 2**53 - 1
"""JSON, by which a state machine carries it, keeps whole numbers up to here."""

_TOPIC = re.compile(r"arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,256}(?:\.fifo)?")


@rule(source="botocore TransformResources", example="batch_transform: {instance_count: 2}")
def batch_instances(pipeline: BatchPipelineFacts) -> Iterator[Finding]:
    """A batch pipeline says on which instance type its jobs run.

    CreateTransformJob has no default.
    """
    block = pipeline.members
    if not block.get("instance_type").given and not block.get("instance_types").value:
        yield block.finding(
            "instance_type is missing; give the type that jobs run on, or instance_types in order "
            "of preference"
        )


@rule(source=_OWN, example="max_objects_per_shard: 0")
def batch_limits(pipeline: BatchPipelineFacts) -> Iterator[Finding]:
    """Shards, jobs at once and the size of an input are in ranges that work.

    A shard's objects are listed in one manifest, and its function holds their names.
    """
    block = pipeline.members
    yield from between(block.get("max_objects_per_shard"), 1, 100_000)
    yield from at_least(block.get("max_bytes_per_shard"), 1, _LARGEST_SIZE)
    yield from between(block.get("max_concurrent_jobs"), 1, 1000)
    yield from between(block.get("max_concurrent_executions"), 1, 100)
    yield from at_least(block.get("max_input_objects"), 1)
    yield from at_least(block.get("max_input_bytes"), 1, _LARGEST_SIZE)


@rule(source=_OWN, example="line_per_record: true   # without a split_type")
def batch_lines(pipeline: BatchPipelineFacts) -> Iterator[Finding]:
    """An output with a line for each record needs records, and answers that go into lines.

    Without a ``split_type`` an object is one record. The pipeline writes JSON and text in lines;
    an object whose answers are NumPy's or RecordIO's goes into quarantine.
    """
    block = pipeline.members
    lines, split, accept = (block.get(each) for each in ("line_per_record", "split_type", "accept"))
    if lines.value is not True:
        return
    if not split.given or split.text == "None":
        yield lines.says(
            "is true and there is no split_type, so an object is one record; add split_type: Line, "
            "RecordIO or TFRecord, or leave line_per_record out"
        )
    elif "npy" in (accept.text or "") or "recordio" in (accept.text or ""):
        yield accept.says(
            f"is {accept.text!r} and line_per_record is true; such answers go into no lines; "
            "accept application/json, application/jsonlines or text/csv"
        )


@rule(source=_STEPS, example="retries: {internal: {max_attempts: -1}}")
def batch_retries(pipeline: BatchPipelineFacts) -> Iterator[Finding]:
    """Budgets and waits of retries are not negative, and waits do not shrink.

    Step Functions gets a wait as it is, and fails a shard whose wait is invalid.
    """
    retries = pipeline.members.get("retries")
    for kind in _KINDS:
        retry = retries.get(kind)
        yield from between(retry.get("max_attempts"), 0, 1000)
        yield from between(retry.get("interval_seconds"), 0, 86_400)
        yield from between(retry.get("backoff_rate"), 1, 100)
        yield from between(retry.get("max_delay_seconds"), 0, 86_400)
        yield from between(retry.get("max_wait_seconds"), 0, 604_800)


@rule(source=_STEPS, example="environment: {BIG: <40 KB of text>}")
def batch_environment(pipeline: BatchPipelineFacts) -> Iterator[Finding]:
    """The variables of a job have 32 KB together.

    The state machine carries a job's arguments, and a state of it ends at 256 KB.
    """
    environment = pipeline.members.get("environment")
    size = sum(
        len(f"{name}{fact.text}".encode("utf-8", "replace"))
        for name, fact in environment.entries()
        if fact.text is not None
    )
    if size > _MAX_ENVIRONMENT:
        yield environment.says(
            f"has {size:,} bytes; a pipeline's jobs take {_MAX_ENVIRONMENT:,}; put the values into "
            "a file of the archive"
        )


@rule(source=_EVENTS, example="schedule: daily")
def batch_schedule(pipeline: BatchPipelineFacts) -> Iterator[Finding]:
    """A schedule is an expression that EventBridge reads: a rate, or cron with six fields.

    It refuses any other when the stack is deployed. The unit of a rate of one is singular, and of
    a month's day and a week's day exactly one is ``?``.
    """
    fact = pipeline.members.get("schedule")
    fault = None if fact.text is None else schedule_fault(fact.text, EVENTS)
    if fault is not None:
        yield fact.says(f"is {fact.text!r}; {fault}; cron(0 4 * * ? *) is each day at four, UTC")
    elif fact.text is not None and len(fact.text) > 256:
        yield fact.says(
            f"has {len(fact.text)} characters; EventBridge takes 256; shorten its lists"
        )


@rule(source=_SNS, example="notification_topic: batches")
def batch_topic(pipeline: BatchPipelineFacts) -> Iterator[Finding]:
    """notification_topic is ``new`` or a topic's ARN, not a FIFO topic's.

    A FIFO topic accepts only messages with a group, and the pipeline's have none.
    """
    fact = pipeline.members.get("notification_topic")
    text = fact.text
    if text is None or text == "new":
        return
    if _TOPIC.fullmatch(text) is None or text.endswith(".fifo"):
        yield fact.says(
            f"is {text!r}; it must be new, null, or the ARN of a standard topic; write new for a "
            "topic of the model's own stack"
        )


@rule(source=_OWN, example="schedule: rate(1 day)\ninput_type: ManifestFile")
def batch_schedule_input(pipeline: BatchPipelineFacts) -> Iterator[Finding]:
    """A schedule transforms the whole input, which is a prefix.

    A schedule has nobody to name a manifest.
    """
    block = pipeline.members
    if block.get("schedule").text is not None and block.get("input_type").text == "ManifestFile":
        yield block.get("schedule").says(
            "is given and input_type is ManifestFile; a schedule transforms what is under the "
            "input's prefix; remove input_type, or let arrivals: manifests start executions"
        )


@warning(source=_OWN, example="schedule: rate(1 day)\narrivals: objects")
def batch_twice(pipeline: BatchPipelineFacts) -> Iterator[Finding]:
    """What arrives is transformed once.

    A schedule transforms all of the input, and what arrives lies below it. The answers lie apart,
    so neither knows of the other's.
    """
    block = pipeline.members
    arrivals = block.get("arrivals").text
    if block.get("schedule").text is not None and arrivals is not None:
        yield block.get("schedule").says(
            f"transforms once more what arrivals: {arrivals} has transformed below arriving/; "
            "leave one of them out"
        )

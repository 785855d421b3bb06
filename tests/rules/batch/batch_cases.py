"""Environment files with one thing wrong in a batch pipeline."""

from __future__ import annotations

from typing import Any

from tests.rules.changes import Change

BATCH = ("models", "digits", "batch_transform")
LINES: Change = {
    (*BATCH, "split_type"): "Line",
    (*BATCH, "assemble_with"): "Line",
    (*BATCH, "content_type"): "text/csv",
    (*BATCH, "accept"): "text/csv",
}
JSON_LINES: Change = {
    (*BATCH, "split_type"): "Line",
    (*BATCH, "content_type"): "application/jsonlines",
}
SINGLE: Change = {(*BATCH, "batch_strategy"): "SingleRecord"}
JSON_OUT: Change = {
    (*BATCH, "accept"): "application/jsonlines",
    (*BATCH, "assemble_with"): "Line",
}
PYTORCH: Change = {
    ("models", "digits", "framework"): "pytorch",
    ("models", "digits", "framework_version"): "2.6.0",
    ("models", "digits", "batching"): None,
}


def batch(**fields: Any) -> Change:
    """Fields of the batch pipeline."""
    return {(*BATCH, name): value for name, value in fields.items()}


ENVIRONMENTS: list[tuple[str, Change, str, Change]] = [
    ("batch-limits", batch(max_objects_per_shard=0),
     "max_objects_per_shard is 0; it must be 1 to 100000; use 1", batch(max_objects_per_shard=1)),
    ("batch-limits", batch(max_concurrent_jobs=1001),
     "max_concurrent_jobs is 1001; it must be 1 to 1000; use 1000",
     batch(max_concurrent_jobs=1000)),
    ("batch-limits", batch(max_concurrent_executions=101),
     "max_concurrent_executions is 101; it must be 1 to 100; use 100",
     batch(max_concurrent_executions=100)),
    ("batch-twice", batch(schedule="rate(1 day)", arrivals="objects"),
     "schedule transforms once more what arrivals: objects has transformed below arriving/; leave "
     "one of them out", batch(schedule="rate(1 day)")),
    ("batch-retries", batch(retries={"internal": {"max_attempts": -1, "interval_seconds": 1}}),
     "max_attempts is -1; it must be 0 to 1000; use 0",
     batch(retries={"internal": {"max_attempts": 0, "interval_seconds": 1}})),
    ("batch-environment", batch(environment={f"K{n}": "x" * 9000 for n in range(4)}),
     "environment has 36,008 bytes; a pipeline's jobs take 32,768",
     batch(environment={f"K{n}": "x" * 8000 for n in range(4)})),
    ("batch-schedule", batch(schedule="rate(1 days)"),
     "schedule is 'rate(1 days)'; the unit of 1 is 'day'; write rate(1 day)",
     batch(schedule="rate(1 day)")),
    ("batch-schedule", batch(schedule="cron(0 4 * * ?)"),
     "has 5 fields; it needs six: minutes, hours, day of month, month, day of week, year",
     batch(schedule="cron(0 4 * * ? *)")),
    ("batch-schedule", batch(schedule="cron(0 4 * * MON *)"),
     "day of month and day of week are both given; write ? for exactly one of them",
     batch(schedule="cron(0 4 ? * MON *)")),
    ("batch-schedule", batch(schedule="at(2027-01-01T00:00:00)"), "it must be cron(",
     batch(schedule="cron(0 0 1 1 ? 2027)")),
    ("batch-schedule",
     batch(schedule=f"cron({','.join(map(str, range(60)))},{','.join(['59'] * 30)} 4 * * ? *)"),
     "EventBridge takes 256", batch(schedule=f"cron({','.join(map(str, range(60)))} 4 * * ? *)")),
    ("batch-schedule-input", batch(schedule="rate(2 hours)", input_type="ManifestFile"),
     "a schedule transforms what is under the input's prefix",
     batch(schedule="rate(2 hours)", input_type="S3Prefix")),
    ("batch-topic", batch(notification_topic="batches"),
     "notification_topic is 'batches'; it must be new, null, or the ARN of a standard topic",
     batch(notification_topic="arn:aws:sns:eu-west-1:111122223333:batches")),
    ("batch-topic", batch(notification_topic="arn:aws:sns:eu-west-1:111122223333:batches.fifo"),
     "the ARN of a standard topic", batch(notification_topic="new")),
    ("batch-strategy", JSON_LINES,
     "split_type is 'Line' and batch_strategy is not said; write MultiRecord for lines that are",
     {**JSON_LINES, **batch(batch_strategy="MultiRecord")}),
    ("batch-strategy", {**JSON_LINES, ("models", "digits", "framework"): "TensorFlow"},
     "batch_strategy is not said", {**JSON_LINES, **PYTORCH}),
    ("batch-strategy", {**JSON_LINES, **batch(accept="application/json", input_filter="$")},
     "batch_strategy is not said",
     {**JSON_LINES, **batch(accept="application/json", input_filter="$.x")}),
    ("batch-countable", batch(split_type="Line", batch_strategy="SingleRecord", accept="image/png"),
     "accept is 'image/png' and split_type is 'Line'; such answers in one output cannot be",
     batch(accept="image/png")),
    ("batch-countable", batch(split_type="TFRecord", accept="Application/Octet-Stream; x=y"),
     "leave split_type out and give each record an object of its own, or accept application",
     batch(split_type="TFRecord", accept="application/x-npy")),
    ("batch-countable", {**LINES, **batch(assemble_with="None")},
     "accept is 'text/csv' and assemble_with is 'None'; answers that run into one another", LINES),
    ("batch-countable", batch(split_type="Line", accept="text/plain"),
     "cannot be counted; write assemble_with: Line", batch(accept="text/plain")),
    ("batch-lines", batch(line_per_record=True),
     "line_per_record is true and there is no split_type, so an object is one record",
     batch(line_per_record=True, split_type="TFRecord")),
    ("batch-lines", batch(line_per_record=True, split_type="TFRecord", accept="application/x-npy"),
     "such answers go into no lines; accept application/json, application/jsonlines or text/csv",
     batch(split_type="TFRecord", accept="application/x-npy")),
    ("transform-ranges", batch(invocations_timeout_in_seconds=3601),
     "invocations_timeout_in_seconds is 3601; it must be 1 to 3600; use 3600",
     batch(invocations_timeout_in_seconds=3600)),
    ("transform-data-processing", {**LINES, **batch(output_filter="$[0]", accept="image/png")},
     "accept is 'image/png'; filters and the join know application/json",
     {**LINES, **batch(output_filter="$[0]")}),
    ("transform-data-processing", {**LINES, **batch(output_filter="$[0]", assemble_with="None")},
     "assemble_with is 'None' and accept is 'text/csv'; filters and the join read CSV by the",
     {**LINES, **batch(output_filter="$[0]", assemble_with="Line")}),
    ("transform-data-processing",
     {**LINES, **batch(join_source="Input", accept="application/json")},
     "content_type is 'text/csv' and accept is 'application/json'; the join needs both",
     {**LINES, **batch(join_source="Input")}),
    ("transform-data-processing", {**LINES, **batch(input_filter="$[0]", split_type="TFRecord")},
     "split_type is 'TFRecord'; filters and the join know JSON and CSV only",
     {**LINES, **batch(input_filter="$[0]")}),
    (
        "transform-filters",  # aws/sagemaker-python-sdk#1112
        {**LINES, **batch(output_filter="$[0:2,246:]")},
        "output_filter is '$[0:2,246:]'; only single range filters of format (eg: [1:5]) are "
        "supported. Format [0:2,246:] is not supported; list single indexes, or keep one range",
        {**LINES, **batch(output_filter="$[0,1,246]")},
    ),
    ("transform-filters", {**LINES, **batch(input_filter="$.id")},
     "input_filter is '$.id'; SageMaker takes no '.' in the path of a filter of CSV; use indexes "
     "of columns", {**LINES, **batch(input_filter="$[0]")}),
    (
        "transform-filters",  # aws/aws-sdk#184
        {**JSON_LINES, **SINGLE, **batch(input_filter="$['account_id']")},
        "SageMaker takes no '_' in the path of a filter of JSON; use letters and digits",
        {**JSON_LINES, **SINGLE, **batch(input_filter="$['accountId']")},
    ),
    ("transform-join",
     {**JSON_LINES, **SINGLE, **JSON_OUT, **batch(output_filter="$.SageMakerOutput")},
     "SageMakerOutput is what a join adds, and there is none",
     {**JSON_LINES, **SINGLE, **JSON_OUT, **batch(output_filter="$.SageMakerOutput",
      join_source="Input")}),
]  # fmt: skip

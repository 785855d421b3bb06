"""Distributed Maps: children of their own, failures that are borne, results in S3."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import Aws, eventually
from tests.local_aws.services.stepfunctions.machines import (
    PASS,
    ROLE,
    begin,
    create,
    distributed,
    events,
    of,
    output,
    result,
    run,
    start,
    task,
)

PICKY = of(
    {
        "PolicyEvaluator": {
            "Type": "Choice",
            "Choices": [{"Variable": "$.n", "NumericGreaterThanEquals": 40, "Next": "Refuse"}],
            "Default": "Take",
        },
        "Refuse": {"Type": "Fail", "Error": "Own.TooLarge", "Cause": "n is too large"},
        "Take": task("aws-sdk:s3:headObject", {"Bucket": "models", "Key.$": "$.key"}),
    }
)
"""Children that look at an object, and fail for the last ten of fifty."""

QUICK = of({**PICKY["States"], "Take": {"Type": "Pass", "End": True}})
"""The same without a call."""

WAIT = of({"Wait": {"Type": "Wait", "Seconds": 600, "End": True}})
WRITER = {
    "Resource": "arn:aws:states:::s3:putObject",
    "Parameters": {"Bucket": "models", "Prefix": "results"},
}


@pytest.fixture(scope="module", autouse=True)
def items(aws: Aws) -> None:
    lines = "".join(json.dumps({"n": n}) + "\n" for n in range(50))
    aws.s3.put_object(Bucket="models", Key="items.jsonl", Body=lines.encode())
    for name in ("a", "b", "c"):
        aws.s3.put_object(Bucket="models", Key=f"list/{name}", Body=name.encode())


def reader(key: str = "items.jsonl", **config: Any) -> dict[str, Any]:
    return {
        "Resource": "arn:aws:states:::s3:getObject",
        "ReaderConfig": {"InputType": "JSONL", **config},
        "Parameters": {"Bucket": "models", "Key": key},
    }


def fifty(child: dict[str, Any], **fields: Any) -> dict[str, Any]:
    selector = {"n.$": "$$.Map.Item.Value.n", "key.$": "$.key", "index.$": "$$.Map.Item.Index"}
    return {"Each": distributed(child, ItemReader=reader(), ItemSelector=selector, **fields)}


def map_run(aws: Aws, execution: str) -> Any:
    client = aws.client("stepfunctions")
    (found,) = client.list_map_runs(executionArn=execution)["mapRuns"]
    return client.describe_map_run(mapRunArn=found["mapRunArn"])


def stored(aws: Aws, key: str) -> Any:
    return json.loads(aws.s3.get_object(Bucket="models", Key=key)["Body"].read())


def test_fifty_items_with_failures_that_are_tolerated(aws: Aws) -> None:
    states = fifty(PICKY, ToleratedFailureCount=10, ResultWriter=WRITER, Label="Look")
    execution = start(aws, states, input='{"key": "items.jsonl"}')
    ended = result(aws, execution)
    assert ended["status"] == "SUCCEEDED", ended.get("cause")
    where = json.loads(ended["output"])
    uuid = where["MapRunArn"].rpartition(":")[2]
    assert where["ResultWriterDetails"] == {
        "Bucket": "models",
        "Key": f"results/{uuid}/manifest.json",
    }
    manifest = stored(aws, where["ResultWriterDetails"]["Key"])
    size = {
        status: aws.s3.head_object(Bucket="models", Key=f"results/{uuid}/{status}_0.json")
        for status in ("SUCCEEDED", "FAILED")
    }
    assert manifest == {
        "DestinationBucket": "models",
        "MapRunArn": where["MapRunArn"],
        "ResultFiles": {
            "FAILED": [
                {
                    "Key": f"results/{uuid}/FAILED_0.json",
                    "Size": size["FAILED"]["ContentLength"],
                }
            ],
            "PENDING": [],
            "SUCCEEDED": [
                {
                    "Key": f"results/{uuid}/SUCCEEDED_0.json",
                    "Size": size["SUCCEEDED"]["ContentLength"],
                }
            ],
        },
    }
    described = map_run(aws, execution)
    assert described["status"] == "SUCCEEDED"
    counts = described["itemCounts"]
    assert (counts["total"], counts["succeeded"], counts["failed"]) == (50, 40, 10)
    assert counts["resultsWritten"] == 50
    succeeded = stored(aws, f"results/{uuid}/SUCCEEDED_0.json")
    assert [json.loads(each["Input"])["index"] for each in succeeded] == list(range(40))


def test_records_of_results_have_the_members_that_aws_documents(aws: Aws) -> None:
    states = {"Each": distributed(PICKY, ToleratedFailurePercentage=50, ResultWriter=WRITER)}
    given = [{"n": 1, "key": "items.jsonl"}, {"n": 40}]
    where = output(aws, states, given)
    manifest = stored(aws, where["ResultWriterDetails"]["Key"])["ResultFiles"]
    (good,) = stored(aws, manifest["SUCCEEDED"][0]["Key"])
    (bad,) = stored(aws, manifest["FAILED"][0]["Key"])
    common = {
        *("ExecutionArn", "Input", "InputDetails", "Name", "OutputDetails", "RedriveCount"),
        *("RedriveStatus", "StartDate", "StateMachineArn", "Status", "StopDate"),
    }
    assert good.keys() == common | {"Output", "RedriveStatusReason"}
    assert bad.keys() == common | {"Cause", "Error"}
    assert good["InputDetails"] == good["OutputDetails"] == {"Included": True}
    assert json.loads(good["Output"])["ContentType"] == "binary/octet-stream"
    assert good["RedriveStatusReason"] == "Execution is SUCCEEDED and cannot be redriven"
    assert good["ExecutionArn"].endswith(f":{good['Name']}")
    assert (bad["Error"], bad["Cause"]) == ("Own.TooLarge", "n is too large")
    assert (bad["Status"], bad["RedriveStatus"]) == ("FAILED", "REDRIVABLE")
    assert json.loads(bad["Input"]) == {"n": 40}


def test_one_failure_too_many_fails_the_state_and_can_be_caught(aws: Aws) -> None:
    error = "States.ExceedToleratedFailureThreshold"
    states = {
        **fifty(QUICK, ToleratedFailureCount=9, Next="Never"),
        "Never": {"Type": "Pass", "Next": "Caught"},
        "Caught": {"Type": "Pass", "End": True},
    }
    states["Each"]["Catch"] = [{"ErrorEquals": [error], "Next": "Caught"}]
    execution = start(aws, states, input='{"key": "items.jsonl"}')
    assert json.loads(result(aws, execution)["output"]) == {
        "Error": error,
        "Cause": "The specified tolerated failure threshold was exceeded",
    }
    assert map_run(aws, execution)["status"] == "FAILED"
    happened = [event["type"] for event in events(aws, execution)]
    assert happened[2:6] == ["MapStateStarted", "MapRunStarted", "MapRunFailed", "MapStateFailed"]
    assert "PassStateEntered" in happened


def test_children_that_never_started_are_pending_in_the_results(aws: Aws) -> None:
    state = distributed(PICKY, MaxConcurrency=1, ResultWriter=WRITER, Label="One")
    execution = start(aws, {"Each": state}, input=json.dumps([{"n": 40}, {"n": 1}, {"n": 2}]))
    assert result(aws, execution)["error"] == "States.ExceedToleratedFailureThreshold"
    described = map_run(aws, execution)
    assert described["executionCounts"]["pending"] == 2
    uuid = described["mapRunArn"].rpartition(":")[2]
    assert stored(aws, f"results/{uuid}/PENDING_0.json") == [
        {"Input": text, "InputDetails": {"Included": True}, "Status": "PENDING"}
        for text in ('{"n":1}', '{"n":2}')
    ]


def test_children_are_executions_of_their_own(aws: Aws) -> None:
    execution = start(aws, {"Each": distributed(PASS, Label="Own")}, input="[1, 2, 3]")
    result(aws, execution)
    client = aws.client("stepfunctions")
    run_arn = map_run(aws, execution)["mapRunArn"]
    children = client.list_executions(mapRunArn=run_arn)["executions"]
    machine = execution.split(":")[6]
    assert len(children) == 3
    for child in children:
        assert f":execution:{machine}/Own:" in child["executionArn"]
        assert child["stateMachineArn"].endswith(f":stateMachine:{machine}/Own")
        assert (child["mapRunArn"], child["itemCount"]) == (run_arn, 1)
    described = client.describe_execution(executionArn=children[0]["executionArn"])
    assert described["mapRunArn"] == run_arn
    assert [each["type"] for each in events(aws, children[0]["executionArn"])] == [
        *("ExecutionStarted", "PassStateEntered", "PassStateExited", "ExecutionSucceeded")
    ]
    made_of = client.describe_state_machine_for_execution(executionArn=children[0]["executionArn"])
    assert json.loads(made_of["definition"])["StartAt"] == "Pass"
    parents = client.list_executions(stateMachineArn=execution_machine(execution))
    assert [each["executionArn"] for each in parents["executions"]] == [execution]


def execution_machine(execution: str) -> str:
    return execution.replace(":execution:", ":stateMachine:").rpartition(":")[0]


def test_an_execution_that_stops_stops_its_children(aws: Aws) -> None:
    execution = start(aws, {"Each": distributed(WAIT)}, input=json.dumps(list(range(5))))
    client = aws.client("stepfunctions")

    def children() -> Any:
        runs = client.list_map_runs(executionArn=execution)["mapRuns"]
        return runs and client.list_executions(mapRunArn=runs[0]["mapRunArn"])["executions"]

    eventually(lambda: len(children() or []) == 5)
    client.stop_execution(executionArn=execution, error="Own.Stop", cause="enough")
    ended = result(aws, execution)
    assert (ended["status"], ended["error"], ended["cause"]) == ("ABORTED", "Own.Stop", "enough")
    eventually(lambda: {child["status"] for child in children()} == {"ABORTED"})
    eventually(lambda: map_run(aws, execution)["status"] == "ABORTED")


def test_a_child_that_is_stopped_counts_as_failed(aws: Aws) -> None:
    execution = start(aws, {"Each": distributed(WAIT)}, input="[1]")
    client = aws.client("stepfunctions")
    eventually(lambda: client.list_map_runs(executionArn=execution)["mapRuns"])
    run_arn = map_run(aws, execution)["mapRunArn"]
    (child,) = eventually(lambda: client.list_executions(mapRunArn=run_arn)["executions"])
    client.stop_execution(executionArn=child["executionArn"])
    assert result(aws, execution)["error"] == "States.ExceedToleratedFailureThreshold"


def test_objects_of_a_bucket_are_items_and_come_in_batches(aws: Aws) -> None:
    state = distributed(
        PASS,
        ItemReader={
            "Resource": "arn:aws:states:::s3:listObjectsV2",
            "Parameters": {"Bucket": "models", "Prefix.$": "$.prefix"},
        },
        ItemSelector={"key.$": "$$.Map.Item.Value.Key"},
        ItemBatcher={"MaxItemsPerBatchPath": "$.size", "BatchInput": {"from.$": "$.prefix"}},
    )
    assert output(aws, {"Each": state}, {"prefix": "list/", "size": 2}) == [
        {"BatchInput": {"from": "list/"}, "Items": [{"key": "list/a"}, {"key": "list/b"}]},
        {"BatchInput": {"from": "list/"}, "Items": [{"key": "list/c"}]},
    ]


def test_a_listed_object_has_the_members_that_aws_gives_it(aws: Aws) -> None:
    state = distributed(
        PASS,
        ItemReader={
            "Resource": "arn:aws:states:::s3:listObjectsV2",
            "ReaderConfig": {"MaxItems": 1},
            "Parameters": {"Bucket": "models", "Prefix": "list/"},
        },
    )
    (item,) = output(aws, {"Each": state})
    assert item.keys() == {"Etag", "Key", "LastModified", "Size", "StorageClass"}


@pytest.mark.parametrize(
    ("fields", "error", "cause"),
    [
        ({"ItemReader": reader("absent")}, "States.ItemReaderFailed",
         "The specified key does not exist. (Service: Amazon S3; Status Code: 404; Error Code: "),
        ({"ItemReader": reader(InputType="JSON")}, "States.ItemReaderFailed",
         "The file is not valid JSON"),
        ({"ResultWriter": {**WRITER, "Parameters": {"Bucket": "absent"}}, "ItemsPath": "$.all"},
         "States.ResultWriterFailed",
         "The specified bucket does not exist (Service: Amazon S3; Status Code: 404;"),
        ({"ItemsPath": "$.all", "ItemSelector": {"text.$": "$.long"}}, "States.DataLimitExceeded",
         "returned a result with a size exceeding the maximum number of bytes service limit"),
    ],
)  # fmt: skip
def test_maps_fail_with_the_names_of_aws(
    aws: Aws, fields: dict[str, Any], error: str, cause: str
) -> None:
    given = {"all": [1, 2], "long": "x" * 200_000}
    ended = run(aws, {"Each": distributed(PASS, **fields)}, input=json.dumps(given))
    assert ended["error"] == error
    assert cause in ended["cause"]


def test_a_role_that_may_not_start_executions_cannot_run_one(aws: Aws) -> None:
    role = aws.role("startless", "states", {"Effect": "Allow", "Action": "s3:*", "Resource": "*"})
    machine = create(aws, of({"Each": distributed(PASS)}), roleArn=role)
    ended = result(aws, begin(aws, machine, input="[1]"))
    assert ended["error"] == "States.Permissions"
    assert "is not authorized to perform: states:StartExecution on resource: " in ended["cause"]


def test_a_role_that_may_not_read_the_items_fails_the_reader(aws: Aws) -> None:
    role = aws.role(
        "readless", "states", {"Effect": "Allow", "Action": "states:*", "Resource": "*"}
    )
    machine = create(aws, of({"Each": distributed(PASS, ItemReader=reader())}), roleArn=role)
    ended = result(aws, begin(aws, machine))
    assert ended["error"] == "States.ItemReaderFailed"
    assert "(Service: Amazon S3; Status Code: 403; Error Code: AccessDenied;" in ended["cause"]


def test_limits_come_from_the_input(aws: Aws) -> None:
    paths = {
        "ToleratedFailureCountPath": "$.bear",
        "MaxConcurrencyPath": "$.at_once",
        "ItemsPath": "$.all",
    }
    given = {"bear": 1, "at_once": 2, "all": [{"n": 40}, {"n": 1, "key": "items.jsonl"}]}
    execution = start(aws, {"Each": distributed(PICKY, **paths)}, input=json.dumps(given))
    ended = result(aws, execution)
    assert len(json.loads(ended["output"])) == 1  # what failed and is borne has no output
    described = map_run(aws, execution)
    assert (described["maxConcurrency"], described["toleratedFailureCount"]) == (2, 1)
    # Without a ResultWriter, too (recorded of AWS by LocalStack's suite, 2023).
    assert described["itemCounts"]["resultsWritten"] == 1


def test_results_can_be_flattened_and_written_as_lines(aws: Aws) -> None:
    child = of({"Two": {"Type": "Pass", "Result": [1, 2], "End": True}})
    flat = {"WriterConfig": {"Transformation": "FLATTEN", "OutputType": "JSON"}}
    assert output(aws, {"Each": distributed(child, ResultWriter=flat)}, [0, 0]) == [1, 2, 1, 2]
    lines = {**WRITER, "WriterConfig": {"Transformation": "COMPACT", "OutputType": "JSONL"}}
    where = output(aws, {"Each": distributed(child, ResultWriter=lines)}, [0, 0])
    (file,) = stored(aws, where["ResultWriterDetails"]["Key"])["ResultFiles"]["SUCCEEDED"]
    assert file["Key"].endswith("/SUCCEEDED_0.jsonl")
    body = aws.s3.get_object(Bucket="models", Key=file["Key"])["Body"].read()
    assert body == b"[1,2]\n[1,2]\n"


def test_express_children_and_jsonata(aws: Aws) -> None:
    child = {
        "StartAt": "Plus",
        "States": {"Plus": {"Type": "Pass", "Output": "{% $states.input.x + 1 %}", "End": True}},
    }
    state = distributed(
        child,
        "EXPRESS",
        Items="{% $states.input.all %}",
        ItemSelector={"x": "{% $states.context.Map.Item.Value * $states.input.factor %}"},
        MaxConcurrency="{% $states.input.factor %}",
    )
    machine = create(aws, of({"Each": state}, QueryLanguage="JSONata"))
    execution = begin(aws, machine, input='{"all": [1, 2], "factor": 10}')
    assert json.loads(result(aws, execution)["output"]) == [11, 21]
    run_arn = map_run(aws, execution)["mapRunArn"]
    listed = aws.client("stepfunctions").list_executions(mapRunArn=run_arn)["executions"]
    assert all(":express:" in child["executionArn"] for child in listed)


def test_a_distributed_map_within_another(aws: Aws) -> None:
    inner = of({"Inner": distributed(PASS)})
    assert output(aws, {"Outer": distributed(inner)}, [[1, 2], [3]]) == [[1, 2], [3]]


def test_a_map_run_that_does_not_exist_is_not_found(aws: Aws) -> None:
    arn = f"{ROLE.replace('iam:', 'states:eu-west-1').rpartition(':')[0]}:mapRun:m/l:0"
    with pytest.raises(ClientError, match="ResourceNotFound"):
        aws.client("stepfunctions").describe_map_run(mapRunArn=arn)

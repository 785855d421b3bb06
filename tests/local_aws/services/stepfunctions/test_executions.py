"""Executions: how they start, end, wait, are stopped, described and kept."""

from __future__ import annotations

import json
import threading
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.stepfunctions.parser.asl.component.state.exec.state_parallel import branch_worker
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_aws_sdk,
)

from local_aws.services.stepfunctions.engine.execution import Machine
from local_aws.services.stepfunctions.engine.registry import Executions
from local_aws.services.stepfunctions.service import StepFunctions
from tests.local_aws.aws import REGION, Aws, eventually, keys_of, service_in
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
    stop,
    task,
)

WAIT = {"Wait": {"Type": "Wait", "Seconds": 600, "End": True}}


# Starting


def test_an_execution_without_a_name_gets_one(aws: Aws) -> None:
    execution = start(aws, PASS["States"])  # type: ignore[arg-type]
    name = result(aws, execution)["name"]
    assert len(name) == 36
    assert execution.endswith(f":{name}")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"input": "{"}, "InvalidExecutionInput"),
        ({"name": "a b"}, "InvalidName"),
        ({"input": json.dumps("x" * 262_144)}, "ValidationException"),
        ({"stateMachineArn": "arn:aws:states:eu-west-1:123456789012:stateMachine:no"}, "DoesNotEx"),
    ],
)
def test_what_cannot_start_is_refused(aws: Aws, asked: dict[str, str], code: str) -> None:
    machine = create(aws, PASS)
    with pytest.raises(ClientError, match=code):
        aws.client("stepfunctions").start_execution(**{"stateMachineArn": machine, **asked})


def test_a_definition_that_cannot_run_makes_no_machine(aws: Aws) -> None:
    client = aws.client("stepfunctions")
    broken = of({"A": {"Type": "Pass", "Next": "B"}})
    with pytest.raises(ClientError, match="Missing 'Next' target: B at /States/A/Next") as error:
        create(aws, broken, name="broken")
    assert error.value.response["Error"]["Code"] == "InvalidDefinition"
    names = [each["name"] for each in client.list_state_machines()["stateMachines"]]
    assert "broken" not in names
    machine = create(aws, PASS)
    with pytest.raises(ClientError, match="InvalidDefinition"):
        client.update_state_machine(stateMachineArn=machine, definition=json.dumps(broken))
    judged = client.validate_state_machine_definition(definition=json.dumps(broken))
    assert (judged["result"], judged["diagnostics"][0]["location"]) == ("FAIL", "/States/A/Next")
    assert client.validate_state_machine_definition(definition=json.dumps(PASS))["result"] == "OK"


def test_what_only_the_grammar_refuses_makes_no_machine_either(aws: Aws) -> None:
    with pytest.raises(ClientError, match=r"SCHEMA_VALIDATION_FAILED: .*mismatched"):
        create(aws, of({"A": {"Type": "Pass", "Parameters": "text", "End": True}}))


def test_a_refused_definition_leaves_nothing_to_the_next(aws: Aws) -> None:
    plain = of({"Plain": {"Type": "Pass", "Parameters": {"a": 1}, "End": True}})
    with pytest.raises(ClientError, match="InvalidDefinition"):
        create(aws, {**plain, "QueryLanguage": "JSONata"})
    assert create(aws, plain)


def test_what_is_wrong_with_a_definition_is_told_as_far_as_wanted(aws: Aws) -> None:
    client = aws.client("stepfunctions")
    broken = json.dumps(of({"A": {"Type": "Pass"}, "B": {"Type": "Step"}}))
    for most, count, truncated in ((0, 3, False), (3, 3, False), (2, 2, True)):
        judged = client.validate_state_machine_definition(definition=broken, maxResults=most)
        assert (len(judged["diagnostics"]), judged["truncated"]) == (count, truncated)
    (nothing,) = client.validate_state_machine_definition(definition=" ")["diagnostics"]
    assert nothing == {
        "severity": "ERROR",
        "code": "SCHEMA_VALIDATION_FAILED",
        "message": "Definition must be a valid JSON object",
    }


def test_warnings_are_told_to_those_who_ask(aws: Aws) -> None:
    client = aws.client("stepfunctions")
    odd = json.dumps(of({"A": {"Type": "Pass", "Parameters": {"a": "$.b"}, "End": True}}))
    assert client.validate_state_machine_definition(definition=odd)["diagnostics"] == []
    judged = client.validate_state_machine_definition(definition=odd, severity="WARNING")
    (warning,) = judged["diagnostics"]
    assert (judged["result"], warning["severity"], warning["code"]) == (
        "OK",
        "WARNING",
        "NO_DOLLAR",
    )


# Ending


def test_a_stopped_execution_is_aborted_at_once_and_says_why(aws: Aws) -> None:
    execution = start(aws, WAIT)
    ended = stop(aws, execution, error="Own.Stop", cause="enough")
    assert (ended["status"], ended["error"], ended["cause"]) == ("ABORTED", "Own.Stop", "enough")
    assert ended["redriveStatus"] == "REDRIVABLE"
    last = events(aws, execution)[-1]
    assert last["type"] == "ExecutionAborted"
    assert last["executionAbortedEventDetails"] == {"error": "Own.Stop", "cause": "enough"}
    assert stop(aws, execution)["cause"] == "enough"


def test_an_execution_that_takes_too_long_is_timed_out(aws: Aws) -> None:
    machine = create(aws, of(WAIT, TimeoutSeconds=1))
    execution = begin(aws, machine)
    ended = result(aws, execution)
    assert (ended["status"], ended["error"]) == ("TIMED_OUT", "States.Timeout")
    assert ended["stopDate"] > ended["startDate"]
    assert events(aws, execution)[-1]["type"] == "ExecutionTimedOut"


def test_a_failed_execution_has_its_error_and_no_output(aws: Aws) -> None:
    ended = run(aws, {"Fail": {"Type": "Fail", "Error": "Own.Error", "Cause": "why"}})
    assert (ended["status"], ended["error"], ended["cause"]) == ("FAILED", "Own.Error", "why")
    assert "output" not in ended


def test_a_state_that_puts_out_too_much_fails_and_all_does_not_catch_it(aws: Aws) -> None:
    states = {
        "Both": {
            "Type": "Parallel",
            "Branches": [PASS, of({"Again": {"Type": "Pass", "End": True}})],
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "Caught"}],
            "End": True,
        },
        "Caught": {"Type": "Pass", "End": True},
    }
    assert run(aws, states, input=json.dumps("x" * 200_000))["error"] == "States.DataLimitExceeded"


def test_deleting_a_machine_ends_its_executions(aws: Aws) -> None:
    machine = create(aws, of(WAIT))
    execution = begin(aws, machine)
    client = aws.client("stepfunctions")
    client.delete_state_machine(stateMachineArn=machine)
    with pytest.raises(ClientError, match="ExecutionDoesNotExist"):
        client.describe_execution(executionArn=execution)
    assert execution not in [found["arn"] for found in aws.status()["executions"]]


def test_redriving_is_refused_by_name(aws: Aws) -> None:
    execution = start(aws, {"Fail": {"Type": "Fail"}})
    result(aws, execution)
    with pytest.raises(ClientError, match="the local AWS redrives no executions"):
        aws.client("stepfunctions").redrive_execution(executionArn=execution)


def test_what_the_local_aws_lacks_is_refused_by_name(aws: Aws) -> None:
    arn = f"arn:aws:states:{REGION}:123456789012:activity:own"
    with pytest.raises(ClientError, match="does not offer GetActivityTask of stepfunctions"):
        aws.client("stepfunctions").get_activity_task(activityArn=arn)
    with pytest.raises(ClientError, match="the local AWS publishes no versions"):
        create(aws, PASS, publish=True)
    machine = create(aws, PASS)
    listed = aws.client("stepfunctions").list_state_machine_versions(stateMachineArn=machine)
    assert listed["stateMachineVersions"] == []
    listed = aws.client("stepfunctions").list_state_machine_aliases(stateMachineArn=machine)
    assert listed["stateMachineAliases"] == []


# Threads


def test_an_execution_needs_no_thread_but_its_own(
    aws: Aws, monkeypatch: pytest.MonkeyPatch
) -> None:
    executions = service_in(aws.gateway, StepFunctions)._loaded().executions
    head = task("aws-sdk:s3:headBucket", {"Bucket": "models"})
    machine = Machine(
        arn=f"arn:aws:states:{REGION}:123456789012:stateMachine:threadless",
        name="threadless",
        definition=json.dumps(of({"Head": head})),
        role_arn=ROLE,
    )
    execution = executions.add(machine, "one", "{}")
    bucket = SimpleNamespace(head_bucket=lambda **_: {"BucketRegion": REGION})
    monkeypatch.setattr(state_task_service_aws_sdk, "boto_client_for", lambda **_: bucket)
    started: list[str] = []
    here, begin_thread = threading.current_thread(), threading.Thread.start

    def noted(thread: threading.Thread) -> None:
        """What others of this process start is no matter of the execution's."""
        if threading.current_thread() is here:
            started.append(thread.name)
        else:
            begin_thread(thread)

    monkeypatch.setattr(threading.Thread, "start", noted)
    execution.run()
    assert (execution.status, started) == ("SUCCEEDED", []), execution.cause


def test_threads_that_have_ended_are_not_kept(aws: Aws) -> None:
    branches = [PASS, of({"Again": {"Type": "Pass", "End": True}})]
    output(aws, {"Both": {"Type": "Parallel", "Branches": branches, "End": True}})
    assert len(branch_worker.TMP_THREADS) == 0


# Retry and Catch


def test_stopping_ends_every_branch(aws: Aws) -> None:
    branches = [of({f"Wait{n}": WAIT["Wait"]}) for n in range(3)]
    execution = start(aws, {"All": {"Type": "Parallel", "Branches": branches, "End": True}})

    def waiting() -> bool:
        happened = [event["type"] for event in events(aws, execution)]
        return happened.count("WaitStateEntered") == 3

    eventually(waiting)
    stop(aws, execution)
    eventually(lambda: not [each for each in threading.enumerate() if "Branch" in each.name])


# Tokens


def test_a_role_may_answer_the_tokens_of_the_machines_that_it_names(aws: Aws) -> None:
    queue = aws.client("sqs").create_queue(QueueName="judged")["QueueUrl"]
    body = {"token.$": "$$.Task.Token"}
    send = task("sqs:sendMessage.waitForTaskToken", {"QueueUrl": queue, "MessageBody": body})
    execution = start(aws, {"Send": send})
    found = aws.client("stepfunctions").describe_execution(executionArn=execution)
    machine = found["stateMachineArn"]
    sqs = aws.client("sqs")
    (message,) = eventually(lambda: sqs.receive_message(QueueUrl=queue).get("Messages"))
    token = json.loads(message["Body"])["token"]

    def answer(name: str, resource: str) -> None:
        allowed = {"Effect": "Allow", "Action": "states:SendTaskSuccess", "Resource": resource}
        context = aws.gateway.context
        session = context.sessions.assume(aws.role(name, "lambda", allowed), "answers")
        states = context.client_as(session, "stepfunctions", REGION)
        states.send_task_success(taskToken=token, output="{}")

    with pytest.raises(ClientError, match=f"states:SendTaskSuccess on resource: {machine}"):
        answer("another", f"{machine}-another")
    answer("answering", machine)
    assert result(aws, execution)["status"] == "SUCCEEDED"


def test_a_task_waits_for_its_token(aws: Aws) -> None:
    queue = aws.client("sqs").create_queue(QueueName="tokens")["QueueUrl"]
    body = {"token.$": "$$.Task.Token"}
    send = task("sqs:sendMessage.waitForTaskToken", {"QueueUrl": queue, "MessageBody": body})
    client = aws.client("stepfunctions")

    def token() -> str:
        sqs = aws.client("sqs")
        (message,) = eventually(lambda: sqs.receive_message(QueueUrl=queue).get("Messages"))
        return str(json.loads(message["Body"])["token"])

    first = start(aws, {"Send": send})
    client.send_task_success(taskToken=token(), output='{"a": 1}')
    assert json.loads(result(aws, first)["output"]) == {"a": 1}
    second = start(aws, {"Send": send})
    client.send_task_failure(taskToken=token(), error="Own.No", cause="refused")
    assert result(aws, second)["error"] == "Own.No"
    third = start(aws, {"Send": send})
    given = token()
    assert stop(aws, third)["status"] == "ABORTED"
    with pytest.raises(ClientError, match="InvalidToken"):
        client.send_task_success(taskToken=given, output="{}")


# What is seen of executions


def test_an_express_machine_answers_with_its_result(aws: Aws) -> None:
    machine = create(aws, PASS, type="EXPRESS")
    client = boto3.client(
        "stepfunctions",
        region_name=REGION,
        endpoint_url=aws.url,
        **keys_of(aws.gateway),
        config=Config(inject_host_prefix=False),  # "sync-localhost" is no name of this machine
    )
    answer = client.start_sync_execution(stateMachineArn=machine, input='{"a": 1}')
    assert (answer["status"], answer["output"]) == ("SUCCEEDED", '{"a":1}')
    assert answer["billingDetails"]["billedDurationInMilliseconds"] % 100 == 0
    failing = create(aws, of({"Fail": {"Type": "Fail", "Error": "Own.Error"}}), type="EXPRESS")
    failed = client.start_sync_execution(stateMachineArn=failing)
    assert failed["outputDetails"] == {"included": True}  # recorded by LocalStack's suite, 2024
    assert "output" not in failed
    express = begin(aws, machine)
    assert ":express:" in express
    with pytest.raises(ClientError, match="not valid in this context: express"):
        client.describe_execution(executionArn=express)
    with pytest.raises(ClientError, match="StateMachineTypeNotSupported"):
        client.start_sync_execution(stateMachineArn=create(aws, PASS))


@pytest.mark.parametrize(
    ("level", "kinds"),
    [
        ("ALL", {"ExecutionStarted", "FailStateEntered", "ExecutionFailed"}),
        ("ERROR", {"FailStateEntered", "ExecutionFailed"}),
    ],
)
def test_a_machines_logs_have_the_events_of_its_level(
    aws: Aws, level: str, kinds: set[str]
) -> None:
    group = f"/aws/vendedlogs/states/{level}"
    logs = aws.client("logs")
    logs.create_log_group(logGroupName=group)
    arn = f"arn:aws:logs:{REGION}:123456789012:log-group:{group}:*"
    wanted = {
        "level": level,
        "includeExecutionData": False,
        "destinations": [{"cloudWatchLogsLogGroup": {"logGroupArn": arn}}],
    }
    machine = create(aws, of({"Fail": {"Type": "Fail"}}), loggingConfiguration=wanted)
    execution = begin(aws, machine, input='{"secret": 1}')
    result(aws, execution)

    def written() -> list[Any]:
        found = logs.filter_log_events(logGroupName=group)["events"]
        return [json.loads(event["message"]) for event in found]

    eventually(lambda: "ExecutionFailed" in [message["type"] for message in written()])
    messages = written()
    assert {message["type"] for message in messages} == kinds
    assert {message["execution_arn"] for message in messages} == {execution}
    assert "secret" not in json.dumps(messages)
    second = begin(aws, machine)
    result(aws, second)
    eventually(lambda: second in str(logs.filter_log_events(logGroupName=group)["events"]))
    streams = logs.describe_log_streams(logGroupName=group)["logStreams"]
    assert [stream["logStreamName"].partition("/")[0] for stream in streams] == [
        *("log_stream_created_by_aws_to_validate_log_delivery_subscriptions", "states")
    ]  # one for all executions; recorded by LocalStack's suite, 2024


def test_jsonata_reads_inputs_variables_and_answers(aws: Aws) -> None:
    states = {
        "Set": {
            "Type": "Pass",
            "Assign": {"text": "{% $states.input.text %}"},
            "Output": {"sum": "{% $sum($states.input.numbers) %}"},
            "Next": "Choose",
        },
        "Choose": {
            "Type": "Choice",
            "Choices": [{"Condition": "{% $states.input.sum > 5 %}", "Next": "Put"}],
            "Default": "Never",
        },
        "Never": {"Type": "Fail"},
        "Put": {
            "Type": "Task",
            "Resource": "arn:aws:states:::aws-sdk:s3:putObject",
            "Arguments": {"Bucket": "models", "Key": "text", "Body": "{% $text & '!' %}"},
            "Output": "{% $exists($states.result.ETag) %}",
            "End": True,
        },
    }
    machine = create(aws, of(states, QueryLanguage="JSONata"))
    given: dict[str, Any] = {"numbers": [1, 2, 3], "text": 'a "quoted" \\ text\n'}
    ended = result(aws, begin(aws, machine, input=json.dumps(given)))
    assert ended["status"] == "SUCCEEDED", ended.get("cause")
    assert ended["output"] == "true"
    body = aws.s3.get_object(Bucket="models", Key="text")["Body"].read().decode()
    assert json.loads(body) == given["text"] + "!"  # a body is JSON, text too


# Kept over a restart


def test_executions_are_kept_as_plain_data_and_what_ran_is_aborted(aws: Aws) -> None:
    done = start(aws, {"Each": distributed(PASS, Label="Kept")}, input="[1, 2]")
    result(aws, done)
    going_on = start(aws, WAIT)
    executions = service_in(aws.gateway, StepFunctions)._loaded().executions
    exported = json.loads(json.dumps(executions.export_state()))
    kept = Executions()
    kept.restore_state(exported)
    before, after = executions.find(done), kept.find(done)
    for name in ("status", "output", "input", "start_date", "stop_date", "machine"):
        assert getattr(after, name) == getattr(before, name)
    assert after.history.events() == before.history.events()
    assert after.map_runs[0].describe() == before.map_runs[0].describe()
    assert len(kept.children_of(after.map_runs[0].arn)) == 2
    assert kept.executions_of(after.machine_arn) == [after]
    stopped = kept.find(going_on)
    assert (stopped.status, stopped.cause) == (
        "ABORTED",
        "the local AWS ended while this execution ran",
    )
    assert stopped.history.events()[-1]["type"] == "ExecutionAborted"
    stop(aws, going_on)

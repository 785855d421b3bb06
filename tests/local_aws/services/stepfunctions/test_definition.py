"""Definitions that no state machine can be made of."""

from __future__ import annotations

import json
from typing import Any

import pytest

from local_aws.services.stepfunctions.engine import definition, jsonata
from tests.local_aws.known import integrations
from tests.local_aws.services.stepfunctions.machines import PASS, distributed, of, task

END = {"Type": "Pass", "End": True}
TEXT = {"Variable": "$.a", "IsString": True}
READER = {
    "Resource": "arn:aws:states:::s3:getObject",
    "ReaderConfig": {"InputType": "JSON"},
    "Parameters": {"Bucket": "b", "Key": "k"},
}


def problems(document: Any) -> list[str]:
    text = document if isinstance(document, str) else json.dumps(document)
    return [str(each) for each in definition.problems(text, jsonata.problem, integrations())]


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("{", "INVALID_JSON_DESCRIPTION: Expecting property name enclosed in double quotes"),
        ("[]", "SCHEMA_VALIDATION_FAILED: Definition must be a valid JSON object"),
        (" ", "SCHEMA_VALIDATION_FAILED: Definition must be a valid JSON object"),
        ({}, "SCHEMA_VALIDATION_FAILED: These fields are required: [States, StartAt] at /"),
        ({"States": {"A": END}}, "These fields are required: [StartAt] at /"),
        ({"StartAt": "A", "States": {}}, "Value cannot be empty at /States"),
        ({"StartAt": "A", "States": 1}, "The value must be an object at /States"),
        (of({"A": {"Type": "Choice", "Choices": [1]}}),
         "The value must be an object at /States/A/Choices[0]"),
        (of({"A": {**distributed(PASS), "ItemReader": "x"}}),
         "The value must be an object at /States/A/ItemReader"),
        ({"StartAt": "B", "States": {"A": END}}, "Missing 'StartAt' target: B at /StartAt"),
        (of({"A": {"Type": "Pass", "Next": "B"}}), "Missing 'Next' target: B at /States/A/Next"),
        (of({"A": {"Type": "Pass"}}), "A state has either 'Next' or 'End' at /States/A"),
        (of({"A": {**END, "Next": "A"}}), "A state has either 'Next' or 'End' at /States/A"),
        (of({"A": END, "B": END}), 'State "B" is not reachable. at /States/B'),
        (of({"A": {"Type": "Step", "End": True}}),
         "The field 'Type' should have one of these values: [Task,"),
        (of({"A": {**END, "QueryLanguage": "JSONPath"}}, QueryLanguage="JSONata"),
         "'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine at "
         "/States/A"),
        (of({"A": {**task("aws-sdk:s3:listBuckets", {}), "Credentials": {}}}),
         "The field 'RoleArn' is required but was missing at /States/A/Credentials"),
        (of({"A": {"Type": "Parallel", "Branches": [], "End": True}}),
         "Value cannot be empty at /States/A/Branches"),
        (of({"A": {"Type": "Choice", "Choices": [{"Next": "B"}]}}),
         "Missing 'Next' target: B at /States/A/Choices[0]/Next"),
        (of({"A": {**task("aws-sdk:s3:listBuckets", {}), "Catch": [{"Next": "C"}]}}),
         "Missing 'Next' target: C at /States/A/Catch[0]/Next"),
        (of({"A": {"Type": "Map", "ItemProcessor": of({"A": END}), "End": True}}),
         "DUPLICATE_STATE_NAME: State names must be unique within the state machine: 'A'"),
        (of({"A": {"Type": "Parallel", "Branches": [of({"B": {"Type": "Pass"}})], "End": True}}),
         "either 'Next' or 'End' at /States/A/Branches[0]/States/B"),
        (of({"A": END}, QueryLanguage="SQL"), "QueryLanguage is 'SQL'; it is JSONPath or JSONata"),
        (of({"A": {**END, "Output": "{% $a + %}"}}, QueryLanguage="JSONata"),
         "The JSONata expression '{% $a + %}' is not valid"),
        (of({"A": task("aws-sdk:s3:getObjekt", {})}), "is not recognized. The value is not a"),
        (of({"A": task("aws-sdk:cloud:get", {})}), "is not recognized. The value is not a valid"),
        (of({"A": task("glue:startJobRun", {})}), "the local AWS has the integrations aws-sdk"),
        (of({"A": task("sns:subscribe", {})}), "is not recognized"),
        (of({"A": task("aws-sdk:s3:listBuckets.sync", {})}), "is not recognized"),
        (of({"A": task("sagemaker:createTrainingJob.sync", {})}),
         "the local AWS waits for transform jobs only"),
        (of({"A": {**task("x", {}), "Resource": "arn:aws:states:eu-west-1:1:activity:a"}}),
         "the local AWS has no activities"),
        (of({"A": task("aws-sdk:s3:getObject", {"Bucket": "b", "Key": "k", "Kee": 1})}),
         'The field "Kee" is not supported by Step Functions at /States/A/Parameters/Kee'),
        (of({"A": task("aws-sdk:sfn:describeExecution", {})}),
         "The field 'ExecutionArn' is required but was missing at /States/A/Parameters"),
        (of({"A": distributed(PASS, "FAST")}), "ExecutionType is 'FAST'; it is STANDARD or"),
        (of({"A": distributed(PASS, Label="x" * 41)}), "Label cannot exceed 40 characters"),
        (of({"A": distributed(PASS, Label="")}), "Label cannot be empty at /States/A/Label"),
        (of({"A": {**distributed(PASS), "ItemProcessor": PASS, "ItemReader": READER}}),
         "ItemReader is for a Map state whose Mode is DISTRIBUTED"),
        (of({"A": distributed(PASS, ItemReader={**READER,
          "ReaderConfig": {"InputType": "PARQUET"}})}),
         "InputType is 'PARQUET'; the local AWS reads CSV, JSON, JSONL, MANIFEST"),
        (of({"A": distributed(PASS, ResultWriter={})}), "ResultWriter needs Resource and Param"),
    ],
)  # fmt: skip
def test_what_cannot_run_is_named_with_its_place(document: Any, problem: str) -> None:
    assert any(problem in found for found in problems(document)), problems(document)


@pytest.mark.parametrize(
    "document",
    [
        PASS,
        of({"A": {"Type": "Choice", "Choices": [{**TEXT, "Next": "B"}]}, "B": END}),
        of({"A": task("aws-sdk:s3:getObject", {"Bucket.$": "$.b", "Key": "k"})}),
        of({"A": task("aws-sdk:cloudwatchlogs:describeLogGroups", {})}),
        of({"A": task("states:startExecution.sync:2", {"StateMachineArn": "a", "Input": {}})}),
        of({"A": task("sqs:sendMessage.waitForTaskToken", {"QueueUrl": "q", "MessageBody": {}})}),
        of({"A": distributed(PASS, ItemReader=READER, Label="x" * 40)}),
        of({"A": {"Type": "Fail"}}),
    ],
)
def test_what_can_run_has_no_problem(document: Any) -> None:
    assert problems(document) == []


SYNC = of({"A": task("states:startExecution.sync", {"StateMachineArn": "a"})})
TOKEN = of({"A": task("sqs:sendMessage.waitForTaskToken", {"QueueUrl": "q", "MessageBody": ""})})


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (SYNC, "does not support '.sync' service integration at /States/A/Resource"),
        (TOKEN, "does not support '.waitForTaskToken' service integration"),
        (of({"Each": distributed(PASS)}), "does not support Distributed Map states"),
        (
            of({"P": {"Type": "Parallel", "Branches": [SYNC], "End": True}}),
            "at /States/P/Branches[0]/States/A/Resource",
        ),
    ],
)
def test_an_express_machine_waits_for_nothing(document: Any, problem: str) -> None:
    (found,) = definition.problems(json.dumps(document), jsonata.problem, integrations(), "EXPRESS")
    assert problem in str(found)
    assert problems(document) == []


def test_children_have_a_type_of_their_own() -> None:
    (found,) = problems(of({"Each": distributed(SYNC, "EXPRESS")}))
    assert "/States/Each/ItemProcessor/States/A/Resource" in found


def test_all_problems_come_at_once() -> None:
    assert len(problems(of({"A": {"Type": "Pass"}, "B": {"Type": "Step"}}))) == 3

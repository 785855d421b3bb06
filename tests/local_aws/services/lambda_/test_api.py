"""Lambda's API as boto3 calls it: what is kept, what is refused, and in which words."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest

from local_aws.gateway import Gateway
from local_aws.services.lambda_.service import Lambda
from tests.local_aws.aws import REGION, service_in
from tests.local_aws.functions import ACCOUNT, ROLE, Functions, zipped
from tests.local_aws.permissions.callers import refusal

ARN = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function"
QUEUE = f"arn:aws:sqs:{REGION}:{ACCOUNT}:q"
RETURNS = "def handler(event, context):\n    return {value!r}\n"


def test_a_function_is_described_as_it_was_made(functions: Functions) -> None:
    made = functions.create(
        "described",
        "x = 1",
        Description="d",
        Tags={"a": "1"},
        Timeout=None,
        Environment={"Variables": {"KEY": "v"}},
    )
    assert made["ResponseMetadata"]["HTTPStatusCode"] == 201
    described = functions.api.get_function_configuration(FunctionName=made["FunctionArn"])
    assert described["FunctionName"] == "described"
    assert described["Timeout"] == 3
    assert described["MemorySize"] == 128
    assert described["Environment"] == {"Variables": {"KEY": "v"}}
    assert described["State"] == "Active"
    whole = functions.api.get_function(FunctionName="described")
    assert whole["Tags"] == {"a": "1"}
    with urllib.request.urlopen(whole["Code"]["Location"]) as answer:
        assert len(answer.read()) == described["CodeSize"]
    functions.api.get_waiter("function_active_v2").wait(FunctionName="described")
    assert "described" in [
        each["FunctionName"] for each in functions.api.list_functions()["Functions"]
    ]


def test_code_may_lie_in_s3(functions: Functions) -> None:
    s3 = functions.client("s3")
    s3.create_bucket(Bucket="code", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    s3.put_object(Bucket="code", Key="a/b.zip", Body=zipped({"app.py": RETURNS.format(value=1)}))
    functions.create("from-s3", "", Code={"S3Bucket": "code", "S3Key": "a/b.zip"})
    assert functions.invoke("from-s3").payload == 1
    status, code, message = refusal(
        functions.create, name="absent", source="", Code={"S3Bucket": "code", "S3Key": "nothing"}
    )
    assert (status, code) == (400, "InvalidParameterValueException")
    assert message.startswith("Error occurred while GetObject. S3 Error Code: NoSuchKey.")


def test_new_code_and_new_settings_reach_the_next_event(functions: Functions) -> None:
    functions.create("changes", RETURNS.format(value="old"))
    assert functions.invoke("changes").payload == "old"
    source = "import os\ndef handler(event, context):\n    return os.environ.get('STAGE', 'new')\n"
    functions.api.update_function_code(FunctionName="changes", ZipFile=zipped({"app.py": source}))
    functions.in_place("changes")
    assert functions.invoke("changes").payload == "new"
    functions.api.update_function_configuration(
        FunctionName="changes", Environment={"Variables": {"STAGE": "beta"}}
    )
    functions.in_place("changes")
    assert functions.invoke("changes").payload == "beta"


def test_versions_stay_as_they_were_and_aliases_move(functions: Functions) -> None:
    first = functions.create("versions", RETURNS.format(value="one"), Publish=True)
    assert first["Version"] == "1"
    again = functions.api.publish_version(FunctionName="versions")
    assert again["Version"] == "1"  # nothing has changed since
    functions.api.update_function_code(
        FunctionName="versions", ZipFile=zipped({"app.py": RETURNS.format(value="two")})
    )
    functions.in_place("versions")
    second = functions.api.publish_version(FunctionName="versions", Description="2nd")
    assert (second["Version"], second["Description"]) == ("2", "2nd")
    alias = functions.api.create_alias(FunctionName="versions", Name="live", FunctionVersion="1")
    assert functions.invoke("versions", Qualifier="live").payload == "one"
    functions.api.update_alias(FunctionName="versions", Name="live", FunctionVersion="2")
    assert functions.invoke(alias["AliasArn"]).payload == "two"
    assert functions.invoke("versions:1").payload == "one"
    listed = functions.api.list_versions_by_function(FunctionName="versions")["Versions"]
    assert [each["Version"] for each in listed] == ["$LATEST", "1", "2"]
    status, code, _ = refusal(functions.api.delete_function, FunctionName="versions", Qualifier="2")
    assert (status, code) == (409, "ResourceConflictException")
    functions.api.delete_alias(FunctionName="versions", Name="live")
    functions.api.delete_function(FunctionName="versions", Qualifier="2")
    assert refusal(functions.invoke, name="versions:2")[:2] == (404, "ResourceNotFoundException")


def test_nothing_reserved_is_nothing_run(functions: Functions) -> None:
    functions.create("reserved", RETURNS.format(value=1))
    functions.api.put_function_concurrency(FunctionName="reserved", ReservedConcurrentExecutions=0)
    with pytest.raises(functions.api.exceptions.TooManyRequestsException) as throttled:
        functions.invoke("reserved")
    answer = throttled.value.response
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 429
    assert answer["Reason"] == "ReservedFunctionConcurrentInvocationLimitExceeded"
    functions.api.delete_function_concurrency(FunctionName="reserved")
    assert functions.invoke("reserved").payload == 1


GIVEN = {"Runtime": "python3.12", "Handler": "app.handler", "Role": ROLE}
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"Runtime": "cobol1"}, "InvalidParameterValueException", "Value cobol1 at 'runtime' failed"),
    ({"Runtime": "ruby3.4"}, "InvalidParameterValueException", "Runtime is ruby3.4; it runs"),
    ({"Runtime": "java21"}, "InvalidParameterValueException", "Runtime is java21"),
    ({"PackageType": "Image", "Code": {"ImageUri": "1.dkr.ecr.eu-west-1.amazonaws.com/x:1"}},
     "InvalidParameterValueException", "it runs no container images"),
    ({"Role": "arn:aws:iam::123456789012:role/nobody"}, "InvalidParameterValueException",
     "The role defined for the function cannot be assumed by Lambda."),
    ({"Role": "arn:aws:iam::123456789012:role/of-sagemaker"}, "InvalidParameterValueException",
     "The role defined for the function cannot be assumed by Lambda."),
    ({"Environment": {"Variables": {"AWS_REGION": "x"}}}, "InvalidParameterValueException",
     "Reserved keys used in this request: AWS_REGION"),
    ({"Environment": {"Variables": {"AB": "x" * 4088}}}, "InvalidParameterValueException",
     'exceeded the 4KB limit. String measured: {"AB":"xxx'),
    ({"Code": {"ZipFile": b"no zip"}}, "InvalidParameterValueException",
     "Could not unzip uploaded file"),
    ({"Code": {"ZipFile": zipped({})}}, "InvalidParameterValueException",
     "Uploaded file must be a non-empty zip"),
    ({"Code": {}}, "InvalidParameterValueException", "Please provide a source for function code."),
    ({"Timeout": 901}, "ValidationException", "Value '901' at 'timeout' failed to satisfy"),
    ({"MemorySize": 10_241}, "ValidationException", "Value '10241' at 'memorySize' failed to"),
    ({"Layers": ["arn:aws:lambda:eu-west-1:123456789012:layer:l:1"]},
     "InvalidParameterValueException",
     "Layer version arn:aws:lambda:eu-west-1:123456789012:layer:l:1 does not exist."),
]  # fmt: skip


@pytest.mark.parametrize(("more", "code", "message"), REFUSED)
def test_what_cannot_run_is_refused(
    functions: Functions, more: dict[str, Any], code: str, message: str
) -> None:
    if more.get("Role", "").endswith("of-sagemaker"):
        functions.role("of-sagemaker", "sagemaker.amazonaws.com")
    status, said, words = refusal(functions.create, name="refused", source="x = 1", **more)
    assert (status, said) == (400, code)
    assert message in words
    assert refusal(functions.api.get_function, FunctionName="refused") == (
        404,
        "ResourceNotFoundException",
        "Function not found: arn:aws:lambda:eu-west-1:123456789012:function:refused",
    )


def test_an_action_that_is_not_there_says_so(functions: Functions) -> None:
    status, code, message = refusal(functions.api.list_code_signing_configs)
    assert (status, code) == (400, "UnknownOperationException")
    assert message == "the local AWS does not offer ListCodeSigningConfigs of lambda yet"


def test_another_gateway_takes_over_what_was_kept(functions: Functions, gateway: Gateway) -> None:
    functions.create("kept", RETURNS.format(value="kept"), Publish=True)
    functions.api.create_alias(FunctionName="kept", Name="live", FunctionVersion="1")
    service = service_in(gateway, Lambda)
    folder = gateway.context.state_dir / "lambda" / "code"
    functions.create("forgotten", RETURNS.format(value="nobody else's"))
    functions.api.delete_function(FunctionName="forgotten")
    before = len(list(folder.iterdir()))
    saved = json.loads(json.dumps(service.export_state()))
    functions.api.delete_function(FunctionName="kept")
    service.restore_state(saved)
    assert functions.invoke("kept:live").payload == "kept"
    assert len(list(folder.iterdir())) < before


def test_a_role_has_to_have_leave_to_send_dead_letters_and_records(functions: Functions) -> None:
    functions.create("f", "x = 1")
    configure = functions.api.update_function_configuration
    for target, said in (
        (QUEUE, "The provided execution role does not have permissions to call SendMessage on SQS"),
        (f"{ARN}:f", "a dead-letter target is an SQS queue or an SNS topic"),
    ):
        letters = {"TargetArn": target}
        assert said in refusal(configure, FunctionName="f", DeadLetterConfig=letters)[2]
    destination = {"OnFailure": {"Destination": QUEUE}}
    assert refusal(
        functions.api.put_function_event_invoke_config,
        FunctionName="f",
        DestinationConfig=destination,
    )[2] == (
        f"The function's execution role does not have permissions to call SendMessage on {QUEUE}"
    )


def test_a_function_of_another_account_or_region_is_refused(functions: Functions) -> None:
    invoke = functions.api.invoke
    assert refusal(invoke, FunctionName="999999999999:function:f")[1] == "AccessDeniedException"
    elsewhere = f"{ARN}:f".replace(REGION, "us-east-1")
    assert refusal(invoke, FunctionName=elsewhere)[1] == "ResourceNotFoundException"


def test_levels_come_with_json_and_go_with_text(functions: Functions) -> None:
    functions.create("levels", "", LoggingConfig={"LogFormat": "JSON"})
    config = functions.api.get_function_configuration(FunctionName="levels")["LoggingConfig"]
    assert config == {
        "LogFormat": "JSON",
        "ApplicationLogLevel": "INFO",
        "SystemLogLevel": "INFO",
        "LogGroup": "/aws/lambda/levels",
    }
    changed = functions.api.update_function_configuration(
        FunctionName="levels", LoggingConfig={"LogFormat": "Text"}
    )
    assert changed["LoggingConfig"] == {"LogFormat": "Text", "LogGroup": "/aws/lambda/levels"}
    functions.in_place("levels")
    with pytest.raises(functions.api.exceptions.InvalidParameterValueException) as refusal:
        functions.api.update_function_configuration(
            FunctionName="levels", LoggingConfig={"SystemLogLevel": "DEBUG"}
        )
    assert refusal.value.response["Error"]["Message"].startswith("LogLevel is not supported when")


def test_the_level_that_is_set_is_pythons_own(functions: Functions) -> None:
    source = "import logging\ndef handler(event, context): logging.info('said')\n"
    functions.create(
        "level",
        source,
        LoggingConfig={"LogFormat": "JSON", "ApplicationLogLevel": "INFO"},
    )
    assert "said" in functions.invoke("level").log

"""A log in JSON is what AWS writes, and has nothing below the levels that are set."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.local_aws.functions import Functions, zipped

PYTHON = """
import logging
def handler(event, context):
    print("printed")
    logging.debug("quiet")
    logging.info("said %d", 1, extra={"order": 7})
    try:
        {}["no"]
    except KeyError:
        logging.exception("caught")
    raise ValueError("no")
"""

NODE = """exports.handler = async () => {
  process.stdout.write("printed\\n");
  console.debug("quiet");
  console.log("said %d", 1);
  console.warn({ order: 7 });
  console.error("caught", new TypeError("why"));
  throw new RangeError("no");
}"""


def lines(functions: Functions, name: str, source: str, **config: str) -> list[Any]:
    """What a function's log has after one invocation: JSON, read, and what is none."""
    is_node = source.startswith("exports")
    functions.create(
        name,
        "",
        Runtime="nodejs24.x" if is_node else "python3.13",
        Code={"ZipFile": zipped({"app.js" if is_node else "app.py": source})},
        LoggingConfig={"LogFormat": "JSON", **config},
    )
    return [
        json.loads(line) if line.startswith("{") else line
        for line in functions.invoke(name).log.splitlines()
    ]


def test_python_logs_in_json(functions: Functions) -> None:
    start, printed, said, caught, raised, report = lines(functions, "python", PYTHON)
    assert start["type"] == "platform.start"
    assert start["record"]["version"] == "$LATEST"
    assert printed == "printed"
    request_id = start["record"]["requestId"]
    assert {**said, "timestamp": ""} == {
        "timestamp": "",
        "level": "INFO",
        "message": "said 1",
        "logger": "root",
        "order": 7,
        "requestId": request_id,
    }
    assert (caught["errorType"], caught["message"]) == ("KeyError", "caught")
    assert (raised["log_level"], raised["errorType"]) == ("ERROR", "ValueError")
    assert report["record"]["status"] == "error"
    assert report["record"]["errorType"] == "ValueError"
    assert report["record"]["metrics"]["memorySizeMB"] == 128


def test_nodejs_logs_in_json(functions: Functions) -> None:
    start, printed, said, warned, caught, raised, report = lines(functions, "nodejs", NODE)
    assert printed == "printed"
    assert {**said, "timestamp": ""} == {
        "timestamp": "",
        "level": "INFO",
        "message": "said 1",
        "requestId": start["record"]["requestId"],
    }
    assert (warned["level"], warned["message"]) == ("WARN", {"order": 7})
    assert (caught["level"], caught["errorType"]) == ("ERROR", "TypeError")
    assert raised["message"]["errorType"] == "RangeError"
    assert report["type"] == "platform.report"


@pytest.mark.parametrize(
    ("name", "source", "config", "kept"),
    [
        ("debug", PYTHON, {"ApplicationLogLevel": "DEBUG"}, ["quiet", "said 1", "caught"]),
        ("error", PYTHON, {"ApplicationLogLevel": "ERROR"}, ["caught"]),
        ("fatal", NODE, {"ApplicationLogLevel": "FATAL", "SystemLogLevel": "WARN"}, []),
    ],
)
def test_what_is_below_its_level_is_not_written(
    functions: Functions, name: str, source: str, config: dict[str, str], kept: list[str]
) -> None:
    found = lines(functions, name, source, **config)
    messages = [each["message"] for each in found if "message" in each and each != "printed"]
    assert messages == kept
    assert ("printed" in found) == (name == "debug")
    starts = [each for each in found if "platform.start" in str(each)]
    assert len(starts) == (0 if "SystemLogLevel" in config else 1)


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

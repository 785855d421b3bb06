"""A function runs as on AWS, and ends as on AWS: by its result, its error, its time, its memory."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import psutil
import pytest

from local_aws.gateway import Gateway
from local_aws.services.lambda_.launches import can_mount
from tests.local_aws.aws import eventually, gateway_of
from tests.local_aws.functions import Functions, zipped


def test_a_function_is_given_its_event_and_its_context(functions: Functions) -> None:
    source = """
def handler(event, context):
    left = context.get_remaining_time_in_millis()
    return {"event": event, "left": 0 < left <= 60_000, "name": context.function_name,
            "version": context.function_version, "arn": context.invoked_function_arn,
            "memory": context.memory_limit_in_mb, "id": len(context.aws_request_id),
            "group": context.log_group_name, "custom": context.client_context}
"""
    answer = functions.run("context", source, {"a": [1, "ü"]})
    assert (answer.status, answer.error) == (200, None)
    assert answer.payload == {
        "event": {"a": [1, "ü"]},
        "left": True,
        "name": "context",
        "version": "$LATEST",
        "arn": "arn:aws:lambda:eu-west-1:123456789012:function:context",
        "memory": "128",
        "id": 36,
        "group": "/aws/lambda/context",
        "custom": None,
    }


def test_a_function_may_have_as_many_files_open_as_on_aws(functions: Functions) -> None:
    source = """
import resource
def handler(event, context):
    return resource.getrlimit(resource.RLIMIT_NOFILE)
"""
    assert functions.run("files", source).payload == [1024, 1024]


def test_a_process_is_used_again_and_keeps_what_the_module_holds(functions: Functions) -> None:
    source = (
        "calls = []\ndef handler(event, context):\n    calls.append(1)\n    return len(calls)\n"
    )
    functions.create("warm", source)
    assert [functions.invoke("warm").payload for _ in range(3)] == [1, 2, 3]


def test_what_is_printed_and_logged_is_between_start_and_report(functions: Functions) -> None:
    source = """
import logging
logging.getLogger().setLevel("INFO")
def handler(event, context):
    print("printed")
    logging.info("logged")
"""
    log = functions.run("prints", source).log.splitlines()
    request = re.fullmatch(r"START RequestId: (\S+) Version: \$LATEST", log[0])
    assert request is not None
    assert log[1] == "printed"
    assert re.fullmatch(rf"\[INFO\]\t\S+Z\t{request[1]}\tlogged", log[2])
    assert log[3] == f"END RequestId: {request[1]}"
    assert re.match(
        rf"REPORT RequestId: {request[1]}\tDuration: [\d.]+ ms\tBilled Duration: \d+ ms\t"
        r"Memory Size: 128 MB\tMax Memory Used: \d+ MB\tInit Duration: [\d.]+ ms$",
        log[4],
    )


RAISES = "def handler(event, context):\n    raise ValueError('no such thing')\n"
ENDINGS: list[tuple[str, str, dict[str, Any], str, str, str]] = [
    ("raises", RAISES, {}, "ValueError", r"no such thing", r"\[ERROR\] ValueError: no such thing"),
    ("no-module", "import nothing_like_that\n", {}, "Runtime.ImportModuleError",
     r"Unable to import module 'app': No module named 'nothing_like_that'",
     r"\[ERROR\] Runtime.ImportModuleError"),
    ("no-handler", "x = 1\n", {}, "Runtime.HandlerNotFound",
     r"Handler 'handler' missing on module 'app'", r"\[ERROR\] Runtime.HandlerNotFound"),
    ("syntax", "def handler(:\n", {}, "Runtime.UserCodeSyntaxError",
     r"Syntax error in module 'app': invalid syntax", r"Runtime.UserCodeSyntaxError"),
    ("no-json", "def handler(event, context):\n    return {1, 2}\n", {}, "Runtime.MarshalError",
     r"Unable to marshal response: Object of type set is not JSON serializable",
     r"Runtime.MarshalError"),
    ("timeout",
     "import time\ndef handler(event, context):\n    print('begun')\n    time.sleep(60)\n",
     {"Timeout": 3}, "Sandbox.Timedout", r"RequestId: \S+ Error: Task timed out after 3.00 seconds",
     r"begun\n\S+ Task timed out after 3.00 seconds\nEND.*\n.*Status: timeout"),
    ("memory",
     "import time\ndef handler(event, context):\n    held = b'x' * (1 << 30)\n    time.sleep(60)\n",
     {"Timeout": 120}, "Runtime.OutOfMemory",
     r"RequestId: \S+ Error: Runtime exited with error: signal: killed",
     r"Max Memory Used: 128 MB.*Status: error\tError Type: Runtime.OutOfMemory"),
    ("exits", "import sys\ndef handler(event, context):\n    sys.exit(3)\n", {},
     "Runtime.ExitError", r"RequestId: \S+ Error: Runtime exited with error: exit status 3",
     r"Runtime.ExitError"),
    ("exits-well", "import os\ndef handler(event, context):\n    os._exit(0)\n", {},
     "Runtime.ExitError", r"RequestId: \S+ Error: Runtime exited without providing a reason",
     r"Runtime.ExitError"),
    ("crashes",
     "import os, signal\ndef handler(event, context):\n    os.kill(os.getpid(), signal.SIGSEGV)\n",
     {}, "Runtime.ExitError",
     r"RequestId: \S+ Error: Runtime exited with error: signal: segmentation fault",
     r"Runtime.ExitError"),
    ("too-much", "def handler(event, context):\n    return 'x' * 7_000_000\n", {"Timeout": 60},
     "Function.ResponseSizeTooLarge",
     r"Response payload size exceeded maximum allowed payload size \(6291556 bytes\).", r"START"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "source", "more", "kind", "message", "log"),
    ENDINGS,
    ids=[ending[0] for ending in ENDINGS],
)
def test_a_failure_has_awss_type_and_words(
    functions: Functions,
    name: str,
    source: str,
    more: dict[str, Any],
    kind: str,
    message: str,
    log: str,
) -> None:
    answer = functions.run(name, source, **more)
    assert (answer.status, answer.error) == (200, "Unhandled")
    assert answer.payload["errorType"] == kind
    assert re.match(message, answer.payload["errorMessage"])
    assert re.search(log, answer.log)


def test_an_exception_is_answered_with_its_stack(functions: Functions) -> None:
    payload = functions.run("stack", RAISES).payload
    assert set(payload) == {"errorMessage", "errorType", "requestId", "stackTrace"}
    assert len(payload["requestId"]) == 36
    (frame,) = payload["stackTrace"]
    assert re.fullmatch(
        r'  File ".*/app.py", line 2, in handler\n    raise ValueError\(\'no such thing\'\)\n',
        frame,
    )


def test_a_function_sees_its_own_variables_and_nothing_of_the_users(
    functions: Functions, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = {
        "AWS_ACCESS_KEY_ID": "not-the-functions-own-key",
        "AWS_SECRET_ACCESS_KEY": "not-the-functions-own-secret",
        "AWS_SESSION_TOKEN": "not-the-functions-own-token",
        "AWS_PROFILE": "production",
        "AWS_SHARED_CREDENTIALS_FILE": "/home/me/.aws/credentials",
        "MY_PASSWORD": "secret",
    }
    for name, value in mine.items():
        monkeypatch.setenv(name, value)
    source = "import os\ndef handler(event, context):\n    return dict(os.environ)\n"
    variables = {"STAGE": "test", "AWS_ENDPOINT_URL_S3": "https://s3.eu-west-1.amazonaws.com"}
    seen = functions.run("sees", source, Environment={"Variables": variables}).payload

    session = functions.gateway.context.sessions.of(seen["AWS_ACCESS_KEY_ID"])
    assert session is not None
    assert session.arn == "arn:aws:sts::123456789012:assumed-role/function/sees"
    assert not set(mine.values()) & set(seen.values())
    assert seen["STAGE"] == "test"
    assert seen["AWS_ENDPOINT_URL"] == functions.url
    assert "AWS_ENDPOINT_URL_S3" not in seen
    assert seen["HOME"] == seen["TMPDIR"] != os.environ["HOME"]
    assert set(seen) - {"LC_CTYPE"} == {
        *("_HANDLER", "_X_AMZN_TRACE_ID", "HOME", "LANG", "LAMBDA_RUNTIME_DIR", "LAMBDA_TASK_ROOT"),
        *("LD_LIBRARY_PATH", "PATH", "STAGE", "TMPDIR", "TZ"),
        *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
        *("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_EC2_METADATA_DISABLED", "AWS_ENDPOINT_URL"),
        *("AWS_EXECUTION_ENV", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_FUNCTION_NAME"),
        *("AWS_LAMBDA_FUNCTION_VERSION", "AWS_LAMBDA_INITIALIZATION_TYPE"),
        *("AWS_LAMBDA_LOG_GROUP_NAME", "AWS_LAMBDA_LOG_STREAM_NAME", "AWS_XRAY_CONTEXT_MISSING"),
    }


LOOKS = """
import os, sys
def handler(event, context):
    try:
        open("/var/task/app.py", "a")
    except OSError as error:
        refused = error.strerror
    return {"root": os.environ["LAMBDA_TASK_ROOT"], "runtime": os.environ["LAMBDA_RUNTIME_DIR"],
            "cwd": os.getcwd(), "path": sys.path[0], "file": __file__, "refused": refused,
            "beside": sorted(set(os.listdir("/var")) - {"task", "runtime", "lang"})}
"""


def test_a_functions_code_lies_where_aws_has_it_and_cannot_be_written(
    functions: Functions,
) -> None:
    if not can_mount():
        assert functions.run("looks", "x = 1").payload["errorType"] == "Runtime.HandlerNotFound"
        return
    assert functions.run("looks", LOOKS).payload == {
        "root": "/var/task",
        "runtime": "/var/runtime",
        "cwd": "/var/task",
        "path": "/var/task",
        "file": "/var/task/app.py",
        "refused": "Read-only file system",
        "beside": sorted(
            {each.name for each in Path("/var").iterdir()} - {"task", "runtime", "lang"}
        ),
    }


def test_where_there_are_no_mounts_it_lies_where_its_root_says(
    functions: Functions, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    can_mount.cache_clear()
    monkeypatch.setattr("local_aws.services.lambda_.launches.ISOLATED_PYTHON", ("false",))
    source = "import os\ndef handler(event, context):\n    return os.environ['LAMBDA_TASK_ROOT']\n"
    try:
        root = functions.run("elsewhere", source).payload
    finally:
        can_mount.cache_clear()
    assert root.startswith(str(functions.gateway.context.state_dir))
    assert "functions find their code in LAMBDA_TASK_ROOT alone" in caplog.text


def test_after_a_crash_the_next_event_finds_a_new_process_with_keys_of_its_own(
    functions: Functions,
) -> None:
    """Recorded by LocalStack's suite, 2023."""
    source = (
        "import os\n"
        "def handler(event, context):\n"
        "    if event: os._exit(1)\n"
        "    return [os.environ['AWS_ACCESS_KEY_ID'], os.environ['AWS_SESSION_TOKEN']]\n"
    )
    first = functions.run("keys", source).payload
    assert functions.invoke("keys").payload == first
    functions.invoke("keys", {"die": True})
    second = functions.invoke("keys").payload
    assert not {*first} & {*second}


def test_a_function_of_one_letter_has_a_longer_sessions_name(functions: Functions) -> None:
    """Recorded by LocalStack's suite, 2024."""
    source = (
        "import boto3\n"
        "def handler(event, context):\n"
        "    return boto3.client('sts').get_caller_identity()['Arn']\n"
    )
    found = functions.run("u", source, Timeout=30, MemorySize=256).payload
    assert found.endswith(":assumed-role/function/u@lambda_function")


@pytest.mark.parametrize(
    ("runtime", "result", "payload"),
    [
        ("python3.12", "[b'\\xc3\\xa4']", '["ä"]'),
        ("python3.12", "b'\"\\xc3\\xa4!\"'", '"ä!"'),
        ("python3.11", "'ä'", '"\\u00e4"'),
        ("python3.12", "decimal.Decimal('1.5')", "1.5"),
        ("python3.12", "float('nan')", "NaN"),
    ],
)
def test_a_result_is_written_as_awss_runtime_writes_it(
    functions: Functions, runtime: str, result: str, payload: str
) -> None:
    """By AWS's runtime interface client, `lambda_runtime_marshaller`; of bytes, as
    LocalStack's suite recorded, 2025."""
    name = f"writes-{len(result)}-{runtime[-2:]}"
    source = f"import decimal\ndef handler(event, context):\n    return {result}\n"
    functions.create(name, source, Runtime=runtime)
    answer = functions.api.invoke(FunctionName=name)
    assert answer["Payload"].read().decode() == payload


def test_a_function_may_import_what_lambda_has_and_no_more(functions: Functions) -> None:
    source = """
import importlib.util
def handler(event, context):
    return {name: importlib.util.find_spec(name) is not None for name in event}
"""
    names = ["json", "boto3", "botocore", "urllib3", "moto", "psutil", "sagemaker_serving", "yaml"]
    found = functions.run("imports", source, names).payload
    assert [name for name in names if found[name]] == ["json", "boto3", "botocore", "urllib3"]


def test_what_the_role_does_not_allow_is_denied(functions: Functions) -> None:
    source = """
import boto3
def handler(event, context):
    boto3.client("s3").list_buckets()
"""
    answer = functions.run("denied", source, Timeout=30, MemorySize=256)
    assert answer.payload["errorType"] in ("AccessDenied", "ClientError")
    assert "AccessDenied" in answer.payload["errorMessage"]
    assert "assumed-role/function/denied" in answer.payload["errorMessage"]


FORKED = """
{imports}
import os
def handler(event, context):
    {later}
    return os.getpid(), getattr(boto3, "NAME", None)
"""
IMPORTS = FORKED.format(imports="import boto3", later="pass")


def _supervisor_s_parent(pid: int) -> int:
    parent: int = psutil.Process(psutil.Process(pid).ppid()).ppid()
    return parent


def test_functions_that_import_boto3_are_forks_of_one_process_and_outlive_it(
    functions: Functions,
) -> None:
    sources = {
        "forked": IMPORTS,
        "imports-sdk": FORKED.format(imports="from sdk import boto3", later="pass"),
        "imports-later": FORKED.format(imports="", later="import boto3"),
    }
    pids = {}
    for name, source in sources.items():
        code = {"ZipFile": zipped({"app.py": source, "sdk.py": "import boto3"})}
        pids[name], _ = functions.run(name, "", Code=code, MemorySize=256).payload
    shared = _supervisor_s_parent(pids["forked"])
    assert _supervisor_s_parent(pids["imports-sdk"]) == shared != os.getpid()
    assert _supervisor_s_parent(pids["imports-later"]) == os.getpid()
    psutil.Process(shared).kill()
    assert functions.invoke("forked").payload[0] == pids["forked"]
    again, _ = functions.run("forked-again", IMPORTS, MemorySize=256).payload
    assert _supervisor_s_parent(again) not in (shared, os.getpid())


OWN_BOTO3 = {"boto3.py": "NAME = 'own'"}
DIFFERS: dict[str, tuple[dict[str, str], dict[str, str], str | None]] = {
    "its-zip": (OWN_BOTO3, {}, "own"),
    "its-path": ({"lib/boto3.py": "NAME = 'own'"}, {"PYTHONPATH": "lib"}, "own"),
    "an-archive": ({}, {"PYTHONPATH": "/var/task/app.py"}, None),
    "a-library": ({"lib/libmine.so.1": ""}, {}, None),
    "a-variable": ({}, {"LC_ALL": "C"}, None),
}


@pytest.mark.parametrize(("files", "variables", "name"), DIFFERS.values(), ids=DIFFERS)
def test_what_would_make_another_boto3_has_a_process_of_its_own(
    functions: Functions,
    request: pytest.FixtureRequest,
    files: dict[str, str],
    variables: dict[str, str],
    name: str | None,
) -> None:
    code = {"ZipFile": zipped({"app.py": IMPORTS, **files})}
    called = request.node.callspec.id
    more = {"Code": code, "MemorySize": 256, "Environment": {"Variables": variables}}
    pid, found = functions.run(called, "", **more).payload
    assert found == name
    assert psutil.Process(pid).cmdline()[-1].endswith("runtime.py")


def test_stopping_ends_every_process_even_one_at_work(tmp_path: Any) -> None:
    gateway = gateway_of(
        tmp_path,
    )
    gateway.start()
    functions = Functions(gateway)
    functions.create("idle", "import os\ndef handler(event, context):\n    return os.getpid()\n")
    idle = functions.invoke("idle").payload
    functions.create(
        "busy", "import time\ndef handler(event, context):\n    time.sleep(600)\n", Timeout=900
    )
    functions.api.invoke(FunctionName="busy", InvocationType="Event")
    pids = _wait_for_processes(gateway, 2)
    assert idle in pids
    gateway.stop()
    assert [pid for pid in pids if _runs(pid)] == []


def _wait_for_processes(gateway: Gateway, count: int) -> list[int]:
    def look() -> list[int]:
        found = [each["pid"] for each in gateway.status()["function_processes"]]
        return found if len(found) == count else []

    pids: list[int] = eventually(look)
    return pids


def _runs(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False

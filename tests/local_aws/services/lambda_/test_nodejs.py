"""Functions in Node.js: what a handler is given, how it may answer, and how it fails, as on AWS."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.local_aws.functions import Answer, Functions, zipped


class Node:
    """Functions of one file in Node.js."""

    def __init__(self, functions: Functions) -> None:
        self.functions = functions

    def run(
        self, name: str, source: str, *, file: str = "index.js", runtime: int = 24, **more: Any
    ) -> Answer:
        self.functions.create(
            name,
            "",
            Runtime=f"nodejs{runtime}.x",
            Handler="index.handler",
            Code={"ZipFile": zipped({file: source})},
            **more,
        )
        return self.functions.invoke(name, {"a": [1, "ü"]})


@pytest.fixture(scope="module")
def node(functions: Functions) -> Node:
    return Node(functions)


def test_a_handler_is_given_its_event_and_its_context(node: Node) -> None:
    answer = node.run(
        "context",
        """exports.handler = async (event, context) => ({
          event,
          left: context.getRemainingTimeInMillis() > 0,
          names: [context.functionName, context.functionVersion, context.memoryLimitInMB],
          arn: context.invokedFunctionArn,
          id: context.awsRequestId.length,
          logs: [context.logGroupName, context.logStreamName.includes("[$LATEST]")],
          legacy: typeof context.done,
        })""",
    )
    assert answer.payload == {
        "event": {"a": [1, "ü"]},
        "left": True,
        "names": ["context", "$LATEST", "128"],
        "arn": "arn:aws:lambda:eu-west-1:123456789012:function:context",
        "id": 36,
        "logs": ["/aws/lambda/context", True],
        "legacy": "undefined",
    }


@pytest.mark.parametrize(
    ("name", "files", "handler"),
    [
        ("mjs", {"index.mjs": "export const handler = () => 'here'"}, "index.handler"),
        (
            "type-module",
            {
                "package.json": '{"type": "module"}',
                "index.js": "const it = await 'here'; export const handler = () => it",
            },
            "index.handler",
        ),
        ("within", {"src/app.cjs": "exports.api = {get: async () => 'here'}"}, "src/app.api.get"),
    ],
)
def test_a_handler_is_found_by_its_name(
    functions: Functions, name: str, files: dict[str, str], handler: str
) -> None:
    code = {"ZipFile": zipped(files)}
    functions.create(name, "", Runtime="nodejs24.x", Handler=handler, Code=code)
    assert functions.invoke(name).payload == "here"


@pytest.mark.parametrize(
    ("name", "source", "answer"),
    [
        ("later", "(e, c, done) => { setTimeout(() => done(null, 'late'), 5) }", "late"),
        (
            "waits",
            "(e, c, done) => { const box = []; done(null, box); setTimeout(() => box.push(1), 5) }",
            [1],
        ),
        (
            "at-once",
            """(e, c, done) => {
              c.callbackWaitsForEmptyEventLoop = false;
              done(null, "now");
              setTimeout(() => {}, 60000);
            }""",
            "now",
        ),
    ],
)
def test_before_nodejs24_a_handler_may_answer_by_a_callback(
    node: Node, name: str, source: str, answer: Any
) -> None:
    assert node.run(name, f"exports.handler = {source}", runtime=22).payload == answer


def test_a_promise_that_nothing_settles_is_null(node: Node) -> None:
    assert node.run("unsettled", "exports.handler = () => new Promise(() => {})").payload is None


def test_a_streamed_answer_is_answered_whole(node: Node) -> None:
    answer = node.run(
        "streamed",
        """exports.handler = awslambda.streamifyResponse(async (event, stream, context) => {
          stream.setContentType("application/json");
          stream.write('{"a":');
          setTimeout(() => { stream.write(JSON.stringify(event.a)); stream.end("}") }, 5);
        })""",
    )
    assert answer.payload == {"a": [1, "ü"]}


def test_what_is_logged_has_time_request_and_level(node: Node) -> None:
    answer = node.run(
        "log",
        "exports.handler = async () => { console.log('said %d', 1, {b: 2}); console.warn('two\\n"
        "lines'); process.stdout.write('raw\\n') }".replace("two\n", "two\\n"),
    )
    time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\t[0-9a-f-]{36}"
    assert re.search(f"\n{time}\tINFO\tsaid 1 {{ b: 2 }}\n", answer.log)
    assert re.search(f"\n{time}\tWARN\ttwo\rlines\nraw\nEND", answer.log)


FAILING = [
    ("raised", "async () => { throw new TypeError('no') }", "TypeError", "no"),
    ("unhandled",
     "async () => { Promise.reject(new Error('no')); await new Promise(r => setTimeout(r, 9)) }",
     "Runtime.UnhandledPromiseRejection", "Error: no"),
    ("uncaught",
     "() => { setTimeout(() => { throw new RangeError('no') }, 1); return new Promise(r => "
     "setTimeout(r, 99)) }", "RangeError", "no"),
    ("circular", "async () => { const it = {}; it.it = it; return it }", "Runtime.MarshalError",
     "Unable to stringify response body"),
    ("by-callback", "(event, context, callback) => callback(null, 1)",
     "Runtime.CallbackHandlerDeprecated",
     "AWS Lambda has removed support for callback-based function handlers starting with Node.js "
     "24. You need to modify this function to use a supported handler signature to use Node.js "
     "24 or later."),
    ("no-function", "1", "Runtime.HandlerNotFound", "index.handler is not a function"),
    ("syntax", "async (=> 1", "Runtime.UserCodeSyntaxError", "SyntaxError: Unexpected token '=>'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "source", "kind", "message"), FAILING)
def test_a_failure_has_awss_type_and_words(
    node: Node, name: str, source: str, kind: str, message: str
) -> None:
    answer = node.run(name, f"exports.handler = {source}")
    assert answer.error == "Unhandled"
    assert (answer.payload["errorType"], answer.payload["errorMessage"]) == (kind, message)
    (said,) = re.findall(r"\tERROR\t(?:[A-Z]\w+ )+\t(\{.*)", answer.log)
    assert (json.loads(said)["errorType"], json.loads(said)["errorMessage"]) == (kind, message)


def test_a_module_that_is_not_there_is_named_and_which_clients_are(node: Node) -> None:
    answer = node.run("no-module", "require('@aws-sdk/' + 'client-none')")
    assert answer.payload["errorType"] == "Runtime.ImportModuleError"
    message = answer.payload["errorMessage"]
    assert message.startswith("Error: Cannot find module '@aws-sdk/client-none'\nRequire stack:")
    assert "local AWS found @aws-sdk/client-acm, " in message
    assert "install it with npm in the folder where the local AWS is started" in message


@pytest.mark.parametrize(
    ("name", "source", "kind", "message", "more"),
    [
        ("slow", "() => new Promise(r => setTimeout(r, 60000))", "Sandbox.Timedout",
         "Task timed out after 1.00 seconds", {"Timeout": 1}),
        ("greedy", "() => { const all = []; for (;;) all.push(Buffer.alloc(1e6, 1)) }",
         "Runtime.OutOfMemory", "Runtime exited with error: signal: killed", {"Timeout": 30}),
        ("exits", "() => process.exit(3)", "Runtime.ExitError",
         "Runtime exited with error: exit status 3", {}),
    ],
)  # fmt: skip
def test_a_process_ends_as_on_aws(
    node: Node, name: str, source: str, kind: str, message: str, more: dict[str, Any]
) -> None:
    answer = node.run(name, f"exports.handler = {source}", **more)
    assert answer.payload["errorType"] == kind
    assert answer.payload["errorMessage"].endswith(f" Error: {message}")


def test_after_a_rejection_that_nothing_handles_the_next_event_finds_a_new_process(
    node: Node, functions: Functions
) -> None:
    source = """let calls = 0;
    exports.handler = async (event) => {
      calls += 1;
      if (event.a) { Promise.reject(1); await new Promise((r) => setTimeout(r, 99)) }
      return calls;
    }"""
    assert node.run("rejects", source).error == "Unhandled"
    assert [functions.invoke("rejects", {}).payload for _ in range(2)] == [1, 2]


@pytest.mark.parametrize(
    ("name", "file", "load"),
    [
        ("sdk-cjs", "index.js", "const { STSClient, GetCallerIdentityCommand } = require(%r);"),
        ("sdk-mjs", "index.mjs", "import { STSClient, GetCallerIdentityCommand } from %r;"),
    ],
)
def test_the_sdk_speaks_to_the_local_aws_in_the_roles_name(
    node: Node, name: str, file: str, load: str
) -> None:
    export = "exports.handler =" if file == "index.js" else "export const handler ="
    answer = node.run(
        name,
        load % "@aws-sdk/client-sts"
        + f"{export} async () => (await new STSClient().send(new GetCallerIdentityCommand())).Arn",
        file=file,
    )
    assert answer.payload == f"arn:aws:sts::123456789012:assumed-role/function/{name}"


def test_the_sdk_reads_and_writes_objects(node: Node, functions: Functions) -> None:
    role = functions.role(
        "objects", "lambda.amazonaws.com", "arn:aws:iam::aws:policy/AmazonS3FullAccess"
    )
    answer = node.run(
        "objects",
        """const { S3 } = require("@aws-sdk/client-s3");
        exports.handler = async () => {
          const s3 = new S3();
          const given = { Bucket: "of-node", Key: "a/b c" };
          await s3.createBucket({ Bucket: given.Bucket });
          await s3.putObject({ ...given, Body: "körper" });
          return (await s3.getObject(given)).Body.transformToString();
        }""",
        Role=role,
        Timeout=30,
    )
    assert answer.payload == "körper"


def test_the_largest_client_finds_room_in_the_smallest_function(node: Node) -> None:
    source = """const { EC2 } = require("@aws-sdk/client-ec2");
    exports.handler = async () => {
      try { await new EC2().describeVpcs() } catch (error) { return error.message }
    }"""
    assert "ec2:DescribeVpcs" in node.run("largest", source, Timeout=30).payload


def test_npm_installs_nothing(node: Node) -> None:
    source = """const { spawnSync } = require("node:child_process");
    exports.handler = async () => spawnSync("npm", ["install", "x"]).stderr.toString()"""
    said = "npm: functions of the local AWS install nothing while they run\n"
    assert node.run("npm", source).payload == said


def test_a_function_finds_nothing_of_the_users_modules(node: Node) -> None:
    answer = node.run("users", "require('yaml')")
    assert answer.payload["errorType"] == "Runtime.ImportModuleError"


@pytest.mark.parametrize("runtime", ["nodejs14.x", "python3.7"])
def test_a_runtime_that_aws_has_ended_is_refused_in_its_words(
    functions: Functions, runtime: str
) -> None:
    with pytest.raises(functions.api.exceptions.InvalidParameterValueException) as refusal:
        functions.create("ended", "", Runtime=runtime)
    assert refusal.value.response["Error"]["Message"] == (
        f"The runtime parameter of {runtime} is no longer supported for creating or updating AWS "
        "Lambda functions. We recommend you use a supported runtime while creating or updating "
        "functions."
    )

"""A state machine's part played in this process, where any call of a step may be its last."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

from sagemaker_serving.functions.custom_resource import answer
from sagemaker_serving.functions.neo_compilation import work
from tests.functions.killing import Killed, Killing, counted_calls
from tests.local_aws.aws import Aws, eventually

STACK = "arn:aws:cloudformation:eu-west-1:123456789012:stack/prod-digits/1"
ROLE = "arn:aws:iam::123456789012:role/model"
DONE = ("COMPLETED", "FAILED", "STOPPED")
_numbers = count(1)


class Listener:
    """An address like CloudFormation's, which takes answers; the first one counts."""

    def __init__(self) -> None:
        answers: dict[str, list[Any]] = {}
        self._answers = answers

        class Handler(BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                answers.setdefault(self.path, []).append((self.headers["Content-Type"], body))
                self.send_response(200 if len(answers[self.path]) == 1 else 404)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def url(self, request_id: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/{request_id}"

    def answer(self, request_id: str) -> Any:
        """The first answer to a request, None without any."""
        answers = self._answers.get(f"/{request_id}")
        return json.loads(answers[0][1]) if answers else None

    def content_type(self, request_id: str) -> str:
        return str(self._answers[f"/{request_id}"][0][0])

    def size(self, request_id: str) -> int:
        return len(self._answers[f"/{request_id}"][0][1])

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Machine:
    """Plays the state machine; a step that is killed is called again with what it was given.

    With ``late`` that is when every job has come to an end.
    """

    def __init__(self, aws: Aws, killed: Killing | None = None, *, late: bool = False) -> None:
        self._aws = aws
        self._late = late
        self._killed = killed if killed is not None else Killing()

    def run(self, event: Mapping[str, Any], *, interrupted: bool = False) -> None:
        """From CloudFormation's request to the answer."""
        state = self.begin(event, interrupted=interrupted)
        while "outcome" not in state:
            state = self.step("finish", state) if "model" in state else self._look(state)
        self.step("answer", state)

    def begin(self, event: Mapping[str, Any], *, interrupted: bool = False) -> Any:
        """The first step alone, as of now."""
        started = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        given = {"request": dict(event), "interrupted": interrupted, "started": started}
        return self.step("begin", given)

    def step(self, name: str, state: Any) -> Any:
        """One call of the function, by way of JSON as AWS makes it."""
        payload = json.dumps({"step": name, "state": state})
        try:
            with counted_calls(self._killed, answer):
                return json.loads(json.dumps(work.handler(json.loads(payload), None)))
        except Killed:
            if self._late:
                self._wait_for_jobs(state)
            return self.step(name, state)

    def _look(self, state: Any) -> Any:
        """The next look, once the job that is waited for has come to an end."""
        assert 1 <= state["wait_seconds"] <= 30
        self._wait_for_jobs(state)
        return self.step("look", state)

    def _wait_for_jobs(self, state: Any) -> None:
        name = state["request"]["ResourceProperties"]["CompilationJobName"]
        eventually(lambda: set(statuses(self._aws, name)) <= set(DONE))


def event(
    listener: Listener, properties: Mapping[str, Any], kind: str = "Create", **more: Any
) -> dict[str, Any]:
    """What CloudFormation sends: every scalar is text."""
    request_id = f"request-{next(_numbers)}"
    return {
        "RequestType": kind,
        "RequestId": request_id,
        "StackId": STACK,
        "LogicalResourceId": "Compiled",
        "ResourceType": "Custom::NeoCompilation",
        "ResponseURL": listener.url(request_id),
        "ResourceProperties": dict(properties),
        **({} if kind == "Create" else {"PhysicalResourceId": properties["CompilationJobName"]}),
        **more,
    }


def properties(model: str, job: str | None = None, **more: Any) -> dict[str, Any]:
    """A resource's properties: an archive of the bucket "models" compiled from Keras."""
    name = job if job is not None else f"neo-ml-c5-{next(_numbers)}"
    return {
        "CompilationJobName": name,
        "RoleArn": ROLE,
        "InputConfig": {
            "S3Uri": f"s3://models/{model}",
            "Framework": "KERAS",
            "DataInputConfig": '{"input":[1,3,8,8]}',
        },
        "OutputConfig": {
            "S3OutputLocation": f"s3://models/compiled/{name}/",
            "TargetDevice": "ml_c5",
        },
        "StoppingCondition": {"MaxRuntimeInSeconds": "900"},
        "BringsCode": "false",
        **more,
    }


def statuses(aws: Aws, name: str) -> list[str]:
    """The statuses of a content's jobs, the first attempt first."""
    listed = aws.sagemaker.list_compilation_jobs(NameContains=name, MaxResults=100)
    return [
        str(job["CompilationJobStatus"])
        for job in sorted(
            listed["CompilationJobSummaries"],
            key=lambda job: job["CreationTime"],
        )
    ]


def ended(aws: Aws, name: str) -> Any:
    """A job's description once it has ended."""

    def look() -> Any:
        job = aws.sagemaker.describe_compilation_job(CompilationJobName=name)
        return job if job["CompilationJobStatus"] in DONE else None

    return eventually(look)

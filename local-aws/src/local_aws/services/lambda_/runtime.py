"""The process in which a function's handler runs, with the standard library alone.

It speaks with the local AWS over two pipes, a line of JSON at a time: it is told
``{"event", "request_id", "deadline_ms", …}`` and answers ``{"status": "started", "body": PID}``,
then ``{"status": "ready"}``, then ``{"status": "result", "body": …}`` or ``{"status": "error",
"body": …}`` for each invocation, or ``{"status": "fatal", "body": …}`` and its end. Node.js may
answer with any number of ``{"status": "part", "body": {"type": …, "content": BASE64}}`` and
``{"status": "streamed"}``. What the function prints is its log. When the pipe of requests ends the
local AWS is gone, and so is this process's group; its supervisor ends what has left that.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import queue
import signal
import sys
import threading
import time
import traceback
from types import SimpleNamespace, TracebackType
from typing import Any

Error = dict[str, Any]


def main(requests_fd: int, answers_fd: int, import_path: str) -> None:
    """Import the handler from a JSON list of folders, then run one invocation after another."""
    sys.dont_write_bytecode = True
    sys.path[:0] = json.loads(import_path)
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    os.set_inheritable(requests_fd, False)
    os.set_inheritable(answers_fd, False)
    _answer(answers_fd, "started", os.getpid())
    threading.Thread(target=_receive, args=(requests_fd, requests), daemon=True).start()
    _log_with_request_ids()
    handler, error = _load_handler(os.environ["_HANDLER"])
    if error is not None:
        _print_error(error)
        _answer(answers_fd, "fatal", error)
        return
    _answer(answers_fd, "ready", None)
    while True:
        request = json.loads(requests.get())
        os.environ["_X_AMZN_TRACE_ID"] = request["trace_id"]
        _current["aws_request_id"] = request["request_id"]
        status, body = _run(handler, request)
        sys.stdout.flush()
        sys.stderr.flush()
        _answer(answers_fd, status, body)


class LambdaContext:
    """What a handler is given beside the event, as AWS's runtime has it."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.function_name = os.environ["AWS_LAMBDA_FUNCTION_NAME"]
        self.function_version = os.environ["AWS_LAMBDA_FUNCTION_VERSION"]
        self.memory_limit_in_mb = os.environ["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]
        self.log_group_name = os.environ["AWS_LAMBDA_LOG_GROUP_NAME"]
        self.log_stream_name = os.environ["AWS_LAMBDA_LOG_STREAM_NAME"]
        self.aws_request_id = request["request_id"]
        self.invoked_function_arn = request["invoked_function_arn"]
        self.tenant_id = None
        self.identity = SimpleNamespace(cognito_identity_id=None, cognito_identity_pool_id=None)
        self.client_context = _client_context(request["client_context"])
        self._deadline_ms = request["deadline_ms"]

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the function's timeout; 0 after it."""
        return max(0, int(self._deadline_ms - time.time() * 1000))

    def log(self, message: object) -> None:
        """Print to the function's log."""
        print(message, flush=True)


def _receive(requests_fd: int, requests: queue.SimpleQueue[str]) -> None:
    with os.fdopen(requests_fd, encoding="utf-8") as lines:
        for line in lines:
            requests.put(line)
    os.killpg(0, signal.SIGKILL)


def _answer(answers_fd: int, status: str, body: Any) -> None:
    line = json.dumps({"status": status, "body": body}).encode() + b"\n"
    while line:
        line = line[os.write(answers_fd, line) :]


def _load_handler(name: str) -> tuple[Any, Error | None]:
    try:
        module_name, function_name = name.rsplit(".", 1)
    except ValueError as error:
        return None, _problem("Runtime.MalformedHandlerName", f"Bad handler '{name}': {error}")
    module_name = module_name.replace("/", ".")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        message = f"Unable to import module '{module_name}': {error}"
        return None, _problem("Runtime.ImportModuleError", message)
    except SyntaxError as error:
        where = (
            f"""  File "{error.filename}" Line {error.lineno}\n    {(error.text or "").strip()}\n"""
        )
        message = f"Syntax error in module '{module_name}': {error}"
        return None, _problem("Runtime.UserCodeSyntaxError", message, [where])
    except Exception as error:
        return None, _raised(error, error.__traceback__)
    handler = getattr(module, function_name, None)
    if handler is None:
        message = f"Handler '{function_name}' missing on module '{module_name}'"
        return None, _problem("Runtime.HandlerNotFound", message)
    return handler, None


def _run(handler: Any, request: dict[str, Any]) -> tuple[str, Any]:
    request_id = request["request_id"]
    try:
        result = handler(request["event"], LambdaContext(request))
    except Exception as error:
        # The first frame is this one: the function's own begin after it.
        frames = error.__traceback__.tb_next if error.__traceback__ else None
        failure = _raised(error, frames) | {"requestId": request_id}
    else:
        if isinstance(result, bytes):  # as awslambdaric's marshaller sends them
            return "result", result.decode(errors="replace")
        try:
            return "result", _ENCODER.encode(result)
        except (TypeError, ValueError) as error:
            message = f"Unable to marshal response: {error}"
            failure = _problem("Runtime.MarshalError", message) | {"requestId": request_id}
    _print_error(failure)
    return "error", failure


def _raised(error: BaseException, frames: TracebackType | None) -> Error:
    own = [frame for frame in traceback.extract_tb(frames) if not _is_machinery(frame.filename)]
    return _problem(type(error).__name__, str(error), traceback.format_list(own))


def _is_machinery(filename: str) -> bool:
    return filename == __file__ or "importlib" in filename


def _problem(kind: str, message: str, stack: list[str] | None = None) -> Error:
    return {"errorMessage": message, "errorType": kind, "requestId": "", "stackTrace": stack or []}


def _print_error(error: Error) -> None:
    lines = [f"[ERROR] {error['errorType']}: {error['errorMessage']}"]
    if error["stackTrace"] or error["errorType"] == "Runtime.ImportModuleError":
        lines += ["Traceback (most recent call last):", *error["stackTrace"]]
    print("\n".join(lines).rstrip("\n"), flush=True)


def _client_context(text: str | None) -> Any:
    if text is None:
        return None
    document = json.loads(text)
    client = document.get("client")
    return SimpleNamespace(
        custom=document.get("custom"),
        env=document.get("env"),
        client=None if client is None else SimpleNamespace(**client),
    )


_current = {"aws_request_id": ""}


class _Encoder(json.JSONEncoder):
    """Results as AWS's runtime writes them, which takes bytes for text and Decimals for numbers."""

    def default(self, o: Any) -> Any:
        if isinstance(o, bytes):
            return o.decode()
        if type(o).__name__ == "Decimal":
            return int(o) if o == o.to_integral_value() else float(o)
        return super().default(o)


_ENCODER = _Encoder(
    ensure_ascii=os.environ.get("AWS_EXECUTION_ENV", "").endswith((".9", ".10", ".11"))
)
"""From python3.12 on, text stays as it is ("Building Lambda functions with Python")."""


class _Handler(logging.Handler):
    """Prints as AWS's runtime does: level, time, request id and message between tabs."""

    def emit(self, record: logging.LogRecord) -> None:
        print(self.format(record), flush=True)


class _RequestId(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.aws_request_id = _current["aws_request_id"]
        return True


def _log_with_request_ids() -> None:
    handler = _Handler()
    form = logging.Formatter(
        "[%(levelname)s]\t%(asctime)s.%(msecs)03dZ\t%(aws_request_id)s\t%(message)s",
        "%Y-%m-%dT%H:%M:%S",
    )
    form.converter = time.gmtime
    handler.setFormatter(form)
    handler.addFilter(_RequestId())
    logging.getLogger().addHandler(handler)
    level = os.environ.get("AWS_LAMBDA_LOG_LEVEL")
    if level is not None:
        logging.getLogger().setLevel({"TRACE": "NOTSET"}.get(level, level))


if __name__ == "__main__":
    _requests, _answers, _import_path = os.environ.pop("_LOCAL_AWS_RUNTIME").split("\n")
    main(int(_requests), int(_answers), _import_path)

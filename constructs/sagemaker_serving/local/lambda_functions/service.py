"""Lambda in every region: the API's door, and all that runs behind it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hmac import compare_digest
from typing import Any
from uuid import uuid4

from werkzeug import Request, Response

from sagemaker_serving.local.api_models import operation, service_model
from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.sagemaker.validation import validate_shape

from .asynchronous import RETRY_SECONDS, Queue
from .code import CodeStore, hex_of
from .deliveries import Deliveries
from .functions import Functions
from .invocations import Invoker
from .logs import LogWriter
from .pool import Pool
from .rest import read_call, write_answer
from .settings import Settings
from .store import Store
from .versions import Versions

Action = Callable[[str, Mapping[str, Any]], dict[str, Any]]


class Lambda:
    """The local Lambda: functions of Python's runtimes, each event in a process of its own.

    ``retry_seconds`` are the pauses before the second and third attempt of an asynchronous event.
    """

    def __init__(
        self, context: LocalContext, *, retry_seconds: tuple[float, float] = RETRY_SECONDS
    ) -> None:
        folder = context.state_dir / "lambda"
        self._seal = context.credentials.seal
        self.store = Store()
        self._code = CodeStore(folder)
        self._pool = Pool(context, self._code, folder)
        self._logs = LogWriter(context)
        self._invoker = Invoker(self.store, self._pool, self._logs)
        self._queue = Queue(context, self.store, self._invoker, retry_seconds)
        self.deliveries = Deliveries(self.store, self._queue)
        self._parts = (
            Functions(context, self.store, self._code),
            Versions(self.store),
            Settings(self.store),
        )

    def answer(self, request: Request, region: str) -> Response:
        """Answer one request of the REST API. Raises `AwsError` as each action says."""
        call = read_call("lambda", request)
        request_id = str(uuid4())
        output = self.handle(call.operation, call.parameters, region, request_id)
        response = write_answer("lambda", call.operation, output)
        response.headers["x-amzn-RequestId"] = request_id
        return response

    def handle(
        self, action: str, parameters: Mapping[str, Any], region: str, request_id: str = ""
    ) -> dict[str, Any]:
        """Do one action and return its output.

        Raises `AwsError`: ValidationException for what the API's model does not take,
        UnknownOperationException for an action that the local AWS does not have.
        """
        known = {name: value for name, value in parameters.items() if name != "Payload"}
        validate_shape(operation("lambda", action).input_shape, known)
        if action == "Invoke":
            asynchronous = parameters.get("InvocationType") == "Event"
            run = self._queue.put if asynchronous else self._invoker.invoke
            return run(region, parameters, request_id or str(uuid4()))
        output = self._action(action)(region, parameters)
        if action in ("DeleteFunction", "UpdateFunctionCode", "UpdateFunctionConfiguration"):
            self._pool.end_idle(region, parameters["FunctionName"])
        return output

    @property
    def actions(self) -> tuple[str, ...]:
        """The API's actions that are offered."""
        return (
            *(name for name in service_model("lambda").operation_names if self._is_offered(name)),
            "Invoke",
        )

    def code(self, sealed: str) -> Response:
        """A function's zip, for GetFunction's Code.Location, which alone names it rightly."""
        seal, _, hexadecimal = sealed.partition("/")
        is_ours = compare_digest(seal.encode(), self._seal(hexadecimal).encode())
        content = self._code.read(hexadecimal) if is_ours else None
        if content is None:
            return Response(status=403)
        return Response(content, content_type="application/zip")

    def policy(self, region: str, account: str, name: str) -> str | None:
        """The resource policy of ``function:<name>[:<qualifier>]``, as text; None without one."""
        _, _, rest = name.partition(":")
        function = self.store.find(region, rest.partition(":")[0])
        found = None if function is None else function.policies.get(rest.partition(":")[2])
        return json.dumps({"Statement": found}) if found else None

    def status(self) -> dict[str, Any]:
        """``functions`` of every region, and ``function_processes``, busy or warm."""
        return {
            "functions": [
                {"name": function.name, "region": function.region, "arn": function.arn}
                for function in self.store.all()
            ],
            "function_processes": self._pool.status(),
        }

    def export_state(self) -> dict[str, Any]:
        """All that is known of functions, as JSON has it; their zips are files of the folder."""
        return self.store.export_state()

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Become what `export_state` gave; zips that nothing needs any more are deleted."""
        self.store.restore_state(state)
        self._code.keep_only(
            {
                hex_of(configuration["CodeSha256"])
                for function in self.store.all()
                for configuration in function.versions.values()
            }
        )

    def close(self) -> None:
        """End every process; events that have not begun are forgotten."""
        self._queue.close()
        self._pool.close()
        self._logs.close()

    def _action(self, action: str) -> Action:
        for part in self._parts:
            if hasattr(part, _method_name(action)):
                method: Action = getattr(part, _method_name(action))
                return method
        raise AwsError("UnknownOperationException", f"the local AWS does not offer {action} yet")

    def _is_offered(self, action: str) -> bool:
        return any(hasattr(part, _method_name(action)) for part in self._parts)


def _method_name(action: str) -> str:
    letters = (f"_{letter.lower()}" if letter.isupper() else letter for letter in action)
    return "".join(letters).lstrip("_")

"""Function URLs: what is told of them, and how they answer.

Sources: Lambda API reference, CreateFunctionUrlConfig; Lambda developer guide, "Control access to
Lambda function URLs", which since October 2025 wants two permissions, "Invoking Lambda function
URLs". What is refused how was recorded by LocalStack's suite, 2025.

Where InvokeMode is RESPONSE_STREAM, status and headers come first where the function has written
them by ``awslambda.HttpResponseStream.from``. An answer that does not stream is the body as it is,
``statusCode`` and all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any
from uuid import uuid4

from werkzeug import Response

from local_aws.clock import iso, now
from local_aws.context import LocalContext
from local_aws.permissions.identities import Developer
from local_aws.protocol import AwsError
from local_aws.protocol.event_stream import streamed
from local_aws.services.lambda_.invocations import Invoker, Result
from local_aws.services.lambda_.names import (
    absent,
    conflict,
    find_alias,
    find_function,
    qualified,
    qualifier_of,
)
from local_aws.services.lambda_.store import Function, Store
from local_aws.services.lambda_.streams import Part, begun
from local_aws.web import cors
from local_aws.web.door import LAMBDA_URL, json_answer, web_host
from local_aws.web.heads import headed
from local_aws.web.payloads import Malformed, answer_2, event_2
from local_aws.web.records import new_id
from local_aws.web.request import WebRequest

Parameters = Mapping[str, Any]
Answer = dict[str, Any]

_MEMBERS = ("AuthType", "Cors", "InvokeMode")
_FORBIDDEN = (
    "Forbidden. For troubleshooting Function URL authorization issues, see: "
    "https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html"
)


class FunctionUrls:
    """Each method is an action of the API."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create_function_url_config(self, region: str, given: Parameters) -> Answer:
        """Give the function, or an alias of it, a URL."""
        function, qualifier = self._place(region, given)
        with self._store.lock:
            if qualifier in function.urls:
                raise conflict(
                    "Failed to create function url config for "
                    f"[functionArn = {qualified(function.arn, qualifier)}]. Error message:  "
                    "FunctionUrlConfig exists for this Lambda function"
                )
            made_at = iso(now())
            function.urls[qualifier] = {
                "InvokeMode": "BUFFERED",
                **{name: given[name] for name in _MEMBERS if given.get(name)},
                "FunctionArn": qualified(function.arn, qualifier),
                "FunctionUrl": f"https://{web_host(LAMBDA_URL, new_id(32), region)}/",
                "CreationTime": made_at,
                "LastModifiedTime": made_at,
            }
        return function.urls[qualifier]

    def get_function_url_config(self, region: str, given: Parameters) -> Answer:
        """It, when there is one."""
        return self._found(region, given)

    def update_function_url_config(self, region: str, given: Parameters) -> Answer:
        """Change what is given of it."""
        found = self._found(region, given)
        changed = {name: given[name] for name in _MEMBERS if given.get(name) is not None}
        found |= {**changed, "LastModifiedTime": iso(now())}
        return found

    def delete_function_url_config(self, region: str, given: Parameters) -> Answer:
        """Take it away."""
        self._found(region, given)
        function, qualifier = self._place(region, given)
        del function.urls[qualifier]
        return {}

    def _place(self, region: str, given: Parameters) -> tuple[Function, str]:
        function, qualifier = find_function(self._store, region, given), qualifier_of(given, region)
        if qualifier:
            find_alias(function, qualifier)
        return function, qualifier

    def _found(self, region: str, given: Parameters) -> Answer:
        function, qualifier = self._place(region, given)
        if qualifier not in function.urls:
            raise absent("The resource you requested does not exist.")
        return function.urls[qualifier]


class FunctionUrl:
    """One function URL, as whoever calls it sees it."""

    def __init__(
        self, context: LocalContext, region: str, config: Parameters, invoker: Invoker
    ) -> None:
        self._context = context
        self._invoker = invoker
        self._region = region
        self._config = config
        self._arn = str(config["FunctionArn"])
        self._cors = config.get("Cors") or {}
        self.host = host_of(config)

    def lets_pages_of(self, origin: str, request: WebRequest) -> bool:
        """Whether the URL's CORS names the origin and the method."""
        return cors.lets(self._cors, origin, request.method)

    def answer(self, request: WebRequest) -> Response:
        """The function's answer, or why there is none."""
        if self._cors and cors.is_preflight(request):
            answer = Response(status=200)
        elif not self._is_let_in(request):
            error = [("x-amzn-ErrorType", "AccessDeniedException")]
            answer = json_answer(403, {"Message": _FORBIDDEN}, error)
        else:
            answer = self._invoked(request)
        answer.headers.update(cors.headers_for(self._cors, request))
        return answer

    def _invoked(self, request: WebRequest) -> Response:
        event = event_2(
            request,
            api_id=self.host.partition(".")[0],
            account=self._context.account_id if self._config["AuthType"] != "NONE" else "anonymous",
            stage="$default",
            path=request.path,
        )
        given = {"FunctionName": self._arn, "Payload": json.dumps(event).encode()}
        request_id = str(uuid4())
        run = partial(self._invoker.asked, self._region, given, request_id)
        try:
            if self._config["InvokeMode"] == "RESPONSE_STREAM":
                answer = streamed_answer(begun(run))
            else:
                answer = _answer_of(run())
        except AwsError as error:
            return json_answer(error.status, {"Message": error.message})
        except (Malformed, ValueError):
            answer = Response("Internal Server Error", 502, content_type="application/json")
        answer.headers["x-amzn-RequestId"] = request_id
        return answer

    def _is_let_in(self, request: WebRequest) -> bool:
        """Whether both actions are allowed: by the function's policy, or to who has signed."""
        given = {
            "lambda:FunctionUrlAuthType": str(self._config["AuthType"]),
            "lambda:InvokedViaFunctionUrl": "true",
        }
        evaluator = self._context.evaluator
        if self._config["AuthType"] == "NONE":
            return all(evaluator.lets_everyone(each, self._arn, given) for each in _ACTIONS)
        try:
            who = request.caller()
        except AwsError:
            return False
        if isinstance(who, Developer):
            return True
        return all(evaluator.allows(who, each, self._arn, given) for each in _ACTIONS)


def _answer_of(result: Result) -> Response:
    """Raises `Malformed`, and ValueError."""
    if result.failed:
        raise Malformed
    return answer_2(json.loads(result.body), default_type="application/json")


_ACTIONS = ("lambda:InvokeFunctionUrl", "lambda:InvokeFunction")


def host_of(config: Parameters) -> str:
    """The name in a URL's configuration."""
    return str(config["FunctionUrl"]).removeprefix("https://").removesuffix("/")


_WITH_HEAD = "application/vnd.awslambda.http-integration-response"


def streamed_answer(told: Iterator[Part | Result]) -> Response:
    """The answer, once its status is known. Raises `Malformed` and ValueError for what has none."""
    first = next(told)
    if isinstance(first, Result):
        if first.failed:
            raise Malformed
        return Response(content_type="application/octet-stream")
    contents = _contents(chain([first], told))
    if first.content_type != _WITH_HEAD:
        return streamed(contents, [("Content-Type", first.content_type)])
    return headed(contents, _read)


def _read(head: Mapping[str, Any]) -> Response:
    given = {"statusCode": 200, **head, "body": None}
    return answer_2(given, default_type="application/octet-stream")


def _contents(told: Iterable[Part | Result]) -> Iterator[bytes]:
    for each in told:
        if isinstance(each, Part):
            yield each.content
        elif each.failed:
            raise ConnectionAbortedError(each.reason)

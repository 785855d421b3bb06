"""One port on the loopback that answers as AWS does.

::

    boto3, the CDK CLI, SDKs ──> Gateway ──┬─ /endpoints/<name>/invocations ─> SageMaker Runtime
                                           ├─ X-Amz-Target: SageMaker.*     ─> SageMaker
                                           ├─ cloudformation                ─> CloudFormation
                                           └─ everything else               ─> the emulator (moto)

Requests are told apart as AWS's own front door does it: by the credential
scope that each is signed with (``…/<region>/<service>/aws4_request``), by
``X-Amz-Target``, and by path. Signatures are not checked.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.sax.saxutils import escape

import psutil
from moto.iam.models import iam_backends
from moto.moto_api._internal import moto_api_backend
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug import Request, Response

from sagemaker_serving.local.cloudformation import CloudFormation
from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.moto_patches import access
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.sagemaker.container import Launch
from sagemaker_serving.local.sagemaker.control_plane import ControlPlane
from sagemaker_serving.local.sagemaker.runtime import ModelError
from sagemaker_serving.local.wsgi_server import LoopbackServer, WsgiApplication

DEFAULT_REGION = "us-east-1"
"""Where a request without a credential scope goes: the emulator's own default."""

_log = logging.getLogger(__name__)


class Gateway:
    """The local AWS: the emulator, CloudFormation and SageMaker behind one port.

    ``state_dir`` holds unpacked models and logs; ``port`` 0 takes a free one;
    ``region`` is where unsigned requests go. One gateway per process at a
    time: the emulator's state belongs to the process, and starts empty.
    ``launch`` starts a model server; absent, it is the project's own.

    Raises `Mistake` when the port is in use.
    """

    def __init__(
        self,
        state_dir: Path,
        port: int = 0,
        *,
        region: str = DEFAULT_REGION,
        launch: Launch | None = None,
    ) -> None:
        self.region = region
        self._server = LoopbackServer(port)
        self.url = f"http://localhost:{self._server.port}"
        state_dir.mkdir(parents=True, exist_ok=True)
        self.context = LocalContext.at(self.url, state_dir)
        self.sagemaker = ControlPlane(self.context, launch=launch)
        self.cloudformation = CloudFormation(self.context)
        self._emulator: WsgiApplication = DomainDispatcherApplication(create_backend_app)
        self._patches: ModuleType | None = None
        self._patching = threading.Lock()
        self._started_at = time.time()

    def start(self) -> None:
        """Answer requests from now on; returns at once."""
        access.apply()
        _forget_an_earlier_gateway()
        self._server.serve(self)

    def warm_up(self) -> None:
        """Load in the background what every deploy asks for first; seconds that nobody waits."""
        threading.Thread(target=self._ask_once, name="warm-up", daemon=True).start()

    def _ask_once(self) -> None:
        for service, operation in _ASKED_BY_EVERY_DEPLOY:
            getattr(self.context.client(service, self.region), operation)()

    def stop(self) -> None:
        """End every deployment, job, model server and connection.

        Nothing is left running when this returns.
        """
        self.cloudformation.close()
        if self._patches is not None:
            self._patches.stop_executions()
        self._server.stop()
        self.sagemaker.close()

    def status(self) -> dict[str, Any]:
        """What runs here, as JSON has it: ``GET /_local/status``.

        ``endpoints`` (with their variants), ``transform_jobs``, ``executions``
        that run, and ``processes``: each with pid, port, memory in bytes and log.
        """
        return {
            "url": self.url,
            "pid": os.getpid(),
            "memory_bytes": psutil.Process().memory_info().rss,
            "uptime_seconds": round(time.time() - self._started_at, 1),
            **self.sagemaker.status(),
            "executions": [] if self._patches is None else self._patches.running_executions(),
        }

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer one request, as WSGI has it."""
        request = Request(environ, populate_request=False)
        scope = CredentialScope.of(request, self.region)
        try:
            application = self._application(request, scope)
            return application(environ, start_response)
        except AwsError as error:
            answer = _error(request, scope, error)
        except Exception:
            _log.exception("%s %s", request.method, request.path)
            answer = _error(request, scope, _crash(request, scope))
        return answer(environ, start_response)

    def _application(self, request: Request, scope: CredentialScope) -> WsgiApplication:
        refuse_strangers(request)
        if request.path == "/_local/status":
            return Response(json.dumps(self.status(), indent=2), mimetype="application/json")
        invocation = _INVOCATION.fullmatch(request.path)
        if invocation is not None and scope.service in ("sagemaker", ""):
            return self._runtime(request, scope, invocation)
        service, _, action = request.headers.get("X-Amz-Target", "").partition(".")
        if service == "SageMaker":
            return self._sagemaker(request, scope, action)
        if action == "LookupEvents":
            return _NO_TRAIL
        if scope.service == "cloudformation":
            return self._cloudformation(request, scope)
        if scope.service == "states":
            self._patch_the_emulator()
        return self._emulator

    def _patch_the_emulator(self) -> None:
        """Patch Step Functions when it is first asked for: it takes a second and 100 MB to load."""
        with self._patching:
            if self._patches is None:
                from sagemaker_serving.local.moto_patches import step_functions

                step_functions.apply(self.context)
                self._patches = step_functions

    def _runtime(
        self, request: Request, scope: CredentialScope, invocation: re.Match[str]
    ) -> Response:
        endpoint, operation = invocation["endpoint"], invocation["operation"]
        if operation != "invocations":
            raise AwsError("ValidationError", f"the local AWS does not offer /{operation} yet")
        answer = self.sagemaker.runtime.invoke(
            scope.region,
            endpoint,
            headers=request.headers,
            body=self.sagemaker.runtime.read_body(request.stream, request.content_length),
        )
        return Response(answer.body, answer.status, headers=[*answer.headers, _request_id()])

    def _sagemaker(self, request: Request, scope: CredentialScope, action: str) -> Response:
        try:
            parameters = json.loads(request.get_data() or b"{}")
        except ValueError as error:
            raise AwsError("SerializationException", f"the body is not JSON: {error}") from None
        if not isinstance(parameters, dict):
            raise AwsError("SerializationException", "the body is not a JSON object")
        output = self.sagemaker.handle(action, parameters, scope.region)
        return Response(json.dumps(output), content_type=_JSON, headers=[_request_id()])

    def _cloudformation(self, request: Request, scope: CredentialScope) -> Response:
        parameters = dict(
            [
                *parse_qsl(request.query_string.decode(), keep_blank_values=True),
                *parse_qsl(request.get_data().decode(), keep_blank_values=True),
            ]
        )
        action = parameters.get("Action", "")
        body = self.cloudformation.handle(action, parameters, scope.region)
        return Response(body, content_type=_XML, headers=[_request_id()])


def _forget_an_earlier_gateway() -> None:
    iam_backends.clear()  # its own reset would read AWS's policies once more, for seconds
    moto_api_backend.reset()


_INVOCATION = re.compile(
    r"/endpoints/(?P<endpoint>[^/]+)/"
    r"(?P<operation>invocations|async-invocations|invocations-response-stream)"
)
_ASKED_BY_EVERY_DEPLOY = (
    ("s3", "list_buckets"),
    ("iam", "list_roles"),
    ("sts", "get_caller_identity"),
    ("ssm", "describe_parameters"),
    ("ecr", "describe_repositories"),
    ("cloudformation", "list_stacks"),
    ("sagemaker", "list_models"),
    ("logs", "describe_log_groups"),
    ("stepfunctions", "list_state_machines"),
)
_JSON = "application/x-amz-json-1.1"
_XML = "text/xml"
_NO_TRAIL = Response(json.dumps({"Events": []}), content_type=_JSON)
"""The CDK CLI looks into CloudTrail after a failed deploy; there is none to look into."""


@dataclass(frozen=True)
class CredentialScope:
    """The region and service that a request was signed for; service "" when unsigned."""

    region: str
    service: str

    @classmethod
    def of(cls, request: Request, default_region: str) -> CredentialScope:
        """Read it from the Authorization header, or from a presigned URL's query."""
        signed = request.headers.get("Authorization", "")
        credential = _CREDENTIAL.search(signed)
        text = credential[1] if credential else unquote(request.args.get("X-Amz-Credential", ""))
        parts = text.split("/")
        if len(parts) != 5:
            return cls(default_region, "")
        return cls(parts[2], parts[3].lower())


_CREDENTIAL = re.compile(r"Credential=([^,\s]+)")


def refuse_strangers(request: Request) -> None:
    """Raise `AwsError` (403) unless the request was meant for this machine's gateway.

    A web page that a user happens to visit can send requests to the loopback;
    it betrays itself by its Origin, or, when it has its own name resolve to
    127.0.0.1, by its Host. S3's ``<bucket>.localhost`` is a name of this
    machine.
    """
    host = request.headers.get("Host", "")
    if not _is_here(host):
        raise AwsError(
            "AccessDeniedException",
            f"the Host header is '{host}'; the local AWS answers to localhost only",
            status=403,
        )
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != host:
        raise AwsError(
            "AccessDeniedException",
            f"the Origin header is '{origin}'; the local AWS answers no other site's pages",
            status=403,
        )


def _is_here(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name in ("localhost", "127.0.0.1", "::1") or name.endswith(".localhost")


def _crash(request: Request, scope: CredentialScope) -> AwsError:
    what = scope.service or request.headers.get("X-Amz-Target", "") or request.path
    return AwsError(
        "InternalFailure",
        f"the local AWS failed on this request to {what}; its log has the cause",
        status=500,
    )


def _error(request: Request, scope: CredentialScope, error: AwsError) -> Response:
    """The error in the protocol of the service that was called."""
    if "X-Amz-Target" in request.headers:
        body = json.dumps({"__type": error.code, "message": error.message})
        return Response(body, error.status, content_type=_JSON, headers=[_request_id()])
    if scope.service == "s3":
        body = f"<Error>{_code_and_message(error)}</Error>"
        return Response(body, error.status, content_type="application/xml")
    if scope.service == "cloudformation" or request.mimetype == _FORM:
        return _query_error(error)
    members = {"Message": error.message}
    if isinstance(error, ModelError):
        members |= error.members
    return Response(
        json.dumps(members),
        error.status,
        mimetype="application/json",
        headers=[("x-amzn-ErrorType", error.code), _request_id()],
    )


_FORM = "application/x-www-form-urlencoded"


def _query_error(error: AwsError) -> Response:
    request_id = uuid.uuid4()
    sender = "Receiver" if error.status >= 500 else "Sender"
    body = (
        '<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">'
        f"<Error><Type>{sender}</Type>{_code_and_message(error)}</Error>"
        f"<RequestId>{request_id}</RequestId></ErrorResponse>"
    )
    return Response(body, error.status, content_type=_XML)


def _code_and_message(error: AwsError) -> str:
    return f"<Code>{escape(error.code)}</Code><Message>{escape(error.message)}</Message>"


def _request_id() -> tuple[str, str]:
    return ("x-amzn-RequestId", str(uuid.uuid4()))

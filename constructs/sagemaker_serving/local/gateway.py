"""One port on the loopback that answers as AWS does.

::

    boto3, the CDK CLI, SDKs ──> Gateway ──┬─ /endpoints/<name>/invocations ─> SageMaker Runtime
                                           ├─ a service that is here        ─> its action
                                           └─ every other                   ─> the emulator (moto)

The way of a request: browsers are turned away, its signature is verified
(`sagemaker_serving.local.authentication`), it is read as a call of the service that it is signed
for (`protocol`), judged, struck by a fault where one is set, and answered.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from botocore.exceptions import BotoCoreError, ClientError
from moto.iam.models import iam_backends
from moto.moto_api._internal import moto_api_backend
from werkzeug import Request, Response

from sagemaker_serving.errors import Mistake
from sagemaker_serving.local.authentication import (
    PAGES,
    Authenticator,
    Caller,
    Scope,
    has_unguessable_path,
    reject_foreign_origin,
    require_token,
)
from sagemaker_serving.local.callbacks import PATH as CALLBACKS
from sagemaker_serving.local.cloudformation import CloudFormation
from sagemaker_serving.local.cloudformation.providers.emulated import forget_made
from sagemaker_serving.local.cloudtrail import CloudTrail
from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.emulator import Emulator
from sagemaker_serving.local.faults import Faults
from sagemaker_serving.local.faults import api as faults_api
from sagemaker_serving.local.faults.calls import refuse_injected
from sagemaker_serving.local.lambda_functions.code import PATH as LAMBDA_CODE
from sagemaker_serving.local.lambda_functions.service import Lambda
from sagemaker_serving.local.moto_patches import (
    access,
    events_to_functions,
    judged_operations,
    memory,
)
from sagemaker_serving.local.permissions.authorizer import Authorizer
from sagemaker_serving.local.permissions.identities import AnyCaller, find_holder
from sagemaker_serving.local.permissions.sts import Sts
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.protocol.answers import (
    crash_of,
    error_answer,
    request_id,
    write_answer,
)
from sagemaker_serving.local.protocol.call import (
    JUDGED,
    Call,
    read_call,
    refuse_target_of_another_service,
)
from sagemaker_serving.local.protocol.models import service_of
from sagemaker_serving.local.service import Service, no_operation, output_of
from sagemaker_serving.local.state.folder import STATE
from sagemaker_serving.local.state.requests import may_change, takes_long
from sagemaker_serving.local.state.saver import Part, StateSaver
from sagemaker_serving.local.wsgi_server import LoopbackServer, WsgiApplication
from sagemaker_serving.local_sagemaker.control_plane import ControlPlane
from sagemaker_serving.local_sagemaker.endpoints.container import Launch
from sagemaker_serving.local_sagemaker.settings import Settings

if TYPE_CHECKING:
    from sagemaker_serving.local.step_functions.api import StepFunctions

DEFAULT_REGION = "us-east-1"
"""Where a request without a credential scope goes: the emulator's own default."""

SignedBy = Caller[AnyCaller]

_log = logging.getLogger(__name__)


class Gateway:
    """The local AWS: the emulator, CloudFormation and SageMaker behind one port.

    ``state_dir`` holds unpacked models, logs, and what was deployed when it was
    last stopped, which is found again; ``port`` 0 takes a free one;
    ``region`` is where unsigned requests go. One gateway per process at a
    time: the emulator's state belongs to the process.
    ``launch`` starts a model server; absent, it is the project's own.
    ``settings`` of SageMaker are the environment's when absent.
    ``services`` answer in the place of the gateway's own of the same names.

    Raises `Mistake` when the port is in use; `start` does when what is kept in
    ``state_dir`` cannot be used.
    """

    def __init__(
        self,
        state_dir: Path,
        port: int = 0,
        *,
        region: str = DEFAULT_REGION,
        launch: Launch | None = None,
        settings: Settings | None = None,
        services: Iterable[Service] = (),
    ) -> None:
        self.region = region
        self._server = LoopbackServer(port)
        self.url = f"http://localhost:{self._server.port}"
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.context = LocalContext.at(self.url, state_dir)
        self.faults = Faults()
        self.sagemaker = ControlPlane(
            self.context,
            launch=launch,
            faults=self.faults,
            changed=lambda: self._saver.changed("sagemaker"),
            settings=settings,
        )
        self.functions = Lambda(self.context)
        self.cloudformation = CloudFormation(
            self.context,
            on_settled=lambda: self._saver.changed("cloudformation", at_once=True),
        )
        self._saver = StateSaver(state_dir / STATE, self.context.write_lock, self._parts())
        self._recovered: list[dict[str, str]] = []
        self._authenticator: Authenticator[AnyCaller] = Authenticator(
            find_holder(self.context.developer, self.context.sessions), region
        )
        roles = (self.context.sessions, self.context.evaluator, self.context.account_id)
        self._authorizer = Authorizer(*roles)
        own: tuple[Service, ...] = (
            self.sagemaker,
            self.functions,
            self.cloudformation,
            Sts(*roles),
            CloudTrail(),
        )
        self._services = {service.name: service for service in (*own, *services)}
        self.context.evaluator.take_policies_from("lambda", self.functions.policy)
        self._emulator: WsgiApplication = Emulator()
        self._step_functions: StepFunctions | None = None
        self._patching = threading.Lock()
        self._bringing_events: set[str] = set()
        self._started_at = time.time()

    def start(self) -> None:
        """Answer requests from now on; returns at once."""
        access.apply()
        judged_operations.apply()
        memory.apply()
        _forget_an_earlier_gateway()
        try:
            found = self._saver.restore()
        except Mistake:
            self._server.stop()
            raise
        self._server.serve(self)
        if found is not None:
            ended = "ended" if found.ended else "was killed"
            self._recovered = [asdict(each) for each in self.cloudformation.recover(ended)]
        self._saver.start()

    def _parts(self) -> dict[str, Part]:
        """What is kept besides the emulator, in the order in which it is given back."""
        return {
            "cloudformation": self.cloudformation,
            "lambda": self.functions,
            "sagemaker": self.sagemaker,
        }

    def warm_up(self) -> None:
        """Load in the background what every deploy asks for first; seconds that nobody waits."""
        threading.Thread(target=self._ask_once, name="warm-up", daemon=True).start()

    def _ask_once(self) -> None:
        with suppress(BotoCoreError, ClientError):  # it ended meanwhile
            for service, operation in _ASKED_BY_EVERY_DEPLOY:
                getattr(self.context.client(service, self.region), operation)()

    def stop(self) -> None:
        """End every deployment, job, model server and connection.

        Nothing is left running when this returns.
        """
        self.cloudformation.close()
        if self._step_functions is not None:
            self._step_functions.close()
        self.functions.close()
        self.sagemaker.flush(instances=False)
        self._server.stop()
        self._saver.close()
        self.sagemaker.close()
        self.context.close()

    def status(self) -> dict[str, Any]:
        """What runs here, as JSON has it: ``GET /_local/status``.

        ``stacks``; ``recovered``, those that were found in progress at the start;
        ``endpoints`` (with their variants), ``transform_jobs``, ``executions``
        that run; ``processes``, each with its pid, where it listens, memory in bytes and log; and
        ``state``: where and when all of it was saved.
        """
        return {
            "url": self.url,
            "pid": os.getpid(),
            "memory_bytes": psutil.Process().memory_info().rss,
            "uptime_seconds": round(time.time() - self._started_at, 1),
            "stacks": self.cloudformation.summaries(),
            "recovered": self._recovered,
            "state": self._saver.summary(),
            **self.sagemaker.status(),
            **self.functions.status(),
            "executions": [] if self._step_functions is None else self._step_functions.status(),
        }

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer one request, as WSGI has it."""
        request = Request(environ, populate_request=False)
        scope = Scope.said_by(environ, self.region)
        try:
            reject_foreign_origin(environ)
            if request.path.startswith(PAGES):
                return self._page(request)(environ, start_response)
            exchange = _Exchange(request, self._authenticator.authenticate(environ))
            if not may_change(request):
                return self._answer(exchange)(environ, start_response)
            with nullcontext() if takes_long(request) else self.context.write_lock.change():
                try:
                    return self._answer(exchange)(environ, start_response)
                finally:
                    self._saver.changed(exchange.caller.service)
        except AwsError as error:
            answer = error_answer(request, scope.service, error)
        except Exception:
            _log.exception("%s %s", request.method, request.path)
            answer = error_answer(request, scope.service, crash_of(request, scope.service))
        return answer(environ, start_response)

    def _answer(self, exchange: _Exchange) -> WsgiApplication:
        """What answers a request whose caller is known. Raises `AwsError` when nothing does."""
        refuse_target_of_another_service(exchange.request.environ, exchange.caller.service)
        self._authorize(exchange)
        self._inject_fault(exchange)
        return self._dispatch(exchange)

    def _authorize(self, exchange: _Exchange) -> None:
        who, scope = exchange.caller.holder, exchange.caller.service
        if self._authorizer.judges(who, scope=scope, path=exchange.request.path):
            self._authorizer.authorize(exchange.call, who, scope=scope)

    def _inject_fault(self, exchange: _Exchange) -> None:
        if self.faults and exchange.call is not None:
            refuse_injected(self.faults, exchange.call)

    def _dispatch(self, exchange: _Exchange) -> WsgiApplication:
        request, scope = exchange.request, exchange.caller.service
        invocation = _INVOCATION.fullmatch(request.path)
        if invocation is not None and scope == "sagemaker":
            return self._runtime(request, exchange.caller, invocation)
        service = self._service(service_of(scope))
        if service is None:
            return self._emulated(exchange)
        call = exchange.call
        if call is None:
            raise no_operation(service.name, request)
        output = output_of(service, call)
        return self._emulated(exchange) if output is None else write_answer(call, output)

    def _service(self, name: str) -> Service | None:
        return self.step_functions if name == "stepfunctions" else self._services.get(name)

    def _emulated(self, exchange: _Exchange) -> WsgiApplication:
        """The emulator, prepared for what a request to one of its services may need.

        It does what was read and judged, and guesses no operation of its own.
        """
        scope = exchange.caller.service
        if exchange.call is not None:
            exchange.request.environ[JUDGED] = exchange.call
        if scope in events_to_functions.SERVICES:
            self._bring_events_to_functions(scope)
        if scope == "application-autoscaling":
            self._let_sagemaker_scale()
        return self._emulator

    def _page(self, request: Request) -> WsgiApplication:
        """One of the local AWS's own pages."""
        if has_unguessable_path(request.environ):
            if request.path.startswith(CALLBACKS):
                return self._callback(request)
            return self.functions.code(request.path.removeprefix(LAMBDA_CODE))
        require_token(request.environ, self.context.credentials.page_token)
        if request.path == "/_local/status":
            return Response(json.dumps(self.status(), indent=2), mimetype="application/json")
        if request.path == "/_local/permissions":
            judged = [entry.as_json() for entry in self.context.evaluator.trail]
            return Response(json.dumps(judged, indent=2), mimetype="application/json")
        if request.path.startswith(faults_api.PATH):
            return faults_api.answer(self.faults, request)
        return Response("there is no such page\n", 404)

    def _bring_events_to_functions(self, service: str) -> None:
        """Patch what sends events when it is first asked for: it is not cheap to load either."""
        with self._patching:
            if service not in self._bringing_events:
                events_to_functions.apply(service, self.context, self.functions.deliveries)
                self._bringing_events.add(service)

    def _let_sagemaker_scale(self) -> None:
        from sagemaker_serving.local.moto_patches import scaling

        with self._patching:
            scaling.apply()

    def _callback(self, request: Request) -> Response:
        """Take an answer that somebody waits for, as S3 takes one at a presigned URL."""
        taken = request.method == "PUT" and self.context.callbacks.answer(
            request.path.removeprefix(CALLBACKS), request.get_data()
        )
        return Response(status=200 if taken else 403)

    @property
    def step_functions(self) -> StepFunctions:
        """Step Functions, loaded when it is first asked for: it takes a second and 100 MB."""
        with self._patching:
            if self._step_functions is None:
                from sagemaker_serving.local.moto_patches import step_functions

                loaded = step_functions.apply(self.context)
                self._saver.restore_late({"step-functions": loaded.executions})
                self._step_functions = loaded
            return self._step_functions

    def _runtime(self, request: Request, caller: SignedBy, invocation: re.Match[str]) -> Response:
        endpoint, operation = invocation["endpoint"], invocation["operation"]
        runtime = self.sagemaker.runtime
        if operation not in ("invocations", "async-invocations"):
            raise AwsError("ValidationError", f"the local AWS does not offer /{operation} yet")
        invoke = runtime.invoke if operation == "invocations" else runtime.invoke_async
        answer = invoke(
            caller.region,
            endpoint,
            headers=request.headers,
            body=runtime.read_body(request.stream, request.content_length),
        )
        return Response(answer.body, answer.status, headers=[*answer.headers, request_id()])


@dataclass(frozen=True)
class _Exchange:
    """A request whose caller is known; what it asks for is read when somebody wants to know."""

    request: Request
    caller: SignedBy

    @cached_property
    def call(self) -> Call | None:
        return read_call(
            self.request.environ,
            region=self.caller.region,
            scope=self.caller.service,
            caller=self.caller.holder,
        )


def _forget_an_earlier_gateway() -> None:
    forget_made()
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

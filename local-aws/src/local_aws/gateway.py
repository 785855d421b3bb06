"""The one door of the local AWS: an HTTP server that speaks the protocols of all its services.

::

    boto3, the CDK CLI, SDKs ──> Gateway ──┬─ a service that is here  ─> its action
                                           ├─ every other             ─> the emulator (moto)
    curl, browsers ──────────────────────> └─ an API, a function URL  ─> what it leads to (`web`)

The way of a request is `Gateway.__call__` and what that calls, each named for what it does:
browsers are turned away, the signature is verified (`local_aws.authentication`), the request is
read as a call of the service that it is signed for (`protocol`), judged, struck by a fault where
one is set, and answered.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
from botocore.exceptions import BotoCoreError, ClientError
from moto.iam.models import iam_backends
from moto.moto_api._internal import moto_api_backend
from werkzeug import Request, Response
from werkzeug.utils import cached_property  # functools' one is computed by one thread at a time

from local_aws import settings
from local_aws.account_services import AccountServices, installed
from local_aws.authentication import (
    PAGES,
    Authenticator,
    Caller,
    Scope,
    has_unguessable_path,
    reject_foreign_origin,
    require_token,
)
from local_aws.callbacks import PATH as CALLBACKS
from local_aws.context import LocalContext
from local_aws.credentials import ACCOUNT_ID
from local_aws.emulator import judged_operations, later, memory, messages
from local_aws.emulator.application import Emulator
from local_aws.emulator.diagnosis import own_words
from local_aws.errors import Mistake
from local_aws.faults import api as faults_api
from local_aws.faults.calls import refuse_injected
from local_aws.permissions.authorizer import Authorizer
from local_aws.permissions.identities import AnyCaller, account_of, find_holder
from local_aws.permissions.service import permissions_of
from local_aws.process.http_server import LoopbackServer, WsgiApplication
from local_aws.protocol import AwsError
from local_aws.protocol.answers import crash_of, error_answer, write_answer
from local_aws.protocol.call import (
    JUDGED,
    Call,
    read_call,
    refuse_target_of_another_service,
)
from local_aws.protocol.models import service_of
from local_aws.service import Service, ServiceFactory, no_operation, output_of
from local_aws.state.folder import STATE
from local_aws.state.requests import may_change, takes_long
from local_aws.state.saver import StateSaver
from local_aws.web.door import SCOPES, WebAddress, json_answer, refuse_foreign_pages, web_address
from local_aws.web.request import web_request

DEFAULT_REGION = "us-east-1"
"""Where a request without a credential scope goes: the emulator's own default."""

_log = logging.getLogger(__name__)


class Gateway:
    """The local AWS behind one port.

    ``state_dir`` holds functions' code, logs, and what was deployed when it was last stopped, which
    is found again; ``port`` 0 takes a free one; ``region`` is where unsigned requests go.
    ``services`` make the services that are not of the local AWS itself, and may take the place of
    its own by their names; absent, they are those of every distribution that is installed here.
    ``time_scale`` is how many seconds of AWS's own waits pass in one real second; absent, as the
    environment has it. ``strict`` refuses templates for what would only be kept of them; absent, as
    the environment has it. One gateway per process at a time: the emulator's state belongs to the
    process.

    Raises `Mistake` when the port is in use, a variable is wrong or a service cannot be loaded;
    `start` does when what is kept in ``state_dir`` cannot be used.
    """

    def __init__(
        self,
        state_dir: Path,
        port: int = 0,
        *,
        region: str = DEFAULT_REGION,
        services: Iterable[ServiceFactory] | None = None,
        time_scale: float | None = None,
        strict: bool | None = None,
    ) -> None:
        self.region = region
        scale = settings.time_scale(os.environ) if time_scale is None else time_scale
        self._server = LoopbackServer(port)
        self.url = f"http://localhost:{self._server.port}"
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        strict = settings.strict(os.environ) if strict is None else strict
        self.context = LocalContext.at(self.url, state_dir, time_scale=scale, strict=strict)
        self._saver = StateSaver(state_dir / STATE, self.context.write_lock)
        factories = installed() if services is None else services
        self._accounts = AccountServices(self.context, factories, self._saver)
        home = self._accounts.home
        self.resource_types = home.types
        self._authenticator: Authenticator[AnyCaller] = Authenticator(
            find_holder(self._accounts.developers, self.context.sessions), region
        )
        self._permissions = {
            name: each.permissions
            for name, each in home.services.items()
            if each.permissions is not None
        }
        self._authorizer = Authorizer(self.context.evaluator, self._permissions)
        self._emulator: WsgiApplication = Emulator()
        self._prepared: set[tuple[str, str]] = set()
        self._preparing = threading.Lock()
        self._started_at = time.time()

    def services(self) -> list[Service]:
        """Every one of them, of the account that was there first."""
        return list(self._accounts.home.services.values())

    def service(self, name: str) -> Service:
        """The service of this name, boto3's; KeyError when there is none."""
        return self._accounts.home.services[name]

    def start(self) -> None:
        """Answer requests from now on; returns at once."""
        judged_operations.apply()
        later.apply()
        memory.apply()
        messages.apply()
        _forget_an_earlier_gateway()
        self._accounts.start()
        try:
            found = self._saver.restore()
        except Mistake:
            self._server.stop()
            self._close()
            raise
        self._server.serve(self, folder=self.context.state_dir)
        self.context.inner_calls.application = self
        if found is not None:
            for service in self._accounts.every_service():
                service.recover("ended" if found.ended else "was killed")
        self._saver.start()

    def warm_up(self) -> None:
        """Load in the background what every deploy asks for first; seconds that nobody waits."""
        threading.Thread(target=self._ask_once, name="warm-up", daemon=True).start()

    def stop(self) -> None:
        """End every deployment, job, model server and connection.

        Nothing is left running when this returns.
        """
        for service in self._accounts.every_service():
            service.stop()
        self.context.inner_calls.application = None
        self._server.stop()
        self._saver.close()
        self._close()

    def _close(self) -> None:
        for service in self._accounts.every_service():
            service.close()
        self.context.close()

    def status(self) -> dict[str, Any]:
        """What runs here, as JSON has it: ``GET /_local/status``.

        What each service says (``stacks``, ``functions``, ``executions`` …), and ``state``: where
        and when all of it was saved. ``accounts`` has the same of every further account, by its id.
        """
        return {
            "url": self.url,
            "pid": os.getpid(),
            "memory_bytes": psutil.Process().memory_info().rss,
            "uptime_seconds": round(time.time() - self._started_at, 1),
            "state": self._saver.summary(),
            **self._accounts.status(),
        }

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer one request, as WSGI has it."""
        request = Request(environ, populate_request=False)
        scope = Scope.said_by(environ, self.region)
        exchange = None
        try:
            address = web_address(environ)
            if address is not None:
                return self._web_answer(address, environ)(environ, start_response)
            reject_foreign_origin(environ)
            if request.path.startswith(PAGES):
                return self._page(request)(environ, start_response)
            caller = self._authenticator.authenticate(environ)
            exchange = Exchange(request, caller, self._owner)
            if not may_change(request):
                return self._answer(exchange)(environ, start_response)
            with nullcontext() if takes_long(request) else self.context.write_lock.change():
                try:
                    return self._answer(exchange)(environ, start_response)
                finally:
                    self._saver.changed(exchange.service)
        except AwsError as error:
            answer = error_answer(request, scope.service, error)
        except Exception as raised:
            said = own_words(raised) or self._crash(request, exchange)
            answer = error_answer(request, scope.service, said)
        return answer(environ, start_response)

    def _web_answer(self, address: WebAddress, environ: dict[str, Any]) -> Response:
        """The answer of an API or a function URL, which verifies signatures where it wants any."""
        found = (each.web_api(address.kind, address.id) for each in self._accounts.every_service())
        api = next((each for each in found if each is not None), None)
        if api is None:
            return json_answer(403, {"message": "Forbidden"})
        request = web_request(
            environ,
            path=address.path,
            host=api.host,
            caller=lambda: self._signer(environ, address.kind),
        )
        try:
            refuse_foreign_pages(environ, address, api, request)
        except AwsError as refused:
            return json_answer(refused.status, {"message": refused.message})
        return api.answer(request)

    def _signer(self, environ: dict[str, Any], kind: str) -> AnyCaller:
        """Who has signed a request to an API. Raises `AwsError`."""
        caller = self._authenticator.authenticate(environ)
        if caller.holder is None or caller.service != SCOPES[kind]:
            raise AwsError("MissingAuthenticationToken", "Missing Authentication Token", status=403)
        return caller.holder

    def _crash(self, request: Request, exchange: Exchange | None) -> AwsError:
        """What is said of a failure of the local AWS's own, which its log has whole."""
        _log.exception("%s %s", request.method, request.path)
        call = None if exchange is None else vars(exchange).get("call")
        return crash_of(call, self.context.state_dir / "local.log")

    def _answer(self, exchange: Exchange) -> WsgiApplication:
        """What answers a request whose caller is known. Raises `AwsError` when nothing does."""
        refuse_target_of_another_service(exchange.request.environ, exchange.caller.service)
        self._authorize(exchange)
        self._inject_fault(exchange)
        self._ask_others(exchange)
        return self._dispatch(exchange)

    def _authorize(self, exchange: Exchange) -> None:
        who = exchange.caller.holder
        if self._authorizer.judges(who, exchange.service):
            self._authorizer.authorize(exchange.call, who, scope=exchange.caller.service)

    def _inject_fault(self, exchange: Exchange) -> None:
        if self.context.faults and exchange.call is not None:
            refuse_injected(self.context.faults, exchange.call, self._permissions)

    def _ask_others(self, exchange: Exchange) -> None:
        call = exchange.call
        if call is not None:
            services = self._accounts[exchange.account].services
            is_here = exchange.service in services
            for service in services.values():
                service.check_elsewhere(call, is_here=is_here)

    def _dispatch(self, exchange: Exchange) -> WsgiApplication:
        service = self._accounts[exchange.account].services.get(exchange.service)
        call = exchange.call
        if service is None:
            return self._emulated(exchange)
        if call is None:
            if service.emulates_unread(exchange.request):
                return self._emulated(exchange)
            raise no_operation(service.name, exchange.request)
        output = output_of(service, call)
        if output is None:
            return self._emulated(exchange)
        return output if isinstance(output, Response) else write_answer(call, output)

    def _emulated(self, exchange: Exchange) -> WsgiApplication:
        """The emulator, prepared for requests of this service.

        It does what was read and judged, and guesses no operation of its own.
        """
        environ, place = exchange.request.environ, (exchange.account, exchange.service)
        environ["HTTP_X_MOTO_ACCOUNT_ID"] = exchange.account
        if exchange.call is not None:
            environ[JUDGED] = exchange.call
        if place not in self._prepared:
            with self._preparing:
                service = self._accounts[exchange.account].services.get(exchange.service)
                if service is not None:
                    service.prepare()
                self._prepared.add(place)
        return self._emulator

    def _page(self, request: Request) -> WsgiApplication:
        """One of the local AWS's own pages."""
        if has_unguessable_path(request.environ):
            return self._secret_page(request)
        require_token(request.environ, self.context.credentials.page_token)
        if request.path == "/_local/status":
            return Response(json.dumps(self.status(), indent=2), mimetype="application/json")
        if request.path == "/_local/permissions":
            judged = [entry.as_json() for entry in self.context.evaluator.trail]
            return Response(json.dumps(judged, indent=2), mimetype="application/json")
        if request.path.startswith(faults_api.PATH):
            return faults_api.answer(self.context.faults, request)
        if request.path == settings.PAGE and request.method == "PUT":
            return self._set(json.loads(request.get_data()))
        return Response("there is no such page\n", 404)

    def _set(self, variables: Mapping[str, str]) -> Response:
        """Give settings to the services that take them now, and to those of later accounts."""
        services = self._accounts.every_service()
        taken = {name for name in variables for each in services if each.set(name, variables[name])}
        os.environ.update({name: variables[name] for name in taken})
        return Response(status=200 if taken == variables.keys() else 404)

    def _secret_page(self, request: Request) -> Response:
        if request.path.startswith(CALLBACKS):
            return self._callback(request)
        answers = (
            page(request.path.removeprefix(beginning))
            for service in self._accounts.every_service()
            for beginning, page in service.pages().items()
            if request.path.startswith(beginning)
        )
        return next((each for each in answers if each.status_code != 403), Response(status=403))

    def _callback(self, request: Request) -> Response:
        """Take an answer that somebody waits for, as S3 takes one at a presigned URL."""
        taken = request.method == "PUT" and self.context.callbacks.answer(
            request.path.removeprefix(CALLBACKS), request.get_data()
        )
        return Response(status=200 if taken else 403)

    def _owner(self, call: Call) -> str:
        """The account that has what a call is about, where that is here; else the caller's."""
        if len(self._accounts) == 1:
            return call.account
        owner = permissions_of(call.service, self._permissions).owner(call)
        return owner if owner in self._accounts else call.account

    def _ask_once(self) -> None:
        with suppress(BotoCoreError, ClientError):  # it ended meanwhile
            for service in self.services():
                if service.warm_up is not None:
                    getattr(self.context.client(service.name, self.region), service.warm_up)()


def _forget_an_earlier_gateway() -> None:
    iam_backends.clear()  # its own reset would read AWS's policies once more, for seconds
    moto_api_backend.reset()


@dataclass(frozen=True)
class Exchange:
    """What it asks for is read when somebody wants to know.

    ``owner`` says which account has what a call is about.
    """

    request: Request
    caller: Caller[AnyCaller]
    owner: Callable[[Call], str]

    @cached_property
    def service(self) -> str:
        """boto3's name of the service that is asked."""
        target = self.request.headers.get("X-Amz-Target", "")
        return service_of(self.caller.service, self.request.path, target)

    @cached_property
    def call(self) -> Call | None:
        """The operation and its arguments; None for what is read by the service itself."""
        call = read_call(
            self.request.environ,
            account=self._own_account,
            region=self.caller.region,
            scope=self.caller.service,
            caller=self.caller.holder,
        )
        return None if call is None else replace(call, account=self.owner(call))

    @property
    def account(self) -> str:
        """The account that answers."""
        return self._own_account if self.call is None else self.call.account

    @property
    def _own_account(self) -> str:
        who = self.caller.holder
        return ACCOUNT_ID if who is None else account_of(who)

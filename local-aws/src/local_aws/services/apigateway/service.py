"""API Gateway's REST APIs: what is told of them is kept, and what is deployed of them answers.

Nothing of it is the emulator's, which answers no request of an API and keeps no deployment.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Action, Limit, Service
from local_aws.web.door import EXECUTE_API, web_host, web_url
from local_aws.web.permissions import DENIED, PathPermissions
from local_aws.web.records import Record
from local_aws.web.request import WebRequest, grouped

from .control import Control, snapshot_of
from .execution import Engine, RestApi, no_signature
from .resources import providers


class ApiGateway(Service):
    """REST APIs, in every region."""

    name = "apigateway"
    whole = True
    limits = (
        Limit(
            "caches, throttles, quotas, tracing, documentation",
            "kept, without effect",
        ),
        Limit(
            "OpenAPI documents, canaries, VPC links, response streams of other servers, a caller's "
            "credentials passed on",
            "refused by name",
        ),
        Limit("domain names", "kept; nothing answers by them"),
        Limit("timeouts", "in real seconds, whatever the time scale"),
    )
    invalid = "BadRequestException"
    permissions = PathPermissions(prefix="apigateway", denied=DENIED)

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        self._control = Control(self._test_invoke)
        self._records = self._control.records
        self._engine = Engine.of(context, self._records)
        context.evaluator.take_policies_from(context.account_id, EXECUTE_API, self._policy)

    def actions(self) -> Mapping[str, Action]:
        """Every action that is offered, by the operation's name."""
        return self._control.actions()

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return providers()

    def web_api(self, kind: str, name: str) -> RestApi | None:
        """The REST API of that id."""
        for region, api_id, _ in self._apis():
            if (kind, name) == (EXECUTE_API, api_id):
                return RestApi(self._engine, region, api_id, web_host(kind, name, region))
        return None

    def status(self) -> dict[str, Any]:
        """``rest_apis``: each stage with its URL on this machine."""
        return {
            "rest_apis": [
                {
                    "id": api_id,
                    "name": api["name"],
                    "region": region,
                    "stage": stage["stageName"],
                    "url": f"{web_url(self._context, EXECUTE_API, api_id)}/{stage['stageName']}/",
                }
                for region, api_id, api in self._apis()
                for stage in self._records.listed(f"{region}/restapis/{api_id}/stages")
            ]
        }

    def export_state(self) -> dict[str, Any]:
        """All that is known of APIs, as JSON has it."""
        return self._records.export_state()

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Become what `export_state` gave."""
        self._records.restore_state(state)

    def _apis(self) -> Iterator[tuple[str, str, Record]]:
        for path, record in self._records.all():
            match path.split("/"):
                case [region, "restapis", api_id]:
                    yield region, api_id, record

    def _policy(self, arn: Arn) -> str | None:
        """The resource policy of a REST API; ``execute-api:/…`` is short for its own ARN."""
        api_id = arn.resource.partition("/")[0]
        api = self._records.find(f"{arn.region}/restapis/{api_id}") or {}
        if not api.get("policy"):
            return None
        whole = str(arn._replace(resource=api_id))
        return str(api["policy"]).replace('"execute-api:/', f'"{whole}/')

    def _test_invoke(self, call: Call) -> Record:
        parameters = call.parameters
        api_id = str(parameters["restApiId"])
        path = self._control.api_of(call.region, api_id)
        snapshot = snapshot_of(self._records, path)
        resource = self._records.get(f"{path}/resources/{parameters['resourceId']}")
        target, _, query = str(parameters.get("pathWithQueryString") or resource["path"]).partition(
            "?"
        )
        host = web_host(EXECUTE_API, api_id, call.region)
        request = WebRequest(
            method=str(parameters["httpMethod"]),
            path=target,
            raw_query=query,
            headers=list((parameters.get("headers") or {}).items()),
            body=str(parameters.get("body") or "").encode(),
            host=host,
            source_ip="test-invoke-source-ip",
            protocol="HTTP/1.1",
            caller=no_signature,
        )
        api = RestApi(self._engine, call.region, api_id, host)
        answer = api.test(request, snapshot, parameters.get("stageVariables") or {})
        return {
            "status": answer.status_code,
            "body": answer.get_data(as_text=True),
            "headers": dict(answer.headers),
            "multiValueHeaders": grouped(list(answer.headers)),
            "latency": int((time.time() - request.at) * 1000),
            "log": json.dumps({"requestId": request.request_id}),
        }

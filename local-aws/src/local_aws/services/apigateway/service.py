"""API Gateway's REST APIs: what is told of them is kept, and what is deployed of them answers.

Nothing of it is the emulator's, which answers no request of an API and keeps no deployment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.service import Action, Limit, Service
from local_aws.web.door import EXECUTE_API, web_host, web_url
from local_aws.web.permissions import DENIED, PathPermissions
from local_aws.web.records import Record

from .control import Control
from .execution import Engine, RestApi
from .resources import providers


class ApiGateway(Service):
    """REST APIs, in every region."""

    name = "apigateway"
    whole = True
    limits = (
        Limit(
            "caches, throttles, quotas, tracing, documentation, access logs",
            "kept, without effect",
        ),
        Limit(
            "OpenAPI documents, canaries, VPC links, a caller's credentials passed on",
            "refused by name",
        ),
        Limit("integrations with other servers", "kept; a method that has one answers so"),
        Limit("domain names", "kept; nothing answers by them"),
        Limit("timeouts", "in real seconds, whatever the time scale"),
    )
    invalid = "BadRequestException"
    permissions = PathPermissions(prefix="apigateway", denied=DENIED)
    types = providers()

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        self._control = Control()
        self._records = self._control.records
        self._engine = Engine.of(context, self._records)
        context.evaluator.take_policies_from(context.account_id, EXECUTE_API, self._policy)

    def actions(self) -> Mapping[str, Action]:
        """Every action that is offered, by the operation's name."""
        return self._control.actions()

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

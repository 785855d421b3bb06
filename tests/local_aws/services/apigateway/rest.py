"""A REST API in tests: methods, integrations, deployments, requests to its stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.local_aws.aws import REGION
from tests.local_aws.functions import ACCOUNT, Functions
from tests.local_aws.web import Answer, ask

PATH = f"arn:aws:apigateway:{REGION}:lambda:path/2015-03-31/functions"


class Rest:
    """One API; ``id`` is its own, ``stage`` the one that is asked."""

    def __init__(self, functions: Functions, **given: Any) -> None:
        self.functions = functions
        self.api = functions.client("apigateway")
        made = self.api.create_rest_api(name="api", **given)
        self.id: str = made["id"]
        self.root: str = made["rootResourceId"]
        self.stage = "prod"

    @property
    def url(self) -> str:
        return f"{self.functions.url}/_aws/execute-api/{self.id}/{self.stage}"

    def arn(self, ending: str = "*") -> str:
        return f"arn:aws:execute-api:{REGION}:{ACCOUNT}:{self.id}/{ending}"

    def resource(self, path: str) -> str:
        """The id of a resource, made with all above it where it is not there."""
        at = self.root
        for depth, part in enumerate(path.strip("/").split("/") if path.strip("/") else [], 1):
            whole = "/" + "/".join(path.strip("/").split("/")[:depth])
            found = self.api.get_resources(restApiId=self.id, limit=500)["items"]
            at = next((each["id"] for each in found if each["path"] == whole), "") or str(
                self.api.create_resource(restApiId=self.id, parentId=at, pathPart=part)["id"]
            )
        return at

    def method(self, path: str, method: str, integration: Mapping[str, Any], **given: Any) -> None:
        """A method and where it leads; ``responses`` are the integration's."""
        place = {
            "restApiId": self.id,
            "resourceId": self.resource(path),
            "httpMethod": method,
        }
        responses = given.pop("responses", ())
        self.api.put_method(**place, **{"authorizationType": "NONE", **given})
        self.api.put_integration(**place, **integration)
        for response in responses:
            self.api.put_integration_response(**place, **response)

    def lead_to(self, function: str, path: str = "/", method: str = "ANY", **given: Any) -> str:
        """A method that leads to a function by its proxy; the function's ARN."""
        arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{function}"
        self.method(path, method, proxy(arn), **given)
        return arn

    def deploy(self) -> str:
        """Have the stage answer as the API is now."""
        made = self.api.create_deployment(restApiId=self.id, stageName=self.stage)
        return str(made["id"])

    def let_in(self, function: str, ending: str = "*") -> None:
        """Let the API call the function."""
        self.functions.api.add_permission(
            FunctionName=function,
            StatementId=f"{self.id}-{len(ending)}",
            Action="lambda:InvokeFunction",
            Principal="apigateway.amazonaws.com",
            SourceArn=self.arn(ending),
        )

    def ask(self, path: str = "/", method: str = "GET", body: Any = b"", **more: Any) -> Answer:
        """Ask the stage."""
        return ask(f"{self.url}{path}", method, body, **more)


def proxy(arn: str, **more: Any) -> dict[str, Any]:
    """An integration that leads to a function."""
    uri = f"{PATH}/{arn}/invocations"
    return {"type": "AWS_PROXY", "integrationHttpMethod": "POST", "uri": uri, **more}

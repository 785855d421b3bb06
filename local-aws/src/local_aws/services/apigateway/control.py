"""REST APIs as they are told: resources, methods, deployments, stages, usage plans.

Sources: API Gateway API reference, botocore's model; what AWS fills in and how it refuses was
recorded by LocalStack's suite, 2024.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import partial
from typing import Any

from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.service import Action, offered
from local_aws.web.records import (
    Record,
    Records,
    bad_request,
    given,
    new_id,
    not_found,
    paged,
    path_of,
    service_operations,
)

from .keys import Keys
from .parts import check_integration, integration_with_defaults, methods_of, resource_below
from .patches import patched

SNAPSHOT = "snapshot"
"""The member of a deployment that nobody is shown: the API as it was, by paths."""

_NAMES = {
    "stages": "stageName",
    "models": "name",
}

_NOT_OFFERED = (
    *("Documentation", "ClientCertificate", "VpcLink", "Sdk", "Export", "Usage", "Template"),
    *("DomainName", "BasePathMapping", "Import", "PutRestApi", "Flush", "TestInvoke"),
)
"""What the names of operations contain that are not offered."""

_OFFERED_STILL = ("UsagePlan",)

_DEFAULTS: Mapping[str, Record] = {
    "PutMethod": {"apiKeyRequired": False},
    "CreateRestApi": {"apiKeySource": "HEADER", "disableExecuteApiEndpoint": False},
    "CreateStage": {
        "cacheClusterEnabled": False,
        "cacheClusterStatus": "NOT_AVAILABLE",
        "tracingEnabled": False,
        "methodSettings": {},
    },
    "CreateApiKey": {"enabled": False, "stageKeys": []},
    "CreateRequestValidator": {"validateRequestBody": False, "validateRequestParameters": False},
    "PutGatewayResponse": {
        "defaultResponse": False,
        "responseParameters": {},
        "responseTemplates": {"application/json": '{"message":$context.error.messageString}'},
    },
}

_UNSUPPORTED: Mapping[str, tuple[str, ...]] = {
    "CreateRestApi": ("cloneFrom",),
    "CreateStage": ("canarySettings",),
    "CreateDeployment": ("canarySettings",),
    "PutIntegration": ("connectionId", "integrationTarget"),
}
"""What is refused by name where it is given."""


class Control:
    """Each public method is an action of the API; every other offered one is by its HTTP method."""

    def __init__(self) -> None:
        self.records = Records(_NAMES, "id")
        self._keys = Keys(self.records, self._create_at)

    def actions(self) -> Mapping[str, Action]:
        """Every action that is offered, by the operation's name."""
        by_verb = {
            "GET": self.records.show,
            "POST": self._create,
            "PUT": self._put,
            "PATCH": self._update,
            "DELETE": self.records.delete,
        }
        own = offered("apigateway", self, self._keys, self.records)
        return {
            name: partial(self._do, own.get(name) or by_verb[verb])
            for name, verb in service_operations("apigateway").items()
            if not any(part in name for part in _NOT_OFFERED)
            or any(part in name for part in _OFFERED_STILL)
        }

    def api_of(self, region: str, api_id: str) -> str:
        """The path of a REST API. Raises NotFoundException."""
        path = f"{region}/restapis/{api_id}"
        self.records.get(path)
        return path

    # REST APIs

    def create_rest_api(self, call: Call) -> Record:
        """Keep an API with its root and the models that every API has."""
        path, record = self._create_at(call, createdDate=int(time.time()))
        record.setdefault("endpointConfiguration", {"types": ["EDGE"], "ipAddressType": "ipv4"})
        record["rootResourceId"] = new_id()
        root = {"id": record["rootResourceId"], "path": "/"}
        self.records.put(f"{path}/resources/{root['id']}", root)
        for name, model in _MODELS.items():
            self.records.put(f"{path}/models/{name}", {"id": new_id(6), "name": name, **model})
        return record

    # resources and methods

    def create_resource(self, call: Call) -> Record:
        """Keep a resource below another."""
        collection, parent_id = path_of(call).rsplit("/", 1)
        parent = self.records.get(f"{collection}/{parent_id}")
        record = resource_below(parent, str(call.parameters["pathPart"]))
        for sibling in self.records.listed(collection):
            if sibling["path"] == record["path"]:
                raise AwsError(
                    "ConflictException",
                    "Another resource with the same parent already has this name: "
                    f"{record['pathPart']}",
                    status=409,
                )
        return self.records.put(f"{collection}/{record['id']}", record)

    def delete_resource(self, call: Call) -> Record:
        """Forget a resource and all below it."""
        path = path_of(call)
        gone = self.records.get(path)
        if "parentId" not in gone:
            raise bad_request("Root resource cannot be deleted")
        collection = path.rpartition("/")[0]
        for other in self.records.listed(collection):
            if other["id"] == gone["id"] or other["path"].startswith(f"{gone['path']}/"):
                self.records.remove(f"{collection}/{other['id']}")
        return {}

    def get_resource(self, call: Call) -> Record:
        """A resource and its methods; ``embed`` shows them whole."""
        path = path_of(call)
        return self._resource(call, path, self.records.get(path))

    def get_resources(self, call: Call) -> Record:
        """The API's resources, by path."""
        path = path_of(call)
        self.records.get(path.rpartition("/")[0])
        found = sorted(self.records.listed(path), key=lambda each: str(each["path"]))
        shown = [self._resource(call, f"{path}/{each['id']}", each) for each in found]
        return paged(call, "items", shown)

    def _resource(self, call: Call, path: str, record: Record) -> Record:
        methods = methods_of(self.records.below(path))
        if "methods" not in (call.parameters.get("embed") or ()):
            methods = {name: {} for name in methods}
        return {**record, **({"resourceMethods": methods} if methods else {})}

    def get_method(self, call: Call) -> Record:
        """A method with its integration and answers."""
        path = path_of(call)
        record, (resource, name) = self.records.get(path), path.rsplit("/methods/", 1)
        return methods_of(self.records.below(resource)).get(name, record)

    def get_integration(self, call: Call) -> Record:
        """An integration with its answers."""
        path = path_of(call)
        self.records.get(path)
        resource, name = path.removesuffix("/integration").rsplit("/methods/", 1)
        found: Record = methods_of(self.records.below(resource))[name]["methodIntegration"]
        return found

    def put_method(self, call: Call) -> Record:
        """Keep a new method."""
        path = path_of(call)
        self._parent(path, "/methods")
        if self.records.find(path) is not None:
            raise AwsError(
                "ConflictException", "Method already exists for this resource", status=409
            )
        kind = call.parameters["authorizationType"]
        authorizer = f"{path.rpartition('/resources/')[0]}/authorizers/"
        authorizer += str(call.parameters.get("authorizerId"))
        if kind in _WITH_AUTHORIZER and self.records.find(authorizer) is None:
            raise bad_request(
                "Invalid authorizer ID specified. Setting the authorization type to CUSTOM or "
                "COGNITO_USER_POOLS requires a valid authorizer."
            )
        return self._put(call)

    def put_integration(self, call: Call) -> Record:
        """Keep where a method leads; what its answers were made of before stays."""
        path, parameters = path_of(call), call.parameters
        self._parent(path, "/integration")
        check_integration(parameters)
        record = integration_with_defaults(given(call), path)
        self.records.put(path, record)
        return self.get_integration(call)

    # deployments and stages

    def create_deployment(self, call: Call) -> Record:
        """Keep the API as it is now, and have a stage answer as it is when one is named."""
        collection = path_of(call)
        api = collection.rpartition("/")[0]
        snapshot = snapshot_of(self.records, api)
        record: Record = {
            "id": new_id(6),
            "createdDate": int(time.time()),
            SNAPSHOT: snapshot,
        }
        if call.parameters.get("description"):
            record["description"] = call.parameters["description"]
        stage = call.parameters.get("stageName")
        if stage:
            self._point(f"{api}/stages/{stage}", record["id"], call)
        return self.records.put(f"{collection}/{record['id']}", record)

    def _point(self, path: str, deployment_id: str, call: Call) -> None:
        names = ("cacheClusterEnabled", "cacheClusterSize", "variables", "tracingEnabled")
        stated = {name: call.parameters[name] for name in names if name in call.parameters}
        if call.parameters.get("stageDescription"):
            stated["description"] = call.parameters["stageDescription"]
        found = self.records.find(path) or {
            **deepcopy(_DEFAULTS["CreateStage"]),
            "stageName": path.rpartition("/")[2],
            "createdDate": int(time.time()),
        }
        now = {"deploymentId": deployment_id, "lastUpdatedDate": int(time.time())}
        self.records.put(path, {**found, **stated, **now})

    def delete_deployment(self, call: Call) -> Record:
        """Forget a deployment that no stage has."""
        path = path_of(call)
        self.records.get(path)
        stages = path.replace("/deployments/", "/stages/").rpartition("/")[0]
        if path.rpartition("/")[2] in [s["deploymentId"] for s in self.records.listed(stages)]:
            raise bad_request("Active stages pointing to this deployment must be moved or deleted")
        return self.records.delete(call)

    def create_stage(self, call: Call) -> Record:
        """Keep a stage of a deployment."""
        api = path_of(call).rpartition("/")[0]
        self.records.get(api)
        if self.records.find(f"{api}/deployments/{call.parameters['deploymentId']}") is None:
            raise bad_request("Deployment id does not exist")
        if self.records.find(f"{api}/stages/{call.parameters['stageName']}") is not None:
            raise AwsError("ConflictException", "Stage already exists", status=409)
        now = int(time.time())
        return self._create_at(call, createdDate=now, lastUpdatedDate=now)[1]

    def update_stage(self, call: Call) -> Record:
        """Change a stage; logs are written with the account's role, which must be there."""
        paths = [each.get("path", "") for each in call.parameters.get("patchOperations") or ()]
        logs = any(path.startswith("/accessLogSettings/destinationArn") for path in paths)
        if logs and not self.get_account(call).get("cloudwatchRoleArn"):
            raise bad_request(
                "CloudWatch Logs role ARN must be set in account settings to enable logging"
            )
        return self._update(call)

    # the account

    def get_account(self, call: Call) -> Record:
        """The region's settings."""
        return {**_ACCOUNT, **(self.records.find(f"{call.region}/account") or {})}

    def update_account(self, call: Call) -> Record:
        """Change them."""
        self.records.put(f"{call.region}/account", self._patched(call, self.get_account(call)))
        return self.get_account(call)

    # every other action

    def _do(self, action: Callable[[Call], Record], call: Call) -> Record:
        for name in _UNSUPPORTED.get(call.operation, ()):
            if call.parameters.get(name):
                raise bad_request(
                    f"the local AWS does not carry out {name} of {call.operation}; leave it out"
                )
        with self.records.lock:
            return deepcopy(action(call))

    def _create(self, call: Call) -> Record:
        parent = path_of(call).rpartition("/")[0]
        if "/" in parent:
            self.records.get(parent)
        return self._create_at(call)[1]

    def _create_at(self, call: Call, **more: Any) -> tuple[str, Record]:
        defaults = deepcopy(_DEFAULTS.get(call.operation, {}))
        return self.records.create(call, **{**defaults, **given(call), **more})

    def _put(self, call: Call) -> Record:
        """What stands under its own name has that name as a member."""
        path = path_of(call)
        self._parent(path, path[path.rstrip("/").rfind("/", 0, path.rfind("/")) :])
        members = call.model.input_shape.members
        last = next(
            name
            for name, shape in members.items()
            if call.model.http["requestUri"].endswith(f"{{{shape.serialization.get('name')}}}")
        )
        defaults = deepcopy(_DEFAULTS.get(call.operation, {}))
        return self.records.put(path, {last: call.parameters[last], **defaults, **given(call)})

    def _parent(self, path: str, ending: str) -> None:
        """Raise NotFoundException unless there is what the path's end belongs to."""
        parent = path[: path.rindex(ending)]
        if self.records.find(parent) is None:
            raise not_found(parent)

    def _update(self, call: Call) -> Record:
        path = path_of(call)
        changed = self._patched(call, self.records.get(path))
        if "lastUpdatedDate" in changed:
            changed["lastUpdatedDate"] = int(time.time())
        self.records.put(path, changed)
        own = offered("apigateway", self, self._keys).get(call.operation.replace("Update", "Get"))
        has_children = call.operation in ("UpdateMethod", "UpdateIntegration")
        return own(call) if own is not None and has_children else changed

    def _patched(self, call: Call, record: Record) -> Record:
        patches = call.parameters.get("patchOperations") or ()
        return patched(call.model.output_shape, record, patches)


def snapshot_of(records: Records, api: str) -> dict[str, Record]:
    """The API at a path as it is now, by paths below its own. Raises BadRequestException."""
    found = {"": records.get(api), **records.below(api)}
    methods = [path for path in found if path.count("/") == 4 and "/methods/" in path]
    if not methods:
        raise bad_request("The REST API doesn't contain any methods")
    if any(f"{path}/integration" not in found for path in methods):
        raise bad_request("No integration defined for method")
    dropped = ("/deployments/", "/stages/")
    return deepcopy({path: each for path, each in found.items() if not path.startswith(dropped)})


_WITH_AUTHORIZER = ("CUSTOM", "COGNITO_USER_POOLS")

_ACCOUNT: Record = {
    "throttleSettings": {"burstLimit": 5000, "rateLimit": 10000.0},
    "features": ["UsagePlans"],
    "apiKeyVersion": "4",
}

_MODELS: Mapping[str, Record] = {
    name: {
        "description": f"This is a default {kind} schema model",
        "contentType": "application/json",
        "schema": json.dumps(
            {
                "$schema": "http://json-schema.org/draft-04/schema#",
                "title": f"{name} Schema",
                "type": "object",
                **more,
            },
            indent=2,
        ),
    }
    for name, kind, more in (
        ("Empty", "empty", {}),
        ("Error", "error", {"properties": {"message": {"type": "string"}}}),
    )
}
"""The models that every API has (recorded by LocalStack's suite, 2024)."""

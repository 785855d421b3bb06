"""Lambda functions, their permissions, versions, aliases and event invoke configurations."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from typing_extensions import override

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.resources.api import ApiProvider, PutProvider
from local_aws.resources.base import Attributes, Properties, Request, ResourceFailed
from local_aws.services import lambda_ as lambda_functions
from local_aws.services.lambda_ import sdk_for_node
from local_aws.services.lambda_.code import content_of
from local_aws.services.lambda_.limits import refusals
from local_aws.services.lambda_.records import NOT_TOLD, not_told

INLINE_CHARACTERS = 4 * 1024 * 1024
"""Source code in a template (CloudFormation's AWS::Lambda::Function Code reference)."""

_RESET: Mapping[str, Any] = {
    "DeadLetterConfig": {"TargetArn": ""},
    "Description": "",
    "Environment": {"Variables": {}},
    "Layers": [],
    "EphemeralStorage": {"Size": 512},
    "LoggingConfig": {"LogFormat": "Text"},
    "MemorySize": 128,
    "Timeout": 3,
    "TracingConfig": {"Mode": "PassThrough"},
}
"""What becomes of a property that a template no longer has."""

_MAPPING_RESET: Mapping[str, Any] = {
    "BatchSize": 10,
    "Enabled": True,
    "FilterCriteria": {"Filters": []},
    "FunctionResponseTypes": [],
    "MaximumBatchingWindowInSeconds": 0,
    "ScalingConfig": {},
}
"""The same of an event source mapping."""

_LOOK_SECONDS = 0.02
"""Between two looks at a function that is not in place yet."""

_WRAPPER = "AWS_LAMBDA_EXEC_WRAPPER"

_HERE = Path(lambda_functions.__file__).parent


class Function(ApiProvider):
    """``AWS::Lambda::Function``: Ref is the name, GetAtt Arn the ARN."""

    type_name = "AWS::Lambda::Function"
    name_property = "FunctionName"
    service = "lambda"
    create_operation = "CreateFunction"
    reading = "GetFunctionConfiguration FunctionName"
    adopts = True
    deletes = ("DeleteFunction", "FunctionName")
    also_supported = frozenset({"ReservedConcurrentExecutions"})
    without_effect = frozenset({"LoggingConfig.LogFormat", "LoggingConfig.SystemLogLevel"})

    @override
    def problems(self, properties: Properties) -> Iterable[str]:
        return refusals(properties)

    @override
    def kept_by_value(self, properties: Properties) -> list[str]:
        variables = (properties.get("Environment") or {}).get("Variables") or {}
        return [f"Environment.Variables.{_WRAPPER}"] if _WRAPPER in variables else []

    @override
    def lacks(self, context: LocalContext, region: str, properties: Properties) -> Iterable[str]:
        """Of the AWS SDK for Node.js; a function whose layers only the deploy knows is looked at
        when it is made."""
        code = properties.get("Code")
        runtime = str(properties.get("Runtime"))
        if (
            not runtime.startswith("nodejs")
            or properties.get("Layers")
            or not isinstance(code, dict)
        ):
            return
        if not all(isinstance(each, str) for each in code.values()):
            return
        try:
            source = _code(properties)
            content = source.get("ZipFile") or content_of(source, context.client("s3", region))
            sdk_for_node.provide([io.BytesIO(content)])
        except sdk_for_node.NotFetched as error:
            yield str(error)
        except (AwsError, ResourceFailed, zipfile.BadZipFile):
            return  # said when the function is made, as on AWS

    @override
    def create(self, request: Request) -> str:
        wanted = request.properties
        name: str = wanted.get("FunctionName") or request.name(64)
        self.call(request, "CreateFunction", wanted, FunctionName=name, Code=_code(wanted))
        return name

    @override
    def complete(self, request: Request) -> Attributes:
        self._reserve(request)
        return {"Arn": self._wait(request)["FunctionArn"]}

    @override
    def update(self, request: Request) -> Attributes:
        name, wanted = request.physical_id, request.properties
        language = [str(each.get("Runtime"))[:6] for each in (wanted, request.previous)]
        inline_moves = "ZipFile" in wanted["Code"] and len(set(language)) > 1
        if request.changed("Code", "Architectures") or inline_moves:
            self.call(
                request,
                "UpdateFunctionCode",
                _code(wanted),
                FunctionName=name,
                Architectures=wanted.get("Architectures"),
            )
            self._wait(request)
        beside = ("Code", "Architectures", "ReservedConcurrentExecutions", "Tags")
        changed = wanted.keys() | request.previous.keys()
        if request.changed(*(changed - set(beside))):
            self.call(
                request, "UpdateFunctionConfiguration", {**_RESET, **wanted}, FunctionName=name
            )
            self._wait(request)
        self._reserve(request)
        self.retag(request, Resource=request.attributes["Arn"])
        return dict(request.attributes)

    def _wait(self, request: Request) -> dict[str, Any]:
        """The function's configuration once it is in place, as CloudFormation waits for it."""
        while True:
            found = self.call(request, "GetFunctionConfiguration", FunctionName=request.physical_id)
            if found["State"] != "Pending" and found["LastUpdateStatus"] != "InProgress":
                return found
            time.sleep(_LOOK_SECONDS)

    def _reserve(self, request: Request) -> None:
        """Reserve the executions that are wanted, or none any more."""
        put, drop = "PutFunctionConcurrency", "DeleteFunctionConcurrency"
        function = {"FunctionName": request.physical_id}
        self.switch(request, "ReservedConcurrentExecutions", put, drop, **function)


class Permission(ApiProvider):
    """``AWS::Lambda::Permission``: one statement of a function's policy; Ref is its id."""

    type_name = "AWS::Lambda::Permission"
    service = "lambda"
    create_operation = "AddPermission"
    id_attribute = "Id"

    @override
    def create(self, request: Request) -> str:
        statement_id = request.name(100)
        self.call(request, "AddPermission", request.properties, StatementId=statement_id)
        return statement_id

    @override
    def update(self, request: Request) -> Attributes:
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        name = request.properties["FunctionName"]
        statement_id = request.physical_id
        self.discard(request, "RemovePermission", FunctionName=name, StatementId=statement_id)


class Url(ApiProvider):
    """``AWS::Lambda::Url``: Ref is the function's ARN, GetAtt FunctionUrl the URL."""

    type_name = "AWS::Lambda::Url"
    service = "lambda"
    create_operation = "CreateFunctionUrlConfig"
    also_supported = frozenset({"TargetFunctionArn"})

    @override
    def create(self, request: Request) -> str:
        answer = self._asked(request, self.create_operation, request.properties)
        return str(answer["FunctionArn"])

    @override
    def complete(self, request: Request) -> Attributes:
        answer = self._asked(request, "GetFunctionUrlConfig")
        return {name: answer[name] for name in ("FunctionArn", "FunctionUrl")}

    @override
    def update(self, request: Request) -> Attributes:
        absent = {"Cors": {}, "InvokeMode": "BUFFERED"}
        self._asked(request, "UpdateFunctionUrlConfig", absent | {**request.properties})
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self.discard(request, "DeleteFunctionUrlConfig", **_url_of(request))

    def _asked(
        self, request: Request, operation: str, properties: Properties | None = None
    ) -> dict[str, Any]:
        return self.call(request, operation, properties or {}, **_url_of(request))


def _url_of(request: Request) -> dict[str, Any]:
    """Which function's, or alias's, it is."""
    wanted = request.properties
    place = {"FunctionName": wanted["TargetFunctionArn"], "Qualifier": wanted.get("Qualifier")}
    return {name: value for name, value in place.items() if value is not None}


class FunctionVersion(ApiProvider):
    """``AWS::Lambda::Version``: Ref is its ARN, GetAtt Version its number."""

    type_name = "AWS::Lambda::Version"
    service = "lambda"
    create_operation = "PublishVersion"
    without_effect = frozenset({"ProvisionedConcurrencyConfig"})
    deletes = ("DeleteFunction", "FunctionName")

    @override
    def create(self, request: Request) -> str:
        function = {"FunctionName": request.properties["FunctionName"]}
        listed = self.call(request, "ListVersionsByFunction", **function, MaxItems=10_000)
        published = self.call(request, "PublishVersion", request.properties)
        number = published["Version"]
        if number in [each["Version"] for each in listed["Versions"]]:
            raise ResourceFailed(
                f"A version for this Lambda function exists ( {number} ). Modify the function to "
                "create a new version.",
                code="AlreadyExists",
            )
        return str(published["FunctionArn"])

    @override
    def complete(self, request: Request) -> Attributes:
        arn = request.physical_id
        number = arn.rsplit(":", 1)[-1]
        return {"FunctionArn": arn, "Version": number}

    @override
    def update(self, request: Request) -> Attributes:
        return self.complete(request)


class FunctionAlias(ApiProvider):
    """``AWS::Lambda::Alias``: Ref is its ARN."""

    type_name = "AWS::Lambda::Alias"
    name_property = "Name"
    service = "lambda"
    create_operation = "CreateAlias"
    id_attribute = "AliasArn"
    without_effect = frozenset({"ProvisionedConcurrencyConfig"})
    not_carried_out = frozenset({"RoutingConfig"})

    @override
    def create(self, request: Request) -> str:
        return str(self.call(request, "CreateAlias", request.properties)["AliasArn"])

    @override
    def update(self, request: Request) -> Attributes:
        self.call(request, "UpdateAlias", {"Description": ""}, request.properties)
        return self.complete(request)

    @override
    def delete(self, request: Request) -> None:
        wanted = request.properties
        function = wanted["FunctionName"]
        self.discard(request, "DeleteAlias", FunctionName=function, Name=wanted["Name"])


class EventSourceMapping(ApiProvider):
    """``AWS::Lambda::EventSourceMapping``: Ref is its UUID."""

    type_name = "AWS::Lambda::EventSourceMapping"
    service = "lambda"
    create_operation = "CreateEventSourceMapping"
    not_carried_out = frozenset(
        {
            "AmazonManagedKafkaEventSourceConfig",
            "DocumentDBEventSourceConfig",
            "KmsKeyArn",
            "LoggingConfig",
            "MetricsConfig",
            "ProvisionedPollerConfig",
            "Queues",
            "SelfManagedEventSource",
            "SelfManagedKafkaEventSourceConfig",
            "SourceAccessConfigurations",
            "Topics",
        }
    )
    without_effect = frozenset(
        {
            "BisectBatchOnFunctionError",
            "DestinationConfig",
            "MaximumRecordAgeInSeconds",
            "MaximumRetryAttempts",
            "ParallelizationFactor",
            "StartingPosition",
            "StartingPositionTimestamp",
            "TumblingWindowInSeconds",
        }
    )

    @override
    def kept_by_value(self, properties: Properties) -> list[str]:
        source = str(properties.get("EventSourceArn"))
        is_elsewhere = source.startswith("arn:") and Arn.parse(source).service != "sqs"
        return [self.whole] if is_elsewhere else []

    @override
    def create(self, request: Request) -> str:
        uuid: str = self.call(request, self.create_operation, request.properties)["UUID"]
        return uuid

    @override
    def complete(self, request: Request) -> Attributes:
        found = self.call(request, "GetEventSourceMapping", UUID=request.physical_id)
        return {"Id": request.physical_id, "EventSourceMappingArn": found["EventSourceMappingArn"]}

    @override
    def update(self, request: Request) -> Attributes:
        gone = {name: to for name, to in _MAPPING_RESET.items() if name in request.previous}
        operation = "UpdateEventSourceMapping"
        self.call(request, operation, gone, request.properties, UUID=request.physical_id)
        self.retag(request, Resource=request.attributes["EventSourceMappingArn"])
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self.discard(request, "DeleteEventSourceMapping", UUID=request.physical_id)


class LayerVersion(ApiProvider):
    """``AWS::Lambda::LayerVersion``: Ref is its ARN."""

    type_name = "AWS::Lambda::LayerVersion"
    service = "lambda"
    create_operation = "PublishLayerVersion"
    not_carried_out = frozenset({"Content.S3ObjectStorageMode"})

    @override
    def create(self, request: Request) -> str:
        name = request.properties.get("LayerName") or request.name(64)
        made = self.call(request, self.create_operation, request.properties, LayerName=name)
        arn: str = made["LayerVersionArn"]
        return arn

    @override
    def complete(self, request: Request) -> Attributes:
        return {"LayerVersionArn": request.physical_id}

    @override
    def update(self, request: Request) -> Attributes:
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self.discard(request, "DeleteLayerVersion", **_layer(request.physical_id))


class EventInvokeConfig(PutProvider):
    """``AWS::Lambda::EventInvokeConfig``: Ref is an id of its own."""

    type_name = "AWS::Lambda::EventInvokeConfig"
    service = "lambda"
    create_operation = "PutFunctionEventInvokeConfig"

    @override
    def problems(self, properties: Properties) -> Iterable[str]:
        for event, destination in (properties.get("DestinationConfig") or {}).items():
            arn = destination.get("Destination")
            if isinstance(arn, str) and Arn.parse(arn).service in NOT_TOLD:
                yield not_told(event, arn)

    @override
    def create(self, request: Request) -> str:
        self.call(request, self.create_operation, request.properties)
        return str(uuid4())

    @override
    def delete(self, request: Request) -> None:
        place = {name: request.properties[name] for name in ("FunctionName", "Qualifier")}
        self.discard(request, "DeleteFunctionEventInvokeConfig", **place)


def _layer(arn: str) -> dict[str, Any]:
    """A layer's version, as the API names it."""
    layer, _, number = arn.rpartition(":")
    return {"LayerName": layer, "VersionNumber": int(number)}


def _code(wanted: Properties) -> dict[str, Any]:
    """The property as the API takes it: source in the template becomes a zip of ``index.py``, of
    ``index.js`` for Node.js."""
    code = wanted["Code"]
    if "ZipFile" not in code:
        return dict(code)
    source = str(code["ZipFile"])
    if len(source) > INLINE_CHARACTERS:
        raise ResourceFailed(
            f"Code.ZipFile has {len(source)} characters; it may have {INLINE_CHARACTERS}",
            code="InvalidRequest",
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        is_node = str(wanted.get("Runtime")).startswith("nodejs")
        response = _HERE / ("cfn-response.js" if is_node else "cfnresponse.py")
        for name, text in (
            ("index.js" if is_node else "index.py", source),
            (response.name, response.read_text(encoding="utf-8")),
        ):
            # A fixed time, so that the same source has the same hash.
            archive.writestr(zipfile.ZipInfo(name), text)
    return {"ZipFile": packed.getvalue()}

"""Step Functions state machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from local_aws.integration import Integrations
from local_aws.resources.api import ApiProvider
from local_aws.resources.base import Attributes, Properties, Request
from local_aws.services.stepfunctions.engine import definition, jsonata
from local_aws.template import has_unknown

_SUBSTITUTION = re.compile(r"\$\{([A-Za-z0-9_-]+)\}")


class StateMachine(ApiProvider):
    """``AWS::StepFunctions::StateMachine``: Ref is the ARN, GetAtt Name the name."""

    type_name = "AWS::StepFunctions::StateMachine"
    name_property = "StateMachineName"
    service = "stepfunctions"
    create_operation = "CreateStateMachine"
    reading = "DescribeStateMachine stateMachineArn"
    deletes = ("DeleteStateMachine", "StateMachineArn")
    also_supported = frozenset(
        {
            "DefinitionS3Location",
            "DefinitionString",
            "DefinitionSubstitutions",
            "StateMachineName",
            "StateMachineType",
        }
    )

    def __init__(self, integrations: Integrations) -> None:
        self._integrations = integrations

    @override
    def problems(self, properties: Properties) -> Iterable[str]:
        """What no machine can be made of; a definition that names what is yet to be made waits."""
        known = {
            name: properties[name]
            for name in ("Definition", "DefinitionString", "DefinitionSubstitutions")
            if name in properties
        }
        if not known.keys() & {"Definition", "DefinitionString"} or has_unknown(known):
            return
        text = _substituted(_written(known), known)
        kind = properties.get("StateMachineType", "STANDARD")
        for problem in definition.problems(text, jsonata.problem, self._integrations, kind):
            yield f"its definition is not valid: {problem}"

    @override
    def read(self, request: Request) -> Mapping[str, Any] | None:
        said = super().read(request)
        if said is None:
            return None
        return {**said, "DefinitionString": said["definition"], "StateMachineName": said["name"]}

    @override
    def create(self, request: Request) -> str:
        wanted = request.properties
        answer = self.call(
            request,
            "CreateStateMachine",
            wanted,
            Name=wanted.get("StateMachineName") or request.name(80, stack=False),
            Definition=_definition(request),
            Type=wanted.get("StateMachineType"),
        )
        return str(answer["stateMachineArn"])

    @override
    def complete(self, request: Request) -> Attributes:
        arn = request.physical_id
        return {"Arn": arn, "Name": arn.rsplit(":", 1)[-1], "StateMachineRevisionId": "INITIAL"}

    @override
    def update(self, request: Request) -> Attributes:
        wanted = request.properties
        answer = self.call(
            request,
            "UpdateStateMachine",
            wanted,
            StateMachineArn=request.physical_id,
            Definition=_definition(request),
            LoggingConfiguration=wanted.get("LoggingConfiguration", {"Level": "OFF"}),
            TracingConfiguration=wanted.get("TracingConfiguration", {"Enabled": False}),
        )
        self.retag(request, ResourceArn=request.physical_id)
        revision = answer.get("revisionId") or request.attributes.get("StateMachineRevisionId")
        return {**request.attributes, "StateMachineRevisionId": revision}


def _definition(request: Request) -> str:
    return _substituted(_source(request), request.properties)


def _substituted(text: str, properties: Properties) -> str:
    """The definition's text with ``${name}`` replaced from DefinitionSubstitutions."""
    substitutions = properties.get("DefinitionSubstitutions") or {}

    def replaced(match: re.Match[str]) -> str:
        return _text(substitutions[match[1]]) if match[1] in substitutions else match[0]

    return _SUBSTITUTION.sub(replaced, text)


def _source(request: Request) -> str:
    wanted = request.properties
    if "DefinitionS3Location" in wanted:
        place = wanted["DefinitionS3Location"]
        version = {"VersionId": place["Version"]} if "Version" in place else {}
        answer = request.client("s3").get_object(
            Bucket=place["Bucket"], Key=place["Key"], **version
        )
        return str(answer["Body"].read().decode())
    return _written(wanted)


def _written(properties: Properties) -> str:
    if "Definition" in properties:
        return json.dumps(properties["Definition"])
    return str(properties.get("DefinitionString", ""))


def _text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)

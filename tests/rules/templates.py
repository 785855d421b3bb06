"""A sound template, and changes to it by dotted paths."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import yaml

from sagemaker_serving.errors import Problem, Severity, Where
from sagemaker_serving.rules import check_template, template_of
from tests.today import TODAY

REGION = "eu-west-1"
IMAGE = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference:2.20-cpu-py312"

SOUND: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("sound.yaml").read_text())
"""As CloudFormation takes it, but for Job and Neo, whose arguments `template` puts into tasks."""

_TASKS = {
    "Job": "arn:aws:states:::sagemaker:createTransformJob.sync",
    "Neo": "arn:aws:states:::aws-sdk:sagemaker:createCompilationJob",
}


def template(change: dict[str, Any], *, tasks: bool = True) -> dict[str, Any]:
    """The sound resources with values changed, or taken away where they are None.

    ``"Model.PrimaryContainer.Image"`` is a property; ``"Model:Type"`` the type. Without ``tasks``
    Job and Neo have what they call with as their properties.
    """
    resources = copy.deepcopy(SOUND)
    for path, value in change.items():
        _set(resources, path, value)
    for name, resource in _TASKS.items() if tasks else ():
        task = {"Type": "Task", "Resource": resource, "End": True}
        task["Parameters"] = resources[name]["Properties"]
        resources[name]["Properties"] = {
            "DefinitionString": _joined(json.dumps({"StartAt": "Run", "States": {"Run": task}}))
        }
    return resources


def problems(resources: dict[str, Any], region: str | None = REGION) -> list[Problem]:
    """What is wrong with a template of these resources; a note is no problem."""
    found = check_template(template_of(resources, Where("template.json")), region, today=TODAY)
    return [each for each in found if each.severity is not Severity.NOTE]


def _set(resources: dict[str, Any], path: str, value: Any) -> None:
    if ":" in path:
        name, attribute = path.split(":")
        resources[name][attribute] = value
        return
    name, *keys = path.split(".")
    place: Any = resources[name]["Properties"]
    for key in keys[:-1]:
        place = place[int(key)] if key.isdecimal() else place.setdefault(key, {})
    last: Any = int(keys[-1]) if keys[-1].isdecimal() else keys[-1]
    if value is None:
        place.pop(last, None)
    else:
        place[last] = value


def _joined(text: str) -> dict[str, Any]:
    """A definition as CDK renders it: text joined around its references."""
    parts: list[Any] = []
    rest = text
    for marker, reference in (
        (json.dumps({"Fn::GetAtt": ["Model", "ModelName"]}), ["Model", "ModelName"]),
        (json.dumps({"Fn::GetAtt": ["Role", "Arn"]}), ["Role", "Arn"]),
        (json.dumps({"Ref": "Device"}), ["Device", "Name"]),
    ):
        before, found, rest_of_it = rest.partition(marker)
        if found:
            parts += [f'{before}"', {"Fn::GetAtt": reference}]
            rest = f'"{rest_of_it}'
    return {"Fn::Join": ["", [*parts, rest]]}

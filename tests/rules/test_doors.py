"""The templates' table of cases at other doors: environment files, Terraform's plans, and calls.

Apps have it in tests/infra/synth/test_doors_of_apps.py. An assembly and cfn-lint's plugin hand the
judge templates, as test_assemblies.py and test_rules_in_cfn_lint.py show.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from local_aws.protocol import AwsError
from sagemaker_serving.errors import Mistake, Where
from sagemaker_serving.local_sagemaker.common.judged import IN_SAGEMAKERS_WORDS, refuse
from sagemaker_serving.local_sagemaker.common.store import Region
from sagemaker_serving.operations.adoption import adopt
from sagemaker_serving.rules import RULES, check_environment, check_template, template_of
from sagemaker_serving.rules.template.facts import MADE_BY
from sagemaker_serving.rules.template.plan import read_plan
from sagemaker_serving.rules.template.scaling import SCHEDULED
from sagemaker_serving.rules.template.terraform import TYPES, argument_of
from sagemaker_serving.spec import BatchTransformSettings, read_environment
from sagemaker_serving.spec.aws import aws_fields
from sagemaker_serving.spec.base import Spec
from sagemaker_serving.spec.compilation import Compilation
from tests.rules.templates import REGION, template
from tests.rules.test_templates import CASES
from tests.today import TODAY

TASKS = {"Job": "CreateTransformJob", "Neo": "CreateCompilationJob"}
REFUSED = {rule.id for rule in RULES if rule.refused}
RULE = {rule.id: rule for rule in RULES}


OF_TYPES = {"wrong-type", "unknown-field", "missing-field", "extra-known", "extra-type"}


@pytest.mark.parametrize(("rule", "wrong", "said", "right"), CASES)
def test_an_environment_file_is_told_what_a_template_is(
    tmp_path: Path, rule: str, wrong: dict[str, Any], said: str, right: dict[str, Any]
) -> None:
    def told(data: dict[str, Any]) -> dict[str, str]:
        path = tmp_path / f"{data['name']}.yaml"
        path.write_text(yaml.dump(data, Dumper=yaml.CSafeDumper))
        messages: dict[str, str] = {}
        for each in check_environment(read_environment(path), today=TODAY):
            assert each.where.line is not None
            messages[each.rule] = messages.get(each.rule, "") + each.message
        return messages

    written, nearest = environment_of(wrong), environment_of(right)
    has_no_word = written in (nearest, environment_of({})) or not written.get("models")
    why_not = "environment files" in RULE[rule].silent
    of_wrong, of_right = told(written), told(nearest)
    of_types = OF_TYPES & of_wrong.keys() - of_right.keys()
    assert rule in of_wrong or of_types or has_no_word or why_not
    message = _plain(of_wrong.get(rule, said))
    assert all(_plain(part) in message for part in re.split(r"[A-Z]\w+(?= is| has)", said))
    assert rule not in of_right or why_not


def _plain(text: str) -> str:
    """A message in letters alone, as a field is called in its file's case."""
    return re.sub("[_ ]", "", text).lower()


def environment_of(change: dict[str, Any]) -> dict[str, Any]:
    """The environment file that `adopt` makes of the template, the rest by the fields' own lines.

    An image is written as it is, and so is an accelerator, which no template may have.
    """
    source = template_of(template(change), Where("template.json"))
    try:
        data = yaml.load(adopt(source, name="door", region=REGION).text, yaml.CSafeLoader)
    except Mistake:  # nothing of SageMaker's is left in it
        return {"name": "door", "region": REGION}
    plain = {name: one["Properties"] for name, one in template(change, tasks=False).items()}
    (model,) = (data.get("models") or {"Endpoint": {}}).values()
    written = plain["Config"].get("ProductionVariants", [])
    image = plain["Model"].get("PrimaryContainer", {}).get("Image")
    for place in (model, *model.get("variants", ())):
        if image is not None and place.pop("framework", None) is not None:
            place.pop("framework_version")
            place["image_uri"] = image
    for variant, given in zip(model.get("variants", ()), written, strict=False):
        if "AcceleratorType" in given:
            variant["accelerator_type"] = given["AcceleratorType"]
    if _touches(change, "Job") and "Job.ModelName" not in change:
        model["batch_transform"] = _fields(BatchTransformSettings, plain["Job"])
        if "VolumeKmsKeyId" in plain["Job"]["TransformResources"]:
            model["batch_transform"]["encrypt_volumes"] = True
            data["storage"] = {"kms": True}
    if _touches(change, "Neo"):
        model["compile"] = _fields(Compilation, plain["Neo"])
        model["artifact"] = plain["Neo"]["InputConfig"]["S3Uri"]
    return dict(data)


def _fields(spec: type[Spec], members: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for field in aws_fields(spec):
        value: Any = members if len(field.members) == 1 else None
        for name in field.members[0].split(".") if field.members else ():
            value = value.get(name) if isinstance(value, Mapping) else None
        if value is not None:
            found[field.name] = value if field.inner is None else _fields(field.inner, value)
    return found


def _touches(change: Mapping[str, Any], *names: str) -> bool:
    return any(re.split("[.:]", path)[0] in names for path in change)


@pytest.mark.parametrize(
    ("rule", "wrong", "right"),
    [(rule, wrong, right) for rule, wrong, _, right in CASES if not _touches(wrong, *TASKS)],
)
def test_a_plan_is_told_what_a_template_is(
    tmp_path: Path, rule: str, wrong: dict[str, Any], right: dict[str, Any]
) -> None:
    def named(change: dict[str, Any]) -> bool:
        path = tmp_path / "plan.json"
        path.write_text(json.dumps(plan_of(template(change), REGION)))
        plans = read_plan(path)
        found = (check_template(one.template, one.region, today=TODAY) for one in plans)
        return any(problem.rule == rule for problems in found for problem in problems)

    is_empty = re.search(r"\[\]|\{\}", json.dumps(wrong)) is not None  # docs/rules.md says why
    assert named(wrong) or is_empty or "plans" in RULE[rule].silent
    assert not named(right)


@pytest.mark.parametrize(
    ("rule", "wrong", "said", "right"), [case for case in CASES if case[0] in REFUSED]
)
def test_a_call_is_refused_for_what_a_template_is_told(
    rule: str, wrong: dict[str, Any], said: str, right: dict[str, Any]
) -> None:
    words = IN_SAGEMAKERS_WORDS.get(rule, said)
    assert words in refusals(wrong)
    assert words not in refusals(right)


def refusals(change: dict[str, Any]) -> str:
    """What the calls that make the template's resources are answered, in its order."""
    resources = _with_actions(template(change, tasks=False))
    actions = {kind: action for action, kind in reversed(MADE_BY.items())}
    answers: list[str] = []
    named: list[tuple[str, dict[str, Any]]] = []
    for name, resource in resources.items():
        kind, properties = resource["Type"], _called(resource["Properties"], resources)
        try:
            refuse(Region(REGION, "1" * 12), TASKS.get(name) or actions[kind], properties, *named)
        except AwsError as refused:
            answers.append(str(refused))
        named.append((kind, {f"{kind.rpartition('::')[2]}Name": name, **properties}))
    return "\n".join(answers)


def _with_actions(resources: Mapping[str, Any]) -> dict[str, Any]:
    """The resources with scheduled actions of their own, as calls and Terraform make them."""
    found = dict(resources)
    for name, resource in resources.items():
        given = resource["Properties"]
        for number, action in enumerate(given.get("ScheduledActions", ())):
            of = {key: given[key] for key in _OF_TARGET if key in given}
            named = {"ScheduledActionName": f"{name}{number}", **of, **action}
            found[f"{name}{number}"] = {"Type": SCHEDULED, "Properties": named}
        left = {key: value for key, value in given.items() if key != "ScheduledActions"}
        found[name] = {**resource, "Properties": left}
    return found


_OF_TARGET = ("ServiceNamespace", "ScalableDimension", "ResourceId")


def _called(value: Any, resources: Mapping[str, Any]) -> Any:
    """Properties as a call has them: with names for references."""
    if isinstance(value, list):
        return [_called(each, resources) for each in value]
    if not isinstance(value, dict):
        return value
    if "ScalingTargetId" in value:
        target = resources[value["ScalingTargetId"]["Ref"]]["Properties"]
        value = {**value, **{name: target[name] for name in _OF_TARGET if name in target}}
        del value["ScalingTargetId"]
    match value:
        case {"Ref": str(name)} | {"Fn::GetAtt": [str(name), _]}:
            return name
        case {"Fn::Sub": str(text)}:
            return re.sub(r"\$\{(\w+)[^}]*\}", r"\1", text)
    return {key: _called(each, resources) for key, each in value.items()}


_ARGUMENTS = {read_as.kind: (kind, read_as) for kind, read_as in reversed(TYPES.items())}
_NAMED = {"AWS::SageMaker::Endpoint": "EndpointName"}


def plan_of(resources: Mapping[str, Any], region: str) -> dict[str, Any]:
    """A plan of Terraform's that makes the same; what it has no type for is left out."""
    changes, written = [], []
    resources = _with_actions(resources)
    for name, resource in resources.items():
        if resource["Type"] not in _ARGUMENTS:
            continue
        kind, read_as = _ARGUMENTS[resource["Type"]]
        names = {path: argument for argument, path in read_as.renamed.items()}
        properties = {**resource["Properties"]}
        if "ScalingTargetId" in properties:  # which Terraform has no argument for
            target = resources[properties.pop("ScalingTargetId")["Ref"]]["Properties"]
            properties |= {name: value for name, value in target.items() if name in _OF_TARGET}
        if resource["Type"] in _NAMED:
            properties.setdefault(_NAMED[resource["Type"]], name)
        after, unknown, expressions = _block(properties, read_as.properties, names, resources)
        address = f"{kind}.{name}"
        changes.append(
            {
                "address": address,
                "mode": "managed",
                "type": kind,
                "change": {"actions": ["create"], "after": after, "after_unknown": unknown},
            }
        )
        written.append(
            {"address": address, "provider_config_key": "aws", "expressions": expressions}
        )
    provider = {"expressions": {"region": {"constant_value": region}}}
    return {
        "format_version": "1.2",
        "resource_changes": changes,
        "configuration": {
            "provider_config": {"aws": provider},
            "root_module": {"resources": written},
        },
    }


def _block(
    properties: Mapping[str, Any],
    shape: Mapping[str, Any],
    names: Mapping[str, str],
    resources: Mapping[str, Any],
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    after: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    written: dict[str, Any] = {}
    for name, value in properties.items():
        argument = names.get(name, argument_of(name)).rpartition(".")[2]
        known = shape.get(name)
        if name == "Tags" and isinstance(value, list):
            after[argument] = {tag["Key"]: tag["Value"] for tag in value}
        elif isinstance(value, Mapping) and isinstance(known, Mapping) and not _is_function(value):
            inner = _block(value, known, names, resources)
            after[argument], unknown[argument], written[argument] = ([each] for each in inner)
        elif isinstance(value, list) and isinstance(known, list) and isinstance(known[0], Mapping):
            parts = [_block(each, known[0], names, resources) for each in value]
            after[argument], unknown[argument], written[argument] = (
                [part[index] for part in parts] for index in range(3)
            )
        elif isinstance(value, Mapping) and _is_function(value):
            text = value.get("Fn::Sub")
            if isinstance(text, str):
                named = re.findall(r"\$\{(\w+)\.\w+\}", text)
                after[argument] = re.sub(r"\$\{(\w+)\.\w+\}", r"\1", text)
                written[argument] = _references({"Ref": named[0]}, resources) if named else {}
            else:
                unknown[argument] = True
                written[argument] = _references(value, resources)
        else:
            after[argument] = value
    return after, unknown, written


def _is_function(value: Mapping[str, Any]) -> bool:
    return len(value) == 1 and next(iter(value)).startswith(("Fn::", "Ref"))


def _references(value: Mapping[str, Any], resources: Mapping[str, Any]) -> dict[str, Any]:
    (of,) = value.values()
    name = of if isinstance(of, str) else of[0]
    kind = _ARGUMENTS.get(resources.get(name, {}).get("Type"), (None,))[0]
    return {"references": [] if kind is None else [f"{kind}.{name}.name", f"{kind}.{name}"]}

"""Terraform's plans, as `terraform show -json` prints them, judged by the templates' rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.rules import check_template
from sagemaker_serving.rules.template.plan import read_plan
from tests.today import TODAY

IMAGE = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference:2.20-cpu-py312"
CONFIG = "aws_sagemaker_endpoint_configuration"
VARIANT = {
    "variant_name": "blue",
    "model_name": "digits",
    "instance_type": "ml.c5.large",
    "initial_instance_count": 1,
    "serverless_config": [],
    "accelerator_type": None,
}

SAGEMAKER = "sagemaker.amazonaws.com"


def change(kind: str, after: dict[str, Any] | None, **unknown: Any) -> dict[str, Any]:
    return {
        "address": f"{kind}.it",
        "mode": "managed",
        "type": kind,
        "change": {"actions": ["create"], "after": after, "after_unknown": unknown},
    }


def plan(*changes: dict[str, Any], region: str | None = "eu-west-1") -> dict[str, Any]:
    provider = {"expressions": {"region": {"constant_value": region}}} if region else {}
    return {
        "format_version": "1.2",
        "resource_changes": list(changes),
        "configuration": {
            "provider_config": {"aws": provider},
            "root_module": {
                "resources": [
                    {
                        "address": one["address"],
                        "provider_config_key": "aws",
                        "expressions": one.get("written", {}),
                    }
                    for one in changes
                ]
            },
        },
    }


def problems(tmp_path: Path, written: dict[str, Any]) -> list[str]:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(written))
    return [
        f"{one.told(found).where.trail}: {found.rule}"
        for one in read_plan(path)
        for found in check_template(one.template, one.region, today=TODAY)
    ]


def test_a_right_plan_has_no_problem(tmp_path: Path) -> None:
    model = {
        "primary_container": [
            {"image": IMAGE, "model_data_url": "s3://bucket/m.tar.gz", "environment": {}}
        ],
        "tags": {"team": "search"},
    }
    made = change("aws_sagemaker_model", model, execution_role_arn=True, tags_all=True)
    made["written"] = {"execution_role_arn": {"references": ["aws_iam_role.r.arn"]}}
    assert problems(tmp_path, plan(made, change(CONFIG, {"production_variants": [VARIANT]}))) == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"instance_type": "ml.t3.medium"},
            f"{CONFIG}.it.production_variants[0].instance_type: endpoint-instance-type",
        ),
        (
            {"volume_size_in_gb": 20000},
            f"{CONFIG}.it.production_variants[0].volume_size_in_gb: variant-volume",
        ),
        (
            {"container_startup_health_check_timeout_in_seconds": 10},
            f"{CONFIG}.it.production_variants[0]."
            "container_startup_health_check_timeout_in_seconds: variant-timeouts",
        ),
    ],
)
def test_a_mistake_is_named_at_terraforms_own_argument(
    tmp_path: Path, wrong: dict[str, Any], said: str
) -> None:
    variants = [{**VARIANT, **wrong}]
    assert said in problems(tmp_path, plan(change(CONFIG, {"production_variants": variants})))


def test_messages_have_terraforms_names(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    config = change(CONFIG, {"production_variants": [{**VARIANT, "instance_type": "ml.t3.medium"}]})
    target = {
        "resource_id": "endpoint/it/variant/blue",
        "scalable_dimension": "sagemaker:variant:DesiredInstanceCount",
        "service_namespace": "sagemaker",
        "min_capacity": 3,
        "max_capacity": 2,
    }
    path.write_text(json.dumps(plan(config, change("aws_appautoscaling_target", target))))
    (one,) = read_plan(path)
    found = check_template(one.template, one.region, today=TODAY)
    said = {problem.rule: one.told(problem).message for problem in found}
    assert said["endpoint-instance-type"].startswith("instance_type is 'ml.t3.medium'; endpoints")
    assert said["scaling-bounds"].startswith("max_capacity is 2 and min_capacity is 3; ")


def test_a_machines_definition_keeps_the_names_of_aws(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    made = {"ModelName": "churn", "PrimaryContainer": {"Image": "123"}}
    resource = "arn:aws:states:::sagemaker:createModel"
    make = {"Type": "Task", "Resource": resource, "End": True, "Parameters": made}
    definition = json.dumps({"StartAt": "Make", "States": {"Make": make}})
    machine = {"definition": definition, "role_arn": "arn:aws:iam::123456789012:role/machine"}
    path.write_text(json.dumps(plan(change("aws_sfn_state_machine", machine))))
    (one,) = read_plan(path)
    found = check_template(one.template, one.region, today=TODAY)
    said = {problem.rule: one.told(problem) for problem in found}
    assert "ModelName.$: $$.Execution.Name" in said["job-name-fixed"].message
    assert "definition.States.Make.Parameters.ModelName" in said["job-name-fixed"].where.trail


def test_what_only_the_apply_knows_passes_unjudged(tmp_path: Path) -> None:
    known = {key: value for key, value in VARIANT.items() if key != "instance_type"}
    written = change(
        CONFIG,
        {"production_variants": [known]},
        production_variants=[{"instance_type": True, "serverless_config": []}],
    )
    written["written"] = {"production_variants": [{"instance_type": {"references": ["var.type"]}}]}
    assert problems(tmp_path, plan(written)) == []


def test_resources_are_joined_by_what_the_configuration_refers_to(tmp_path: Path) -> None:
    serverless = {
        "variant_name": "blue",
        "model_name": "digits",
        "serverless_config": [{"max_concurrency": 5, "memory_size_in_mb": 2048}],
    }
    config = change(CONFIG, {"production_variants": [serverless]}, name=True)
    target = {
        "resource_id": "endpoint/it/variant/blue",
        "scalable_dimension": "sagemaker:variant:DesiredInstanceCount",
        "service_namespace": "sagemaker",
        "min_capacity": 3,
        "max_capacity": 2,
    }
    guarded = {
        "name": "it",
        "deployment_config": [
            {"blue_green_update_policy": [{"traffic_routing_configuration": [{"type": "CANARY"}]}]}
        ],
    }
    endpoint = change("aws_sagemaker_endpoint", guarded, endpoint_config_name=True)
    endpoint["written"] = {"endpoint_config_name": {"references": [f"{CONFIG}.it.name", CONFIG]}}
    found = problems(tmp_path, plan(config, endpoint, change("aws_appautoscaling_target", target)))
    assert "aws_appautoscaling_target.it.max_capacity: scaling-bounds" in found
    assert any(said.startswith("aws_sagemaker_endpoint.it.") for said in found)


TRUST = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": SAGEMAKER}}
PULL = {"Effect": "Allow", "Action": ["ecr:*"], "Resource": "*"}


def of(name: str, made: dict[str, Any], **written: str | list[str]) -> dict[str, Any]:
    """``made`` under another name, with what its arguments refer to."""
    expressions = {
        argument: {"references": [said] if isinstance(said, str) else said}
        for argument, said in written.items()
    }
    return {**made, "address": f"{made['type']}.{name}", "written": expressions}


def document(*statements: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


def model_of_a_role(name: str, *roles: str) -> list[dict[str, Any]]:
    """A role of no policies, and a model that is given one of ``roles``."""
    model = {"primary_container": [{"image": IMAGE, "model_data_url": "s3://bucket/m.tar.gz"}]}
    made = change("aws_sagemaker_model", model, execution_role_arn=True)
    trusted = {"name": name, "assume_role_policy": document(TRUST)}
    return [
        of(name, change("aws_iam_role", trusted)),
        of(name, made, execution_role_arn=[f"aws_iam_role.{each}.arn" for each in roles or [name]]),
    ]


LACKS = "aws_sagemaker_model.bare.execution_role_arn: role-permission"


def test_a_role_without_a_permission_is_named(tmp_path: Path) -> None:
    assert problems(tmp_path, plan(*model_of_a_role("bare"))) == [LACKS]


@pytest.mark.parametrize(
    ("kind", "given", "unknown"),
    [
        ("role_policy_attachment", {"role": "it"}, {"policy_arn": True}),
        ("policy_attachment", {"roles": ["it"]}, {"policy_arn": True}),
        (
            "role_policy_attachments_exclusive",
            {"role_name": "it", "policy_arns": [None]},
            {"policy_arns": [True]},
        ),
    ],
)
def test_a_role_has_what_is_attached_to_it_in_any_way(
    tmp_path: Path, kind: str, given: dict[str, Any], unknown: dict[str, Any]
) -> None:
    argument = next(iter(unknown))
    policy = of("pull", change("aws_iam_policy", {"policy": document(PULL)}, arn=True))
    attached = change(f"aws_iam_{kind}", given, **unknown)
    attached = of("pull", attached, **{argument: "aws_iam_policy.pull.arn"})
    made = plan(*model_of_a_role("it"), policy, attached, *model_of_a_role("bare"))
    for resource in made["configuration"]["root_module"]["resources"]:
        resource["depends_on"] = [attached["address"]] if "model" in resource["address"] else []
    assert problems(tmp_path, made) == [LACKS]


@pytest.mark.parametrize(("keys", "each"), [(('"a"', '"b"'), "each.key"), ("01", "count.index")])
def test_what_stands_once_for_each_key_is_joined_by_its_key(
    tmp_path: Path, keys: Sequence[str], each: str
) -> None:
    """``aws_iam_role.it[each.key].arn``, of which Terraform tells no attribute."""
    role = {"assume_role_policy": document(TRUST)}
    model = {"primary_container": [{"image": IMAGE, "model_data_url": "s3://bucket/m.tar.gz"}]}
    kinds = [
        change("aws_iam_role", role, name=True),
        change("aws_iam_role_policy", {"policy": document(PULL)}, role=True),
        change("aws_sagemaker_model", model, execution_role_arn=True),
    ]
    kinds[1]["written"] = {"role": {"references": ["aws_iam_role.it", each]}}
    kinds[2]["written"] = {
        "execution_role_arn": {"references": ["aws_iam_role.it", each]},
        "depends": {"references": ["aws_iam_role_policy.it"]},
    }
    made = plan(*kinds)
    made["resource_changes"] = [
        {**kind, "address": f"{kind['address']}[{key}]"} for kind in kinds for key in keys
    ]
    del made["resource_changes"][2]  # the policy of the first
    assert problems(tmp_path, made) == [
        f"aws_sagemaker_model.it[{keys[0]}].execution_role_arn: role-permission"
    ]


def test_one_of_several_that_a_value_refers_to_is_not_guessed(tmp_path: Path) -> None:
    """As ``var.own ? aws_iam_role.bare.arn : aws_iam_role.other.arn`` does."""
    other = model_of_a_role("other")[:1]
    either = plan(*model_of_a_role("bare", "bare", "other"), *other)
    assert problems(tmp_path, either) == []


def test_what_is_destroyed_is_not_judged(tmp_path: Path) -> None:
    assert problems(tmp_path, plan(change(CONFIG, None))) == []


def test_a_region_may_come_from_a_variable(tmp_path: Path) -> None:
    written = plan(change(CONFIG, {"production_variants": [VARIANT]}))
    provider = written["configuration"]["provider_config"]["aws"]
    provider["expressions"]["region"] = {"references": ["var.where"]}
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({**written, "variables": {"where": {"value": "us-east-1"}}}))
    assert [one.region for one in read_plan(path)] == ["us-east-1"]


def test_a_plan_of_nothing_has_no_changes_and_a_state_is_none(tmp_path: Path) -> None:
    of_terraform = {"format_version": "1.2", "terraform_version": "1.13.0"}
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({**of_terraform, "planned_values": {}, "configuration": {}}))
    assert read_plan(path) == []
    path.write_text(json.dumps({**of_terraform, "values": {"root_module": {}}}))
    with pytest.raises(Mistake, match="this is Terraform's state, not a plan; write one by"):
        read_plan(path)


WHY = "(line 1, column 1 is not JSON|it has no 'resource_changes'|its members are of other types)"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"resource_changes": 1}', 'resource "a" {}'])
def test_what_is_no_plan_is_named_with_how_to_write_one(tmp_path: Path, text: str) -> None:
    path = tmp_path / "main.tf"
    path.write_text(text)
    with pytest.raises(Mistake, match=rf"no plan in JSON \({WHY}\); .* terraform show -json plan"):
        read_plan(path)

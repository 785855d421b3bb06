"""Organizations that allow no role without a boundary, no function outside a VPC, no bootstrap of
CDK's names, or no new role at all: what they demand holds for every resource of every stack."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest

from sagemaker_serving.spec import read_environment
from stacks.environment import EnvironmentStage
from stacks.organization import roles_missing
from tests.stacks.kinds import ROOT

BOUNDARY = "arn:aws:iam::111122223333:policy/Boundary"
ENVIRONMENT = """\
name: corp
region: eu-west-1
storage: {at_destroy: empty}
organization:
  %s
models:
  many:
    framework: tensorflow
    framework_version: "2.20"
    multi_model: {archives: {half: model}}
    variants:
      - {name: cpu, instance_type: ml.m5.large}
  one:
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
    variants:
      - {name: cpu, instance_type: ml.m5.large}
    update: {canary_percent: 10}
    monitoring: {}
    batch_transform: {instance_type: ml.m5.large}
    allowed_routers: ["arn:aws:sagemaker:eu-west-1:444455556666:inference-router/theirs"]
routers:
  all: {routing_targets: {digits: {destinations: [one]}}}
  a-ll: {routing_targets: {digits: {destinations: [one]}}}
"""


class Synthesized:
    """An environment of such an organization, built."""

    def __init__(self, folder: Path, demands: str) -> None:
        (folder / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
        (folder / "corp.yaml").write_text(ENVIRONMENT % demands)
        file = read_environment(folder / "corp.yaml")
        assert file.environment is not None, file.shape_problems
        context = json.loads((ROOT / "cdk.json").read_text())["context"]
        self.folder = folder / "cdk.out"
        app = cdk.App(outdir=str(self.folder), context=context)
        stage = EnvironmentStage(app, file.environment, folder=folder)
        self.stacks = app.synth().get_nested_assembly(stage.artifact_id).stacks

    def of(self, *types: str) -> list[dict[str, Any]]:
        resources = [each for one in self.stacks for each in one.template["Resources"].values()]
        return [resource for resource in resources if resource["Type"] in types]


@pytest.fixture(scope="module")
def demanding(tmp_path_factory: pytest.TempPathFactory) -> Synthesized:
    demands = f"""\
permissions_boundary_arn: {BOUNDARY}
  functions: {{subnet_ids: [subnet-0a1b2c3d], security_group_ids: [sg-0a1b2c3d]}}
  bootstrap: {{qualifier: corp, file_assets_bucket_name: "corp-models-${{AWS::AccountId}}"}}"""
    return Synthesized(tmp_path_factory.mktemp("demanding"), demands)


def test_no_role_is_without_the_boundary(demanding: Synthesized) -> None:
    roles = demanding.of("AWS::IAM::Role")
    assert len(roles) > 8
    assert {role["Properties"].get("PermissionsBoundary") for role in roles} == {BOUNDARY}


def test_no_function_is_outside_the_vpc(demanding: Synthesized) -> None:
    functions = demanding.of("AWS::Lambda::Function")
    wanted = {"SubnetIds": ["subnet-0a1b2c3d"], "SecurityGroupIds": ["sg-0a1b2c3d"]}
    assert len(functions) > 5
    assert all(function["Properties"].get("VpcConfig") == wanted for function in functions)
    for stack in demanding.stacks:
        said = list(stack.template["Resources"].values())
        roles = {
            json.dumps(each["Properties"]["Role"])
            for each in said
            if each["Type"] == "AWS::Lambda::Function"
        }
        assert json.dumps(said).count("ec2:CreateNetworkInterface") == len(roles)


def test_nothing_names_cdks_own_bootstrap(demanding: Synthesized) -> None:
    for stack in demanding.stacks:
        said = json.dumps([stack.template, stack.assume_role_arn])
        assert "hnb659fds" not in said
        assert "cdk-corp-assets" not in said
    assert "corp-models-" in json.dumps(demanding.of("AWS::IAM::Policy"))


def test_no_role_and_no_policy_is_made_and_those_that_lack_are_named(tmp_path: Path) -> None:
    (first := tmp_path / "first").mkdir()
    with pytest.raises(RuntimeError) as refused:
        Synthesized(first, "roles: {one/ExecutionRole: Models, many/ExecutionRole: Models}")
    missing = [line.split()[5].rstrip(";") for line in roles_missing(refused.value)]
    assert {"many/Archives/Work/Role", "Routers/all/Work/Role"} <= set(missing)
    assert "one/ExecutionRole" not in missing
    report = (first / "cdk.out" / "iam-policy-report.txt").read_text()
    assert "lambda:InvokeFunction" in report
    roles = dict.fromkeys(missing, "Ours") | {
        f"{model}/ExecutionRole": "Models" for model in ("one", "many")
    }
    existing = Synthesized(tmp_path, f"roles: {json.dumps(roles)}")
    assert existing.of("AWS::IAM::Role", "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy") == []
    assert "role/Models" in json.dumps(existing.of("AWS::SageMaker::Model"))


def test_the_app_ends_with_2_where_roles_are_missing_and_forgets_demands_it_is_told_to(
    tmp_path: Path,
) -> None:
    (folder := tmp_path / "environments").mkdir()
    (folder / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
    demands = f"{{roles: {{one/ExecutionRole: Models}}, permissions_boundary_arn: {BOUNDARY}}}"
    text = ENVIRONMENT.replace("organization:\n  %s", f"organization: {demands}")
    (folder / "corp.yaml").write_text(text)
    context = json.loads((ROOT / "cdk.json").read_text())["context"]

    def built(**more: str) -> subprocess.CompletedProcess[str]:
        given = json.dumps({**context, "env": "corp", **more})
        told = {"CDK_CONTEXT_JSON": given, "CDK_OUTDIR": str(tmp_path / "cdk.out")}
        return subprocess.run(
            [sys.executable, str(ROOT / "app.py")],
            cwd=tmp_path,
            env={**os.environ, **told},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )

    refused = built()
    assert refused.returncode == 2
    assert "organization.roles has no role for many/ExecutionRole; add its name;" in refused.stderr
    assert "Traceback" not in refused.stderr
    without = built(organization="none")
    assert without.returncode == 0, without.stderr
    (template,) = (each.read_text() for each in tmp_path.glob("cdk.out/*one*.template.json"))
    assert "AWS::IAM::Role" in template
    assert BOUNDARY not in template

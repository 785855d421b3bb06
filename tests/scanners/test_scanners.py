"""What scanners say of the shipped environments: nothing that is not answered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import aws_cdk as cdk
import cdk_nag
import pytest

from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage
from tools.own_environments.environments import environment_of

ROOT = Path(__file__).parents[2]
CFN_LINT = Path(sys.executable).with_name("cfn-lint")
SHIPPED = ("local", "dev", "staging", "prod")
PACKS = (
    "AwsSolutionsChecks",
    "NIST80053R5Checks",
    "PCIDSS321Checks",
    "HIPAASecurityChecks",
    "ServerlessChecks",
)


class Assembly:
    """The shipped environments, synthesized into a folder."""

    def __init__(self, folder: Path) -> None:
        context = json.loads((ROOT / "cdk.json").read_text())["context"]
        self.folder = folder
        self.app = cdk.App(outdir=str(folder), context=context)
        self.stages = {}
        for name in SHIPPED:
            file = read_environment(ROOT / "environments" / f"{name}.yaml")
            assert file.environment is not None
            self.stages[name] = EnvironmentStage(
                self.app, file.environment, folder=file.path.parent
            )
        self.app.synth()
        self.templates = sorted(folder.rglob("*.template.json"))


@pytest.fixture(scope="module")
def assembly(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    return Assembly(tmp_path_factory.mktemp("assembly"))


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("environment", SHIPPED)
def test_cdk_nag_has_nothing_unacknowledged(
    assembly: Assembly, environment: str, pack: str
) -> None:
    checks = getattr(cdk_nag, pack)(assembly.app)
    found = checks.validate_scope(assembly.stages[environment]).violations
    assert [violation.rule_name for violation in found] == []


def test_cfn_lint_names_only_what_cdk_itself_renders(assembly: Assembly) -> None:
    """W3005 is a DependsOn beside a reference, which CDK's own StateMachine and Function write."""
    ended = subprocess.run(
        [str(CFN_LINT), "--format", "json", "--", *map(str, assembly.templates)],
        capture_output=True,
        text=True,
        check=False,
    )
    found = {
        (finding["Rule"]["Id"], finding["Location"]["Path"][1])
        for finding in json.loads(ended.stdout)
    }
    assert {rule for rule, _ in found} <= {"W3005"}
    assert all(
        resource.startswith(("BatchTransform", "DeployGuard", "MonitoringLogsKeep"))
        for _, resource in found
    )


@pytest.mark.slow
@pytest.mark.long
def test_checkov_has_nothing_unacknowledged(assembly: Assembly) -> None:
    checkov = environment_of("checkov") / "bin" / "checkov"
    ended = subprocess.run(
        [
            str(checkov),
            "--directory",
            str(assembly.folder),
            "--framework",
            "cloudformation",
            "--skip-download",
            "--output",
            "json",
        ],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(assembly.folder)},
    )
    results = json.loads(ended.stdout)["results"]
    assert [(check["check_id"], check["resource"]) for check in results["failed_checks"]] == []
    assert results["passed_checks"], "nothing was scanned"
    assert all(check["check_result"]["suppress_comment"] for check in results["skipped_checks"])


@pytest.mark.parametrize("made", ["acknowledged", "acknowledgements"])
def test_the_list_of_what_is_acknowledged_is_that_of_the_constructs(made: str) -> None:
    module = import_module(f"tools.docs.{made}")
    listed = module.page()
    print(listed)
    assert module.PAGE.read_text(encoding="utf-8") == listed, "run `make docs`"

"""`cdk synth` with the real CLI: no credentials, sound templates, problems all at once."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from sagemaker_serving.errors import Mistake, Severity
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import read_environment
from stacks.scanning import packs_named
from tests.jsii_cache import keep_unpacked
from tests.stacks.kinds import KINDS_FILE
from tests.today import TODAY
from tools.transcripts.blocks import PAGES

ROOT = Path(__file__).parents[2]
SHIPPED = (ROOT / "environments" / "prod.yaml").read_text(encoding="utf-8")
CDK = ROOT / "node_modules" / ".bin" / "cdk"

pytestmark = pytest.mark.slow


def cdk(
    project: Path, *arguments: str, validation: str = "false"
) -> subprocess.CompletedProcess[str]:
    """Runs the CLI without a credential, a profile or a region to be found anywhere."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(project),
        "CDK_VALIDATION": validation,
        "CDK_DISABLE_CLI_TELEMETRY": "true",
        "NODE_COMPILE_CACHE": os.environ.get("NODE_COMPILE_CACHE", ""),
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    return subprocess.run(
        [str(CDK), *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what `cdk synth` reads, to change."""
    for name in ("app.py", "cdk.json", "stacks", "environments", "model_assets"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name)
        else:
            shutil.copy(source, tmp_path / name)
    keep_unpacked(tmp_path)
    return tmp_path


@pytest.mark.long
def test_what_check_passes_of_shipped_and_documented_examples_cdk_s_validator_does_too(
    project: Path,
) -> None:
    """Also what `accept_retired` lets through: F3002, as CloudFormation has no AcceleratorType."""
    examples = {"eia": ELASTIC_INFERENCE, "kinds": KINDS_FILE, **documented_environments()}
    for name, text in examples.items():
        (project / "environments" / f"{name}.yaml").write_text(text)
    saved_model = project / "model_assets" / "half_plus_three" / "model"
    for place in ("mymodel", "environments/model"):
        (project / place).symlink_to(saved_model)
    wrong = [
        str(problem)
        for path in sorted((project / "environments").glob("*.yaml"))
        for problem in check_environment(read_environment(path), today=TODAY)
        if problem.severity is Severity.ERROR
    ]
    assert wrong == []
    ended = cdk(project, "synth", "--quiet", validation="true")
    assert ended.returncode == 0, ended.stderr
    stages = {path.name.removeprefix("assembly-") for path in (project / "cdk.out").glob("ass*-*")}
    assert stages == {"local", "dev", "staging", "prod", *examples}


ELASTIC_INFERENCE = """
name: eia
region: eu-west-1
accept_retired: [elastic-inference]
models:
  digits:
    artifact: {s3: s3://bucket/model.tar.gz, version_id: a}
    framework: tensorflow
    framework_version: "2.3"
    variants: [{name: a, instance_type: ml.m5.large, accelerator_type: ml.eia2.medium}]
"""


def documented_environments() -> dict[str, str]:
    """The documents' environment files that are whole, by another name for each."""
    found: dict[str, str] = {}
    for page in PAGES:
        for block in re.findall(r"^ *```yaml\n(.*?)^ *```", page.read_text("utf-8"), re.S | re.M):
            text = textwrap.dedent(block)
            if text != SHIPPED and re.search("^region: ", text, re.M):
                name = f"example{len(found)}"
                found[name] = re.sub("^name: .*", f"name: {name}", text, flags=re.M)
    assert len(found) >= 3
    return found


@pytest.mark.long
def test_all_selects_every_stack_of_the_environment_asked_for(project: Path) -> None:
    assert cdk(project, "synth", "-c", "env=dev", "--quiet").returncode == 0
    manifest = json.loads((project / "cdk.out" / "manifest.json").read_text())
    stacks = {
        artifact["properties"]["stackName"]
        for artifact in manifest["artifacts"].values()
        if artifact["type"] == "aws:cloudformation:stack"
    }
    assert stacks == {"dev-Storage", "dev-digits", "dev-half-plus-three"}


def test_plain_synth_builds_every_shipped_environment(project: Path) -> None:
    ended = cdk(project, "synth", "--quiet")
    assert ended.returncode == 0, ended.stderr
    templates = list((project / "cdk.out").rglob("*.template.json"))
    stages = {path.parent.name.removeprefix("assembly-") for path in templates}
    assert (stages, len(templates)) == ({"local", "dev", "staging", "prod"}, 10)


def test_a_wrong_environment_stops_synth_with_all_its_problems(project: Path) -> None:
    path = project / "environments" / "dev.yaml"
    text = path.read_text().replace("ml.c5.large", "ml.t3.medium").replace("eu-west-1", "eu-west-9")
    path.write_text(text)
    ended = cdk(project, "synth", "-c", "env=dev", "--quiet")
    assert ended.returncode != 0
    assert "error: environments/dev.yaml:4 region: region is 'eu-west-9'" in ended.stderr
    assert "instance_type is 'ml.t3.medium'; endpoints do not take it" in ended.stderr
    assert "[endpoint-instance-type] at /dev/half-plus-three" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not list((project / "cdk.out").rglob("*.template.json"))


@pytest.mark.long
def test_a_warning_stands_on_the_stack_that_it_is_about(project: Path) -> None:
    path = project / "environments" / "dev.yaml"
    path.write_text(path.read_text().replace("ml.c5.large", "ml.p3.2xlarge", 1))
    ended = cdk(project, "synth", "-c", "env=dev", "--quiet")
    assert ended.returncode == 0, ended.stderr
    said = ended.stdout + ended.stderr
    assert re.search(r"WARNING environments/dev\.yaml:\d+ models\.half-plus-three\.variants", said)
    assert "dev/half-plus-three" in said
    assert "instance_type is 'ml.p3.2xlarge'; the API's list still has the family p3" in said


@pytest.mark.long
def test_cdk_nag_runs_at_synth_and_says_what_was_acknowledged_and_why(project: Path) -> None:
    context = ("-c", "env=prod", "-c", "nag=AwsSolutions,nist")
    ended = cdk(project, "synth", "--quiet", *context, validation="true")
    assert ended.returncode == 0, ended.stderr
    assert "acknowledged: AwsSolutions-IAM5 (" in ended.stderr
    assert "acknowledged: NIST.800.53.R5-LambdaConcurrency (" in ended.stderr


@pytest.mark.long
def test_a_finding_of_cdk_nag_that_nobody_acknowledged_stops_synth(project: Path) -> None:
    path = project / "app.py"
    loop = "            for problem in warnings:"
    bare = "            cdk.aws_s3.Bucket(scope.node.find_child('Storage'), 'Bare')"
    path.write_text(path.read_text().replace(loop, f"{bare}\n{loop}"))
    for selected, place in ((("-c", "env=dev"), "dev/Storage/Bare"), ((), "prod/Storage/Bare")):
        ended = cdk(
            project, "synth", "--quiet", *selected, "-c", "nag=AwsSolutions", validation="true"
        )
        assert ended.returncode != 0
        assert "AwsSolutions-S1" in ended.stderr
        assert f"{place}/Resource" in ended.stderr


def test_an_unknown_pack_and_checks_that_would_not_run_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CDK_VALIDATION", raising=False)
    assert packs_named("awssolutions, PCI,AwsSolutions") == ["AwsSolutions", "PCI"]
    with pytest.raises(Mistake, match="there is no pack 'Aws'; choose of AwsSolutions, NIST, PCI"):
        packs_named("Aws,NIST")
    monkeypatch.setenv("CDK_VALIDATION", "false")
    with pytest.raises(Mistake, match="CDK_VALIDATION=false keeps CDK from running any check"):
        packs_named("NIST")

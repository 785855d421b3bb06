"""A waiting app's synth and the CDK CLI's: the same bytes, whatever the environment is."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from local_aws.credentials import ACCOUNT_ID
from local_aws.process.cdk import CdkCli
from sagemaker_serving.answers.bodies import Answer
from sagemaker_serving.answers.golden_file import Exchange, Request, write_golden
from tests.leaving import Killed
from tests.local_aws.aws import REGION, Aws, address_of
from tests.stacks.kinds import KINDS_FILE
from tests.stacks.test_model_sources import ENVIRONMENT as SOURCES
from tests.stacks.test_model_sources import NAMES

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
SHIPPED = [path.stem for path in sorted((ROOT / "environments").glob("[!_]*.yaml"))]
_NODES_OWN = re.compile(rf"{tempfile.gettempdir()}/(tmp|jsii-kernel-)\w+".encode())
HANDLERS = """\
name: handlers
region: eu-west-1
models:
  guarded:
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
    variants:
      - {name: a, instance_type: ml.c5.large}
      - {name: b, instance_type: ml.m5.large, artifact: other}
    update: {canary_percent: 50, wait_seconds: 60}
    monitoring: {}
  batch:
    artifact: other
    framework: tensorflow
    framework_version: "2.20"
    batch_transform: {instance_type: ml.m5.large, content_type: application/json}
"""
COMPILED = """\
name: compiled
region: eu-west-1
models:
  neo:
    artifact: ../model_assets/digits/model
    framework: tensorflow
    framework_version: "2.9"
    variants:
      - name: neo
        instance_type: ml.c5.large
        compile:
          target_device: ml_c5
          batch_size: 1
          accept: {golden: golden.jsonl, max_error: 0.001, agreement: 1}
  kept:
    artifact: {s3: s3://models/half/2.tar.gz, sha256: "2", versions: s3://models/half/}
    framework: tensorflow
    framework_version: "2.20"
    variants:
      - {name: in-s3, instance_type: ml.c5.large}
      - {name: packed, instance_type: ml.c5.large, artifact: other}
    update: {canary_percent: 50, wait_seconds: 60}
"""
MORE = {"kinds": KINDS_FILE, "sources": SOURCES, "handlers": HANDLERS, "compiled": COMPILED}
HANDLER = """\
def input_handler(data, context):
    return data.read()

def output_handler(response, context):
    return response.content, "application/json"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This project's app with more environments, in a git repository as most are."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("app.py", "cdk.json"):
        shutil.copy(ROOT / name, folder)
    for name in ("stacks", "model_assets", "environments"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    environments = folder / "environments"
    for name in ("model", "other"):
        shutil.copytree(ROOT / "model_assets" / "half_plus_three" / "model", environments / name)
        (environments / name / "code").mkdir(exist_ok=True)
        (environments / name / "code" / "inference.py").write_text(HANDLER)
    for name in NAMES:
        (environments / "words" / name).parent.mkdir(parents=True, exist_ok=True)
        (environments / "words" / name).write_text(name)
    for name, text in MORE.items():
        (environments / f"{name}.yaml").write_text(text)
    image = (ROOT / "model_assets" / "digits" / "held_out" / "0000-8.png").read_bytes()
    request = Request(body=image, content_type="application/x-image")
    answer = Answer(status=200, body=b'{"predictions": [{"class": 8}]}')
    exchange = Exchange(request=request, expected=answer)
    write_golden(environments / "golden.jsonl", [exchange])
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -qm first"):
        subprocess.run(["git", *command.split()], cwd=folder, check=True)
    return folder


@pytest.fixture
def lasting() -> Iterator[int]:
    with Killed(["sleep", "600"]) as process:
        yield process.pid
        process.kill()


@pytest.mark.parametrize("name", [*SHIPPED, *MORE])
def test_an_app_that_waits_writes_what_the_cli_writes(
    aws: Aws, project: Path, tmp_path: Path, name: str
) -> None:
    cli = CdkCli(project, address_of(aws.gateway), REGION)
    context = {"env": name, "account": ACCOUNT_ID, "organization": "none"}
    assembly = tmp_path / "state" / "cdk.out"
    assembly.parent.mkdir()
    ready = cli.ready_app(assembly, context)
    cli.synth(assembly, context, app=ready.noting())
    first = files(assembly)
    ready.prepare()
    for model in ("model", "other"):
        handler = project / "environments" / model / "code" / "inference.py"
        handler.write_text(f"{HANDLER}# {name}\n")
    for model in ("digits", "half_plus_three"):
        (project / "model_assets" / model / "model" / "changed.txt").write_text(name)
    (project / "environments" / "words" / "config.json").write_text(name)
    ready.synth()
    whole = tmp_path / "other" / "cdk.out"
    cli.synth(whole, context)
    wanted = files(whole)
    found = files(assembly)
    assert {path: found[path] for path in wanted} == wanted
    changed = [path for path, content in wanted.items() if first.get(path) != content]
    assert any(path.endswith(".template.json") for path in changed), "nothing has changed"


def files(assembly: Path) -> dict[str, bytes]:
    """What is written, but where jsii has unpacked itself, which is random."""
    return {
        str(path.relative_to(assembly)): _NODES_OWN.sub(b"", path.read_bytes())
        for path in assembly.rglob("*")
        if path.is_file() and ".cache" not in path.parts
    }

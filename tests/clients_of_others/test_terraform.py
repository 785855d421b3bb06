"""Terraform and HashiCorp's AWS provider make, change and destroy here what they do on AWS."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

from local_aws.process.address import Address
from sagemaker_serving.archive import build_archive
from sagemaker_serving.client import Aws, Predictor
from sagemaker_serving.rules import check_template
from sagemaker_serving.rules.template.plan import read_plan
from tests.clients_of_others.conftest import REGION, ROOT, World
from tests.today import TODAY

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CONFIGURATION = Path(__file__).with_name("terraform") / "main.tf"
PROVIDER = "registry.terraform.io/hashicorp/aws"
MIRRORS = (
    *(Path.home() / ".terraform.d" / "plugins", Path("/usr/share/terraform/plugins")),
    *(Path("/usr/local/share/terraform/plugins"), *Path("/opt").glob("*")),
)
"""Folders in which a provider may lie unpacked: Terraform's own, and whatever /opt has."""
MIRROR = next((folder for folder in MIRRORS if (folder / PROVIDER).is_dir()), None)
RESOURCES = CONFIGURATION.read_text(encoding="utf-8").count("\nresource ")
HANDLER = """import json

def handler(event, context):
    return {"statusCode": 200, "body": json.dumps(event.get("body"))}
"""


@pytest.fixture(scope="module")
def terraform(world: World, tmp_path_factory: pytest.TempPathFactory) -> Terraform:
    if shutil.which("terraform") is None or MIRROR is None:
        pytest.skip("Terraform, or a folder with hashicorp/aws unpacked, is not on this machine")
    return Terraform(world, tmp_path_factory.mktemp("terraform"))


def test_makes_changes_and_takes_away_what_stands_around_an_endpoint(
    terraform: Terraform, world: World
) -> None:
    before = _made(world.address)
    assert terraform.apply() == {"added": RESOURCES, "changed": 0, "destroyed": 0}
    assert terraform.differences() == []
    assert _predictions(world.address) == [3.5, 4.0]
    assert terraform.echoed(b"by a REST API") == "by a REST API"

    changed = terraform.apply(change=1)
    assert changed == {"added": 2, "changed": 12, "destroyed": 2}
    assert terraform.differences(change=1) == []
    assert _predictions(world.address) == [3.5, 4.0]

    assert terraform.destroy() == {"destroyed": RESOURCES}
    assert _made(world.address) == before


def test_its_plan_is_judged_at_terraforms_own_arguments(terraform: Terraform) -> None:
    path, text = terraform.plan()
    (plan,) = read_plan(path)
    assert plan.region is None  # it stands in the shell alone
    assert len(plan.template.resources) == 12
    assert check_template(plan.template, REGION, today=TODAY) == []

    assert text.count('"ml.c5.large"') > 0
    path.write_text(text.replace('"ml.c5.large"', '"ml.t3.medium"'))
    (plan,) = read_plan(path)
    found = check_template(plan.template, REGION, today=TODAY)
    places = {(one.rule, plan.told(one).where.trail.rpartition(".")[2]) for one in found}
    assert ("endpoint-instance-type", "instance_type") in places


def _made(address: Address) -> set[str]:
    """The endpoints and functions that are there, those of other clients too."""
    aws = Aws.at(address, REGION)
    endpoints = aws.client("sagemaker").list_endpoints()["Endpoints"]
    functions = aws.client("lambda").list_functions()["Functions"]
    return {each["EndpointArn"] for each in endpoints} | {each["FunctionArn"] for each in functions}


class Terraform:
    """The ``terraform`` command, in a shell that knows the local AWS only."""

    def __init__(self, world: World, folder: Path) -> None:
        self._folder = folder
        self._url = world.address.url
        shutil.copy(CONFIGURATION, folder)
        settings = folder / "terraformrc"
        settings.write_text(
            f'provider_installation {{\n  filesystem_mirror {{ path = "{MIRROR}" }}\n}}\n'
        )
        model = ROOT / "model_assets" / "half_plus_three" / "model"
        archive = build_archive(model, lambda sha256: folder / f"{sha256}.tar.gz")
        with zipfile.ZipFile(folder / "code.zip", "w") as code:
            code.writestr(zipfile.ZipInfo("index.py"), HANDLER)
        self._environment = world.environment(
            {
                "TF_CLI_CONFIG_FILE": str(settings),
                "TF_IN_AUTOMATION": "1",
                "CHECKPOINT_DISABLE": "1",
                "TF_VAR_archive": str(archive.path),
                "TF_VAR_code": str(folder / "code.zip"),
            }
        )
        self._run("init")

    def apply(self, *, change: int = 0) -> dict[str, int]:
        """What was added, changed and destroyed."""
        return _counts(self._run("apply", "-auto-approve", f"-var=change={change}"))

    def differences(self, *, change: int = 0) -> list[str]:
        """What the next apply would do, by resource."""
        self._run("plan", "-out=plan", f"-var=change={change}")
        plan = json.loads(self._run("show", "-json", "plan"))
        return [
            f"{each['address']}: {' '.join(each['change']['actions'])}"
            for each in plan["resource_changes"]
            if each["change"]["actions"] not in (["no-op"], ["read"])
        ]

    def plan(self) -> tuple[Path, str]:
        """The file of a plan in JSON, and its text."""
        self._run("plan", "-out=plan")
        path = self._folder / "plan.json"
        path.write_text(self._run("show", "-json", "plan"))
        return path, path.read_text()

    def destroy(self) -> dict[str, int]:
        """What was destroyed."""
        return _counts(self._run("destroy", "-auto-approve"))

    def echoed(self, body: bytes) -> str:
        """What the REST API's function answers."""
        api = json.loads(self._run("output", "-json"))["rest_api"]["value"]
        url = f"{self._url}/_aws/execute-api/{api}/live/echo"
        with urllib.request.urlopen(urllib.request.Request(url, data=body)) as answer:
            said: str = json.loads(answer.read())
        return said

    def _run(self, *arguments: str) -> str:
        ended = subprocess.run(
            ["terraform", arguments[0], "-no-color", *arguments[1:]],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
        return ended.stdout


def _counts(said: str) -> dict[str, int]:
    (line,) = re.findall(r"^(?:Apply|Destroy) complete! Resources: (.*)\.$", said, re.MULTILINE)
    return {what: int(count) for count, what in re.findall(r"(\d+) (\w+)", line)}


def _predictions(address: Address) -> Any:
    predictor = Predictor("terraform", aws=Aws.at(address, REGION))
    return predictor.predict({"instances": [1.0, 2.0]})["predictions"]

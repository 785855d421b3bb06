"""The built wheels in environments that have what they ask for, and nothing else of ours.

In these the pages of the first hour print what they show.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import venv
import zipfile
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from tests.jsii_cache import keep_unpacked
from tests.requirements import asked_for, lowest_of, name_of, pins_of, version_of
from tests.wheel.conftest import PIP, Installed, packages_of
from tools.own_environments.environments import environment_of
from tools.transcripts import follow, must_show

ROOT = Path(__file__).parents[2]
PINS = ROOT / "tools" / "own_environments"
FOREIGN = PINS / "constructs.txt"
"""The CDK of AWS's own construct libraries; it is not the one of requirements.txt."""

OTHER_BOTO3 = "1.43.0"
IN_LOWEST = (*("", "cdk", "check", "client", "local", "onnxruntime", "plots", "run", "tensorflow"),)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_environment_files_are_checked_without_any_extra(base: Installed, tmp_path: Path) -> None:
    ended = base.cli("check", str(ROOT / "environments" / "prod.yaml"), cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    schema = base.cli("schema", cwd=tmp_path)
    assert schema.stdout == (ROOT / "environments" / "environment.schema.json").read_text()


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (["local", "up"], "local"),
        (["serve", str(ROOT / "model_assets" / "digits" / "model")], "local"),
    ],
    ids=["local up", "serve"],
)
def test_what_needs_an_extra_says_which(
    base: Installed, tmp_path: Path, command: list[str], extra: str
) -> None:
    ended = base.cli(*command, cwd=tmp_path)
    assert ended.returncode == 2
    assert f"sagemaker-serving[{extra}" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_client_is_there_without_cdk(base: Installed, tmp_path: Path) -> None:
    code = (
        "import importlib.metadata, sagemaker_serving.client\n"
        "print([each.name for each in importlib.metadata.distributions() if 'cdk' in each.name])"
    )
    ended = base.run("-c", code, cwd=tmp_path)
    assert (ended.stdout, ended.stderr) == ("[]\n", "")


def test_constructs_without_their_extra_say_which(base: Installed, tmp_path: Path) -> None:
    ended = base.run("-c", "import sagemaker_serving.infra", cwd=tmp_path)
    assert ended.stderr.endswith("this needs the extra cdk; pip install 'sagemaker-serving[cdk]'\n")


def test_the_wheel_carries_types_and_data_but_no_tests(wheels: list[Path]) -> None:
    names = zipfile.ZipFile(wheels[0]).namelist()
    assert "sagemaker_serving/py.typed" in names
    assert "sagemaker_serving/catalog/data/images.json" in names
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"sagemaker_serving"}


def test_what_it_brings_without_any_extra_is_small(
    base: Installed, capsys: pytest.CaptureFixture[str]
) -> None:
    others, own = map(_megabytes, (packages_of(environment_of("wheel")), base.packages))
    with capsys.disabled():
        print(f"\nbase install: {others + own:.0f} MB, {own:.1f} of them our own")
    assert own < 10
    assert others < 60


def _megabytes(folder: Path) -> float:
    """Without bytecode, which Python makes as it goes."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return sum(path.stat().st_size for path in files) / 1e6


def test_the_pins_without_any_extra_are_what_the_wheel_asks_for(base: Installed) -> None:
    pins = pins_of(PINS / "wheel.txt")
    for requirement in asked_for()[""]:
        assert version_of(pins[name_of(requirement)]) in requirement.specifier, requirement
    _check(base)


def test_the_lowest_pins_are_the_lower_bounds(lowest: Installed) -> None:
    pins, wanted = pins_of(PINS / "lowest.txt"), asked_for()
    bounds: dict[str, Version] = {}
    for requirement in chain(*(wanted[extra] for extra in IN_LOWEST)):
        if requirement.marker is None or requirement.marker.evaluate():
            bound = Version(lowest_of(requirement))
            name = name_of(requirement)
            bounds[name] = max(bound, bounds.get(name, bound))
    assert {name: Version(version_of(pins[name])) for name in bounds} == bounds
    _check(lowest)


def test_the_first_hour_goes_as_its_page_shows(lowest: Installed, tmp_path: Path) -> None:
    _goes_as_shown(0, lowest, tmp_path, region="eu-central-1")
    _an_agent_gets_there(lowest, tmp_path)


def test_the_first_hour_with_pytorch_goes_as_its_page_shows(
    with_torch: Installed, tmp_path: Path
) -> None:
    _goes_as_shown(1, with_torch, tmp_path, region="us-west-2")


def _goes_as_shown(part: int, installed: Installed, folder: Path, *, region: str) -> None:
    """Another region than the page's: what only works there, works for nobody elsewhere."""
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    keep_unpacked(folder)
    environment = {
        "PATH": os.pathsep.join([str(installed.folder / "bin"), os.environ["PATH"]]),
        "SAGEMAKER_SERVING_END_WITH": str(os.getpid()),
    }
    page = ROOT / "docs" / "first-hour.md"
    for block, printed in follow(page, folder, environment, part=part, region=region):
        must_show(block.text, printed, block.where)


@pytest.fixture(scope="module")
def beside(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """One environment for a foreign app and for the constructs, which a user installs into it."""
    both = Installed(tmp_path_factory.mktemp("beside"))
    venv.create(both.folder, symlinks=True)
    pins = pins_of(ROOT / "requirements.txt")
    theirs = {name: pin for name, pin in pins_of(FOREIGN).items() if name.startswith("aws-")}
    others = pins.keys() - theirs.keys() - {"boto3", "botocore", "s3transfer"}
    constraints = both.folder / "others"
    constraints.write_text("\n".join(str(pins[name]) for name in others))
    both.install(*map(str, theirs.values()), f"boto3=={OTHER_BOTO3}", "-c", str(constraints))
    ours = [f"sagemaker-serving[cdk] @ {wheels[0].as_uri()}", str(wheels[1])]
    both.install(*ours, "-c", str(constraints))
    return both


def test_it_is_installed_into_a_foreign_apps_environment_and_changes_nothing_there(
    beside: Installed, tmp_path: Path
) -> None:
    _check(beside)
    code = "from importlib.metadata import version; print(version('aws-cdk-lib'), version('boto3'))"
    found = beside.run("-c", code, cwd=tmp_path).stdout.split()
    assert found == [version_of(pins_of(FOREIGN)["aws-cdk-lib"]), OTHER_BOTO3]
    page = (ROOT / "docs" / "constructs.md").read_text(encoding="utf-8")
    (tmp_path / "app.py").write_text(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0])
    (tmp_path / "model").symlink_to(ROOT / "model_assets" / "digits" / "model")
    ended = beside.run("app.py", cwd=tmp_path, CDK_OUTDIR="cdk.out")
    assert ended.returncode == 0, ended.stderr
    template = json.loads((tmp_path / "cdk.out" / "Digits.template.json").read_text())
    kinds = Counter(resource["Type"] for resource in template["Resources"].values())
    assert kinds["AWS::SageMaker::Model"] == 2
    assert kinds["AWS::SageMaker::Endpoint"] == 1
    assert len(list((tmp_path / "cdk.out").glob("asset.*.tar.gz"))) == 1


def test_the_foreign_app_synthesizes_beside_it(beside: Installed, tmp_path: Path) -> None:
    app = ROOT / "tests" / "clients_of_others" / "construct_apps.py"
    facts = {
        "account": "111122223333",
        "region": "eu-west-1",
        "stack": "Theirs",
        "role_arn": None,
        "image": "image",
        "model_data_url": "s3://bucket/model.tar.gz",
        "code": str(app.parent),
    }
    ended = beside.run(
        str(app), "lambda_pattern", str(tmp_path / "out"), json.dumps(facts), cwd=tmp_path
    )
    assert ended.returncode == 0, ended.stderr
    assert "AWS::SageMaker::Endpoint" in (tmp_path / "out" / "Theirs.template.json").read_text()


def _check(installed: Installed) -> None:
    """pip finds nothing missing there, and nothing in a version that another one does not take."""
    ended = subprocess.run(
        [*PIP[:-1], "--python", str(installed.folder / "bin" / "python"), "check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout


def _an_agent_gets_there(installed: Installed, folder: Path) -> None:
    """By the skill's commands and what they print as JSON: past a wrong file and a wrong record."""
    skill = installed.cli("docs", "skill", cwd=folder).stdout
    blocks = re.findall(r"^```sh\n(.*?)^```", skill, re.DOTALL | re.MULTILINE)
    left = [line for block in blocks for line in block.splitlines()]

    def do(begins: str, *, ends_with: int = 0, again: bool = False) -> Any:
        command = next(line for line in left if line.startswith(f"sagemaker-serving {begins}"))
        if not again:
            left.remove(command)
        ended = installed.cli(*shlex.split(command)[1:], cwd=folder)
        assert ended.returncode == ends_with, ended.stderr
        return json.loads(ended.stdout) if "--json" in command else ended.stdout

    assert "celsius" in json.dumps(do("inspect"))
    do("init")
    file = folder / "environments" / "trial.yaml"
    text = file.read_text().replace('"2.20"', '"2.21"')
    text = text.replace("- {name: main, instance_type", "- {name: main, instance_typ")
    file.write_text(text.replace("# batch_", "batch_").replace("content_type", "content_typ"))
    found = do("check", ends_with=2, again=True)
    assert len({each["line"] for each in found}) == 3
    lines = file.read_text().splitlines()
    for each in found:
        say = re.search(r"'(\S+)'.* (?:use|did you mean) '?([\w.]+?)'?$", each["message"])
        if say is not None:
            lines[each["line"] - 1] = lines[each["line"] - 1].replace(say[1], say[2], 1)
    file.write_text("\n".join(lines))
    assert [each for each in do("check") if each["severity"] == "error"] == []
    assert do("explain")["source"]
    assert "canary" in do("docs environment-files")

    do("local up")
    do("local deploy")
    assert "trial-thermometer" in json.dumps(do("local status"))
    assert json.loads(do("predict"))["predictions"] == [32.0, 212.0]
    (folder / "in").mkdir()
    for name, body in {"good": '{"instances": [1.0]}', "bad": '{"instances": ['}.items():
        (folder / "in" / f"{name}.json").write_text(body)
    (refused,) = do("transform")["quarantined"]
    assert refused["object"] == "bad.json"
    (folder / "in" / refused["object"]).write_text('{"instances": [2.0]}')
    assert do("transform")["counts"]["answered"] == 2
    (right,) = json.loads((folder / "out" / "bad.json.out").read_text())["predictions"]
    assert round(right, 3) == 35.6
    assert left == [], "each command of the skill has run"
    installed.cli("local", "down", cwd=folder)

"""Commands find what was deployed in whichever region that is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local_aws.process.address import find
from tests.cli.conftest import run_in
from tests.local_aws.aws import variant

pytestmark = pytest.mark.slow

Run = Callable[..., Any]
REGION = "ap-southeast-2"
IMAGE = f"763104351884.dkr.ecr.{REGION}.amazonaws.com/tensorflow-inference:2.19-cpu"

FILE = """\
name: file
region: eu-central-1
models:
  one:
    endpoint: {existing: both}
    artifact: s3://models/one.tar.gz
    framework: tensorflow
    framework_version: "2.19"
    variants:
      - {name: v, instance_type: ml.m5.large}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """In the folder of a local AWS with an endpoint in another region than the usual one."""
    home = tmp_path_factory.mktemp("region")
    command = run_in(home)
    assert command("local", "up", "--port", "0", "--without-engines").returncode == 0
    try:
        for region in (REGION, "eu-central-1"):
            deploy("both", home, region)
        deploy("far", home, REGION)
        arn = f"arn:aws:sagemaker:{REGION}:123456789012:endpoint/far"
        find(home / ".sagemaker-serving").client("sagemaker", REGION).create_inference_router(
            InferenceRouterName="all",
            RoutingTargets=[{"Name": "one", "Destinations": [{"ResourceArn": arn}]}],
        )
        (home / "environments").mkdir()
        (home / "environments" / "file.yaml").write_text(FILE)
        yield command
    finally:
        command("local", "down")


def deploy(name: str, home: Path, region: str) -> None:
    sagemaker = find(home / ".sagemaker-serving").client("sagemaker", region)
    sagemaker.create_model(ModelName=name, PrimaryContainer={"Image": IMAGE})
    sagemaker.create_endpoint_config(
        EndpointConfigName=name,
        ProductionVariants=[variant("v", name)],
    )
    sagemaker.create_endpoint(EndpointName=name, EndpointConfigName=name)
    sagemaker.get_waiter("endpoint_in_service").wait(
        EndpointName=name, WaiterConfig={"Delay": 0.05, "MaxAttempts": 600}
    )


@pytest.mark.parametrize(
    "command",
    [
        ("explain", "far"),
        ("explain", "all"),
        ("rollback", "far", "--list"),
        ("explain", "both", "--region", "eu-central-1"),
    ],
    ids=" ".join,
)
def test_an_endpoint_is_found_where_it_is(run: Run, command: tuple[str, ...]) -> None:
    done = run(*command, "--local")
    assert done.returncode == 0, done.stderr


def test_status_shows_whom_a_router_asks(run: Run) -> None:
    shown = run("local", "status").stdout
    assert f"one: arn:aws:sagemaker:{REGION}:123456789012:endpoint/far Routable" in shown


def test_a_model_of_a_file_is_found_where_the_file_says(run: Run) -> None:
    done = run("explain", "file/one", "--local")
    assert done.returncode == 0, done.stderr
    for given, said in (
        ("file/two", "has no model 'two'; it has one"),
        ("none/one", "none/one is no model of environments/*.yaml; give <environment>/<model>"),
    ):
        asked = run("watch", given, "--local")
        assert asked.returncode == 2
        assert said in asked.stderr


def test_the_account_here_lists_no_quota_and_check_says_so(run: Run) -> None:
    asked = run("check", "file", "--account", "--local")
    said = "Service Quotas lists none for instances of ml.m5.large for endpoints in eu-central-1"
    assert f"{said}; not checked" in asked.stdout, asked.stderr
    assert "--account asks; give --account, too" in run("check", "file", "--local").stderr


def test_the_quotas_that_it_was_given_are_compared_with(tmp_path: Path) -> None:
    run = run_in(tmp_path)
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "file.yaml").write_text(FILE)
    kept = {"quotas": {"ml.m5.large for endpoint usage": 0}}
    (tmp_path / "account.json").write_text(json.dumps(kept))
    up = ("local", "up", "--port", "0", "--without-engines", "--quotas")
    started = run(*up, "account.json")
    assert started.returncode == 0
    assert "account.json: quotas read: 1; kept to, of instances: 1" in started.stdout
    try:
        asked = run("check", "file", "--account", "--local")
    finally:
        run("local", "down")
    assert "takes 1 instance of ml.m5.large for endpoints; the quota of 123456789012 in" in (
        asked.stdout
    ), asked.stderr
    refused = run(*up, "file.json")
    assert refused.returncode == 2
    assert "file.json: there is no such file; write them by" in refused.stderr


def test_what_was_never_deployed_is_not_destroyed(run: Run) -> None:
    asked = run("local", "destroy", "file")
    assert asked.returncode == 2
    assert "nothing of file is deployed here; `sagemaker-serving local status`" in asked.stderr


def test_a_request_reaches_it(run: Run) -> None:
    asked = run("predict", "far", "1", "--local")
    assert "far: no engine runs behind it" in asked.stderr


def test_one_of_several_is_said_by_the_shell_or_by_the_option(run: Run) -> None:
    asked = run("explain", "both", "--local")
    assert asked.returncode == 2
    assert f"both is in {REGION} and in eu-central-1; say which by --region" in asked.stderr
    assert run("explain", "both", "--local", AWS_REGION="eu-central-1").returncode == 0


@pytest.mark.parametrize(
    ("command", "region"),
    [
        (("predict", "none", "1", "--local", "--region", "us-east-2"), "us-east-2"),
        (("explain", "none", "--local"), REGION),
        (("bench", "none", "--local", "--variants", "v", "--requests", "1"), REGION),
        (("transform", "status", "none", "x", "-e", "none", "--local"), REGION),
        (("local", "logs", "none"), REGION),
    ],
    ids=str,
)
def test_what_is_not_there_is_said_of_a_region(
    run: Run, command: tuple[str, ...], region: str
) -> None:
    asked = run(*command, AWS_REGION=REGION)
    assert asked.returncode == 2
    assert region in asked.stderr


def test_the_region_of_the_shell_is_exported_where_several_have_something(run: Run) -> None:
    assert f"export AWS_REGION={REGION}\n" in run("local", "env", AWS_REGION=REGION).stdout
    assert "export AWS_REGION=us-east-2\n" in run("local", "env", "--region", "us-east-2").stdout


def test_the_variables_are_there_for_programs_and_a_shell_reads_the_same(run: Run) -> None:
    own = {"AWS_PROFILE": "mine", "no_proxy": "one.example, two.example", "AWS_REGION": REGION}
    given = json.loads(run("local", "env", "--json", **own).stdout)
    assert (given["AWS_REGION"], given["AWS_PROFILE"]) == (REGION, None)
    assert "two.example" in given["no_proxy"]
    told = run("local", "env", **own).stdout
    printed = "import json, os; print(json.dumps({**os.environ}))"
    script = f"set -e\n{told}\nexec '{sys.executable}' -c '{printed}'"
    shell = subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE, check=True, env=own)
    assert {name: json.loads(shell.stdout).get(name) for name in given} == given


def test_what_is_adopted_from_here_is_deployed_here(run: Run) -> None:
    told = run("adopt", "endpoint", "far", "--name", "again", "--local").stdout
    assert told.partition("next:\n")[2].splitlines() == [
        "  sagemaker-serving check environments/again.yaml --account --local",
        "  sagemaker-serving local deploy environments/again.yaml",
    ]

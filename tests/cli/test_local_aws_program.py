"""``local-aws``: the commands of the local AWS by themselves, and what they say of themselves."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local_aws.process.address import find
from tests.cli.conftest import run_in
from tests.deploy.assemblies import write_assembly
from tests.jsii_cache import keep_unpacked
from tests.local_aws.aws import eventually

ROOT = Path(__file__).parents[2]
COMMANDS = ("deploy", "destroy", "down", "env", "faults", "logs", "status", "up")
Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs ``local-aws`` in an empty folder, as a shell without AWS settings would."""
    return run_in(tmp_path, "local-aws")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_teaches_in_its_help_and_names_no_other_program(
    run: Run, command: str
) -> None:
    ended = run(command, "--help")
    assert ended.returncode == 0
    assert "Usage: local-aws " in ended.stdout
    assert "sagemaker" not in ended.stdout


def test_the_other_programs_commands_name_that_one(tmp_path: Path) -> None:
    told = run_in(tmp_path)("local", "faults", "--help").stdout
    assert "  sagemaker-serving local faults list" in told
    assert "local-aws" not in told


@pytest.mark.parametrize(
    "command", [("status",), ("down",), ("env",), ("deploy", "."), ("destroy",)]
)
def test_a_local_aws_that_does_not_run_is_named_with_what_starts_it(
    run: Run, command: tuple[str, ...]
) -> None:
    ended = run(*command)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "local-aws: no local AWS runs in .local-aws; start one with `local-aws up`\n"
    )


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    """Of this environment nothing is there but the source: what the base installs."""
    ended = subprocess.run(
        [sys.executable, "-S", "-m", "local_aws", "up"],
        env={"PYTHONPATH": str(ROOT / "local-aws" / "src")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "local-aws: there is no boto3, no click, no moto, no psutil, which the extra `run` "
        "brings; pip install 'local-aws[run]'\n"
    )


@pytest.fixture
def up(run: Run) -> Iterator[Run]:
    """A local AWS that runs."""
    started = run("up", "--port", "0", SAGEMAKER_SERVING_WITHOUT_ENGINES="1")
    assert started.returncode == 0, started.stderr
    assert started.stderr == "next: local-aws deploy path/to/app\n"
    yield run
    run("down")


@pytest.mark.slow
@pytest.mark.long
def test_a_shell_gets_into_another_account_which_status_then_shows(up: Run) -> None:
    assert "account" not in up("status").stdout
    wrong = up("env", "--account", "1")
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "local-aws: --account is '1'; it must be the 12 digits of an account\n",
    )
    lines = up("env", "--account", "111111111111").stdout.splitlines()
    shell = dict(line.removeprefix("export ").split("=", 1) for line in lines)
    ask = "import boto3; print(boto3.client('sts').get_caller_identity()['Account'])"
    told = subprocess.run(
        [sys.executable, "-c", ask],
        env={**os.environ, **shell},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "111111111111\n"
    status = up("status").stdout
    assert status.index("account 123456789012") < status.index("account 111111111111")


@pytest.mark.slow
def test_a_bucket_with_objects_stops_a_destroy_that_is_not_to_empty_it(
    up: Run, tmp_path: Path
) -> None:
    """A stack's other buckets keep what they have."""
    versioned = {"VersioningConfiguration": {"Status": "Enabled"}}
    full = {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "full", **versioned}}
    kept = {
        "Type": "AWS::S3::Bucket",
        "Properties": {"BucketName": "kept"},
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
    }
    write_assembly(tmp_path / "made", {"Boxes": {"Resources": {"Full": full, "Kept": kept}}})
    (tmp_path / "boxes").mkdir()
    copied = f"cp -r {tmp_path / 'made'}/. $CDK_OUTDIR"
    (tmp_path / "boxes" / "cdk.json").write_text(json.dumps({"app": copied}))
    (tmp_path / "boxes" / "node_modules").symlink_to(ROOT / "node_modules")
    deployed = up("deploy", "boxes")
    assert deployed.returncode == 0, deployed.stderr
    s3 = find(tmp_path / ".local-aws").client("s3", "us-east-1")
    for bucket in ("full", "full", "kept"):
        s3.put_object(Bucket=bucket, Key="k", Body=b"v")
    s3.delete_object(Bucket="full", Key="k")

    stopped = up("destroy", "boxes")
    assert stopped.returncode == 1
    assert stopped.stderr.splitlines()[-1].endswith("; --empty deletes what is in full, too")
    emptied = up("destroy", "boxes", "--empty")
    assert (emptied.returncode, emptied.stdout.splitlines()[-1]) == (0, "destroyed: Boxes")
    assert [
        each["Name"] for each in s3.list_buckets()["Buckets"] if "cdk-" not in each["Name"]
    ] == ["kept"]
    assert s3.get_object(Bucket="kept", Key="k")["Body"].read() == b"v"


@pytest.mark.slow
@pytest.mark.long
def test_an_app_goes_its_whole_way(up: Run, tmp_path: Path) -> None:
    assert "next: local-aws deploy path/to/app" in up("status").stdout
    app = tmp_path / "orders"
    shutil.copytree(ROOT / "tests" / "example_app", app)
    (app / "node_modules").symlink_to(ROOT / "node_modules")

    keep_unpacked(tmp_path)
    wrong = up("deploy", "orders", "-c", "may_write")
    assert (
        wrong.stderr
        == "local-aws: --context is 'may_write'; it must be NAME=VALUE, as stage=test\n"
    )
    deployed = up("deploy", "orders", "Orders", "-c", "may_write=no")
    assert deployed.returncode == 0, deployed.stderr
    told = deployed.stderr.splitlines()
    assert told[:1] == ["synthesizing the CDK app"]
    assert {"deploying Orders", "Orders", "  created   1 AWS::SQS::Queue"} <= set(told)
    assert "_IN_PROGRESS" not in deployed.stdout + deployed.stderr
    outputs = dict(line.split(" = ") for line in deployed.stdout.splitlines() if " = " in line)
    stacks = json.loads(up("status", "--json").stdout)["stacks"]
    assert {each["name"] for each in stacks} == {"CDKToolkit", "Orders"}

    lines = up("env").stdout.splitlines()
    shell = dict(line.removeprefix("export ").split("=", 1) for line in lines)
    invoke = (
        "import boto3; boto3.client('lambda').invoke("
        f"FunctionName='{outputs['Orders.KeeperName']}', Payload=b'{{}}')"
    )
    subprocess.run([sys.executable, "-c", invoke], env={**os.environ, **shell}, check=True)
    keeper = outputs["Orders.KeeperName"]
    # Logs follow the answer, as on AWS.
    eventually(lambda: "KeyError: 'Records'" in up("logs", keeper, "--lines", "200").stdout)
    missing = up("logs", outputs["Orders.KeeperName"][:-1])
    assert missing.returncode == 2
    assert f"did you mean '{outputs['Orders.KeeperName']}'?" in missing.stderr

    stack = up("destroy", "Orders")
    assert stack.returncode == 2
    assert "aws cloudformation delete-stack --stack-name Orders" in stack.stderr

    gone = up("destroy", "orders", "--verbose")
    assert "DELETE_IN_PROGRESS" in gone.stdout + gone.stderr
    assert gone.stdout.splitlines()[-1] == "destroyed: Orders", gone.stderr
    assert [each["name"] for each in json.loads(up("status", "--json").stdout)["stacks"]] == [
        "CDKToolkit"
    ]
    again = up("destroy", "orders")
    assert again.returncode == 2
    assert "nothing of orders is deployed here; `local-aws status` shows what is" in again.stderr

"""Stacks that no file has, as `check --account` and `diff` tell of them, on a local AWS."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.local_aws.aws import Aws, shell_of, stand_in_aws

Run = Callable[..., Any]
FILE = """\
name: prod
region: eu-west-1
models:
  digits:
    artifact: {s3: s3://models/model.tar.gz, sha256: "1"}
    framework: tensorflow
    framework_version: "2.20"
    variants: [{name: cpu, instance_type: ml.c5.large}]
"""
NO_FILES = ("prod/renamed/endpoint-name", "left/digits/endpoint-name")
RUNNING = ("prod/digits/endpoint-name", "prod/storage/bucket-name", *NO_FILES)


@pytest.fixture
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """One in which a model, and an environment, run on."""
    with stand_in_aws(tmp_path_factory.mktemp("aws")) as aws:
        for name in RUNNING:
            parameter = f"/sagemaker-serving/{name}"
            aws.client("ssm").put_parameter(Name=parameter, Value="x", Type="String")
        yield aws


def test_account_leftover_names_stacks_that_no_file_has_at_each_door(
    account: Aws, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "prod.yaml").write_text(FILE)
    shell = shell_of(account.gateway)
    model = "the stack prod-renamed runs on in eu-west-1, and is billed, although the file has no"
    environment = "the environment left runs in eu-west-1, and is billed, although no file has"

    def leftovers() -> dict[str, str]:
        checked = json.loads(run("check", "prod", "--account", "--json", **shell).stdout)
        found = [each for each in checked if each["rule"] == "account-leftover"]
        told = {each["severity"]: each["message"] for each in found}
        assert len(told) == len(found)
        return told

    told = leftovers()
    assert told["warning"].startswith(model)
    assert told["note"].startswith(environment)
    compared = run("diff", "prod", "--json", **shell)
    (row,) = json.loads(compared.stdout)
    assert (row["model"], row["why"]) == ("renamed", told["warning"])
    assert told["note"] in compared.stderr

    for name in NO_FILES:
        account.client("ssm").delete_parameter(Name=f"/sagemaker-serving/{name}")
    assert leftovers() == {}
    compared = run("diff", "prod", "--json", **shell)
    assert (json.loads(compared.stdout), compared.stderr) == ([], "")

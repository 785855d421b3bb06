"""What is deployed tells which commit and version it came from."""

from __future__ import annotations

import subprocess
from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk import aws_sns as sns
from aws_cdk.assertions import Template

from sagemaker_serving import __version__
from stacks.provenance import provenance_of, tag_provenance


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("GITHUB_SHA", raising=False)
    author = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    (tmp_path / "model").write_text("one")
    for command in (
        ["init", "--quiet"],
        ["add", "."],
        [*author, "commit", "--quiet", "--message", "first"],
    ):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    return tmp_path


def test_the_commit_is_told_and_whether_anything_was_changed_beside_it(repository: Path) -> None:
    commit = provenance_of(repository)["sagemaker-serving:commit"]
    assert len(commit) == 40
    (repository / "model").write_text("two")
    assert provenance_of(repository)["sagemaker-serving:commit"] == f"{commit}-dirty"


def test_ci_says_the_commit_itself(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_SHA", "f" * 40)
    assert provenance_of(repository)["sagemaker-serving:commit"] == "f" * 40


def test_without_git_the_version_is_told_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_SHA", raising=False)
    assert provenance_of(tmp_path) == {"sagemaker-serving:version": __version__}


def test_only_what_tags_cannot_deploy_anew_is_tagged() -> None:
    """A commit that changes nothing else leaves the endpoint, buckets, roles and alarms alone."""
    stack = cdk.Stack(cdk.App(), "Stack")
    sagemaker.CfnEndpoint(stack, "Endpoint", endpoint_config_name="config")
    sagemaker.CfnModel(stack, "Model")
    sns.CfnTopic(stack, "Told")
    tag_provenance(stack, {"sagemaker-serving:commit": "abc"})
    resources = Template.from_stack(stack).to_json()["Resources"]
    assert resources["Model"]["Properties"]["Tags"] == [
        {"Key": "sagemaker-serving:commit", "Value": "abc"}
    ]
    for name in ("Endpoint", "Told"):
        assert "Tags" not in resources[name].get("Properties", {})

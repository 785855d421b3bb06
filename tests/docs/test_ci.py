"""The recipe for CI: a workflow that GitHub takes, which holds no more rights than it needs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.transcripts.blocks import ROOT, WORKFLOW, blocks

PAGE = ROOT / "docs" / "ci.md"
TEXT = WORKFLOW.read_text(encoding="utf-8")
JOBS: dict[str, Any] = yaml.safe_load(TEXT)["jobs"]


def _checked(path: Path) -> subprocess.CompletedProcess[str]:
    checker = Path(sys.executable).with_name("check-jsonschema")
    return subprocess.run(
        [str(checker), "--builtin-schema", "vendor.github-workflows", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )


RELEASE = ROOT / ".github" / "workflows" / "release.yml"


@pytest.mark.parametrize("workflow", [WORKFLOW, RELEASE], ids=lambda path: path.name)
def test_github_takes_the_workflow(workflow: Path, tmp_path: Path) -> None:
    checked = _checked(workflow)
    assert checked.returncode == 0, checked.stdout
    assert _audited(workflow).returncode == 0, _audited(workflow).stdout
    broken = tmp_path / "broken.yml"
    broken.write_text(TEXT.replace("runs-on:", "runs-in:"))
    assert _checked(broken).returncode == 1


def test_zizmor_names_an_action_by_a_tag(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text(re.sub(r"actions/checkout@\w+ # v\S+", "actions/checkout@v6", TEXT))
    audited = _audited(broken)
    assert audited.returncode != 0
    assert "unpinned-uses" in audited.stdout


def _audited(path: Path) -> subprocess.CompletedProcess[str]:
    auditor = Path(sys.executable).with_name("zizmor")
    return subprocess.run(
        [str(auditor), "--offline", "--no-progress", "--format=plain", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_job_may_do_more_than_it_needs() -> None:
    workflow = yaml.safe_load(TEXT)
    assert workflow["permissions"] == {}
    extra = {
        name: {right: level for right, level in job["permissions"].items() if level != "read"}
        for name, job in JOBS.items()
    }
    assert extra == {
        "check": {},
        "audit": {},
        "synth": {},
        "diff": {"id-token": "write", "pull-requests": "write"},
        "staging": {"id-token": "write"},
        "prod": {"id-token": "write"},
    }


def test_only_jobs_of_a_guarded_environment_get_credentials() -> None:
    for name, job in JOBS.items():
        asks = any("configure-aws-credentials" in step.get("uses", "") for step in job["steps"])
        assert asks == ("environment" in job) == ("id-token" in job["permissions"]), name
    assert "secrets." not in TEXT
    assert "AWS_SECRET" not in TEXT


def test_nothing_of_a_change_runs_where_there_are_credentials_for_it() -> None:
    (checkout,) = (step for step in JOBS["diff"]["steps"] if "checkout" in step.get("uses", ""))
    assert checkout["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"
    runs = "\n".join(_runs(JOBS["diff"]))
    assert "--ignore-scripts" in runs
    assert not re.search(r"make|python|synth|pip", runs)
    assert JOBS["staging"]["if"] == "github.event_name == 'push'"
    assert "if" not in JOBS["prod"], "it is skipped with staging"


def test_what_is_deployed_was_synthesized_once_and_served_in_staging_first() -> None:
    synths = [name for name, job in JOBS.items() if "cdk synth" in "\n".join(_runs(job))]
    assert synths == ["synth"]
    for name in ("staging", "prod"):
        assert JOBS[name]["env"] == {"ENVIRONMENT": name}
        assert any("download-artifact" in step.get("uses", "") for step in JOBS[name]["steps"])
        deploys = [run for run in _runs(JOBS[name]) if "cdk deploy" in run]
        assert deploys
        assert all("--app cdk.out" in run for run in deploys)
    assert JOBS["prod"]["steps"] == JOBS["staging"]["steps"]
    assert JOBS["prod"]["needs"] == "staging"
    assert set(JOBS["staging"]["needs"]) == {"audit", "synth"}
    assert {path.stem for path in (ROOT / "environments").glob("*.yaml")} >= {"staging", "prod"}


def test_beside_the_digest_of_each_action_stands_its_release() -> None:
    used = [line for line in TEXT.splitlines() if "uses:" in line]
    for line in used:
        assert re.search(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


@pytest.mark.parametrize("name", JOBS)
def test_what_a_job_runs_is_a_shell_script(name: str) -> None:
    for run in _runs(JOBS[name]):
        plain = re.sub(r"\$\{\{.*?\}\}", "value", run)
        checked = subprocess.run(
            ["bash", "-n"], input=plain, capture_output=True, text=True, check=False
        )
        assert checked.returncode == 0, checked.stderr


def test_a_wrong_answer_returns_in_production_what_answers_wrongly(tmp_path: Path) -> None:
    """The last two steps, with a stand-in for the program: cats answers otherwise, digits not."""
    stand_in = tmp_path / "bin" / "sagemaker-serving"
    stand_in.parent.mkdir()
    stand_in.write_text('#!/bin/sh\necho "$@" >> said\n[ "$1 $2" != "golden prod-cats" ]\n')
    stand_in.chmod(0o755)
    look, back = _runs(JOBS["prod"])[-2:]
    environment = {
        "PATH": f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}",
        "ENVIRONMENT": "prod",
        "MODELS": "cats digits",
    }
    statuses = [
        subprocess.run(
            ["bash", "-e"], input=run, cwd=tmp_path, env=environment, text=True, check=False
        ).returncode
        for run in (look, back)
    ]
    assert statuses == [1, 0], "the first fails the job, the second goes back"
    said = (tmp_path / "said").read_text().splitlines()
    assert "watch prod-digits --timeout 600" in said
    assert [line for line in said if "rollback" in line] == ["rollback prod-cats --yes"]


def test_models_that_answer_otherwise_than_captured_stop_it_before_any_deploy(
    tmp_path: Path,
) -> None:
    stand_in = tmp_path / "bin" / "sagemaker-serving"
    stand_in.parent.mkdir()
    stand_in.write_text('#!/bin/sh\n[ "$1 $2" != "replay prod/cats" ]\n')
    stand_in.chmod(0o755)
    gate = _runs(JOBS["check"])[-1]
    statuses = [
        subprocess.run(
            ["bash", "-e"],
            input=gate,
            cwd=tmp_path,
            env={
                "PATH": f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}",
                "REPLAYED": models,
            },
            text=True,
            check=False,
        ).returncode
        for models in ("", "digits", "cats digits")
    ]
    assert statuses == [0, 0, 1]
    assert JOBS["synth"]["needs"] == "check"


def test_the_pages_app_makes_the_roles(tmp_path: Path) -> None:
    (app,) = blocks(PAGE, "python")
    (tmp_path / "github_roles.py").write_text(app.text)
    ended = subprocess.run(
        [sys.executable, "github_roles.py"],
        cwd=tmp_path,
        env={**os.environ, "CDK_OUTDIR": str(tmp_path / "cdk.out")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    made = {path.name: path.read_text() for path in (tmp_path / "cdk.out").glob("*.template.json")}
    assert set(made) == {"GitHub-staging.template.json", "GitHub-prod.template.json"}
    assert "repo:search/models:environment:staging" in made["GitHub-staging.template.json"]
    for subject in ("environment:prod", "environment:diff"):
        assert f"repo:search/models:{subject}" in made["GitHub-prod.template.json"]


def _runs(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]

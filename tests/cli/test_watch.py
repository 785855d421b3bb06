"""`watch` and `rollback` as a shell sees them: lines in a pipe, JSON, exit statuses."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.cli.conftest import Run
from tests.local_aws.aws import REGION, Aws, shell_of, stand_in_aws


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    with stand_in_aws(tmp_path_factory.mktemp("aws")) as local:
        for version in ("1", "2"):
            local.config(version, {"blue": local.model(version, {"VERSION": version})})
        local.config("broken", {"blue": local.model("broken", {"EXIT_AT_START": "1"})})
        local.endpoint("digits", "1")
        yield local


@pytest.fixture
def run_there(run: Run, aws: Aws) -> Run:
    """Runs a command against that AWS, as a shell with its variables does."""
    return lambda *arguments: run(*arguments, AWS_DEFAULT_REGION=REGION, **shell_of(aws.gateway))


def test_what_serves_is_told_in_plain_lines(run_there: Run) -> None:
    ended = run_there("watch", "digits")
    assert ended.returncode == 0
    first, *_, last = [line[10:] for line in ended.stdout.splitlines()]
    assert first == "InService: 1"
    assert last == "digits serves 1; no rollout is under way"


def test_a_failure_is_a_json_document_and_a_message_with_the_last_words(
    run_there: Run, aws: Aws
) -> None:
    aws.sagemaker.create_endpoint(EndpointName="broken", EndpointConfigName="broken")
    ended = run_there("watch", "broken", "--json")
    assert ended.returncode == 1
    documents = [json.loads(line) for line in ended.stdout.splitlines()]
    assert documents[0]["event"] == "status"
    assert documents[-1]["event"] == "failed"
    assert documents[-1]["log_lines"][-1].endswith("stand-in: the model is broken")
    assert "broken is Failed: The primary container" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_an_endpoint_that_does_not_exist_is_the_callers_mistake(run_there: Run) -> None:
    ended = run_there("watch", "nobody")
    assert ended.returncode == 2
    assert ended.stderr.startswith("sagemaker-serving: there is no endpoint 'nobody' in eu-west-1")


def test_a_rollback_asks_first_and_then_goes_and_is_watched(run_there: Run, aws: Aws) -> None:
    asked = run_there("rollback", "digits", "--to", "2")
    assert asked.returncode == 2
    assert "digits: from 1 of " in asked.stderr
    assert "there is no terminal to ask on; give --yes" in asked.stderr
    ended = run_there("rollback", "digits", "--to", "2", "--yes")
    assert ended.returncode == 0
    assert ended.stdout.splitlines()[-1].endswith("digits serves 2")
    assert ended.stderr == "", "no stack is there to drift from"
    assert aws.ask("digits", b"x") == b"2"

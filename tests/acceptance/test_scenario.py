"""The whole product once through, as on an account of one's own.

The run has nothing but a shell's variables; that they lead to a local AWS only the test knows.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.project import PREFIX, ROOT, TAG
from tests.acceptance.recording import Call, Recording, Step
from tests.acceptance.scenario import HALF, KEPT, SHARED, SMALL, TEXTS
from tests.acceptance.site import Site, local_site
from tests.acceptance.takedown import Takedown
from tests.local_aws.aws import eventually

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

REGION = "eu-west-1"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with local_site(tmp_path_factory.mktemp("aws"), REGION) as found:
        yield found


@pytest.fixture(scope="module")
def recording(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    folder = tmp_path_factory.mktemp("recordings")
    before = things(site)
    run = begin(site, folder, f"--account={site.account}", "--yes")
    printed, _ = run.communicate()
    assert run.returncode == 0, printed
    assert "at most 2340 instance-minutes" in printed
    assert things(site) == before
    assert "done, and nothing is left" in printed
    return Recording.load(folder / f"aws-{REGION}.json")


def begin(site: Site, recordings: Path, *options: str) -> subprocess.Popen[str]:
    """`make acceptance` with an account, in a shell that is set up for ``site``.

    It looks as often as a local run: with an account's two seconds a state that lasts less here
    would be seen or not by chance.
    """
    arguments = [
        f"--region={site.region}",
        f"--recordings={recordings}",
        f"--poll-seconds={site.poll_seconds}",
        f"--look-seconds={site.look_seconds}",
        *options,
    ]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.acceptance", *arguments],
        cwd=ROOT,
        env={**site.shell, "PATH": os.environ["PATH"]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def things(site: Site) -> Mapping[str, Any]:
    """What costs or stays, by kind."""
    client = site.aws.client
    return {
        "stacks": [
            stack["StackName"] for stack in client("cloudformation").describe_stacks()["Stacks"]
        ],
        "endpoints": client("sagemaker").list_endpoints()["Endpoints"],
        "configs": client("sagemaker").list_endpoint_configs()["EndpointConfigs"],
        "models": client("sagemaker").list_models()["Models"],
        "components": client("sagemaker").list_inference_components()["InferenceComponents"],
        "buckets": client("s3").list_buckets()["Buckets"],
        "functions": client("lambda").list_functions()["Functions"],
        "machines": client("stepfunctions").list_state_machines()["stateMachines"],
        "repositories": client("ecr").describe_repositories()["repositories"],
        "roles": client("iam").list_roles()["Roles"],
        "parameters": client("ssm").describe_parameters()["Parameters"],
        "logs": [
            group["logGroupName"]
            for group in client("logs").describe_log_groups()["logGroups"]
            if "acceptance" in group["logGroupName"]
        ],
    }


def step(recording: Recording, name: str) -> Step:
    (found,) = [each for each in recording.steps if each.name == name]
    return found


def last(recording: Recording, name: str, operation: str) -> Call:
    return [call for call in step(recording, name).calls if call.operation == operation][-1]


def test_every_format_is_answered(recording: Recording) -> None:
    calls = [
        call
        for call in step(recording, "predict").calls
        if call.operation == "sagemaker-runtime:InvokeEndpoint"
    ]
    answers = dict(zip(TEXTS, calls, strict=False))
    assert answers["instances"].members["Body"] == {"predictions": [3.5, 4.0, 5.5]}
    assert answers["CSV"].members["Body"] == {"predictions": [3.5, 4.0, 5.5]}
    assert answers["JSON lines"].members["Body"] == {"predictions": [[3.5], [4.0]]}
    assert answers["regress"].members["Body"] == {"results": [3.5]}
    assert answers["classify"].status == 200
    refused = [call.code for name, call in answers.items() if call.status != 200]
    assert refused == ["ModelError"] * 4
    assert [call.code for call in calls[-4:]] == ["ValidationError", "", *["ValidationError"] * 2]


def test_a_bad_version_is_taken_back(recording: Recording) -> None:
    events = step(recording, "bad update").events[f"{HALF}.{HALF}"]
    assert events[-1][0] == "UPDATE_ROLLBACK_COMPLETE"
    described = last(recording, "bad update", "sagemaker:DescribeEndpoint").members
    before = last(recording, "canary", "sagemaker:DescribeEndpoint").members
    assert described["EndpointConfigName"] == before["EndpointConfigName"]
    assert "did not pass the ping health check" in described["FailureReason"]


def test_instances_components_batches_and_compilations_do_as_they_should(
    recording: Recording,
) -> None:
    config = last(recording, "change instance type", "sagemaker:DescribeEndpointConfig").members
    assert config["ProductionVariants"][0]["InstanceType"] == "ml.m5.large"
    component = last(recording, "scale component", "sagemaker:DescribeInferenceComponent")
    assert component.parameters == {"InferenceComponentName": SMALL}
    assert component.members["RuntimeConfig"] == {"DesiredCopyCount": 2, "CurrentCopyCount": 2}
    report = last(recording, "batch", "sagemaker-serving:report").members
    assert (report["counts"]["answered"], report["counts"]["quarantined"]) == (4, 2)
    job = last(recording, "compile", "sagemaker:DescribeCompilationJob").members
    assert job["CompilationJobStatus"] == "COMPLETED"
    answer = last(recording, "compile", "sagemaker-runtime:InvokeEndpoint").members["Body"]
    assert answer["predictions"][0]["class"] == 8


def test_an_adapter_that_its_base_cannot_load_is_taken_back(recording: Recording) -> None:
    events = step(recording, "load adapter").events[f"{SHARED}.{SHARED}"]
    assert events[-1][0] == "UPDATE_ROLLBACK_COMPLETE"
    reasons = [
        reason
        for resource in step(recording, "load adapter").events.values()
        for status, reason in resource
        if status == "CREATE_FAILED"
    ]
    assert any("POST /adapters was answered with 404" in str(each) for each in reasons), reasons
    calls = [
        call
        for call in step(recording, "load adapter").calls
        if call.operation == "sagemaker-runtime:InvokeEndpoint"
    ]
    assert [call.code for call in calls] == ["ValidationError", ""]
    assert calls[-1].members["Body"] == {"predictions": [3.5, 4.0, 5.5]}


def test_the_endpoint_goes_back_and_then_is_gone(recording: Recording) -> None:
    back = last(recording, "roll back", "sagemaker:DescribeEndpoint").members
    assert back["EndpointConfigName"] == KEPT
    assert [call.status for call in step(recording, "destroy").calls] == [400, 400, 400]


def test_nothing_of_ones_own_is_recorded(recording: Recording) -> None:
    text = json.dumps(asdict(recording))
    for own in ("123456789012", REGION, "127.0.0.1", "/tmp/", str(ROOT), "2026-"):
        assert own not in text, own


def test_a_call_that_waits_is_one_with_the_states_that_it_went_through(
    recording: Recording,
) -> None:
    states = [call.states for step in recording.steps for call in step.calls]
    assert max(map(len, states)) > 1
    assert not any(before == after for each in states for before, after in pairwise(each))


def test_an_interrupted_run_is_taken_down(site: Site, tmp_path: Path) -> None:
    before = things(site)
    run = begin(site, tmp_path, f"--account={site.account}", "--yes")
    eventually(lambda: status(site) == "CREATE_IN_PROGRESS", seconds=240)
    run.send_signal(signal.SIGINT)
    printed, _ = run.communicate()
    assert run.returncode == 130, printed
    assert things(site) == before
    assert Recording.load(tmp_path / f"aws-{REGION}.json").steps[0].name == "bootstrap"


def test_what_was_only_planned_when_a_run_ended_is_found_and_taken_down(site: Site) -> None:
    """The CLI tags a stack by its change set; until that is carried out, the stack has no tags."""
    before = things(site)
    planned = site.aws.client("cloudformation")
    tags = {HALF: [dict(zip(("Key", "Value"), TAG, strict=True))], f"{PREFIX}-of-another": []}
    for name in tags:
        planned.create_change_set(
            StackName=name,
            ChangeSetName="planned",
            ChangeSetType="CREATE",
            TemplateBody=json.dumps({"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}),
            Tags=tags[name],
        )
    assert status(site) == "REVIEW_IN_PROGRESS"
    assert Takedown(site, lambda _: None).take_down() == []
    assert things(site)["stacks"] == [f"{PREFIX}-of-another"]
    planned.delete_stack(StackName=f"{PREFIX}-of-another")
    assert things(site) == before


def status(site: Site) -> str:
    stacks = site.aws.client("cloudformation").describe_stacks()["Stacks"]
    return next((each["StackStatus"] for each in stacks if each["StackName"] == HALF), "")


def test_nothing_is_made_on_another_account_or_without_a_yes(site: Site, tmp_path: Path) -> None:
    before = things(site)
    other = begin(site, tmp_path, "--account=111122223333", "--yes")
    printed, _ = other.communicate()
    assert other.returncode == 2
    assert f"ACCOUNT is 111122223333, and the credentials are of {site.account}" in printed
    asked = begin(site, tmp_path, f"--account={site.account}")
    printed, _ = asked.communicate("no\n")
    assert asked.returncode == 2
    assert "nothing was made; write yes when asked, or set YES=1" in printed
    assert "half, cpu: at most 4 of ml.c5.large" in printed
    assert "no price: " in printed
    assert things(site) == before
    assert list(tmp_path.glob("*.json")) == []

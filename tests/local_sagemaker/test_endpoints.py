"""Endpoints from Creating to gone, with real processes under them."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.fleets import variant
from tests.local_aws.aws import Aws, archive, children, eventually
from tests.local_aws.load import Load


@pytest.fixture
def hold(tmp_path: Path) -> Iterator[Path]:
    """A file for a stand-in's environment; what waits for its end goes on without it."""
    path = tmp_path / "hold"
    path.touch()
    yield path
    path.unlink(missing_ok=True)  # a test that fails holds up no other


def test_an_endpoint_is_creating_until_its_server_is_healthy(aws: Aws, hold: Path) -> None:
    aws.config("life", {"v": aws.model("life", {"UNHEALTHY_WHILE": str(hold)})})
    answer = aws.sagemaker.create_endpoint(EndpointName="life", EndpointConfigName="life")
    assert answer["EndpointArn"] == "arn:aws:sagemaker:eu-west-1:123456789012:endpoint/life"
    creating = aws.sagemaker.describe_endpoint(EndpointName="life")
    assert creating["EndpointStatus"] == "Creating"
    hold.unlink()
    served = aws.settled("life")
    assert served["EndpointStatus"] == "InService"
    assert served["EndpointConfigName"] == "life"
    assert [found["VariantName"] for found in served["ProductionVariants"]] == ["v"]
    assert served["ProductionVariants"][0]["CurrentInstanceCount"] == 1
    listed = aws.sagemaker.list_endpoints(StatusEquals="InService")["Endpoints"]
    assert "life" in [found["EndpointName"] for found in listed]
    aws.sagemaker.get_waiter("endpoint_in_service").wait(EndpointName="life")
    aws.delete("life")


def test_deleting_an_endpoint_leaves_no_process_and_no_model(aws: Aws) -> None:
    before = children()
    aws.model("gone")
    aws.config("gone", {"a": "gone", "b": "gone"})
    aws.endpoint("gone", "gone")
    eventually(lambda: len(children() - before) == 2)
    aws.delete("gone")
    eventually(lambda: children() <= before)
    assert list(aws.gateway.context.state_dir.glob("endpoints/*/gone")) == []
    with pytest.raises(ClientError, match="Could not find endpoint"):
        aws.sagemaker.describe_endpoint(EndpointName="gone")


def test_the_container_has_the_models_environment_and_nothing_of_the_users(
    aws: Aws, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "the user's own")
    monkeypatch.setenv("SECRET", "the user's own")
    aws.config("env", {"v": aws.model("env", {"SAGEMAKER_TFS_MAX_BATCH_SIZE": "32"})})
    aws.endpoint("env", "env")
    environment = json.loads(aws.ask("env", b"environment"))
    environment.pop("LC_CTYPE", None)  # Python's own
    arn = "arn:aws:iam::123456789012:role/model"
    role = aws.gateway.context.sessions.assume(arn, "SageMaker")
    assert environment == {
        "SAGEMAKER_TFS_MAX_BATCH_SIZE": "32",
        "AWS_REGION": "eu-west-1",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": role.access_key_id,
        "AWS_SECRET_ACCESS_KEY": role.secret_access_key,
        "AWS_SESSION_TOKEN": role.session_token,
        "AWS_ENDPOINT_URL": aws.url,
        "AWS_EC2_METADATA_DISABLED": "true",
        "CONTAINER_VERSION": "2.19",
        "CONTAINER_PROGRAM": "tensorflow",
    }
    aws.delete("env")


def test_a_create_that_fails_quotes_the_servers_log(aws: Aws) -> None:
    before = children()
    aws.model("broken", {"EXIT_AT_START": "1"})
    aws.config("broken", {"sound": aws.model("sound"), "gpu": "broken"})
    failed = aws.endpoint("broken", "broken")
    assert failed["EndpointStatus"] == "Failed"
    assert failed["FailureReason"].startswith(
        "The primary container for production variant gpu did not pass the ping health check. "
    )
    assert failed["FailureReason"].endswith("stand-in: the model is broken")
    eventually(lambda: children() <= before)
    with pytest.raises(ClientError, match="Endpoint broken of account 123456789012 not found"):
        aws.ask("broken", b"x")
    with pytest.raises(ClientError, match="in status Failed; it can only be deleted"):
        aws.sagemaker.update_endpoint(EndpointName="broken", EndpointConfigName="broken")
    aws.delete("broken")


def test_a_server_that_never_answers_ping_fails_at_the_deadline(
    aws: Aws, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(variant, "HEALTH_CHECK_SECONDS", 0.5)
    before = children()
    aws.config("mute", {"v": aws.model("mute", {"UNHEALTHY": "1"})})
    assert "did not pass the ping health check" in aws.endpoint("mute", "mute")["FailureReason"]
    eventually(lambda: children() <= before)
    aws.delete("mute")


def test_an_archive_that_is_none_fails_the_endpoint(aws: Aws) -> None:
    aws.s3.put_object(Bucket="models", Key="text.tar.gz", Body=b"text")
    aws.config("text", {"v": aws.model("text", ModelDataUrl="s3://models/text.tar.gz")})
    reason = aws.endpoint("text", "text")["FailureReason"]
    assert reason.startswith("Failed to extract model data archive")
    aws.delete("text")


def test_a_failure_reason_keeps_to_the_apis_limit(aws: Aws) -> None:
    aws.model("wordy", {"EXIT_AT_START": "1", "VERSION": "x" * 1000})
    aws.config("wordy", {"v": "wordy"})
    reason = aws.endpoint("wordy", "wordy")["FailureReason"]
    assert len(reason) <= 1024
    assert reason.endswith("the model is broken")
    aws.delete("wordy")


def test_an_endpoint_in_progress_is_left_alone(aws: Aws, hold: Path) -> None:
    aws.config("busy", {"v": aws.model("busy", {"UNHEALTHY_WHILE": str(hold)})})
    aws.sagemaker.create_endpoint(EndpointName="busy", EndpointConfigName="busy")
    refused = 'Cannot update in-progress endpoint "arn:aws:sagemaker:.*:endpoint/busy".'
    with pytest.raises(ClientError, match=refused):
        aws.sagemaker.update_endpoint(EndpointName="busy", EndpointConfigName="busy")
    with pytest.raises(ClientError, match=refused):
        aws.sagemaker.delete_endpoint(EndpointName="busy")
    with pytest.raises(ClientError, match='Cannot create already existing endpoint "arn'):
        aws.sagemaker.create_endpoint(EndpointName="busy", EndpointConfigName="busy")
    hold.unlink()
    aws.settled("busy")
    aws.delete("busy")


def test_no_request_fails_while_an_endpoint_is_updated(aws: Aws, hold: Path) -> None:
    aws.config("old", {"v": aws.model("old", {"VERSION": "old", "SLEEP": "0.1"})})
    waits = {"VERSION": "new", "UNHEALTHY_WHILE": str(hold)}
    aws.config("new", {"v": aws.model("new", waits)})
    others = children()
    aws.endpoint("updated", "old")
    old = children() - others
    with Load(aws, "updated", per_second=40) as load:
        eventually(lambda: load.answers)
        aws.sagemaker.update_endpoint(EndpointName="updated", EndpointConfigName="new")
        updating = aws.sagemaker.describe_endpoint(EndpointName="updated")
        assert (updating["EndpointStatus"], updating["EndpointConfigName"]) == ("Updating", "old")
        hold.unlink()
        updated = aws.settled("updated")
        eventually(lambda: load.answers[-1] == b"new")
        eventually(lambda: len(children() - others) == len(old))
    assert load.failures == []
    assert load.answers == sorted(load.answers, reverse=True), "once new, never old again"
    assert updated["EndpointConfigName"] == "new"
    assert "FailureReason" not in updated
    assert children().isdisjoint(old)
    eventually(lambda: len(aws.status()["processes"]) == 1)
    aws.delete("updated")


def test_a_failed_update_keeps_the_old_fleet_serving(aws: Aws) -> None:
    aws.config("kept", {"v": aws.model("kept", {"VERSION": "kept"})})
    aws.config("bad", {"v": aws.model("bad", {"EXIT_AT_START": "1"})})
    aws.endpoint("rolled-back", "kept")
    processes = children()
    with Load(aws, "rolled-back", per_second=40) as load:
        eventually(lambda: load.answers)
        aws.sagemaker.update_endpoint(EndpointName="rolled-back", EndpointConfigName="bad")
        described = aws.settled("rolled-back")
    assert load.failures == []
    assert set(load.answers) == {b"kept"}
    assert (described["EndpointStatus"], described["EndpointConfigName"]) == ("InService", "kept")
    assert "the model is broken" in described["FailureReason"]
    eventually(lambda: children() <= processes)
    aws.config("mended", {"v": "kept"})
    aws.sagemaker.update_endpoint(EndpointName="rolled-back", EndpointConfigName="mended")
    assert "FailureReason" not in aws.settled("rolled-back")
    aws.delete("rolled-back")


def test_a_request_that_is_being_answered_outlives_its_fleet(aws: Aws, hold: Path) -> None:
    held = {"VERSION": "slow", "HELD_WHILE": str(hold)}
    aws.config("slow", {"v": aws.model("slow", held)})
    aws.config("fast", {"v": aws.model("fast", {"VERSION": "fast"})})
    aws.endpoint("patient", "slow")
    answers: list[bytes] = []
    pipeline = threading.Thread(target=lambda: answers.append(aws.ask("patient", b"which")))
    pipeline.start()
    eventually(lambda: aws.status()["endpoints"][0]["variants"][0]["in_flight"] == 1)
    aws.sagemaker.update_endpoint(EndpointName="patient", EndpointConfigName="fast")
    aws.settled("patient")
    assert aws.ask("patient", b"which") == b"fast"
    assert answers == []
    hold.unlink()
    pipeline.join()
    assert answers == [b"slow"]
    aws.delete("patient")


def test_a_config_may_be_deleted_while_it_serves(aws: Aws) -> None:
    aws.config("unbound", {"v": aws.model("unbound", {"VERSION": "1"})})
    aws.endpoint("unbound", "unbound")
    aws.sagemaker.delete_endpoint_config(EndpointConfigName="unbound")
    aws.sagemaker.delete_model(ModelName="unbound")
    assert aws.ask("unbound", b"which") == b"1"
    with pytest.raises(ClientError, match="Could not find endpoint configuration"):
        aws.sagemaker.update_endpoint(EndpointName="unbound", EndpointConfigName="unbound")
    aws.delete("unbound")


def test_a_model_deleted_before_the_endpoint_fails_it(aws: Aws) -> None:
    aws.config("modelless", {"v": aws.model("modelless")})
    aws.sagemaker.delete_model(ModelName="modelless")
    failed = aws.endpoint("modelless", "modelless")
    assert failed["FailureReason"].startswith('Could not find model "arn:')
    aws.delete("modelless")


def test_a_server_that_dies_is_started_again_and_counted(aws: Aws) -> None:
    aws.config("mortal", {"v": aws.model("mortal")})
    aws.endpoint("mortal", "mortal")
    first = int(aws.ask("mortal", b"pid"))
    os.kill(first, signal.SIGKILL)
    eventually(lambda: aws.status()["endpoints"][0]["variants"][0]["restarts"] == 1)
    eventually(lambda: aws.status()["endpoints"][0]["variants"][0].get("pid", first) != first)

    def answers() -> bytes | None:
        try:
            return aws.ask("mortal", b"abc")
        except ClientError:
            return None

    assert eventually(answers) == b"cba"
    assert int(aws.ask("mortal", b"pid")) != first
    aws.delete("mortal")


def test_weights_change_without_a_new_fleet(aws: Aws) -> None:
    aws.model("one", {"VERSION": "1"})
    aws.model("two", {"VERSION": "2"})
    aws.config("weights", {"a": "one", "b": "two"}, b=0)
    aws.endpoint("weights", "weights")
    processes = children()
    assert {aws.ask("weights", b"which") for _ in range(20)} == {b"1"}
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="weights",
        DesiredWeightsAndCapacities=[
            {"VariantName": "a", "DesiredWeight": 0},
            {"VariantName": "b", "DesiredWeight": 2, "DesiredInstanceCount": 3},
        ],
    )
    assert {aws.ask("weights", b"which") for _ in range(20)} == {b"2"}
    a, b = aws.settled("weights")["ProductionVariants"]
    assert (a["CurrentWeight"], b["CurrentWeight"]) == (0.0, 2.0)
    assert (a["CurrentInstanceCount"], b["CurrentInstanceCount"]) == (1, 3)
    assert children() <= processes
    with pytest.raises(ClientError, match=r"Variant 'c' is not of endpoint .*; it has a, b"):
        aws.sagemaker.update_endpoint_weights_and_capacities(
            EndpointName="weights", DesiredWeightsAndCapacities=[{"VariantName": "c"}]
        )
    aws.delete("weights")


def test_requests_are_shared_out_by_weight(aws: Aws) -> None:
    aws.model("share-a", {"VERSION": "a"})
    aws.model("share-b", {"VERSION": "b"})
    aws.config("shares", {"a": "share-a", "b": "share-b"}, a=9, b=1)
    aws.endpoint("shares", "shares")
    share = sum(aws.ask("shares", b"which") == b"b" for _ in range(300)) / 300
    assert 0.02 < share < 0.25  # one in ten; outside of this once in 10^6 runs
    aws.delete("shares")


def test_logs_outlive_their_endpoint(aws: Aws) -> None:
    aws.config("logged", {"v": aws.model("logged", {"VERSION": "seven"})})
    aws.endpoint("logged", "logged")
    log = Path(aws.status()["endpoints"][0]["variants"][0]["log"])
    aws.delete("logged")
    assert log.read_text() == "stand-in: version seven\n"


def test_what_a_killed_run_has_left_is_not_mixed_in(aws: Aws) -> None:
    state = aws.gateway.context.state_dir
    for number in range(200):  # whatever number the next fleet has
        folder = state / "endpoints" / "eu-west-1" / "left" / f"v-{number}"
        folder.mkdir(parents=True)
        (folder / "stale").touch()
        log = state / "logs" / "endpoints" / "eu-west-1" / "left" / f"v-{number}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("stale")
    aws.config("left", {"v": aws.model("left", {"VERSION": "new"})})
    aws.endpoint("left", "left")
    log = Path(aws.status()["endpoints"][0]["variants"][0]["log"])
    assert log.read_text() == "stand-in: version new\n"
    assert not (state / "endpoints" / "eu-west-1" / "left" / log.stem / "stale").exists()
    aws.delete("left")


def test_archives_are_read_when_the_endpoint_is_made(aws: Aws) -> None:
    content = archive({"weights": os.urandom(20_000_000)})
    aws.s3.put_object(Bucket="models", Key="large.tar.gz", Body=content)
    aws.config("large", {"v": aws.model("large", ModelDataUrl="s3://models/large.tar.gz")})
    assert aws.endpoint("large", "large")["EndpointStatus"] == "InService"
    aws.delete("large")

"""What servers and jobs write, in CloudWatch Logs and in the files that are read from there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.errors import NotFound
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from sagemaker_serving.local_sagemaker.observability import log_shipper
from sagemaker_serving.local_sagemaker.observability.log_files import endpoint_log
from sagemaker_serving.local_sagemaker.observability.log_reading import EndpointLogs
from sagemaker_serving.local_sagemaker.observability.log_shipper import LogStream
from tests.local_aws.aws import IMAGE, REGION, Aws, eventually, service_in


def lines(aws: Aws, group: str) -> dict[str, list[str]]:
    """Every line of a log group by stream."""
    service_in(aws.gateway, SageMaker).flush()
    logs = aws.client("logs")
    if group not in [g["logGroupName"] for g in logs.describe_log_groups()["logGroups"]]:
        return {}
    found = {}
    for stream in logs.describe_log_streams(logGroupName=group)["logStreams"]:
        name = stream["logStreamName"]
        events = logs.get_log_events(logGroupName=group, logStreamName=name, startFromHead=True)
        found[name] = [event["message"] for event in events["events"]]
    return found


def test_an_endpoints_lines_are_in_the_group_of_its_name(aws: Aws) -> None:
    aws.config("said", {"v": aws.model("said", {"VERSION": "seven"})})
    aws.endpoint("said", "said")
    ((stream, found),) = lines(aws, "/aws/sagemaker/Endpoints/said").items()
    assert re.fullmatch(r"v/i-[0-9a-f]{17}", stream)
    assert found == ["stand-in: version seven"]
    aws.delete("said")


def test_an_endpoint_that_failed_has_its_last_words_there(aws: Aws) -> None:
    aws.config("last", {"v": aws.model("last", {"EXIT_AT_START": "1"})})
    aws.endpoint("last", "last")
    (found,) = lines(aws, "/aws/sagemaker/Endpoints/last").values()
    assert found[-1] == "stand-in: the model is broken"
    aws.delete("last")


def test_a_role_that_may_not_log_has_no_logs_and_serves(aws: Aws) -> None:
    role = aws.role(
        "mute", "sagemaker", {"Effect": "Allow", "Action": ["s3:*", "ecr:*"], "Resource": "*"}
    )
    container = {
        "Image": IMAGE,
        "ModelDataUrl": "s3://models/model.tar.gz",
    }
    aws.sagemaker.create_model(ModelName="mute", ExecutionRoleArn=role, PrimaryContainer=container)
    aws.config("mute", {"v": "mute"})
    assert aws.endpoint("mute", "mute")["EndpointStatus"] == "InService"
    assert lines(aws, "/aws/sagemaker/Endpoints/mute") == {}
    assert aws.ask("mute", b"ab") == b"ba"
    aws.delete("mute")


def test_a_restart_is_written_into_the_servers_log(aws: Aws) -> None:
    aws.config("again", {"v": aws.model("again")})
    aws.endpoint("again", "again")
    with pytest.raises(Exception, match="could not get a response"):
        aws.ask("again", b"die")
    noted = "[local AWS: the model server has ended; restart 1 in 0.5 s]"

    def restarted() -> bool:
        (found,) = lines(aws, "/aws/sagemaker/Endpoints/again").values()
        return noted in found and found[-1] == "stand-in: version None" and len(found) == 3

    eventually(restarted)
    aws.delete("again")


def test_a_log_without_end_is_cut_and_says_so(
    aws: Aws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_shipper, "MAX_BEHIND_BYTES", 3 * log_shipper.CHUNK_BYTES)
    path = tmp_path / "endless.log"
    path.write_text("".join(f"line {number}\n" for number in range(40_000)))
    stream = LogStream(path=path, group="/endless", stream="s", region=REGION, role_arn=None)
    shipper = log_shipper.LogShipper(aws.gateway.context)
    shipper.follow(stream)
    shipper.flush()
    found = lines(aws, "/endless")["s"]
    assert re.fullmatch(r"\[local AWS: \d+ bytes of the log were left out.*\]", found[0])
    assert found[-1] == "line 39999"
    shipper.close()


def test_a_log_that_is_finished_is_sent_at_once_and_may_be_flushed_at_the_same_time(
    aws: Aws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_shipper, "SHIP_SECONDS", 600.0)
    shipper = log_shipper.LogShipper(aws.gateway.context)
    for number in range(30):
        path = tmp_path / f"{number}.log"
        path.write_text("last words")
        stream = LogStream(
            path=path, group="/finished", stream=str(number), region=REGION, role_arn=None
        )
        shipper.follow(stream)
        shipper.finish(stream)
        if number < 29:
            shipper.flush()
    eventually(lambda: len(lines(aws, "/finished")) == 30)
    assert set(map(tuple, lines(aws, "/finished").values())) == {("last words",)}
    shipper.close()


def write(folder: Path, place: str, text: str, endpoint: str = "chat") -> Path:
    path = endpoint_log(folder, REGION, endpoint, place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_the_last_lines_are_those_of_the_newest_server(tmp_path: Path) -> None:
    write(tmp_path, "v-9", "older\n")
    write(tmp_path, "v-10", "one\ntwo\nthree\n")
    logs = EndpointLogs(tmp_path, REGION, "chat")
    assert [line.text for line in logs.last(2)] == ["two", "three"]
    assert [line.text for line in EndpointLogs(tmp_path, REGION, "chat").last(0)] == []


def test_a_variant_is_picked_by_its_name(tmp_path: Path) -> None:
    write(tmp_path, "blue-1", "b\n")
    write(tmp_path, "green-1", "g\n")
    assert EndpointLogs(tmp_path, REGION, "chat").variants == ["blue", "green"]
    only = EndpointLogs(tmp_path, REGION, "chat", "green")
    assert [line.text for line in only.last(5)] == ["g"]


def test_what_has_no_log_is_named_with_what_was_meant(tmp_path: Path) -> None:
    write(tmp_path, "blue-1", "b\n")
    with pytest.raises(NotFound, match=r"no endpoint 'chta' .*; did you mean 'chat'"):
        EndpointLogs(tmp_path, REGION, "chta")
    with pytest.raises(NotFound, match="no variant 'bleu' of 'chat' has a log; did you mean 'blu"):
        EndpointLogs(tmp_path, REGION, "chat", "bleu")
    with pytest.raises(NotFound, match="there are none yet"):
        EndpointLogs(tmp_path, "us-east-1", "chat")


def test_following_gives_each_new_line_once_and_newer_servers_too(tmp_path: Path) -> None:
    path = write(tmp_path, "v-1", "one\npart")
    logs = EndpointLogs(tmp_path, REGION, "chat")
    assert [line.text for line in logs.last(5)] == ["one"]
    steps: list[Callable[[], object]] = [
        lambda: path.write_text("one\npartial\ntwo\n"),
        lambda: write(tmp_path, "v-2", "new\n"),
        lambda: write(tmp_path, "v-2", "new\n"),
    ]

    def goes_on() -> bool:
        if steps:
            steps.pop(0)()
        return bool(steps)

    assert [line.text for line in logs.follow(goes_on)] == ["partial", "two", "new"]


@given(
    st.lists(st.text(st.characters(exclude_characters="\n\r", codec="utf-8"))), st.integers(0, 9)
)
def test_the_last_lines_are_those_of_the_file(
    tmp_path_factory: Any, texts: list[str], count: int
) -> None:
    folder = tmp_path_factory.mktemp("logs")
    write(folder, "v-1", "".join(f"{text}\n" for text in texts))
    found = EndpointLogs(folder, REGION, "chat").last(count)
    assert [line.text for line in found] == (texts[-count:] if count else [])

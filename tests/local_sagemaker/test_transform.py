"""Transform jobs: what they read, ask, write, and how they end."""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
from collections.abc import Mapping
from itertools import count
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from tests.local_aws.aws import REGION, Aws, children, eventually, service_in
from tests.local_sagemaker.record_files import (
    recordio,
    recordio_frame,
    tfrecord,
    tfrecord_frame,
)

SEE_LOGS = "See job logs for more information"
_numbers = count(1)


def job(aws: Aws, source: str, **more: Any) -> str:
    """Start a job over ``s3://models/<source>`` with output under ``out/<its name>``."""
    name = f"job-{next(_numbers)}"
    parameters: dict[str, Any] = {
        "TransformJobName": name,
        "ModelName": "echo",
        "TransformInput": {
            "DataSource": {
                "S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": f"s3://models/{source}"}
            },
            **more.pop("TransformInput", {}),
        },
        "TransformOutput": {
            "S3OutputPath": f"s3://models/out/{name}",
            **more.pop("TransformOutput", {}),
        },
        "TransformResources": {"InstanceType": "ml.m5.large", "InstanceCount": 1},
        **more,
    }
    aws.sagemaker.create_transform_job(**parameters)
    return name


def ended(aws: Aws, name: str) -> Any:
    def look() -> Any:
        described = aws.sagemaker.describe_transform_job(TransformJobName=name)
        status = described["TransformJobStatus"]
        return described if status in ("Completed", "Failed", "Stopped") else None

    return eventually(look)


def put(aws: Aws, files: Mapping[str, bytes]) -> None:
    for key, content in files.items():
        aws.s3.put_object(Bucket="models", Key=key, Body=content)


def outputs(aws: Aws, name: str) -> dict[str, bytes]:
    prefix = f"out/{name}/"
    listed = aws.s3.list_objects_v2(Bucket="models", Prefix=prefix).get("Contents", [])
    return {
        entry["Key"].removeprefix(prefix): aws.s3.get_object(Bucket="models", Key=entry["Key"])[
            "Body"
        ].read()
        for entry in listed
    }


def data_log(aws: Aws, name: str) -> list[str]:
    """What the job's data log says of objects, without its times."""
    logs = aws.gateway.context.state_dir / "logs" / "transform" / REGION
    lines = (logs / f"{name}.data.log").read_text().splitlines()
    said = [re.sub(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}:", "", line) for line in lines]
    assert all(line.startswith("[sagemaker logs]: ") for line in said)
    return [line.removeprefix("[sagemaker logs]: ") for line in said]


@pytest.fixture(scope="module", autouse=True)
def models(aws: Aws) -> None:
    aws.model("echo")
    aws.model("slow", {"SLEEP": "0.2"})
    aws.model("very-slow", {"SLEEP": "60"})
    aws.model("broken", {"EXIT_AT_START": "1"})
    put(
        aws,
        {
            "in/": b"",
            "in/a.csv": b"1,2\n3,4\n",
            "in/deeper/b.csv": b"5\n",
            "mixed/1": b"ab",
            "mixed/2": b"please refuse",
            "mixed/3": b"cd",
            "mixed/4": b"refuse this too",
            "crash/1": b"fail",
            "binary/image.png": bytes(range(256)),
        },
    )


def test_every_object_under_the_prefix_has_an_output(aws: Aws) -> None:
    name = job(aws, "in/")
    described = ended(aws, name)
    assert described["TransformJobStatus"] == "Completed"
    assert described["TransformEndTime"] >= described["TransformStartTime"]
    assert outputs(aws, name) == {
        "a.csv.out": b"\n4,3\n2,1",
        "deeper/b.csv.out": b"\n5",
    }


def test_keys_are_relative_to_the_folder_of_the_prefix(aws: Aws) -> None:
    name = job(aws, "in/a")
    ended(aws, name)
    assert list(outputs(aws, name)) == ["a.csv.out"]


def test_bytes_go_in_and_come_out_as_they_are(aws: Aws) -> None:
    name = job(aws, "binary/", TransformInput={"ContentType": "application/x-image"})
    ended(aws, name)
    assert outputs(aws, name) == {"image.png.out": bytes(range(256))[::-1]}


@pytest.mark.parametrize(
    ("strategy", "assemble_with", "expected"),
    [
        ("SingleRecord", "Line", b"2,1\n4,3\n"),
        ("SingleRecord", "None", b"2,14,3"),
        ("MultiRecord", "Line", b"4,3\n2,1\n"),
        ("MultiRecord", "None", b"4,3\n2,1"),
    ],
)
def test_lines_are_asked_by_strategy_and_assembled(
    aws: Aws, strategy: str, assemble_with: str, expected: bytes
) -> None:
    name = job(
        aws,
        "in/a.csv",
        BatchStrategy=strategy,
        TransformInput={"SplitType": "Line", "ContentType": "text/csv"},
        TransformOutput={"AssembleWith": assemble_with, "Accept": "text/csv"},
    )
    assert ended(aws, name)["TransformJobStatus"] == "Completed"
    assert outputs(aws, name) == {"a.csv.out": expected}


def test_answers_stay_in_order_however_many_are_asked_at_once(aws: Aws) -> None:
    lines = [b"%04d" % number for number in range(500)]
    put(aws, {"many/lines": b"\n".join(lines)})
    name = job(
        aws,
        "many/",
        BatchStrategy="SingleRecord",
        MaxConcurrentTransforms=8,
        TransformInput={"SplitType": "Line"},
        TransformOutput={"AssembleWith": "Line"},
    )
    ended(aws, name)
    assert outputs(aws, name)["lines.out"].splitlines() == [line[::-1] for line in lines]


def test_requests_run_at_once_up_to_the_concurrency(aws: Aws) -> None:
    put(aws, {f"parallel/{number}": b"x" for number in range(10)})
    seconds = {}
    for concurrency in (1, 10):
        began = time.monotonic()
        name = job(aws, "parallel/", ModelName="slow", MaxConcurrentTransforms=concurrency)
        assert ended(aws, name)["TransformJobStatus"] == "Completed"
        seconds[concurrency] = time.monotonic() - began
    assert seconds[1] > 2.0 > seconds[10]


def test_a_bad_object_fails_the_job_but_not_the_others(aws: Aws) -> None:
    name = job(aws, "mixed/")
    failed = ended(aws, name)
    assert failed["TransformJobStatus"] == "Failed"
    assert failed["FailureReason"] == f"ClientError: {SEE_LOGS}"
    assert outputs(aws, name) == {"1.out": b"ba", "3.out": b"dc"}
    assert data_log(aws, name) == [
        "MaxConcurrentTransforms=1, MaxPayloadInMB=6, BatchStrategy=MULTI_RECORD",
        "models/mixed/2: ClientError: 400",
        "models/mixed/2: ",
        "models/mixed/2: Message:",
        'models/mixed/2: {"error": "not a number"}',
        "models/mixed/4: ClientError: 400",
        "models/mixed/4: ",
        "models/mixed/4: Message:",
        'models/mixed/4: {"error": "not a number"}',
    ]


def test_the_data_log_is_a_stream_beside_the_containers(aws: Aws) -> None:
    name = job(aws, "mixed/2", MaxConcurrentTransforms=2, MaxPayloadInMB=1)
    ended(aws, name)
    service_in(aws.gateway, SageMaker).flush()
    logs = aws.client("logs")
    group = {"logGroupName": "/aws/sagemaker/TransformJobs"}
    streams = logs.describe_log_streams(**group, logStreamNamePrefix=f"{name}/")["logStreams"]
    container, data = sorted(stream["logStreamName"] for stream in streams)
    assert re.fullmatch(rf"{name}/i-[0-9a-f]{{17}}-\d+", container)
    assert data == f"{container}/data-log"
    events = logs.get_log_events(**group, logStreamName=data)["events"]
    assert events[0]["message"].endswith(
        "[sagemaker logs]: MaxConcurrentTransforms=2, MaxPayloadInMB=1, BatchStrategy=MULTI_RECORD"
    )
    assert events[1]["message"].endswith("[sagemaker logs]: models/mixed/2: ClientError: 400")


def test_a_bad_line_leaves_its_file_without_output(aws: Aws) -> None:
    put(aws, {"lines/good": b"a\nb\n", "lines/poisoned": b"a\nrefuse\nb\n"})
    name = job(aws, "lines/", BatchStrategy="SingleRecord", TransformInput={"SplitType": "Line"})
    assert ended(aws, name)["FailureReason"] == f"ClientError: {SEE_LOGS}"
    assert "models/lines/poisoned: ClientError: 400" in data_log(aws, name)
    assert list(outputs(aws, name)) == ["good.out"]


def test_a_server_error_is_an_algorithm_error_after_the_retries(aws: Aws) -> None:
    name = job(aws, "crash/", ModelClientConfig={"InvocationsMaxRetries": 1})
    assert ended(aws, name)["FailureReason"] == f"AlgorithmError: {SEE_LOGS}"
    assert data_log(aws, name)[1:] == [
        "models/crash/1: Bad HTTP status received from algorithm: 500",
        "models/crash/1: ",
        "models/crash/1: Message:",
        "models/crash/1: broken",
    ]


@pytest.mark.parametrize("retries", [0, 2])
def test_a_server_error_is_asked_again_as_often_as_the_job_says(aws: Aws, retries: int) -> None:
    put(aws, {"counted/1": b"count and fail", "counted/2": b"count and refuse"})
    model = aws.model(f"counting-{retries}")
    name = job(
        aws, "counted/", ModelName=model, ModelClientConfig={"InvocationsMaxRetries": retries}
    )
    ended(aws, name)
    log = aws.gateway.context.state_dir / "logs" / "transform" / REGION / f"{name}.log"
    asked = [line for line in log.read_text().splitlines() if line.startswith("counted: ")]
    assert asked == ["counted: count and fail"] * (1 + retries) + ["counted: count and refuse"]


def test_a_container_that_ends_fails_the_rest_of_the_objects(aws: Aws) -> None:
    put(aws, {"deadly/1": b"ab", "deadly/2": b"die", "deadly/3": b"cd"})
    name = job(aws, "deadly/")
    assert ended(aws, name)["FailureReason"] == f"AlgorithmError: {SEE_LOGS}"
    assert outputs(aws, name) == {"1.out": b"ba"}
    said = data_log(aws, name)
    for number in (2, 3):
        assert f"models/deadly/{number}: Unable to get response from algorithm" in said


def test_a_model_that_is_too_slow_is_an_algorithm_error(aws: Aws) -> None:
    name = job(
        aws,
        "binary/",
        ModelName="very-slow",
        ModelClientConfig={"InvocationsMaxRetries": 0, "InvocationsTimeoutInSeconds": 1},
    )
    assert ended(aws, name)["FailureReason"] == f"AlgorithmError: {SEE_LOGS}"
    assert data_log(aws, name)[1:] == [
        "models/binary/image.png: Unable to get response from algorithm",
        "models/binary/image.png: [local AWS: no answer within 1 s]",
    ]


def test_a_record_over_the_payload_is_named(aws: Aws) -> None:
    put(aws, {"large/lines": b"small\n" + b"x" * (1024 * 1024 + 1)})
    name = job(aws, "large/", MaxPayloadInMB=1, TransformInput={"SplitType": "Line"})
    assert ended(aws, name)["FailureReason"] == f"ClientError: {SEE_LOGS}"
    assert data_log(aws, name)[1:] == [
        "models/large/lines: record 2 has 1048577 bytes, more than the 1048576 of MaxPayloadInMB"
    ]


def test_max_payload_zero_has_no_limit_and_is_sent_in_chunks(aws: Aws) -> None:
    put(aws, {"unbounded/1": b"x" * (7 * 1024 * 1024), "unbounded/2": b"headers"})
    name = job(aws, "unbounded/", MaxPayloadInMB=0)
    assert ended(aws, name)["TransformJobStatus"] == "Completed"
    written = outputs(aws, name)
    assert len(written["1.out"]) == 7 * 1024 * 1024
    headers = json.loads(written["2.out"])
    assert headers["Transfer-Encoding"] == "chunked"
    assert "Content-Length" not in headers


def test_a_model_that_does_not_start_fails_the_job_with_its_log(aws: Aws) -> None:
    before = children()
    reason = ended(aws, job(aws, "in/", ModelName="broken"))["FailureReason"]
    assert "did not pass the ping health check" in reason
    assert reason.endswith("the model is broken")
    assert children() == before


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("nothing/here", 'No S3 objects found under S3 URL "s3://models/nothing/here"'),
        ("in/deeper/c", "No S3 objects found"),
    ],
)
def test_a_job_over_an_empty_prefix_is_refused(aws: Aws, source: str, why: str) -> None:
    with pytest.raises(ClientError, match=why) as refused:
        job(aws, source)
    assert refused.value.response["Error"]["Code"] == "ValidationException"


def test_an_output_bucket_that_is_not_there_fails_the_job(aws: Aws) -> None:
    name = job(aws, "in/", TransformOutput={"S3OutputPath": "s3://no-such-bucket/out"})
    assert "NoSuchBucket" in ended(aws, name)["FailureReason"]


def test_a_manifest_names_the_objects(aws: Aws) -> None:
    manifest = [{"prefix": "s3://models/in/"}, "deeper/b.csv"]
    put(aws, {"manifest.json": json.dumps(manifest).encode()})
    source = {"S3DataType": "ManifestFile", "S3Uri": "s3://models/manifest.json"}
    name = job(aws, "", TransformInput={"DataSource": {"S3DataSource": source}})
    assert ended(aws, name)["TransformJobStatus"] == "Completed"
    assert outputs(aws, name) == {"deeper/b.csv.out": b"\n5"}


def test_an_object_that_a_manifest_names_in_vain_does_not_keep_the_others(aws: Aws) -> None:
    manifest = [{"prefix": "s3://models/in/"}, "absent.csv", "a.csv"]
    put(aws, {"manifest.json": json.dumps(manifest).encode()})
    source = {"S3DataType": "ManifestFile", "S3Uri": "s3://models/manifest.json"}
    name = job(aws, "", TransformInput={"DataSource": {"S3DataSource": source}})
    assert ended(aws, name)["FailureReason"] == f"ClientError: {SEE_LOGS}"
    assert data_log(aws, name)[1].startswith("models/in/absent.csv: ")
    assert list(outputs(aws, name)) == ["a.csv.out"]


@pytest.mark.parametrize(
    "manifest",
    [b"", b"{}", b"[]", b'[{"prefix": "s3://models/"}]', b"[1]", b'[{"prefix": 1}, "a"]'],
)
def test_a_manifest_that_is_none_fails_the_job(aws: Aws, manifest: bytes) -> None:
    put(aws, {"bad-manifest.json": manifest})
    source = {"S3DataType": "ManifestFile", "S3Uri": "s3://models/bad-manifest.json"}
    name = job(aws, "", TransformInput={"DataSource": {"S3DataSource": source}})
    assert 'The manifest at "s3://models/bad-manifest.json"' in ended(aws, name)["FailureReason"]


def test_the_container_knows_that_it_is_a_batch(aws: Aws) -> None:
    put(aws, {"environment/it": b"environment"})
    name = job(
        aws,
        "environment/",
        ModelName=aws.model("with-environment", {"A": "model", "B": "model"}),
        Environment={"B": "job", "C": "job"},
        MaxPayloadInMB=2,
        MaxConcurrentTransforms=3,
        BatchStrategy="SingleRecord",
    )
    ended(aws, name)
    environment = json.loads(outputs(aws, name)["it.out"])
    assert {key: environment[key] for key in "ABC"} == {"A": "model", "B": "job", "C": "job"}
    assert environment["SAGEMAKER_BATCH"] == "true"
    assert environment["SAGEMAKER_MAX_PAYLOAD_IN_MB"] == "2"
    assert environment["SAGEMAKER_MAX_CONCURRENT_TRANSFORMS"] == "3"
    assert environment["SAGEMAKER_BATCH_STRATEGY"] == "SINGLE_RECORD"


def test_the_container_is_told_only_what_the_job_was_given(aws: Aws) -> None:
    put(aws, {"environment/it": b"environment"})
    name = job(aws, "environment/", MaxConcurrentTransforms=0)
    ended(aws, name)
    environment = json.loads(outputs(aws, name)["it.out"])
    assert [key for key in environment if key.startswith("SAGEMAKER_")] == ["SAGEMAKER_BATCH"]


def test_a_job_is_stopped_in_the_middle(aws: Aws) -> None:
    before = children()
    name = job(aws, "in/", ModelName="very-slow")
    eventually(lambda: children() - before)
    aws.sagemaker.stop_transform_job(TransformJobName=name)
    assert ended(aws, name)["TransformJobStatus"] == "Stopped"
    assert children() == before
    with pytest.raises(ClientError, match="because the transform job is in status Stopped"):
        aws.sagemaker.stop_transform_job(TransformJobName=name)


def test_no_process_is_left_when_a_job_has_ended(aws: Aws) -> None:
    before = children()
    ended(aws, job(aws, "in/"))
    assert children() == before
    assert list(aws.gateway.context.state_dir.glob("transform/*/*")) == []


def test_a_name_is_used_once(aws: Aws) -> None:
    name = job(aws, "in/")
    with pytest.raises(ClientError) as refused:
        job(aws, "in/", TransformJobName=name)
    assert refused.value.response["Error"] == {
        "Code": "ResourceInUse",
        "Message": "Job name must be unique within an AWS account and region, and a job with this "
        f"name already exists (arn:aws:sagemaker:eu-west-1:123456789012:transform-job/{name})",
    }
    ended(aws, name)


def test_a_job_needs_its_model(aws: Aws) -> None:
    with pytest.raises(ClientError, match=r'Could not find model "arn:.*:model/absent"'):
        job(aws, "in/", ModelName="absent")


def test_an_unknown_job_is_not_found(aws: Aws) -> None:
    with pytest.raises(aws.sagemaker.exceptions.ResourceNotFound, match="Requested resource not"):
        aws.sagemaker.describe_transform_job(TransformJobName="absent")


@pytest.mark.parametrize(
    ("split_type", "write", "frame"),
    [("RecordIO", recordio, recordio_frame), ("TFRecord", tfrecord, tfrecord_frame)],
)
def test_records_are_asked_bare_or_framed(
    aws: Aws, split_type: str, write: Any, frame: Any
) -> None:
    put(aws, {f"{split_type}/records": write([b"ab", b"cde"])})
    source = {"SplitType": split_type}
    name = job(aws, f"{split_type}/", BatchStrategy="SingleRecord", TransformInput=dict(source))
    ended(aws, name)
    assert outputs(aws, name) == {"records.out": b"ba" + b"edc"}
    name = job(aws, f"{split_type}/", TransformInput=dict(source))
    ended(aws, name)
    assert outputs(aws, name) == {"records.out": (frame(b"ab") + frame(b"cde"))[::-1]}


def test_a_damaged_file_keeps_no_other_from_its_output(aws: Aws) -> None:
    sound = tfrecord([b"ab", b"cde"])
    put(aws, {"damaged/1": sound, "damaged/2": sound.replace(b"cde", b"cdf"), "damaged/3": sound})
    name = job(
        aws, "damaged/", BatchStrategy="SingleRecord", TransformInput={"SplitType": "TFRecord"}
    )
    assert ended(aws, name)["FailureReason"] == f"ClientError: {SEE_LOGS}"
    assert outputs(aws, name) == {"1.out": b"baedc", "3.out": b"baedc"}
    assert data_log(aws, name)[1:] == [
        "models/damaged/2: not a TFRecord file: record 2, at byte 18, has data with another CRC"
    ]


def test_gzip_is_unpacked_and_the_output_is_plain(aws: Aws) -> None:
    put(aws, {"packed/a.csv.gz": gzip.compress(b"1,2\n3,4\n"), "packed/b.csv": b"1,2\n"})
    name = job(aws, "packed/", TransformInput={"CompressionType": "Gzip", "SplitType": "Line"})
    assert ended(aws, name)["TransformJobStatus"] == "Failed"
    assert outputs(aws, name) == {"a.csv.gz.out": b"4,3\n2,1"}
    assert data_log(aws, name)[1].startswith("models/packed/b.csv: not a gzip file")


JOINED: dict[str, Any] = {
    "TransformInput": {"SplitType": "Line", "ContentType": "text/csv"},
    "TransformOutput": {"AssembleWith": "Line", "Accept": "text/csv"},
}


def test_answers_are_joined_to_what_the_model_did_not_see(aws: Aws) -> None:
    put(aws, {"ids/rows.csv": b"id-1,12\nid-2,34\n"})
    name = job(
        aws,
        "ids/",
        BatchStrategy="SingleRecord",
        DataProcessing={
            "InputFilter": "$[1:]",
            "JoinSource": "Input",
            "OutputFilter": "$[0,-1]",
        },
        **{key: dict(value) for key, value in JOINED.items()},
    )
    assert ended(aws, name)["TransformJobStatus"] == "Completed"
    assert outputs(aws, name) == {"rows.csv.out": b"id-1,21\nid-2,43\n"}
    described = aws.sagemaker.describe_transform_job(TransformJobName=name)
    assert described["DataProcessing"]["OutputFilter"] == "$[0,-1]"


def test_an_answer_that_cannot_be_joined_fails_its_object_only(aws: Aws) -> None:
    put(aws, {"unjoined/1": b"1,2\n", "unjoined/2": b'a,"b"c\n'})
    name = job(
        aws,
        "unjoined/",
        DataProcessing={"JoinSource": "Input"},
        **{key: dict(value) for key, value in JOINED.items()},
    )
    assert ended(aws, name)["FailureReason"] == f"ClientError: {SEE_LOGS}"
    assert outputs(aws, name) == {"1.out": b"1,2,2,1\n"}
    assert data_log(aws, name)[1].startswith("models/unjoined/2: Failed to parse output")


def test_a_path_that_sagemaker_does_not_read_fails_the_job(aws: Aws) -> None:
    name = job(
        aws,
        "in/",
        DataProcessing={"OutputFilter": "$[0:2,5:]"},
        **{key: dict(value) for key, value in JOINED.items()},
    )
    assert ended(aws, name)["FailureReason"] == f"ClientError: {SEE_LOGS}"
    assert data_log(aws, name) == [
        "Invalid JsonPath: $[0:2,5:]: only single range filters of format (eg: [1:5]) are "
        "supported. Format [0:2,5:] is not supported"
    ]


def test_a_path_with_an_operator_that_it_does_not_know_is_refused(aws: Aws) -> None:
    with pytest.raises(ClientError, match=r'Invalid InputFilter: "\$\.\.a"|Unexpected "\."'):
        job(
            aws,
            "in/",
            DataProcessing={"InputFilter": "$..a"},
            **{key: dict(value) for key, value in JOINED.items()},
        )


def test_outputs_are_encrypted_under_the_key_of_the_job(aws: Aws) -> None:
    key = aws.client("kms").create_key()["KeyMetadata"]["Arn"]
    name = job(aws, "in/a", TransformOutput={"KmsKeyId": key})
    assert ended(aws, name)["TransformJobStatus"] == "Completed"
    head = aws.s3.head_object(Bucket="models", Key=f"out/{name}/a.csv.out")
    assert (head["ServerSideEncryption"], head["SSEKMSKeyId"]) == ("aws:kms", key)


def test_payloads_at_once_are_bounded(aws: Aws) -> None:
    with pytest.raises(ClientError, match=r"MaxConcurrentTransforms \(20\) times MaxPayloadInMB"):
        job(aws, "in/", MaxConcurrentTransforms=20)


def test_jobs_are_listed_by_status(aws: Aws) -> None:
    name = job(aws, "mixed/")
    ended(aws, name)
    listed = aws.sagemaker.list_transform_jobs(StatusEquals="Failed", NameContains=name)
    (summary,) = listed["TransformJobSummaries"]
    assert summary["TransformJobStatus"] == "Failed"
    assert summary["FailureReason"] == f"ClientError: {SEE_LOGS}"
    assert {found["name"]: found["status"] for found in aws.status()["transform_jobs"]}[
        name
    ] == "Failed"


def test_two_jobs_at_once_keep_to_themselves(aws: Aws) -> None:
    names: list[str] = []
    threads = [threading.Thread(target=lambda: names.append(job(aws, "in/"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in names:
        assert ended(aws, name)["TransformJobStatus"] == "Completed"
        assert len(outputs(aws, name)) == 2

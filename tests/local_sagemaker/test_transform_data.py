"""Transform jobs: what they read, the forms of records, and what they write."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.store import Region
from sagemaker_serving.local_sagemaker.transform_jobs.jobs import check_transform_job
from tests.local_aws.aws import Aws
from tests.local_sagemaker.transforming import SEE_LOGS, data_log, ended, job, outputs, put


@pytest.fixture(scope="module", autouse=True)
def models(aws: Aws) -> None:
    aws.model("echo")
    put(
        aws,
        {
            "in/": b"",
            "in/a.csv": b"1,2\n3,4\n",
            "in/deeper/b.csv": b"5\n",
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


def test_max_payload_zero_has_no_limit_and_is_sent_in_chunks(aws: Aws) -> None:
    put(aws, {"unbounded/1": b"x" * (7 * 1024 * 1024), "unbounded/2": b"headers"})
    name = job(aws, "unbounded/", MaxPayloadInMB=0)
    assert ended(aws, name)["TransformJobStatus"] == "Completed"
    written = outputs(aws, name)
    assert len(written["1.out"]) == 7 * 1024 * 1024
    headers = json.loads(written["2.out"])
    assert headers["Transfer-Encoding"] == "chunked"
    assert "Content-Length" not in headers


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


CSV = ({"ContentType": "text/csv", "SplitType": "Line"}, {"Accept": "text/csv"})
JSON = {"ContentType": "application/jsonlines"}, {"Accept": "application/jsonlines"}
JOIN = {"JoinSource": "Input"}


def check(source: dict[str, str], output: dict[str, str], **more: Any) -> None:
    region = Region("eu-west-1", "123456789012")
    check_transform_job(region, {"TransformInput": source, "TransformOutput": output, **more})


@pytest.mark.parametrize(
    ("source", "output", "given"),
    [
        ({}, {}, {}),
        ({}, {}, {"InputFilter": "$", "OutputFilter": "$", "JoinSource": "None"}),
        (*CSV, {"InputFilter": "$[1:]"}),
        (CSV[0], {**CSV[1], "AssembleWith": "Line"}, {**JOIN, "OutputFilter": "$[0, -1]"}),
        (CSV[0], {"Accept": "application/json"}, {"OutputFilter": "$['class']"}),
        (*JSON, JOIN),
        (
            {"ContentType": "application/json; charset=utf-8", "SplitType": "Line"},
            {"Accept": "Application/JSON", "AssembleWith": "Line"},
            JOIN,
        ),
    ],
)
def test_what_aws_documents_is_taken(
    source: dict[str, str], output: dict[str, str], given: dict[str, str]
) -> None:
    check(source, output, DataProcessing=given)


@pytest.mark.parametrize(
    ("source", "output", "given", "why"),
    [
        (*JSON, {**JOIN, "OutputFilter": "$['account_id','SageMakerOutput']"},
         "Invalid OutputFilter: \"$['account_id','SageMakerOutput']\". Unexpected \"_\" in "
         'JsonPath. Supported operators for "application/jsonlines" are '
         "['$', '[', ']', '*', '.', ' ', ',', ':', '-', ''']"),
        (*JSON, {"InputFilter": "$[?(@.x)]"}, 'Unexpected "?" in JsonPath'),
        (*CSV, {"InputFilter": "$.id"}, 'Unexpected "." in JsonPath'),
        ({"ContentType": "image/png"}, {}, {"InputFilter": "$[0]"},
         "ContentType is 'image/png'; filters and the join know"),
        ({}, {}, {"InputFilter": "$[0]"}, "ContentType is missing; filters"),
        (JSON[0], {}, {"OutputFilter": "$.x"}, "Accept is missing; filters"),
        ({"ContentType": "text/csv"}, {}, {"InputFilter": "$[0]"},
         "SplitType is None and ContentType is 'text/csv'"),
        (*CSV, {"OutputFilter": "$[0]"}, "AssembleWith is None and Accept is 'text/csv'"),
        (JSON[0], {"Accept": "application/json"}, JOIN, "the join needs both to be the same"),
        (JSON[0], {**JSON[1], "AssembleWith": "Line"}, JOIN,
         "AssembleWith is 'Line'; the join needs both"),
        ({**JSON[0], "SplitType": "TFRecord"}, JSON[1], {"InputFilter": "$.x"},
         "SplitType is 'TFRecord'; filters and the join know JSON and CSV only"),
    ],
)  # fmt: skip
def test_what_cannot_be_filtered_or_joined_is_refused(
    source: dict[str, str], output: dict[str, str], given: dict[str, str], why: str
) -> None:
    with pytest.raises(AwsError) as refused:
        check(source, output, DataProcessing=given)
    assert refused.value.code == "ValidationException"
    assert why in refused.value.message


@pytest.mark.parametrize(("concurrency", "payload"), [(1, 100), (100, 1), (16, None), (50, 0)])
def test_payloads_at_once_are_bounded(concurrency: int, payload: int | None) -> None:
    given = {} if payload is None else {"MaxPayloadInMB": payload}
    check({}, {}, MaxConcurrentTransforms=concurrency, **given)
    if payload != 0:
        with pytest.raises(AwsError, match=r"a job takes 100"):
            check({}, {}, MaxConcurrentTransforms=concurrency + 1, **given)

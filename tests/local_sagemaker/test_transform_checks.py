"""What CreateTransformJob refuses, in which words, and the nearest that it takes."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.store import Region
from sagemaker_serving.local_sagemaker.transform_jobs.jobs import check_transform_job

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

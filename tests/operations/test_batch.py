from __future__ import annotations

import pytest

from local_aws.gateway import Gateway
from sagemaker_serving.errors import NotFound
from sagemaker_serving.operations import BatchPipeline
from sagemaker_serving.operations.batch_report import BatchReport
from tests.local_aws.aws import client_of


def test_a_pipeline_that_is_not_deployed_is_named_with_what_to_do(gateway: Gateway) -> None:
    with pytest.raises(NotFound, match="give the model a batch_transform block and deploy it"):
        BatchPipeline("prod", "digits", client_of(gateway))


def test_a_handler_s_trace_is_left_to_the_list() -> None:
    error = "500 Message: 1 feature. Traceback (most recent call last): File x, line 1"
    report = BatchReport(
        status="QUARANTINED",
        seconds=1,
        counts={},
        quarantine_uri="s3://b/q",
        page_uri="s3://b/r",
        reasons=[{"first": {"object": "b.json"}, "lines": 3, "error": error}],
        quarantined=[],
        unaccounted=[],
    )
    assert report.first_reasons(5) == ["b.json: 500 Message: 1 feature., and 2 like it"]

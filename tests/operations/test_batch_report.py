"""A batch's report, as a terminal shows it."""

from __future__ import annotations

from sagemaker_serving.operations.batch_report import BatchReport


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

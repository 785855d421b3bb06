"""How large a request may be, by the kind of endpoint; in bytes, each with its source."""

from __future__ import annotations

from dataclasses import dataclass, replace

MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class PayloadLimits:
    """``split`` is what requests of several records are filled up to, ``most`` what one may be.

    Both in bytes; ``split`` is at most ``most``. ``documented`` is what AWS says of it, "" where
    the number says all.
    """

    split: int
    most: int
    documented: str = ""


REAL_TIME = PayloadLimits(
    split=6_291_456,
    most=25 * MIB,
    documented=(
        "AWS documents 25 MB for InvokeEndpoint "
        "(docs.aws.amazon.com/sagemaker/latest/dg/hosting-faqs.html); its service model has 6 MB, "
        "and 5 MB was the limit once: try it in your account before you rely on more"
    ),
)
"""InvokeEndpoint. botocore's service model says 6,291,456 bytes (``BodyBlob``, boto3 1.44.5); once
it was "HTTP content length exceeded 5246976 bytes" (aws/sagemaker-python-sdk#171). So batches are
split where the sources of today agree, and a record that cannot be split may have what the hosting
FAQ grants."""

SERVERLESS = PayloadLimits(split=4 * MIB, most=4 * MIB)
"""4 MB, request and response each
(docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints-invoke.html)."""

ASYNCHRONOUS = PayloadLimits(split=25 * MIB, most=1024 * MIB)
"""1 GB (docs.aws.amazon.com/sagemaker/latest/dg/async-inference.html). Batches
are split earlier, so that few of their requests are in memory at once."""

INLINE_BYTES = 128_000
"""What InvokeEndpointAsync takes in the request itself, without an object in S3 (botocore's
service model, boto3 1.44.5)."""

ROUTED_BYTES = 6 * MIB
"""What InvokeInferenceRouter takes (botocore's service model, boto3 1.44.5)."""


def narrowest(limits: list[PayloadLimits]) -> PayloadLimits:
    """What every one of ``limits`` allows; `REAL_TIME` for none."""
    if not limits:
        return REAL_TIME
    return replace(min(limits, key=lambda one: one.most), split=min(one.split for one in limits))

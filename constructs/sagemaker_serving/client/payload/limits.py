"""How large a request may be, by the kind of endpoint; in bytes, each with its source."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class PayloadLimits:
    """``split`` is what requests of several records are filled up to, ``most`` what one may be.

    Both in bytes; ``split`` is at most ``most``.
    """

    split: int
    most: int


REAL_TIME = PayloadLimits(split=6_291_456, most=25 * MIB)
"""InvokeEndpoint. botocore's service model says 6,291,456 bytes (``BodyBlob``, boto3 1.44.5); the
hosting FAQ says 25 MB (docs.aws.amazon.com/sagemaker/latest/dg/hosting-faqs.html). So batches are
split where both agree, and a record that cannot be split may have
what the FAQ grants."""

SERVERLESS = PayloadLimits(split=4 * MIB, most=4 * MIB)
"""4 MB, request and response each
(docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints-invoke.html)."""

ASYNCHRONOUS = PayloadLimits(split=25 * MIB, most=1024 * MIB)
"""1 GB (docs.aws.amazon.com/sagemaker/latest/dg/async-inference.html). Batches
are split earlier, so that few of their requests are in memory at once."""

INLINE_BYTES = 128_000
"""What InvokeEndpointAsync takes in the request itself, without an object in S3 (botocore's
service model, boto3 1.44.5)."""


def narrowest(limits: list[PayloadLimits]) -> PayloadLimits:
    """What every one of ``limits`` allows; `REAL_TIME` for none."""
    if not limits:
        return REAL_TIME
    return PayloadLimits(
        split=min(one.split for one in limits), most=min(one.most for one in limits)
    )

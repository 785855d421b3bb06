"""What it costs to verify a call's signature, in the calls of real clients."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, Ratio
from local_aws.gateway import Gateway

REGION = "eu-west-1"
CALLS = 500
WARM_UP = 20
MB = 1 << 20


def measure() -> Iterable[Figure | Ratio]:
    """p50 and p99 of the verification alone, and its share of the call, kind by kind."""
    with tempfile.TemporaryDirectory() as folder:
        gateway = Gateway(Path(folder), region=REGION)
        gateway.start()
        try:
            spent = _timed(gateway)
            for name, call in _calls(gateway).items():
                whole = _seconds(call, spent)
                verifying = spent[-CALLS:]
                cuts = statistics.quantiles(verifying, n=100)
                share = statistics.median(verifying) / statistics.median(whole)
                yield (
                    f"{name}: verified, p50",
                    f"{cuts[49] * 1000:.2f} ms of {statistics.median(whole) * 1000:.1f} ms, "
                    f"{share:.0%}",
                )
                yield f"{name}: verified, p99", f"{cuts[98] * 1000:.2f} ms"
        finally:
            gateway.stop()


def _timed(gateway: Gateway) -> list[float]:
    """The list to which each verification of the gateway adds its seconds from now on."""
    spent: list[float] = []
    authenticate = gateway._authenticator.authenticate

    def timed(environ: dict[str, Any]) -> Any:
        began = time.perf_counter()
        try:
            return authenticate(environ)
        finally:
            spent.append(time.perf_counter() - began)

    gateway._authenticator.authenticate = timed  # type: ignore[method-assign]
    return spent


def _calls(gateway: Gateway) -> dict[str, Callable[[], object]]:
    client = gateway.context.client
    s3, sts = client("s3", REGION), client("sts", REGION)
    s3.create_bucket(Bucket="bench", CreateBucketConfiguration={"LocationConstraint": REGION})
    iam = client("iam", REGION)
    trust = {
        "Effect": "Allow",
        "Principal": {"AWS": f"arn:aws:iam::{gateway.context.account_id}:root"},
        "Action": "sts:AssumeRole",
    }
    arn = iam.create_role(
        RoleName="bench",
        AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]}),
    )["Role"]["Arn"]
    session = gateway.context.sessions.assume(arn, "bench")
    as_role = gateway.context.client_as(session, "sts", REGION)
    return {
        "JSON, SageMaker ListModels": client("sagemaker", REGION).list_models,
        "a form, STS GetCallerIdentity": sts.get_caller_identity,
        "a session, STS GetCallerIdentity": as_role.get_caller_identity,
        "1 MB, S3 PutObject": lambda: s3.put_object(Bucket="bench", Key="k", Body=bytes(MB)),
    }


def _seconds(call: Callable[[], object], spent: list[float]) -> list[float]:
    for _ in range(WARM_UP):
        call()
    spent.clear()
    seconds = []
    for _ in range(CALLS):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return seconds


if __name__ == "__main__":
    for figure in measure():
        print(figure)

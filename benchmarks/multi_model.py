"""A hundred models behind one server, through a memory limit that holds ten."""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.figures import Figure, Ratio
from benchmarks.hosting import ANSWER, BODY, BUCKET, REGION, Hosting, model_files
from local_aws import daemon
from sagemaker_serving.client import Aws
from sagemaker_serving.local_sagemaker.common.settings import MULTI_MODEL_MEMORY_MB

MODELS = 100
HELD = 10
REQUESTS = 300
_METRICS = ("ModelLoadingTime", "ModelUnloadingTime", "ModelCacheHit")


def measure() -> Iterator[Figure | Ratio]:
    """Answers, loads, evictions, and what a request costs with and without a load."""
    files = model_files(nested=False)
    size = sum(map(len, files.values()))
    limit = (HELD + 0.5) * size / 1024 / 1024
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        address = daemon.start(
            state,
            port=0,
            with_parent=True,
            environment={MULTI_MODEL_MEMORY_MB: f"{limit:.6f}"},
        )
        try:
            hosting = Hosting(Aws.at(address, REGION))
            for number in range(MODELS):
                hosting.put(f"many/{number}.tar.gz", files)
            hosting.config("many", f"s3://{BUCKET}/many/", Mode="MultiModel")
            hosting.sagemaker.create_endpoint(EndpointName="many", EndpointConfigName="many")
            assert hosting.in_service("many")["EndpointStatus"] == "InService"
            once = [_ask(hosting, number) for number in range(MODELS)]
            warm = [_ask(hosting, MODELS - 1) for _ in range(100)]
            some = random.Random(0)
            mixed = [
                _ask(hosting, min(int(some.expovariate(0.15)), MODELS - 1)) for _ in range(REQUESTS)
            ]
            time.sleep(6)  # until the requests are in CloudWatch
            counts = {metric: _sum(hosting, metric) for metric in _METRICS}
        finally:
            daemon.stop(state)
    asked = len(once) + len(warm) + len(mixed)
    yield "models, and how many the memory limit holds", f"{MODELS}, {HELD}"
    yield f"right answers of {asked} requests", str(asked)
    yield "loads", f"{counts['ModelLoadingTime']}"
    yield "evictions", f"{counts['ModelUnloadingTime']}"
    left = counts["ModelLoadingTime"] - counts["ModelUnloadingTime"]
    yield Ratio(name="models loaded in the end", value=left, at_most=HELD, at_least=HELD)
    yield "requests that found their model loaded", f"{counts['ModelCacheHit']}"
    yield "a request that fetches and loads, p50", f"{statistics.median(once) * 1000:.0f} ms"
    yield "a request to a loaded model, p50", f"{statistics.median(warm) * 1000:.1f} ms"


def _ask(hosting: Hosting, number: int) -> float:
    """The seconds that a right answer took."""
    began = time.perf_counter()
    answer = hosting.runtime.invoke_endpoint(
        EndpointName="many",
        Body=BODY,
        ContentType="application/json",
        TargetModel=f"{number}.tar.gz",
    )
    found = json.load(answer["Body"])
    assert found == ANSWER, found
    return time.perf_counter() - began


def _sum(hosting: Hosting, metric: str) -> int:
    """How many values the metric has; of ModelCacheHit, how many hits."""
    now = datetime.now(UTC)
    (found,) = hosting.cloudwatch.get_metric_statistics(
        Namespace="AWS/SageMaker",
        MetricName=metric,
        Dimensions=[
            {"Name": "EndpointName", "Value": "many"},
            {"Name": "VariantName", "Value": "cpu"},
        ],
        StartTime=now - timedelta(hours=1),
        EndTime=now + timedelta(minutes=1),
        Period=7200,
        Statistics=["Sum", "SampleCount"],
    )["Datapoints"]
    return int(found["Sum" if metric == "ModelCacheHit" else "SampleCount"])

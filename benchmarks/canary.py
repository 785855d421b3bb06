"""A canary under steady requests: a broken version is rolled back, a good one fails nobody."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, Ratio
from benchmarks.hosting import REGION, Hosting, Steady, model_files
from local_aws import daemon
from local_aws.settings import time_scale_variable
from sagemaker_serving.client import Aws

PER_SECOND = 50
CANARY_PERCENT = 10
BAKE_SECONDS = 300
SCALE = 60
"""SageMaker's waits and alarms' periods pass 60 times as fast: a bake of 5 s, periods of 1 s."""

_BROKEN = b"def handler(data, context):\n    raise RuntimeError('this version is broken')\n"
_ALARM = "canary-errors"


def measure() -> Iterator[Figure | Ratio]:
    """Seconds and failed requests of both deployments."""
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        address = daemon.start(
            state, port=0, with_parent=True, environment={time_scale_variable(): str(SCALE)}
        )
        try:
            hosting = Hosting(Aws.at(address, REGION))
            _prepare(hosting)
            yield from _deploy(hosting, "good")
            yield from _deploy(hosting, "broken")
        finally:
            daemon.stop(state)


def _prepare(hosting: Hosting) -> None:
    files = model_files(nested=True)
    sound = hosting.put("sound.tar.gz", files)
    broken = hosting.put("broken.tar.gz", {**files, "code/inference.py": _BROKEN})
    hosting.config("first", sound)
    hosting.config("good", sound)
    hosting.config("broken", broken)
    dimensions = {"EndpointName": "canary", "VariantName": "cpu"}
    hosting.cloudwatch.put_metric_alarm(
        AlarmName=_ALARM,
        Namespace="AWS/SageMaker",
        MetricName="Invocation5XXErrors",
        Dimensions=[{"Name": name, "Value": value} for name, value in dimensions.items()],
        Statistic="Average",
        Period=60,
        EvaluationPeriods=1,
        Threshold=0.02,
        ComparisonOperator="GreaterThanThreshold",
        TreatMissingData="notBreaching",
    )
    hosting.sagemaker.create_endpoint(EndpointName="canary", EndpointConfigName="first")
    assert hosting.in_service("canary")["EndpointStatus"] == "InService"


def _deploy(hosting: Hosting, config: str) -> Iterator[Figure | Ratio]:
    before = hosting.sagemaker.describe_endpoint(EndpointName="canary")["EndpointConfigName"]
    with Steady(hosting, "canary", PER_SECOND) as load:
        time.sleep(2)
        began = time.perf_counter()
        hosting.sagemaker.update_endpoint(
            EndpointName="canary", EndpointConfigName=config, DeploymentConfig=_deployment()
        )
        shifted = _baking(hosting)
        settled = hosting.in_service("canary")
        ended = time.perf_counter()
        time.sleep(2)
    gone_back = settled["EndpointConfigName"] == before
    assert gone_back == (config == "broken"), settled
    baked = [at for at in (*load.answered, *load.failed) if shifted <= at <= ended]
    what = "rolled back by its alarm" if gone_back else "all traffic on the new version"
    name = f"{config} version"
    yield f"{name}: from UpdateEndpoint to {what}", f"{ended - began:.1f} s"
    yield f"{name}: of that with the canary's {CANARY_PERCENT} %", f"{ended - shifted:.1f} s"
    asked = len(load.answered) + len(load.failed)
    failed = f"{name}: failed requests of {asked}"
    if not gone_back:
        yield Ratio(name=failed, value=len(load.failed), at_most=0)
        return
    yield failed, str(len(load.failed))
    outside = sum(not shifted <= at <= ended for at in load.failed)
    yield Ratio(
        name=f"{name}: failed of the {len(baked)} during the canary",
        value=100 * (len(load.failed) - outside) / len(baked),
        at_most=3 * CANARY_PERCENT,  # a few dozen requests at a chance of one in ten
        unit=" %",
    )
    yield Ratio(name=f"{name}: failed before or after it", value=outside, at_most=0)


def _baking(hosting: Hosting) -> float:
    """When the canary began to get requests."""
    while True:
        found = hosting.sagemaker.describe_endpoint(EndpointName="canary")
        pending = found.get("PendingDeploymentSummary")
        if pending is not None:
            (status,) = pending["ProductionVariants"][0]["VariantStatus"]
            if status["Status"] == "Baking":
                return time.perf_counter()
        time.sleep(0.01)


def _deployment() -> dict[str, Any]:
    size = {"Type": "CAPACITY_PERCENT", "Value": CANARY_PERCENT}
    return {
        "BlueGreenUpdatePolicy": {
            "TrafficRoutingConfiguration": {
                "Type": "CANARY",
                "CanarySize": size,
                "WaitIntervalInSeconds": BAKE_SECONDS,
            }
        },
        "AutoRollbackConfiguration": {"Alarms": [{"AlarmName": _ALARM}]},
    }

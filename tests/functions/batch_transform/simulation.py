"""Whole executions in one process: the function's own steps, and jobs over S3 in memory.

A job cuts, asks and assembles as the local AWS's transform jobs do; its model is a function.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.functions.batch_transform.bisection import bisect
from sagemaker_serving.functions.batch_transform.plan import plan
from sagemaker_serving.functions.batch_transform.reconcile import GROUP, reconcile
from sagemaker_serving.functions.batch_transform.report import report
from sagemaker_serving.functions.batch_transform.run import Run
from sagemaker_serving.functions.batch_transform.shard import Shard
from sagemaker_serving.functions.batch_transform.store import Place, Store
from sagemaker_serving.local_sagemaker.common.jobs import ObjectRefused
from sagemaker_serving.local_sagemaker.transform_jobs.transformation import Transformation
from tests.functions.batch_transform.memory import MemoryS3

Model = Callable[[bytes], bytes | None]
"""Answers a payload; None is a refusal."""


class Simulation:
    """Executions over ``s3``; ``dies`` is how likely a job is killed before each object.

    The first ``over_quota`` jobs are refused; ``quota`` is what the account has of instances.
    """

    def __init__(
        self,
        s3: MemoryS3,
        model: Model,
        *,
        dies: float = 0.0,
        seed: int = 0,
        over_quota: int = 0,
        quota: int = 1,
        in_time: Callable[[], bool] = lambda: True,
    ) -> None:
        self.s3 = s3
        self.jobs = 0
        self.refusal = "ClientError: 400"
        """What the data log says of a payload that the model refuses."""
        self._model = model
        self._dies = dies
        self._over_quota = over_quota
        self._quota = quota
        self._in_time = in_time
        self._chance = random.Random(seed)
        self._said: dict[str, list[str]] = {}

    def execute(self, run: Run) -> Mapping[str, Any]:
        """An execution that has begun, to its report's end; its counts."""
        planned = plan(run, None, lambda: True)
        self.s3.now += planned["doubtful"] > 0
        for shard in range(planned["shards"]):
            self._shard(run, shard)
        counts: Mapping[str, Any] = report(run, None, lambda: True, self.s3.now)["counts"]
        return counts

    def _shard(self, run: Run, number: int) -> None:
        answer = Shard.begin(run, number).next_step()
        while answer["next"] in ("transform", "settle", "isolate"):
            answer = json.loads(json.dumps(answer))
            error = self.job(answer["job"]) if answer["next"] == "transform" else None
            if answer["next"] == "isolate":
                answer = bisect(Shard.load(run, number, answer["after"], lambda: True))
            else:
                shard = Shard.load(run, number, answer["after"], self._in_time)
                answer = reconcile(shard, self, error, self._chance)

    def job(self, job: Mapping[str, Any]) -> dict[str, str] | None:
        """Run a job as SageMaker does; what its state would catch."""
        self.jobs += 1
        self.s3.now += 1
        if self.jobs <= self._over_quota:
            return {
                "Error": "SageMaker.ResourceLimitExceededException",
                "Cause": "The account-level service limit 'ml.m5.large for transform job usage' is "
                f"{self._quota} Instances, with current utilization of {self._quota} Instances and "
                "a request delta of 1 Instances.",
            }
        manifest = Place.parse(job["TransformInput"]["DataSource"]["S3DataSource"]["S3Uri"])
        head, *names = Store(self.s3).read_json(manifest)
        source, place = (
            Place.parse(head["prefix"]),
            Place.parse(job["TransformOutput"]["S3OutputPath"]),
        )
        transformation = Transformation.of(dict(job))
        said = self._said.setdefault(job["TransformJobName"], [])
        for name in names:
            if self._chance.random() < self._dies:
                return _failed(job, "InternalServerError: We encountered an internal error.")
            try:
                output = self._output(transformation, Store(self.s3).read(source / name))
            except (ObjectRefused, ClientError) as refused:
                said.append(f"0:[sagemaker logs]: {source.bucket}/{source.key}{name}: {refused}")
                continue
            self.s3.put_object(Bucket=place.bucket, Key=f"{place.key}{name}.out", Body=output)
        return _failed(job, "ClientError: See job logs for more information") if said else None

    def _output(self, transformation: Transformation, body: bytes) -> bytes:
        cut = transformation.cut(body)
        answers = []
        for payload in cut.payloads:
            answer = self._model(payload.body)
            if answer is None:
                raise ObjectRefused(self.refusal)
            answers.append(answer)
        return transformation.output(cut, answers)

    def describe_log_streams(self, **asked: str) -> dict[str, Any]:
        assert asked["logGroupName"] == GROUP
        return {"logStreams": [{"logStreamName": f"{asked['logStreamNamePrefix']}i-0/data-log"}]}

    def get_log_events(self, *, logStreamName: str, **asked: Any) -> dict[str, Any]:
        lines = self._said[logStreamName.partition("/")[0]]
        events = [] if "nextToken" in asked else [{"message": line} for line in lines]
        return {"events": events, "nextForwardToken": "end"}


def _failed(job: Mapping[str, Any], reason: str) -> dict[str, str]:
    described = {
        "TransformJobName": job["TransformJobName"],
        "TransformJobStatus": "Failed",
        "FailureReason": reason,
    }
    return {"Error": "States.TaskFailed", "Cause": json.dumps(described)}

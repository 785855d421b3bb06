"""Transform jobs: InProgress to Completed, Failed or Stopped, each with a server of its own."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from local_aws.context import LocalContext
from local_aws.faults import Faults
from local_aws.protocol import AwsError
from sagemaker_serving.catalog.json_path import (
    CSV_OPERATORS,
    OPERATORS,
    unexpected_character,
)
from sagemaker_serving.local_sagemaker.common.jobs import JobFailed, JobStopped
from sagemaker_serving.local_sagemaker.common.judged import MODEL, refuse
from sagemaker_serving.local_sagemaker.common.listing import Listing
from sagemaker_serving.local_sagemaker.common.quotas import refuse_beyond
from sagemaker_serving.local_sagemaker.common.runs import Runs
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now
from sagemaker_serving.local_sagemaker.containers.container import MAX_FAILURE_REASON
from sagemaker_serving.local_sagemaker.engines.engines import Engines
from sagemaker_serving.local_sagemaker.models.models import (
    Models,
    container_of,
)
from sagemaker_serving.local_sagemaker.models.roles import role_client
from sagemaker_serving.local_sagemaker.observability.log_files import data_log
from sagemaker_serving.local_sagemaker.observability.log_shipper import LogShipper
from sagemaker_serving.local_sagemaker.observability.metrics import Instance
from sagemaker_serving.local_sagemaker.transform_jobs.inputs import refuse_empty
from sagemaker_serving.local_sagemaker.transform_jobs.run import TransformRun

Parameters = Mapping[str, Any]

_log = logging.getLogger(__name__)


class TransformJobs:
    """CreateTransformJob, DescribeTransformJob, ListTransformJobs, StopTransformJob."""

    _listing = Listing("TransformJob")

    def __init__(
        self,
        context: LocalContext,
        engines: Engines,
        *,
        logs: LogShipper,
        faults: Faults,
        quotas: Mapping[str, float],
    ) -> None:
        self._context = context
        self._engines = engines
        self._logs = logs
        self._faults = faults
        self._quotas = quotas
        self._runs: Runs[TransformRun] = Runs()

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Begin a job; DescribeTransformJob tells when it is done. Names are never used twice."""
        name = parameters["TransformJobName"]
        arn = region.arn("transform-job", name)
        model = Models.find(region, parameters["ModelName"])
        check_transform_job(region, parameters, (MODEL, model))
        container_of(model)  # a job runs one container of one model here
        role = model.get("ExecutionRoleArn")
        refuse_empty(
            role_client(self._context, role, "s3", region.name),
            parameters["TransformInput"]["DataSource"]["S3DataSource"],
            region=region.name,
            role=role,
        )
        with region.lock:
            if name in region.transform_jobs:
                raise AwsError(
                    "ResourceInUse",
                    "Job name must be unique within an AWS account and region, and a job with "
                    f"this name already exists ({arn})",
                )
            running = [
                job
                for job in region.transform_jobs.values()
                if job["TransformJobStatus"] in ("InProgress", "Stopping")
            ]
            wanted, taken = _instances([parameters]), _instances(running)
            refuse_beyond(self._quotas, "transform job", wanted, taken)
            created = now()
            job: Resource = {
                **{member: value for member, value in parameters.items() if member != "Tags"},
                "TransformJobArn": arn,
                "TransformJobStatus": "InProgress",
                "CreationTime": created,
                "TransformStartTime": created,
                "LastModifiedTime": created,
            }
            run = TransformRun(
                job,
                model,
                region=region,
                context=self._context,
                engines=self._engines,
                logs=self._logs,
                faults=self._faults,
            )
            self._runs.admit(arn, run)
            region.transform_jobs[name] = job
            region.tag(arn, parameters.get("Tags"))
        threading.Thread(target=self._work, args=(region, job, run), name=arn, daemon=True).start()
        return {"TransformJobArn": arn}

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The job as it stands now."""
        with region.lock:
            job = _find(region, parameters["TransformJobName"])
            return {name: value for name, value in job.items() if name != "LastModifiedTime"}

    def list(self, region: Region, parameters: Parameters) -> Resource:
        """The jobs of the region, page by page."""
        with region.lock:
            return self._listing.page(region.transform_jobs.values(), parameters)

    def stop(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to end a job; what it has written stays."""
        with region.lock:
            job = _find(region, parameters["TransformJobName"])
            status = job["TransformJobStatus"]
            if status not in ("InProgress", "Stopping"):
                raise AwsError(
                    "ValidationException",
                    f"The request was rejected because the transform job is in status {status}.",
                )
            job["TransformJobStatus"] = "Stopping"
            job["LastModifiedTime"] = now()
        self._runs.stop(job["TransformJobArn"])
        return {}

    def summaries(self, region: Region) -> Sequence[dict[str, Any]]:
        """The jobs as ``local status`` shows them."""
        with region.lock:
            jobs = [
                (job, self._runs.find(job["TransformJobArn"]))
                for job in region.transform_jobs.values()
            ]
        return [
            {
                "name": job["TransformJobName"],
                "region": region.name,
                "status": job["TransformJobStatus"],
                "failure_reason": job.get("FailureReason"),
                "data_log": str(
                    data_log(self._context.state_dir, region.name, job["TransformJobName"])
                ),
                **(run.container.summary() if run is not None else {}),
            }
            for job, run in jobs
        ]

    def instances(self) -> Sequence[Instance]:
        """The processes of the jobs that run now."""
        return [found for run in self._runs.every() if (found := run.instance()) is not None]

    def close(self) -> None:
        """Stop every job that runs, and admit no more."""
        self._runs.close()

    def _work(self, region: Region, job: Resource, run: TransformRun) -> None:
        status, reason = "Completed", None
        try:
            run.run()
        except JobStopped:
            status = "Stopped"
        except JobFailed as failed:
            status, reason = "Failed", str(failed)
        except Exception as error:
            _log.exception("running %s", job["TransformJobArn"])
            status, reason = "Failed", f"InternalServerError: the local AWS failed ({error})"
        run.container.stop()
        with region.lock:
            job["TransformJobStatus"] = status
            if reason is not None:
                job["FailureReason"] = reason[:MAX_FAILURE_REASON]
            job["TransformEndTime"] = job["LastModifiedTime"] = now()
        self._runs.forget(job["TransformJobArn"])
        region.changed()
        self._context.integrations.tell_of_an_end()


def _instances(jobs: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """How many there are for the jobs, by type."""
    counts: Counter[str] = Counter()
    for job in jobs:
        resources = job["TransformResources"]
        counts[resources["InstanceType"]] += resources["InstanceCount"]
    return counts


def _find(region: Region, name: str) -> Resource:
    job = region.transform_jobs.get(name)
    if job is None:
        raise AwsError("ResourceNotFound", "Requested resource not found.")
    return job


def check_transform_job(
    region: Region, parameters: Mapping[str, Any], *named: tuple[str, Resource]
) -> None:
    """Raise `AwsError`, a ValidationException; ``named`` is as of `refuse`."""
    refuse(region, "CreateTransformJob", parameters, *named)
    processing = parameters.get("DataProcessing", {})
    for member, content_type in (
        ("InputFilter", parameters["TransformInput"].get("ContentType")),
        ("OutputFilter", parameters["TransformOutput"].get("Accept")),
    ):
        _check_characters(member, processing.get(member), content_type)


def _check_characters(member: str, path: str | None, content_type: str | None) -> None:
    """In SageMaker's words (github.com/aws/aws-sdk/issues/184)."""
    is_csv = (content_type or "").partition(";")[0].strip().lower() == "text/csv"
    character = unexpected_character(path or "", is_csv=is_csv)
    if character is not None:
        shown = ", ".join(f"'{each}'" for each in (CSV_OPERATORS if is_csv else OPERATORS))
        raise AwsError(
            "ValidationException",
            f'Invalid {member}: "{path}". Unexpected "{character}" in JsonPath. '
            f'Supported operators for "{content_type}" are [{shown}]',
        )

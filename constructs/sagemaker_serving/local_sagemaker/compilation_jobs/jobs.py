"""Compilation jobs: STARTING, INPROGRESS, then COMPLETED, FAILED or STOPPED."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from local_aws.context import LocalContext
from local_aws.faults import Faults
from local_aws.protocol import AwsError
from sagemaker_serving.catalog.neo import neo_image_uri
from sagemaker_serving.errors import Mistake
from sagemaker_serving.local_sagemaker.common.jobs import JobFailed, JobStopped
from sagemaker_serving.local_sagemaker.common.judged import refuse
from sagemaker_serving.local_sagemaker.common.listing import Listing
from sagemaker_serving.local_sagemaker.common.runs import Runs
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now
from sagemaker_serving.local_sagemaker.compilation_jobs.run import (
    CompilationRun,
    artifact_location,
)
from sagemaker_serving.local_sagemaker.containers.container import MAX_FAILURE_REASON
from sagemaker_serving.local_sagemaker.observability.log_shipper import LogShipper

Parameters = Mapping[str, Any]

_DONE = ("COMPLETED", "FAILED", "STOPPED")
_log = logging.getLogger(__name__)


class CompilationJobs:
    """Create-, Describe-, List-, Stop- and DeleteCompilationJob."""

    _listing = Listing("CompilationJob", order="Ascending")

    def __init__(self, context: LocalContext, *, logs: LogShipper, faults: Faults) -> None:
        self._context = context
        self._logs = logs
        self._faults = faults
        self._runs: Runs[CompilationRun] = Runs()

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Begin a job; DescribeCompilationJob tells when it is done."""
        name = parameters["CompilationJobName"]
        arn = region.arn("compilation-job", name)
        if "InputConfig" not in parameters:
            raise AwsError(
                "ValidationException",
                "Either InputConfig or ModelPackageVersionArn must be specified.",
            )
        refuse(region, "CreateCompilationJob", parameters)
        with region.lock:
            if name in region.compilation_jobs:
                raise AwsError(
                    "ResourceInUse",
                    "Job name must be unique within an AWS account and region, and a job with "
                    f"this name already exists ({arn})",
                )
            job = _new(region, arn, parameters)
            run = CompilationRun(
                job, region=region, context=self._context, logs=self._logs, faults=self._faults
            )
            self._runs.admit(arn, run)
            region.compilation_jobs[name] = job
            region.tag(arn, parameters.get("Tags"))
        threading.Thread(target=self._work, args=(region, job, run), name=arn, daemon=True).start()
        return {"CompilationJobArn": arn}

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The job as it stands now; FailureReason of one that is done says what compiled it, if
        anything did (on AWS it is empty)."""
        with region.lock:
            return dict(_find(region, parameters["CompilationJobName"]))

    def list(self, region: Region, parameters: Parameters) -> Resource:
        """The jobs of the region, page by page, the oldest first."""
        with region.lock:
            return self._listing.page(region.compilation_jobs.values(), parameters)

    def stop(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to end a job."""
        with region.lock:
            job = _find(region, parameters["CompilationJobName"])
            status = job["CompilationJobStatus"]
            if status in _DONE:
                raise AwsError(
                    "ValidationException",
                    f"The request was rejected because the compilation job is in status {status}.",
                )
            _move(job, "STOPPING")
        self._runs.stop(job["CompilationJobArn"])
        return {}

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Forget a job that is done; what it has written stays."""
        with region.lock:
            job = _find(region, parameters["CompilationJobName"])
            status = job["CompilationJobStatus"]
            if status not in _DONE:
                raise AwsError(
                    "ValidationException",
                    f"The compilation job is in status {status}; only one in status "
                    f"{', '.join(_DONE)} can be deleted. Stop it first.",
                )
            del region.compilation_jobs[job["CompilationJobName"]]
            region.tags.pop(job["CompilationJobArn"], None)
        return {}

    def summaries(self, region: Region) -> Sequence[dict[str, Any]]:
        """The jobs as ``local status`` shows them."""
        with region.lock:
            return [
                {
                    "name": job["CompilationJobName"],
                    "region": region.name,
                    "status": job["CompilationJobStatus"],
                    "failure_reason": job["FailureReason"] or None,
                }
                for job in region.compilation_jobs.values()
            ]

    def close(self) -> None:
        """Stop every job that runs, and admit no more."""
        self._runs.close()

    def _work(self, region: Region, job: Resource, run: CompilationRun) -> None:
        status, reason, digest = "COMPLETED", "", None
        try:
            run.wait_for_start()
            with region.lock:
                if job["CompilationJobStatus"] == "STARTING":
                    _move(job, "INPROGRESS")
                    job["CompilationStartTime"] = job["LastModifiedTime"]
            digest = run.run()
            reason = run.outcome
        except JobStopped:
            status, reason = "STOPPED", ""
        except JobFailed as failed:
            status, reason = "FAILED", str(failed)
        except Exception as error:
            _log.exception("running %s", job["CompilationJobArn"])
            status, reason = "FAILED", f"InternalServerError: the local AWS failed ({error})"
        run.say(f"{status} {reason}".strip())
        run.finish()
        with region.lock:
            _move(job, status)
            job["FailureReason"] = reason[:MAX_FAILURE_REASON]
            job["CompilationEndTime"] = job["LastModifiedTime"]
            if digest is not None:
                job["ModelDigests"] = {"ArtifactDigest": digest}
        self._runs.forget(job["CompilationJobArn"])
        region.changed()


def _new(region: Region, arn: str, parameters: Parameters) -> Resource:
    created = now()
    job: Resource = {
        **{member: value for member, value in parameters.items() if member != "Tags"},
        "CompilationJobArn": arn,
        "CompilationJobStatus": "STARTING",
        "CreationTime": created,
        "LastModifiedTime": created,
        "FailureReason": "",
        "ModelArtifacts": {"S3ModelArtifacts": artifact_location(dict(parameters))},
    }
    output = parameters["OutputConfig"]
    if "TargetDevice" in output:
        job["CompilationTargetDevice"] = output["TargetDevice"]
    for part, value in output.get("TargetPlatform", {}).items():
        job[f"CompilationTargetPlatform{part}"] = value
    image = _inference_image(region, parameters)
    return job if image is None else {**job, "InferenceImage": image}


def _inference_image(region: Region, parameters: Parameters) -> str | None:
    """The image that serves the result, where the catalog knows one."""
    config, device = parameters["InputConfig"], parameters["OutputConfig"].get("TargetDevice")
    version = config.get("FrameworkVersion")
    if device is None or (version is None and config["Framework"] in _BY_VERSION):
        return None
    try:
        return neo_image_uri(
            framework=config["Framework"],
            version=version if version is not None else "latest",
            region=region.name,
            target_device=device,
        )
    except Mistake:
        return None


_BY_VERSION = ("TENSORFLOW", "PYTORCH", "MXNET")


def _find(region: Region, name: str) -> Resource:
    job = region.compilation_jobs.get(name)
    if job is None:
        raise AwsError("ResourceNotFound", f"Could not find compilation job '{name}'.")
    return job


def _move(job: Resource, status: str) -> None:
    job["CompilationJobStatus"] = status
    job["LastModifiedTime"] = now()

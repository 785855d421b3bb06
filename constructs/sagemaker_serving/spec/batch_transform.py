"""The batch pipeline: what its jobs are, how inputs are cut, what is tried again."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sagemaker_serving.spec.aws import Aws
from sagemaker_serving.spec.base import Spec, first_choice, left_out


class Retry(Spec):
    """How often a kind of failure is tried again, and how long before: the fields of Step
    Functions, always with full jitter. A job that ran to its end begins the budget again."""

    max_attempts: int
    """Tries after the first, 0 or more."""

    interval_seconds: int
    """The longest wait before the first of them, in seconds, 0 or more."""

    backoff_rate: float = 2.0
    """By what the longest wait grows each time, at least 1."""

    max_delay_seconds: int = 900
    """What it does not grow beyond, in seconds."""

    max_wait_seconds: int | None = None
    """How long all waits may be together, in seconds, 0 or more; left out: ``max_attempts`` is the
    only end."""


class Retries(Spec):
    """A budget for each kind of failure that may pass. Refused requests and missing permissions
    are never tried again."""

    throttling: Retry = Retry(max_attempts=10, interval_seconds=2, max_delay_seconds=120)
    """SageMaker was asked too often (default: 10 times, after up to 2 s, 4 s, … 120 s)."""

    capacity: Retry = Retry(max_attempts=1000, interval_seconds=60, max_wait_seconds=6 * 3600)
    """AWS has no such instances now, or the quota is in use, of none of ``instance_types``. By
    default for 6 hours, after up to 1, 2, 4, … 15 minutes each."""

    internal: Retry = Retry(max_attempts=5, interval_seconds=10, max_delay_seconds=300)
    """SageMaker failed, or the container did not start (default: 5 times, after up to 10 s,
    20 s, … 5 minutes)."""


class BatchTransformSettings(Spec):
    """What the batch pipeline's transform jobs have in common, and how inputs are cut and tried
    again."""

    instance_types: Annotated[list[str], Aws()] = Field(default_factory=list)
    """Instance types in order of preference instead of ``instance_type``: a job that AWS has no
    capacity for is run on the next of them at once. All run the same image."""

    instance_type: Annotated[str, Field(default_factory=first_choice), Aws("TransformResources.")]
    """An instance type for transform jobs, such as ``ml.m5.xlarge``; left out with
    ``instance_types``: the first of them."""

    instance_count: Annotated[int, Aws("TransformResources.")] = 1
    """Instances of each job, at least 1."""

    transform_ami_version: Annotated[str | None, Aws("TransformResources.")] = None
    """The software of GPU hosts: ``al2-ami-sagemaker-batch-gpu-470`` or
    ``al2-ami-sagemaker-batch-gpu-535``, named after their NVIDIA drivers. Left out: the one that
    image and instance family need, where that is known; else SageMaker's choice."""

    input_type: Annotated[Literal["S3Prefix", "ManifestFile"], Aws()] = "S3Prefix"
    """What an execution's input is: a prefix, or a manifest, ``[{"prefix": "s3://bucket/path/"},
    "name", …]``."""

    content_type: Annotated[str | None, Aws("TransformInput.")] = None
    """The MIME type of the input, such as ``application/jsonlines``."""

    compression_type: Annotated[Literal["None", "Gzip"], Aws("TransformInput.")] = "None"
    """Whether inputs are gzip files."""

    accept: Annotated[str | None, Aws("TransformOutput.")] = None
    """The MIME type of the output."""

    split_type: Annotated[
        Literal["None", "Line", "RecordIO", "TFRecord"], Aws("TransformInput.")
    ] = "None"
    """How an input object is cut into records; "None": the whole object is one request."""

    batch_strategy: Literal["MultiRecord", "SingleRecord"] | None = None
    """Whether a request carries one record or as many as fit max_payload_in_mb; only with a
    split_type (SageMaker's default: MultiRecord)."""

    assemble_with: Annotated[Literal["None", "Line"], Aws("TransformOutput.")] = "None"
    """How the records' answers are joined into the output object."""

    max_payload_in_mb: Annotated[int | None, Aws("MaxPayloadInMB")] = left_out(6)
    """The largest request in MB, 0 to 100 (default 6; 0: chunked)."""

    max_concurrent_transforms: int | None = None
    """Requests sent at the same time to each instance (default: the container's choice, else 1);
    times max_payload_in_mb at most 100."""

    invocations_timeout_in_seconds: Annotated[int | None, Aws("ModelClientConfig.")] = left_out(600)
    """How long the model may take to answer a request, 1 to 3600 (default 600)."""

    invocations_max_retries: Annotated[int | None, Aws("ModelClientConfig.")] = left_out(3)
    """How often a job retries a request when the model fails, 0 to 3 (default 3)."""

    input_filter: Annotated[str | None, Aws("DataProcessing.")] = None
    """A JSONPath from ``$``, at most 63 letters: the part of each record that the model gets."""

    output_filter: Annotated[str | None, Aws("DataProcessing.")] = None
    """A JSONPath from ``$``, at most 63 letters: the part of each joined answer that is written."""

    join_source: Annotated[Literal["Input", "None"], Aws("DataProcessing.")] = "None"
    """Whether each answer is joined to its record."""

    environment: dict[str, str] = Field(default_factory=dict)
    """Environment variables of the job beside the model's own, at most 16, and 32 KB together:
    ``SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES`` and others."""

    encrypt_volumes: Annotated[bool | None, Aws()] = None
    """Whether jobs' volumes are encrypted with the environment's key (default: yes where there is a
    key, except local NVMe storage, which encrypts itself)."""

    tags: Annotated[dict[str, str], Aws()] = Field(default_factory=dict)
    """Tags of every job."""

    max_objects_per_shard: Annotated[int, Aws()] = 5000
    """The most objects that one job transforms, 1 to 100000."""

    max_bytes_per_shard: Annotated[int, Aws()] = 10 * 1024**3
    """The most bytes that one job transforms, at least 1; a larger object has a job of its own
    (default 10 GiB)."""

    max_concurrent_jobs: Annotated[int, Aws()] = 4
    """Jobs that one execution runs at the same time, 1 to 1000. When their instances exceed the
    account's quota for transform jobs, they wait."""

    max_concurrent_executions: Annotated[int, Aws()] = 10
    """Executions of the pipeline that run at the same time, 1 to 100. Further ones wait for their
    turn, in no order."""

    max_input_objects: Annotated[int | None, Aws()] = None
    """An execution with more objects is refused, at least 1; left out: any number."""

    max_input_bytes: Annotated[int | None, Aws()] = None
    """An execution with more bytes is refused, at least 1; left out: any number."""

    line_per_record: Annotated[bool, Aws()] = False
    """Whether an output has a line for each record of its object: line 7 is the answer to record 7,
    or says why there is none. Needs a split_type, and answers in JSON or text."""

    retries: Annotated[Retries, Aws()] = Retries()
    """How often, and after how long, jobs are retried."""

    fail_on_quarantine: Annotated[bool, Aws()] = False
    """Whether an execution with quarantined records ends as failed. They are listed either way; an
    unlisted object always fails it."""


class BatchTransform(BatchTransformSettings):
    """The batch pipeline: a state machine that runs SageMaker transform jobs."""

    schedule: str | None = None
    """When to transform what is new under the input, ``rate(1 day)`` or ``cron(0 4 * * ? *)``;
    outputs go below ``scheduled/``."""

    arrivals: Literal["objects", "manifests"] | None = None
    """Start on every object, or every ``*.manifest``, that arrives below ``arriving/`` of the
    input, for that object or manifest; outputs go below ``arrived/<its key>/``. At most
    ``max_concurrent_executions`` of these run at once."""

    notification_topic: str | None = "new"
    """The ARN of an SNS topic that gets a message at every end, ``new``: a topic is made in the
    model's stack, or null for none."""

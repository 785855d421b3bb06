"""How an endpoint is watched: alarms, a dashboard, and how long its log is kept."""

from __future__ import annotations

from pydantic import Field

from sagemaker_serving.spec.base import Spec, left_out


class AlarmThresholds(Spec):
    """The values above which alarms of each variant go off; ``null`` means no such alarm.

    An alarm goes off when ``datapoints_to_alarm`` of the last
    ``evaluation_periods`` periods were above. A minute without data, such as
    one without requests, counts as good.
    """

    invocation_5xx_errors_percent: float | None = 1.0
    """Requests that the model failed on, as a percentage of all, 0 to 100."""

    model_latency_p99_milliseconds: float | None = 5000.0
    """The p99 of the time in the container, in milliseconds. The default is how long a caller may
    wait; set what your model needs. Not for asynchronous endpoints, whose requests may take an
    hour."""

    overhead_latency_p99_milliseconds: float | None = 1000.0
    """The p99 of the time that SageMaker adds, in milliseconds. Not for serverless variants, where
    it includes cold starts, nor for asynchronous ones, which do not publish it."""

    cpu_utilization_percent: float | None = 90.0
    """Of all cores of the instance, 0 to 100; instances only."""

    gpu_utilization_percent: float | None = 95.0
    """Of all GPUs of the instance, 0 to 100; instance types with GPUs only. GPU memory has no
    alarm: TensorFlow takes nearly all of it as it starts."""

    memory_utilization_percent: float | None = 90.0
    """Of the instance's memory, or of a serverless variant's, 0 to 100."""

    disk_utilization_percent: float | None = 90.0
    """Of the storage volume, 0 to 100; instances only."""

    serverless_concurrency_percent: float | None = 90.0
    """Of a serverless variant's max_concurrency, 0 to 100: above it requests are throttled."""

    oldest_request_seconds: float | None = 3600.0
    """The waiting time of an asynchronous endpoint's oldest request, in seconds."""

    period_seconds: int = 60
    """Length of one period: 10, 20, 30 or a multiple of 60. SageMaker publishes each minute, or as
    ``metrics_config`` says; shorter periods suit your own metrics and the local AWS."""

    evaluation_periods: int = 3
    """How many of the last periods count, at least 1."""

    datapoints_to_alarm: int | None = left_out(2)
    """How many of them must be above, 1 to ``evaluation_periods``; left out: 2, or all where
    there are fewer."""

    @property
    def datapoints(self) -> int:
        """``datapoints_to_alarm``, or what stands for it."""
        given = self.datapoints_to_alarm
        return given if given is not None else min(2, self.evaluation_periods)


LOG_RETENTION_DAYS = (
    *(1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731),
    *(1096, 1827, 2192, 2557, 2922, 3288, 3653),
)
"""The days that CloudWatch Logs keeps a log group. Source: botocore logs, Days."""


class MetricsConfig(Spec):
    """What an endpoint publishes beside SageMaker's usual metrics, and how often."""

    enable_enhanced_metrics: bool | None = None
    """Whether utilization and requests are published for each instance, too; the dashboard shows
    them (SageMaker's default: no)."""

    enable_detailed_observability: bool | None = None
    """Whether the container's own metrics, each GPU's and each host's go to CloudWatch as
    OpenTelemetry metrics (SageMaker's default: yes)."""

    metric_publish_frequency_in_seconds: int | None = left_out(60)
    """How often: 10, 30, 60, 120, 180, 240 or 300. Requests are published that often only with
    ``enable_enhanced_metrics`` (SageMaker's default: 60)."""


class Monitoring(Spec):
    """Alarms, dashboard and log groups of the endpoints: for all models, or field by field for one.

    With ``production: true`` every endpoint has all of it. Otherwise an endpoint has it where the
    file or the model says so, even as ``monitoring: {}``.
    """

    alarms: bool = True
    """Whether there are alarms. They also roll back an update when they go off during it."""

    alarm_topic_arn: str | None = None
    """An SNS topic of the same region for the alarms, whose policy and key let
    cloudwatch.amazonaws.com publish; left out: one is made for the environment, to which you
    subscribe."""

    thresholds: AlarmThresholds = Field(default_factory=AlarmThresholds)
    """The values above which alarms go off."""

    dashboard: bool = True
    """Whether there is a CloudWatch dashboard ``<environment>-<model>-<region>``."""

    log_retention_days: int | None = 90
    """How many days the endpoint's log is kept, one of CloudWatch's numbers; ``null``: SageMaker
    makes the log group and keeps it for ever."""

    def under(self, above: Monitoring | None) -> Monitoring:
        """This with ``above`` laid over it, field by field; thresholds one by one."""
        if above is None:
            return self
        below, over = self.model_dump(exclude_unset=True), above.model_dump(exclude_unset=True)
        thresholds = {**below.get("thresholds", {}), **over.get("thresholds", {})}
        return Monitoring.model_validate({**below, **over, "thresholds": thresholds})

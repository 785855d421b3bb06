"""Samples of CloudWatch."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import DIMENSIONS, METRIC, TAGS, Sample

_ALARM = {"EvaluationPeriods": 7, "ComparisonOperator": "LessThanThreshold", "Threshold": 41.5}

_ALARMS = (
    "cloudwatch DescribeAlarms AlarmNames=[{Ref}]",
    "cloudwatch ListTagsForResource ResourceARN={Arn}",
)

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::CloudWatch::Alarm": (
        Sample(_ALARMS,
         {**METRIC, **_ALARM, "AlarmName": "lost", "AlarmDescription": "a property was lost",
          "ActionsEnabled": False, "AlarmActions": ["$Topic"], "OKActions": ["$Topic"],
          "InsufficientDataActions": ["$Topic"], "DatapointsToAlarm": 5, "Dimensions": DIMENSIONS,
          "EvaluateLowSampleCountPercentile": "ignore", "ExtendedStatistic": "p93.5", "Period": 240,
          "TreatMissingData": "breaching", "Unit": "Megabytes", "Tags": TAGS},
         needs=(*METRIC, *_ALARM, "ExtendedStatistic", "Period", "AlarmName")),
        Sample(_ALARMS, {**METRIC, **_ALARM, "Statistic": "SampleCount", "Period": 60},
         needs=(*METRIC, *_ALARM, "Statistic", "Period")),
        Sample(_ALARMS,
         {"EvaluationPeriods": 7, "ComparisonOperator": "LessThanLowerOrGreaterThanUpperThreshold",
          "ThresholdMetricId": "band", "Metrics": [{"Id": "band",
          "Expression": "ANOMALY_DETECTION_BAND(m, 2)", "Label": "a band", "Period": 180},
          {"Id": "m", "ReturnData": True, "MetricStat": {"Metric": {**METRIC,
          "Dimensions": DIMENSIONS}, "Period": 120, "Stat": "Maximum", "Unit": "Terabits"}}]},
         needs=("EvaluationPeriods", "ComparisonOperator", "ThresholdMetricId", "Metrics")),
    ),
    "AWS::CloudWatch::Dashboard": (
        Sample(
            (
                "cloudwatch GetDashboard DashboardName={Ref}",
                "cloudwatch ListTagsForResource "
                "ResourceARN=arn:aws:cloudwatch::123456789012:dashboard/{Ref}",
            ),
            {"DashboardName": "lost", "DashboardBody": json.dumps({"widgets": []}), "Tags": TAGS},
        ),
    ),
}  # fmt: skip

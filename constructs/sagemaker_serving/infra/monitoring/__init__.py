"""What watches an endpoint: its metrics, alarms, topic, dashboard and log group."""

from sagemaker_serving.infra.monitoring.alarms import EndpointAlarms
from sagemaker_serving.infra.monitoring.dashboard import EndpointDashboard
from sagemaker_serving.infra.monitoring.metrics import EndpointMetrics, InferenceComponentMetrics
from sagemaker_serving.infra.monitoring.monitoring import EndpointMonitoring
from sagemaker_serving.infra.monitoring.topic import AlarmTopic
from sagemaker_serving.infra.monitoring.watches import WatchedVariant
from sagemaker_serving.spec.monitoring import AlarmThresholds

__all__ = [
    "AlarmThresholds",
    "AlarmTopic",
    "EndpointAlarms",
    "EndpointDashboard",
    "EndpointMetrics",
    "EndpointMonitoring",
    "InferenceComponentMetrics",
    "WatchedVariant",
]

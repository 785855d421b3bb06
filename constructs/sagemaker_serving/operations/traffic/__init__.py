"""Yesterday's traffic: what SageMaker's data capture kept of an endpoint's requests and answers."""

from sagemaker_serving.operations.traffic.capture import Capture, PassedOver, open_capture
from sagemaker_serving.operations.traffic.events import REPLAYED, Captured
from sagemaker_serving.operations.traffic.files import capture_of_endpoint

__all__ = [
    "REPLAYED",
    "Capture",
    "Captured",
    "PassedOver",
    "capture_of_endpoint",
    "open_capture",
]

"""Yesterday's traffic: what SageMaker's data capture kept of an endpoint's requests and answers."""

from sagemaker_serving.operations.traffic.capture import Capture, PassedOver, open_capture
from sagemaker_serving.operations.traffic.events import Captured

__all__ = ["Capture", "Captured", "PassedOver", "open_capture"]

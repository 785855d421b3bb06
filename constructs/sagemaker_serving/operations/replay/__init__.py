"""Captured requests sent to a candidate, and its answers compared with those captured."""

from sagemaker_serving.operations.replay.models import gate_of, target
from sagemaker_serving.operations.replay.page import page
from sagemaker_serving.operations.replay.replaying import Options, replay
from sagemaker_serving.operations.replay.report import OUTCOMES, Different, ReplayReport
from sagemaker_serving.operations.replay.targets import Target

__all__ = [
    "OUTCOMES",
    "Different",
    "Options",
    "ReplayReport",
    "Target",
    "gate_of",
    "page",
    "replay",
    "target",
]

"""A compiled model beside the one that it was made of: how far off, and how much faster."""

from sagemaker_serving.answers.acceptance import misses
from sagemaker_serving.answers.comparison import Comparison, OutputErrors, compare
from sagemaker_serving.operations.compiled.run import Report, Subject, Variant, run

__all__ = [
    "Comparison",
    "OutputErrors",
    "Report",
    "Subject",
    "Variant",
    "compare",
    "misses",
    "run",
]

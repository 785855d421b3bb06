"""How a transform or a compilation job ends before it is done."""

from __future__ import annotations

CLIENT_ERROR = "ClientError"
ALGORITHM_ERROR = "AlgorithmError"
"""What a FailureReason begins with: the input or the request is at fault, or the model."""

NO_CAPACITY = (
    "CapacityError: Unable to provision requested ML compute capacity. "
    "Please retry using a different ML instance type."
)
INTERNAL_ERROR = "InternalServerError: We encountered an internal error.  Please try again."
"""FailureReasons (github.com/DIAGNijmegen/rse-grand-challenge/issues/2631 and
github.com/aws/sagemaker-python-sdk/issues/1758)."""


class JobFailed(Exception):
    """The job ends as Failed; the message is its FailureReason."""


class JobStopped(Exception):
    """The job was stopped before it was done."""


class ObjectRefused(Exception):
    """An input object of a transform job cannot be transformed; the others go on.

    The message is a line of the job's data log.
    """

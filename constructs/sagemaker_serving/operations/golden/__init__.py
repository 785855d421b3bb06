"""Golden requests: what a model answered once, to ask for again and compare.

A golden file is JSON lines, one exchange each; docs/compare.md lists its keys.
"""

from sagemaker_serving.answers.bodies import Answer
from sagemaker_serving.answers.golden_file import Exchange, Request, read_golden, write_golden
from sagemaker_serving.operations.golden.comparing import (
    DEFAULT_TOLERANCE,
    answer_differences,
    differences,
)
from sagemaker_serving.operations.golden.replaying import Replayed, record, replay
from sagemaker_serving.operations.golden.senders import Send, to_endpoint, to_server

__all__ = [
    "DEFAULT_TOLERANCE",
    "Answer",
    "Exchange",
    "Replayed",
    "Request",
    "Send",
    "answer_differences",
    "differences",
    "read_golden",
    "record",
    "replay",
    "to_endpoint",
    "to_server",
    "write_golden",
]

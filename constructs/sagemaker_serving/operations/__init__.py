"""What people do with what is deployed: batches, rollouts, comparisons.

On AWS and the local AWS alike.
"""

from sagemaker_serving.operations.batch import BatchPipeline
from sagemaker_serving.operations.batch_progress import BatchExecution, BatchProgress
from sagemaker_serving.operations.batch_report import BatchReport
from sagemaker_serving.operations.rollback import Rollback, Version, find_rollback, versions
from sagemaker_serving.operations.watch import RolloutEvent, watch

__all__ = [
    "BatchExecution",
    "BatchPipeline",
    "BatchProgress",
    "BatchReport",
    "Rollback",
    "RolloutEvent",
    "Version",
    "find_rollback",
    "versions",
    "watch",
]

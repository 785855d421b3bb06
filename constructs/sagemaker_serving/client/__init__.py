"""Calling what is deployed: predictions, batch pipelines. AWS and the local AWS alike."""

from sagemaker_serving.client.aio import AioPredictor
from sagemaker_serving.client.asynchronous import AsyncInference
from sagemaker_serving.client.aws import Aws
from sagemaker_serving.client.batch import BatchPipeline
from sagemaker_serving.client.batch_execution import BatchExecution
from sagemaker_serving.client.batch_progress import BatchProgress
from sagemaker_serving.client.batch_report import BatchReport
from sagemaker_serving.client.endpoint_facts import EndpointFacts
from sagemaker_serving.client.environments import predictor_of
from sagemaker_serving.client.objects import open_object
from sagemaker_serving.client.prediction import Prediction
from sagemaker_serving.client.predictor import Predictor
from sagemaker_serving.client.retrying import Retries
from sagemaker_serving.client.rollback import Rollback, Version, find_rollback, versions
from sagemaker_serving.client.streaming import lines
from sagemaker_serving.client.tensorflow import TensorFlowPredictor
from sagemaker_serving.client.watch import RolloutEvent, watch

__all__ = [
    "AioPredictor",
    "AsyncInference",
    "Aws",
    "BatchExecution",
    "BatchPipeline",
    "BatchProgress",
    "BatchReport",
    "EndpointFacts",
    "Prediction",
    "Predictor",
    "Retries",
    "Rollback",
    "RolloutEvent",
    "TensorFlowPredictor",
    "Version",
    "find_rollback",
    "lines",
    "open_object",
    "predictor_of",
    "versions",
    "watch",
]

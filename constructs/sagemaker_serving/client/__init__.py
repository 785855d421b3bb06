"""Calling what is deployed: predictions, batch pipelines. AWS and the local AWS alike."""

from sagemaker_serving.client.aws import Aws
from sagemaker_serving.client.batch import BatchExecution, BatchPipeline
from sagemaker_serving.client.objects import open_object
from sagemaker_serving.client.predictor import Prediction, Predictor

__all__ = ["Aws", "BatchExecution", "BatchPipeline", "Prediction", "Predictor", "open_object"]

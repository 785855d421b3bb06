"""Calling what is deployed: predictions, on AWS and the local AWS alike."""

from sagemaker_serving.client.aio import AioPredictor
from sagemaker_serving.client.asynchronous import AsyncInference
from sagemaker_serving.client.aws import Aws
from sagemaker_serving.client.endpoint_facts import EndpointFacts
from sagemaker_serving.client.environments import predictor_of
from sagemaker_serving.client.objects import open_object
from sagemaker_serving.client.options import AsyncRequests, Limits, Model
from sagemaker_serving.client.prediction import Prediction
from sagemaker_serving.client.predictor import Predictor
from sagemaker_serving.client.retrying import Retries
from sagemaker_serving.client.streaming import lines
from sagemaker_serving.client.tensorflow import TensorFlowPredictor

__all__ = [
    "AioPredictor",
    "AsyncInference",
    "AsyncRequests",
    "Aws",
    "EndpointFacts",
    "Limits",
    "Model",
    "Prediction",
    "Predictor",
    "Retries",
    "TensorFlowPredictor",
    "lines",
    "open_object",
    "predictor_of",
]

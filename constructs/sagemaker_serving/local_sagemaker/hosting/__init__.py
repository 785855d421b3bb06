"""What stands behind a variant: one container, a pipeline of them, many models, a cold start."""

from sagemaker_serving.local_sagemaker.hosting.bare import NEEDS_COMPONENT, Bare
from sagemaker_serving.local_sagemaker.hosting.host import Host, Invocation, Observe
from sagemaker_serving.local_sagemaker.hosting.kept import KeptContainer
from sagemaker_serving.local_sagemaker.hosting.multi_model import MultiModel
from sagemaker_serving.local_sagemaker.hosting.pipeline import Pipeline
from sagemaker_serving.local_sagemaker.hosting.serverless import Serverless

__all__ = [
    "NEEDS_COMPONENT",
    "Bare",
    "Host",
    "Invocation",
    "KeptContainer",
    "MultiModel",
    "Observe",
    "Pipeline",
    "Serverless",
]

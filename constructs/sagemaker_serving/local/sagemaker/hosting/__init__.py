"""What stands behind a variant: one container, a pipeline of them, many models, a cold start."""

from .bare import Bare
from .host import Host, Invocation, Observe
from .kept import KeptContainer
from .multi_model import MultiModel
from .pipeline import Pipeline
from .serverless import Serverless

__all__ = [
    "Bare",
    "Host",
    "Invocation",
    "KeptContainer",
    "MultiModel",
    "Observe",
    "Pipeline",
    "Serverless",
]

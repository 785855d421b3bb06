"""What serves already, as an environment file: an endpoint, a router, a template, a plan."""

from sagemaker_serving.operations.adoption.adopting import Adopted, adopt
from sagemaker_serving.operations.adoption.live import live_endpoint
from sagemaker_serving.operations.adoption.routers import live_router

__all__ = ["Adopted", "adopt", "live_endpoint", "live_router"]

"""What serves already, as an environment file: a live endpoint, a template, a Terraform plan."""

from sagemaker_serving.operations.adoption.adopting import Adopted, adopt
from sagemaker_serving.operations.adoption.live import live_endpoint

__all__ = ["Adopted", "adopt", "live_endpoint"]

"""What is deployed: one stage per environment, its storage, and one stack per model."""

from stacks.environment import EnvironmentStage, add_environment
from stacks.serving import ServingStack
from stacks.storage import StorageStack

__all__ = ["EnvironmentStage", "ServingStack", "StorageStack", "add_environment"]

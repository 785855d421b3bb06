"""Tests of CDK apps on a local AWS: what the fixtures of `local_aws.pytest_plugin` give."""

from local_aws.process.faults import FaultsPage
from local_aws.testing.apps import DeployApp, DeployedApp, DeployedStack
from local_aws.testing.running import LocalAws

__all__ = ["DeployApp", "DeployedApp", "DeployedStack", "FaultsPage", "LocalAws"]

"""What commands and the local AWS import when they are called, and the schema that `init` writes,
for all forks."""

from __future__ import annotations

import gc
from importlib import import_module
from pkgutil import walk_packages

gc.disable()

for name in (
    "sagemaker_serving.cli",
    "sagemaker_serving.client",
    "sagemaker_serving.operations",
    "sagemaker_serving.rules",
    "local_aws.cli",
):
    package = import_module(name)
    for module in walk_packages(package.__path__, f"{name}."):
        import_module(module.name)

for name in ("local_aws.gateway", "sagemaker_serving.local_sagemaker.service"):
    import_module(name)

import_module("sagemaker_serving.spec").environment_schema()

# What is here lasts, and a fork that looked through it for garbage would copy all of it.
gc.freeze()
gc.enable()

"""A predictor for a model of an environment file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from local_aws.suggest import instead
from sagemaker_serving.archive import parse_source
from sagemaker_serving.client.aws import Aws
from sagemaker_serving.client.options import Model
from sagemaker_serving.client.predictor import Predictor
from sagemaker_serving.errors import NotFound


def predictor_of(
    environment: Path, name: str, aws: Aws | None = None, *, model: Model = Model(), **options: Any
) -> Predictor:
    """A `Predictor` of the endpoint that model ``name`` of the file ``environment`` is deployed to.

    It knows the signature of an artifact on this machine, and asks AWS in the
    file's region unless ``aws`` says where. ``model`` and ``options`` are those of `Predictor`.
    Raises `ProblemsFound` for a file of the wrong shape, `NotFound` for a model
    that is not in it.
    """
    # Its types take a third of a second to load, which no other call should pay for.
    from sagemaker_serving.spec import read_environment
    from sagemaker_serving.spec.container import on_disk

    deployed = read_environment(environment).sound
    if name not in deployed.models:
        hint = instead(name, deployed.models)
        raise NotFound(f"{environment} has no model {name!r}; {hint}")
    # One in S3 may have gigabytes, all of which would be read to find its signature.
    here = on_disk(deployed.models[name].container().artifact)
    if model.artifact is None and here:
        sources = [parse_source(each, environment.parent) for each in here]
        model = replace(model, artifact=sources)
    return Predictor(
        deployed.endpoint_name(name),
        aws if aws is not None else Aws(region=deployed.region),
        model=model,
        **options,
    )

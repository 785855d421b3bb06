"""A predictor for a model of an environment file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from local_aws.suggest import nearest
from sagemaker_serving.client.aws import Aws
from sagemaker_serving.client.predictor import Predictor
from sagemaker_serving.errors import NotFound


def predictor_of(
    environment: Path, model: str, aws: Aws | None = None, **options: Any
) -> Predictor:
    """A `Predictor` of the endpoint that ``model`` of the file ``environment`` is deployed to.

    It knows the signature of an artifact on this machine, and asks AWS in the
    file's region unless ``aws`` says where. ``options`` are those of `Predictor`.
    Raises `ProblemsFound` for a file of the wrong shape, `NotFound` for a model
    that is not in it.
    """
    # Its types take a third of a second to load, which no other call should pay for.
    from sagemaker_serving.spec import read_environment

    deployed = read_environment(environment).sound
    if model not in deployed.models:
        close = nearest(model, deployed.models)
        known = f"it has {', '.join(deployed.models)}"
        hint = known if close is None else f"did you mean {close}"
        raise NotFound(f"{environment} has no model {model!r}; {hint}")
    artifact = deployed.models[model].container().artifact
    # One in S3 may have gigabytes, all of which would be read to find its signature.
    here = isinstance(artifact, str) and not artifact.startswith("s3://")
    return Predictor(
        deployed.endpoint_name(model),
        aws if aws is not None else Aws(region=deployed.region),
        **{"artifact": environment.parent / str(artifact) if here else None, **options},
    )

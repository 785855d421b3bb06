"""The members of a request beside its body, as SageMaker SDK v2's Predictor puts them together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sagemaker_serving.client.calling import must_be_attributes
from sagemaker_serving.client.options import Model


def members_of(
    endpoint_name: str,
    initial_args: Mapping[str, Any] | None,
    model: Model,
    **given: Any,
) -> dict[str, Any]:
    """``initial_args`` with what is ``given`` laid over it, None left out.

    Which ``model`` of a TensorFlow Serving container is asked is added to the
    custom attributes. Raises `Mistake` for custom attributes that AWS would refuse.
    """
    members = {"EndpointName": endpoint_name, **(initial_args or {})}
    members.update({name: value for name, value in given.items() if value is not None})
    attributes = [members.pop("CustomAttributes", None), _attributes(model)]
    if any(attributes):
        members["CustomAttributes"] = ",".join(text for text in attributes if text)
        must_be_attributes(members["CustomAttributes"])
    return members


def _attributes(model: Model) -> str:
    named = {"tfs-model-name": model.name, "tfs-model-version": model.version}
    return ",".join(f"{key}={value}" for key, value in named.items() if value is not None)

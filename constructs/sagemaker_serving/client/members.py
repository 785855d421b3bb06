"""The members of a request beside its body, as SageMaker SDK v2's Predictor puts them together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sagemaker_serving.client.calling import must_be_attributes


def members_of(
    endpoint_name: str,
    initial_args: Mapping[str, Any] | None,
    *,
    model_attributes: str = "",
    **given: Any,
) -> dict[str, Any]:
    """``initial_args`` with what is ``given`` laid over it, None left out.

    ``model_attributes`` are added to the custom attributes. Raises `Mistake`
    for custom attributes that AWS would refuse.
    """
    members = {"EndpointName": endpoint_name, **(initial_args or {})}
    members.update({name: value for name, value in given.items() if value is not None})
    attributes = [members.pop("CustomAttributes", None), model_attributes]
    if any(attributes):
        members["CustomAttributes"] = ",".join(text for text in attributes if text)
        must_be_attributes(members["CustomAttributes"])
    return members


def tensorflow_attributes(model_name: str | None, model_version: str | int | None) -> str:
    """Which SavedModel of a TensorFlow Serving container is asked, as custom attributes."""
    named = {"tfs-model-name": model_name, "tfs-model-version": model_version}
    return ",".join(f"{key}={value}" for key, value in named.items() if value is not None)

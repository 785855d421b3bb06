"""How often constructs ask CDK: each question is a message to Node and back."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
import pytest
from jsii._kernel.providers.process import _NodeProcess

from sagemaker_serving.infra import (
    ContainerImage,
    Endpoint,
    EndpointConfig,
    ExecutionRole,
    InstanceVariant,
    Model,
    ModelData,
)


def test_one_more_endpoint_asks_node_for_its_own_resources_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """25 were asked for when this was written: what is known of the stack is not asked again."""
    stack = cdk.Stack(cdk.App(), "Stack", env=cdk.Environment(region="eu-west-1"))
    _endpoint(stack, "First")
    asked = []
    send = _NodeProcess.send

    def count(process: Any, request: Any, response: Any) -> Any:
        asked.append(type(request).__name__)
        return send(process, request, response)

    monkeypatch.setattr(_NodeProcess, "send", count)
    _endpoint(stack, "Second")
    assert len(asked) <= 25


def _endpoint(stack: cdk.Stack, name: str) -> None:
    role = ExecutionRole(stack, f"{name}Role")
    model = Model(
        stack,
        f"{name}Model",
        role=role,
        instance_type="ml.c5.large",
        image=ContainerImage.from_catalog("tensorflow", "2.20"),
        model_data=ModelData.from_s3("s3://models/model.tar.gz"),
    )
    variant = InstanceVariant(name="blue", model=model, instance_type="ml.c5.large")
    config = EndpointConfig(stack, f"{name}Config", variants=[variant])
    Endpoint(stack, name, endpoint_name=name.lower(), endpoint_config=config)

"""Production keeps what a deploy replaces, and lets its role read earlier archives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sagemaker_serving.operations.rollback import ENDPOINT_TAG
from stacks import kept_versions


def resources(synthesized: Any, environment: str, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = synthesized.template(environment, "digits").find_resources(kind)
    return found


def test_models_and_config_of_a_production_endpoint_stay(synthesized: Any) -> None:
    models = resources(synthesized, "prod", "AWS::SageMaker::Model")
    kept = {name for name in models if models[name].get("DeletionPolicy") == "RetainExceptOnCreate"}
    assert {name for name in models if name.startswith("Models")} == kept
    (config,) = resources(synthesized, "prod", "AWS::SageMaker::EndpointConfig").values()
    assert config["DeletionPolicy"] == "RetainExceptOnCreate"
    assert {"Key": ENDPOINT_TAG, "Value": "prod-digits"} in config["Properties"]["Tags"]


def test_client_and_stacks_mean_the_same_tag() -> None:
    assert kept_versions.ENDPOINT_TAG == ENDPOINT_TAG


def test_the_role_reads_this_models_archives_and_no_others(synthesized: Any) -> None:
    text = json.dumps(resources(synthesized, "prod", "AWS::IAM::Policy"))
    assert "/prod-digits/*.tar.gz" in text
    assert "/*.tar.gz" not in text.replace("/prod-digits/*.tar.gz", "")
    for model in resources(synthesized, "prod", "AWS::SageMaker::Model").values():
        assert "/prod-digits/" in json.dumps(model["Properties"]["PrimaryContainer"])


@pytest.mark.parametrize("environment", ["dev", "staging"])
def test_elsewhere_nothing_stays(synthesized: Any, environment: str) -> None:
    for kind in ("AWS::SageMaker::Model", "AWS::SageMaker::EndpointConfig"):
        for resource in resources(synthesized, environment, kind).values():
            assert "DeletionPolicy" not in resource
    text = json.dumps(resources(synthesized, environment, "AWS::IAM::Policy"))
    assert "*.tar.gz" not in text

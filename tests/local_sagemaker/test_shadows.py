"""Shadow variants: copies of requests, whose answers nobody gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import Aws, eventually
from tests.local_sagemaker.numbers import figures


def variant(name: str, model: str, weight: float) -> dict[str, Any]:
    return {
        "VariantName": name,
        "ModelName": model,
        "InstanceType": "ml.m5.large",
        "InitialInstanceCount": 1,
        "InitialVariantWeight": weight,
    }


def shadowed(aws: Aws, name: str, weight: float, **environment: str) -> Any:
    aws.model(f"{name}-live", {"VERSION": "live"})
    aws.model(f"{name}-shadow", environment)
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName=name,
        ProductionVariants=[variant("live", f"{name}-live", 2.0)],
        ShadowProductionVariants=[variant("dark", f"{name}-shadow", weight)],
    )
    return aws.endpoint(name, name)


def asked(aws: Aws, endpoint: str, variant: str, metric: str = "Invocations") -> float:
    found = figures(aws, metric, endpoint, variant)
    return 0 if found is None else found["Sum"]


def test_every_request_is_copied_and_the_answer_is_the_production_variants(aws: Aws) -> None:
    described = shadowed(aws, "all", 2.0)
    assert [found["VariantName"] for found in described["ShadowProductionVariants"]] == ["dark"]
    assert [found["VariantName"] for found in described["ProductionVariants"]] == ["live"]
    assert {aws.ask("all", b"which") for _ in range(10)} == {b"live"}
    eventually(lambda: asked(aws, "all", "dark") == asked(aws, "all", "live") == 10)
    aws.delete("all")


def test_a_shadow_that_fails_is_its_own_affair(aws: Aws) -> None:
    shadowed(aws, "frail", 2.0, FAILS="1")
    assert {aws.ask("frail", b"which") for _ in range(5)} == {b"live"}
    eventually(lambda: asked(aws, "frail", "dark", "Invocation5XXErrors") == 5)
    assert asked(aws, "frail", "live", "Invocation5XXErrors") == 0
    rows = aws.status()["endpoints"][0]["variants"]
    assert [(row["name"], "shadow" in row) for row in rows] == [("live", False), ("dark", True)]
    with pytest.raises(ClientError, match="Variant dark not found"):
        aws.ask("frail", b"x", TargetVariant="dark")
    aws.delete("frail")


def test_the_weight_is_the_share_that_is_copied(aws: Aws) -> None:
    shadowed(aws, "some", 1.0)
    for _ in range(200):
        aws.ask("some", b"which")
    eventually(lambda: 50 < asked(aws, "some", "dark") < 150)  # of 100; else once in 10^12 runs

    def weigh(weight: float) -> None:
        aws.sagemaker.update_endpoint_weights_and_capacities(
            EndpointName="some",
            DesiredWeightsAndCapacities=[{"VariantName": "dark", "DesiredWeight": weight}],
        )
        aws.settled("some")

    _, dark = aws.status()["endpoints"][0]["variants"]
    log = Path(dark["log"])
    weigh(0)
    for _ in range(20):
        aws.ask("some", b"count not this")
    weigh(2)
    aws.ask("some", b"count this")
    eventually(lambda: "counted: count this" in log.read_text())
    assert "counted: count not this" not in log.read_text()
    aws.delete("some")


@pytest.mark.parametrize(
    ("production", "shadows", "said"),
    [
        (["a", "b"], ["s"], "ProductionVariants has 2 variants"),
        (["a"], ["s", "t"], "ShadowProductionVariants has 2 variants"),
        (["a"], ["a"], "a variant named 'a' stands above"),
    ],
)
def test_one_shadow_stands_beside_one_variant(
    aws: Aws, production: list[str], shadows: list[str], said: str
) -> None:
    if "any" not in [found["ModelName"] for found in aws.sagemaker.list_models()["Models"]]:
        aws.model("any")
    with pytest.raises(ClientError, match=said):
        aws.sagemaker.create_endpoint_config(
            EndpointConfigName="no",
            ProductionVariants=[variant(name, "any", 1.0) for name in production],
            ShadowProductionVariants=[variant(name, "any", 1.0) for name in shadows],
        )

"""Prices from AWS's list, and what an environment costs by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from botocore.stub import Stubber

from sagemaker_serving.client.aws import Aws
from sagemaker_serving.errors import Failure, Mistake
from sagemaker_serving.operations.prices import Prices, costs, prices_of, together
from sagemaker_serving.spec import Environment

PRICES = Prices(
    read="2026-11-21T00:00:00+00:00",
    currency="USD",
    regions={
        "eu-west-1": {"hosting": {"ml.c5.large": 0.1}, "transform": {"ml.m5.large": 0.2}},
    },
)


def environment(instance_type: str = "ml.c5.large") -> Environment:
    return Environment.model_validate(
        {
            "name": "prod",
            "region": "eu-west-1",
            "models": {
                "digits": {
                    "artifact": "model",
                    "variants": [{"name": "cpu", "instance_type": instance_type}],
                    "scaling": {"cpu": {"min": 2, "max": 5}},
                    "batch_transform": {"instance_type": "ml.m5.large"},
                }
            },
        }
    )


def product(component: str, instance_type: str, price: str, unit: str = "Hrs") -> str:
    dimensions = {"a": {"unit": unit, "pricePerUnit": {"USD": price}}}
    return json.dumps(
        {
            "product": {"attributes": {"component": component, "instanceName": instance_type}},
            "terms": {"OnDemand": {"b": {"priceDimensions": dimensions}}},
        }
    )


def test_instances_cost_by_the_month_and_batches_by_use() -> None:
    endpoint, batch = costs(environment(), PRICES)
    assert [endpoint.floor, endpoint.ceiling] == pytest.approx([146.0, 365.0])
    assert (batch.instances, batch.hourly, batch.floor) == ("by use", 0.2, None)
    assert together([endpoint, batch]) == pytest.approx((146.0, 365.0))


def test_a_missing_price_is_not_guessed_and_leaves_no_sum() -> None:
    found = costs(environment("ml.m5.large"), PRICES)
    assert found[0].hourly is None
    assert together(found) is None


def test_without_a_file_the_message_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"prices --refresh --prices .*prices\.json --region"):
        Prices.load(tmp_path / "prices.json")


def test_a_region_that_the_file_lacks_is_named() -> None:
    other = environment().model_copy(update={"region": "us-east-1"})
    with pytest.raises(Mistake, match="the price file has eu-west-1, not us-east-1"):
        costs(other, PRICES)


def test_only_hourly_prices_of_hosting_and_transform_are_kept(tmp_path: Path) -> None:
    listed = [
        product("Hosting", "ml.c5.large", "0.115"),
        product("Batch Transform", "ml.c5.large", "0.117"),
        product("Training", "ml.c5.large", "9"),
        product("Hosting", "ml.c5.large", "7", unit="GB-Mo"),
    ]
    found = _asked(listed, "eu-central-1")
    assert found.regions["eu-central-1"] == {
        "hosting": {"ml.c5.large": 0.115},
        "transform": {"ml.c5.large": 0.117},
    }
    assert found.regions["eu-west-1"] == PRICES.regions["eu-west-1"]
    found.save(tmp_path / "prices.json")
    assert Prices.load(tmp_path / "prices.json") == found


def test_a_region_without_any_price_fails() -> None:
    with pytest.raises(Failure, match="no SageMaker instance of eu-central-1"):
        _asked([], "eu-central-1")


def _asked(listed: list[str], region: str) -> Prices:
    client: Any = Aws(
        region="us-east-1",
        endpoint_url="http://localhost:1",
        access_key_id="test",
        secret_access_key="test",
    ).client("pricing")
    with Stubber(client) as stubber:
        stubber.add_response(
            "get_products",
            {"PriceList": listed},
            {
                "ServiceCode": "AmazonSageMaker",
                "Filters": [{"Type": "TERM_MATCH", "Field": "regionCode", "Value": region}],
            },
        )
        return prices_of(client, region, PRICES)

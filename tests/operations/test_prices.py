"""Prices from AWS's list, and what an environment costs by them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from botocore.stub import Stubber

from sagemaker_serving.client.aws import Aws
from sagemaker_serving.errors import Failure, Mistake
from sagemaker_serving.operations.prices import Prices, Usage, costs, prices_of, together
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
    endpoint, storage, batch, *data = costs(environment(), PRICES)
    assert [endpoint.floor, endpoint.ceiling] == pytest.approx([146.0, 365.0])
    assert (batch.instances, batch.price, batch.floor) == ("by use", 0.2, None)
    assert (storage.price, storage.unit, storage.instances) == (None, "GB-month", "by use")
    assert [(one.what, one.price) for one in data] == [("data in", None), ("data out", None)]
    assert together([endpoint, storage, batch, *data]) == pytest.approx((146.0, 365.0))


def test_a_missing_price_is_not_guessed_and_leaves_no_sum() -> None:
    found = costs(environment("ml.m5.large"), PRICES)
    assert found[0].price is None
    assert together(found) is None


def test_a_million_requests_cost_what_the_fewest_instances_cost_while_they_come() -> None:
    endpoint, *_ = costs(environment(), PRICES, Usage(requests_per_second=10))
    assert endpoint.million == pytest.approx(0.2 / 36_000 * 1e6), "two of 0.1 an hour"


def test_serverless_requests_cost_their_seconds() -> None:
    prices = replace(PRICES, regions={"eu-west-1": {"serverless": {"2": 0.00004}}})
    model = {
        "artifact": "model",
        "variants": [{"name": "all", "memory_size_in_mb": 2048, "max_concurrency": 5}],
    }
    of = Environment.model_validate(
        {"name": "prod", "region": "eu-west-1", "models": {"digits": model}}
    )
    alone, *_ = costs(of, prices)
    assert (alone.price, alone.unit, alone.million, alone.floor) == (0.00004, "second", None, None)
    asked, *_ = costs(of, prices, Usage(requests_per_second=2, seconds_per_request=0.25))
    assert asked.million == pytest.approx(10.0)
    assert asked.floor == asked.ceiling == pytest.approx(2 * 0.25 * 0.00004 * 730 * 3600)
    assert together([asked]) == (asked.floor, asked.ceiling)


def test_storage_of_a_known_size_is_in_the_month() -> None:
    prices = replace(
        PRICES,
        regions={"eu-west-1": {"hosting": {"ml.c5.large": 0.1}, "storage": {"gp2": 0.5}}},
    )
    of = environment()
    of.models["digits"].variants[0] = (
        of.models["digits"].variants[0].model_copy(update={"volume_size_in_gb": 30})
    )
    _, storage, *_ = costs(of, prices)
    assert (storage.what, storage.floor, storage.ceiling) == ("cpu, storage of 30 GB", 30.0, 75.0)


@pytest.mark.parametrize(("day", "old"), [(21, "today"), (22, "1 day ago"), (30, "9 days ago")])
def test_every_answer_says_source_date_and_age(day: int, old: str) -> None:
    told = PRICES.told("eu-west-1", date(2026, 11, day))
    assert told == (
        "prices of eu-west-1: AWS Price List API, pricing:GetProducts of AmazonSageMaker, "
        f"read 2026-11-21, {old}"
    )


def test_a_region_that_is_updated_leaves_the_others_their_day() -> None:
    found = _asked([product("Hosting", "ml.c5.large", "0.115")], "eu-central-1")
    assert found.dates["eu-west-1"] == PRICES.read
    assert found.dates["eu-central-1"] == found.read


def used(usagetype: str, unit: str, *prices: str) -> str:
    """A product by its usagetype, with a price for each tier, the free one first."""
    dimensions = {
        str(number): {"unit": unit, "pricePerUnit": {"USD": price}}
        for number, price in enumerate(prices)
    }
    return json.dumps(
        {
            "product": {"attributes": {"usagetype": usagetype}},
            "terms": {"OnDemand": {"b": {"priceDimensions": dimensions}}},
        }
    )


def test_what_is_paid_by_use_is_kept_at_its_price_after_what_is_free() -> None:
    found = _asked(
        [
            product("Hosting", "ml.c5.large", "0.115"),
            used("EUC1-ServerlessInf:Mem-4GB", "Second", "0", "0.00008"),
            used("EUC1-ServerlessInf:Mem-4GB-PC", "Second", "9"),
            used("EUC1-Host:VolumeUsage.gp2", "GB-Mo", "0.1428"),
            used("EUC1-Hst:Data-Bytes-In", "GB", "0.016"),
            used("EUC1-Hst:Data-Bytes-Out", "Hrs", "7"),
        ],
        "eu-central-1",
    )
    assert found.regions["eu-central-1"] == {
        "hosting": {"ml.c5.large": 0.115},
        "serverless": {"4": 0.00008},
        "storage": {"gp2": 0.1428},
        "data": {"In": 0.016},
    }


def test_without_a_file_the_message_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"prices --update --prices .*prices\.json --region"):
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

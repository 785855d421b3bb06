"""What instances cost by the hour, from AWS's Price List, kept in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.errors import Failure, Mistake
from sagemaker_serving.spec import Environment
from sagemaker_serving.spec.capacity import Need, needs
from sagemaker_serving.whole_files import write_whole

BY_USE = "by use"
"""In place of a number of instances, for what costs nothing while nothing is asked of it."""

HOURS_PER_MONTH = 730
"""As AWS's own pricing calculator counts a month: 8760 hours through twelve."""

_API_REGIONS = {"cn": "cn-northwest-1"}
_API_REGION = "us-east-1"
"""Where the Price List API answers for every region of the partition.
Source: AWS Billing user guide, "Using the AWS Price List Query API"; read 2026-11-21."""

_COMPONENTS = {"hosting": "hosting", "batchtransform": "transform"}
"""The price list's ``component``, without spaces and in lower case, and our word for it."""


@dataclass(frozen=True, kw_only=True)
class Prices:
    """On-demand prices by the hour: region, then ``hosting`` or ``transform``, then type."""

    read: str
    currency: str
    regions: Mapping[str, Mapping[str, Mapping[str, float]]]

    def save(self, path: Path) -> None:
        """Writes them as JSON."""
        write_whole(path, json.dumps(asdict(self), indent=1, sort_keys=True) + "\n")

    @classmethod
    def load(cls, path: Path) -> Prices:
        """Reads what `save` wrote; raises `Mistake` that says how to get it when it is not there.

        No price is ever guessed.
        """
        try:
            return cls(**json.loads(path.read_text("utf-8")))
        except FileNotFoundError:
            raise Mistake(
                f"{path}: there is no such price file; make it with "
                f"`sagemaker-serving prices --refresh --prices {path} --region <region>`, "
                "which asks AWS's Price List API"
            ) from None
        except (OSError, ValueError, TypeError) as error:
            raise Mistake(f"{path}: this is not a price file: {error}; refresh it") from None

    def of(self, region: str, component: str, instance_type: str) -> float | None:
        """The price of one instance for an hour, None when the list has none."""
        return self.regions.get(region, {}).get(component, {}).get(instance_type)


def read_prices(aws: Aws, region: str, known: Prices | None = None) -> Prices:
    """Asks the Price List API for SageMaker in ``region``; what ``known`` has of others stays.

    Needs ``pricing:GetProducts``. Raises `Failure` when the list has no
    instance of the region.
    """
    home = _API_REGIONS.get(region.partition("-")[0], _API_REGION)
    client = Aws(
        region=home,
        profile=aws.profile,
        endpoint_url=aws.endpoint_url,
        access_key_id=aws.access_key_id,
        secret_access_key=aws.secret_access_key,
    ).client("pricing")
    return prices_of(client, region, known)


def prices_of(client: Any, region: str, known: Prices | None = None) -> Prices:
    """As `read_prices`, with a boto3 client of ``pricing``."""
    found: dict[str, dict[str, float]] = {}
    currency = "CNY" if region.startswith("cn-") else "USD"
    with aws_failures():
        pages = client.get_paginator("get_products").paginate(
            ServiceCode="AmazonSageMaker",
            Filters=[{"Type": "TERM_MATCH", "Field": "regionCode", "Value": region}],
        )
        for page in pages:
            for text in page["PriceList"]:
                for component, instance_type, price in _hourly(json.loads(text), currency):
                    found.setdefault(component, {})[instance_type] = price
    if not found:
        raise Failure(f"AWS's price list has no SageMaker instance of {region}")
    others = dict(known.regions) if known is not None and known.currency == currency else {}
    return Prices(
        read=datetime.now(UTC).isoformat(timespec="seconds"),
        currency=currency,
        regions={**others, region: found},
    )


def _hourly(product: Mapping[str, Any], currency: str) -> Iterator[tuple[str, str, float]]:
    attributes = product["product"]["attributes"]
    component = _COMPONENTS.get(str(attributes.get("component")).replace(" ", "").lower())
    instance_type = attributes.get("instanceName")
    if component is None or instance_type is None:
        return
    for term in product["terms"].get("OnDemand", {}).values():
        for dimension in term["priceDimensions"].values():
            if dimension.get("unit") == "Hrs" and currency in dimension["pricePerUnit"]:
                yield component, instance_type, float(dimension["pricePerUnit"][currency])


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one part of an environment costs: by the hour of one instance, and by the month.

    ``floor`` and ``ceiling`` are of the fewest and the most instances all month
    long; both are None for what is paid by use, batches and serverless
    requests, and where the price file has no price.
    """

    model: str
    what: str
    instances: str
    hourly: float | None
    floor: float | None
    ceiling: float | None


def costs(environment: Environment, prices: Prices) -> list[Cost]:
    """What the instances of every model cost; storage, data and requests are not in it.

    Raises `Mistake` when the file has no prices of the environment's region.
    """
    if environment.region not in prices.regions:
        raise Mistake(
            f"the price file has {', '.join(sorted(prices.regions))}, not {environment.region}; "
            f"add it with `sagemaker-serving prices --refresh --region {environment.region}`"
        )
    return [
        _cost(need, environment.region, prices)
        for need in needs(environment)
        if need.thing in ("endpoint-instances", "transform-instances", "serverless-concurrency")
    ]


def together(found: Sequence[Cost]) -> tuple[float, float] | None:
    """Floor and ceiling of all; None when a price is missing, since the sum would be too low."""
    by_month = [cost for cost in found if cost.instances != BY_USE]
    if any(cost.hourly is None for cost in by_month):
        return None
    return (
        sum(cost.floor for cost in by_month if cost.floor is not None),
        sum(cost.ceiling for cost in by_month if cost.ceiling is not None),
    )


def _cost(need: Need, region: str, prices: Prices) -> Cost:
    if need.instance_type is None:
        return Cost(
            model=need.model,
            what=f"{need.name}, serverless",
            instances=BY_USE,
            hourly=None,
            floor=None,
            ceiling=None,
        )
    batch = need.thing == "transform-instances"
    hourly = prices.of(region, "transform" if batch else "hosting", need.instance_type)
    by_month = hourly is not None and not batch
    return Cost(
        model=need.model,
        what=f"{'batch' if batch else need.name}, {need.instance_type}",
        instances=BY_USE if batch else f"{need.floor} to {need.ceiling}",
        hourly=hourly,
        floor=hourly * need.floor * HOURS_PER_MONTH if by_month and hourly is not None else None,
        ceiling=(
            hourly * need.ceiling * HOURS_PER_MONTH if by_month and hourly is not None else None
        ),
    )

"""What an environment costs, by AWS's Price List, kept in a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
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
Source: AWS Billing user guide, "Using the AWS Price List Query API"."""

_COMPONENTS = {"hosting": "hosting", "batchtransform": "transform"}
"""The price list's ``component``, without spaces and in lower case, and our word for it."""

SOURCE = "AWS Price List API, pricing:GetProducts of AmazonSageMaker"
"""No snapshot is shipped: no licence of AWS's says that its price list may be given on."""

_BY_USAGE = (
    (re.compile(r"ServerlessInf:Mem-([0-9]+)GB$"), "serverless", "sec"),
    (re.compile(r"Host:VolumeUsage\.(gp2)$"), "storage", "gb-mo"),
    (re.compile(r"Hst:Data-Bytes-(In|Out)$"), "data", "gb"),
)
"""What the price list's ``usagetype`` ends in, our word for it, and what its unit begins with.
Sources: infracost's queries of the same list (sagemaker_endpoint_configuration), and for seconds
what sagemaker-idle-finder reads of it (fetch_prices.py). AWS documents none of
these, so that what is called otherwise has no price."""

_SECONDS_PER_MONTH = HOURS_PER_MONTH * 3600


@dataclass(frozen=True, kw_only=True)
class Prices:
    """On-demand prices: region, then component, then what of it.

    ``hosting`` and ``transform`` by the hour of a type, ``serverless`` by the second of a memory
    size in GB, ``storage`` by the GB-month of gp2, ``data`` by the GB ``In`` and ``Out``. ``dates``
    is when each region was read (ISO 8601), and ``read`` when the last one was.
    """

    read: str
    currency: str
    regions: Mapping[str, Mapping[str, Mapping[str, float]]]
    dates: Mapping[str, str] = field(default_factory=dict)

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
                f"{path}: there is no such price file, and no price is guessed; make it with "
                f"`sagemaker-serving prices --update --prices {path} --region <region>`, "
                "which asks AWS's Price List API with your credentials (pricing:GetProducts)"
            ) from None
        except (OSError, ValueError, TypeError) as error:
            raise Mistake(
                f"{path}: this is not a price file: {error}; remove it, and --update it"
            ) from None

    def of(self, region: str, component: str, instance_type: str) -> float | None:
        """The price of one instance for an hour, None when the list has none."""
        return self.regions.get(region, {}).get(component, {}).get(instance_type)

    def told(self, region: str, today: date) -> str:
        """Where the prices of ``region`` are from, of which day, and how old they are."""
        day = datetime.fromisoformat(self.dates.get(region, self.read)).date()
        age = (today - day).days
        old = "today" if age == 0 else f"{age} day{'s' if age > 1 else ''} ago"
        return f"prices of {region}: {SOURCE}, read {day}, {old}"


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
                for component, of, price in _listed(json.loads(text), currency):
                    known_price = found.setdefault(component, {}).get(of, 0.0)
                    # What is free at first is a price of its own, of nothing.
                    found[component][of] = max(price, known_price)
    if not found.keys() & set(_COMPONENTS.values()):
        raise Failure(f"AWS's price list has no SageMaker instance of {region}")
    kept = known if known is not None and known.currency == currency else None
    now = datetime.now(UTC).isoformat(timespec="seconds")
    before = (
        {} if kept is None else {each: kept.dates.get(each, kept.read) for each in kept.regions}
    )
    return Prices(
        read=now,
        currency=currency,
        regions={**({} if kept is None else kept.regions), region: found},
        dates={**before, region: now},
    )


def _listed(product: Mapping[str, Any], currency: str) -> Iterator[tuple[str, str, float]]:
    attributes = product["product"]["attributes"]
    component = _COMPONENTS.get(str(attributes.get("component")).replace(" ", "").lower())
    instance_type = attributes.get("instanceName")
    usage = str(attributes.get("usagetype"))
    found = [
        (word, match[1], unit) for form, word, unit in _BY_USAGE if (match := form.search(usage))
    ]
    if component is not None and instance_type is not None:
        found = [(component, instance_type, "hrs")]
    for word, of, unit in found:
        for term in product["terms"].get("OnDemand", {}).values():
            for dimension in term["priceDimensions"].values():
                price = dimension["pricePerUnit"].get(currency)
                if price is not None and str(dimension.get("unit")).lower().startswith(unit):
                    yield word, of, float(price)


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What is asked of each endpoint: requests a second, and how long one takes; None: unknown."""

    requests_per_second: float | None = None
    seconds_per_request: float | None = None


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one part of an environment costs: by its unit, by the month, and by requests.

    ``price`` is that of a ``unit``: an hour of one instance, a second of a serverless request, a GB
    or a GB-month. ``floor`` and ``ceiling`` are a month's; None for what is paid by use of which
    `Usage` says too little, and where the price file has no price. ``million`` is what a million
    requests cost, of instances the fewest.
    """

    model: str
    what: str
    instances: str
    price: float | None
    unit: str
    floor: float | None = None
    ceiling: float | None = None
    million: float | None = None


def costs(environment: Environment, prices: Prices, usage: Usage = Usage()) -> list[Cost]:
    """What every model costs; of requests and their seconds only what ``usage`` says.

    Raises `Mistake` when the file has no prices of the environment's region.
    """
    region = environment.region
    if region not in prices.regions:
        raise Mistake(
            f"the price file has {', '.join(sorted(prices.regions))}, not {region}; "
            f"add it with `sagemaker-serving prices --update --region {region}`"
        )
    parts = {
        "endpoint-instances": _instances,
        "transform-instances": _batch,
        "serverless-concurrency": _serverless,
    }
    return [
        *(
            cost
            for need in needs(environment)
            if need.thing in parts
            for cost in parts[need.thing](need, environment, prices, usage)
        ),
        *(
            Cost(
                model="",
                what=f"data {way.lower()}",
                instances=BY_USE,
                price=prices.of(region, "data", way),
                unit="GB",
            )
            for way in ("In", "Out")
        ),
    ]


def together(found: Sequence[Cost]) -> tuple[float, float] | None:
    """Floor and ceiling of all; None when a price is missing, since the sum would be too low."""
    by_month = [cost for cost in found if cost.instances != BY_USE or cost.floor is not None]
    if any(cost.floor is None for cost in by_month):
        return None
    return (
        sum(cost.floor for cost in by_month if cost.floor is not None),
        sum(cost.ceiling for cost in by_month if cost.ceiling is not None),
    )


def _instances(
    need: Need, environment: Environment, prices: Prices, usage: Usage
) -> Iterator[Cost]:
    assert need.instance_type is not None
    hourly = prices.of(environment.region, "hosting", need.instance_type)
    floor = None if hourly is None else hourly * need.floor * HOURS_PER_MONTH
    rate = usage.requests_per_second
    yield Cost(
        model=need.model,
        what=f"{need.name}, {need.instance_type}",
        instances=f"{need.floor} to {need.ceiling}",
        price=hourly,
        unit="hour",
        floor=floor,
        ceiling=None if hourly is None else hourly * need.ceiling * HOURS_PER_MONTH,
        million=None if floor is None or not rate else floor / (rate * _SECONDS_PER_MONTH) * 1e6,
    )
    size = getattr(_variant(need, environment), "volume_size_in_gb", None)
    storage = prices.of(environment.region, "storage", "gp2")
    known = storage is not None and size is not None
    yield Cost(
        model=need.model,
        what=f"{need.name}, storage" if size is None else f"{need.name}, storage of {size} GB",
        instances=BY_USE if size is None else f"{need.floor} to {need.ceiling}",
        price=storage,
        unit="GB-month",
        floor=storage * size * need.floor if known and storage and size else None,
        ceiling=storage * size * need.ceiling if known and storage and size else None,
    )


def _batch(need: Need, environment: Environment, prices: Prices, usage: Usage) -> Iterator[Cost]:
    assert need.instance_type is not None
    yield Cost(
        model=need.model,
        what=f"batch, {need.instance_type}",
        instances=BY_USE,
        price=prices.of(environment.region, "transform", need.instance_type),
        unit="hour",
    )


def _serverless(
    need: Need, environment: Environment, prices: Prices, usage: Usage
) -> Iterator[Cost]:
    memory = _variant(need, environment).memory_size_in_mb
    price = prices.of(environment.region, "serverless", str(memory // 1024))
    rate, seconds = usage.requests_per_second, usage.seconds_per_request
    million = None if price is None or seconds is None else price * seconds * 1e6
    month = None if million is None or rate is None else million * rate * _SECONDS_PER_MONTH / 1e6
    yield Cost(
        model=need.model,
        what=f"{need.name}, serverless, {memory} MB",
        instances=BY_USE,
        price=price,
        unit="second",
        floor=month,
        ceiling=month,
        million=million,
    )


def _variant(need: Need, environment: Environment) -> Any:
    _, model, variants, index = need.path
    return getattr(environment.models[str(model)], str(variants))[index]

"""What a run on a real account creates, for how long at most, and what that costs at most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sagemaker_serving.client import Aws
from sagemaker_serving.errors import ReportedError
from sagemaker_serving.operations.prices import Prices, read_prices
from sagemaker_serving.spec import Environment
from sagemaker_serving.spec.capacity import Need, needs
from tests.acceptance.project import TAG, TOOLKIT

LIMIT_MINUTES = 180
"""After that the run ends and is taken down, whatever it waits for. Nobody has yet measured how
long it takes on AWS."""

_INSTANCES = ("endpoint-instances", "transform-instances")


def plan(environments: Iterable[Environment], region: str, prices: Prices | str) -> Iterator[str]:
    """In lines: ``environments`` are those that are deployed one after the other.

    ``prices`` are AWS's, or the reason why there are none: none is guessed.
    """
    found = {_key(need): need for environment in environments for need in needs(environment)}
    of_instances = [need for need in found.values() if need.thing in _INSTANCES]
    yield f"in {region}, tagged {'='.join(TAG)} and taken down at the end:"
    yield f"  a bootstrap of its own, {TOOLKIT}, and a stack for storage and for each model,"
    yield "  with buckets, roles, functions, state machines, topics, alarms, a dashboard, logs"
    for need in of_instances:
        yield f"  {_line(need, prices, region)}"
    minutes = sum(need.peak for need in of_instances) * LIMIT_MINUTES
    yield f"at most {minutes} instance-minutes until {LIMIT_MINUTES} minutes are over: it ends then"
    if isinstance(prices, str):
        yield f"no price: {prices}"
    else:
        yield _together(of_instances, prices, region)


def ask_prices(aws: Aws, region: str) -> Prices | str:
    """AWS's own of this moment, or why they cannot be had."""
    try:
        return read_prices(aws, region)
    except ReportedError as error:
        return str(error)


def _key(need: Need) -> tuple[str, str, str, str | None]:
    return need.thing, need.model, need.name, need.instance_type


def _line(need: Need, prices: Prices | str, region: str) -> str:
    what = need.name if need.thing == "endpoint-instances" else "batch"
    line = f"{need.model}, {what}: at most {need.peak} of {need.instance_type}"
    hourly = None if isinstance(prices, str) else _hourly(need, prices, region)
    return line if hourly is None else f"{line}, {hourly:g} an hour each"


def _together(found: list[Need], prices: Prices, region: str) -> str:
    hourly = [(need, _hourly(need, prices, region)) for need in found]
    missing = sorted({str(need.instance_type) for need, price in hourly if price is None})
    if missing:
        return f"no price of {', '.join(missing)} is in AWS's list; what it costs is not known"
    total = sum(need.peak * price for need, price in hourly if price is not None)
    return (
        f"at most {total * LIMIT_MINUTES / 60:.2f} {prices.currency} for instances, at on-demand "
        "prices that AWS has just told; storage, requests, logs, alarms and steps come on top"
    )


def _hourly(need: Need, prices: Prices, region: str) -> float | None:
    component = "hosting" if need.thing == "endpoint-instances" else "transform"
    return prices.of(region, component, str(need.instance_type))

"""``sagemaker-serving prices``: what environments cost by the month, at least and at most."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from local_aws.cli.options import json_option
from local_aws.process.region import shell_region
from sagemaker_serving.cli.completing import EnvironmentPath
from sagemaker_serving.cli.options import (
    WhichAws,
    aws_options,
    must_be_region,
    price_file_option,
)
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.operations.prices import Cost, Prices
    from sagemaker_serving.spec import Environment


@click.command()
@click.argument("files", nargs=-1, type=EnvironmentPath())
@price_file_option
@click.option(
    "--update",
    is_flag=True,
    help="First ask AWS's Price List API for the regions of FILES or for --region, and write the "
    "answer into the price file. Needs pricing:GetProducts.",
)
@click.option(
    "--requests-per-second",
    type=click.FloatRange(0, min_open=True),
    help="How many requests each endpoint gets: adds what a million of them costs.",
)
@click.option(
    "--latency-ms",
    type=click.FloatRange(0, min_open=True),
    help="How long one takes: adds what serverless requests cost.",
)
@json_option
@aws_options
def prices(
    files: tuple[Path, ...],
    price_file: Path,
    update: bool,
    requests_per_second: float | None,
    latency_ms: float | None,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Print what the environment FILES cost per month, at least and at most.

    Each is a file, or `prod` for environments/prod.yaml.

    Counts the instances of endpoints for a month (730 hours) at on-demand prices, with the fewest
    and the most that scaling allows. Of what is paid by use it prints the price: batch jobs,
    serverless requests, storage, data. Prices come from the price file alone; none is guessed. On
    standard error it says where they are from, and how old they are.

    \b
    Examples:
      sagemaker-serving prices --update --region eu-west-1
      sagemaker-serving prices environments/prod.yaml
      sagemaker-serving prices environments/*.yaml --json
      sagemaker-serving prices prod --requests-per-second 20 --latency-ms 80
    """
    from sagemaker_serving.operations.prices import Prices, Usage, costs, read_prices
    from sagemaker_serving.spec import read_environment

    environments = [read_environment(path).sound for path in files]
    if update:
        asked = must_be_region(which.region or shell_region())
        regions = dict.fromkeys(
            [environment.region for environment in environments] or ([asked] if asked else [])
        )
        if not regions:
            raise click.UsageError("name environment files, or a --region, to ask prices for")
        known = Prices.load(price_file) if price_file.exists() else None
        for each in regions:
            known = read_prices(which.aws(each), each, known)
        assert known is not None
        price_file.parent.mkdir(parents=True, exist_ok=True)
        known.save(price_file)
        if not files:
            for each in known.regions:
                click.echo(f"{price_file}: {known.told(each, _today())}")
    elif not files:
        raise click.UsageError("name environment files, or --update the price file")
    if files:
        known = Prices.load(price_file)
        usage = Usage(
            requests_per_second=requests_per_second,
            seconds_per_request=None if latency_ms is None else latency_ms / 1000,
        )
        rows = [(environment, costs(environment, known, usage)) for environment in environments]
        for region in dict.fromkeys(environment.region for environment in environments):
            click.echo(known.told(region, _today()), err=True)
        print_table(
            [row for environment, found in rows for row in _rows(environment, found, known)],
            as_json=as_json,
        )


def _rows(environment: Environment, found: list[Cost], known: Prices) -> list[dict[str, object]]:
    from sagemaker_serving.operations.prices import Cost, together

    month = f"{known.currency} a month"
    read = known.dates.get(environment.region, known.read)[:10]
    floor, ceiling = together(found) or (None, None)
    whole = Cost(
        model="",
        what="together",
        instances="",
        price=None,
        unit="",
        floor=floor,
        ceiling=ceiling,
    )
    return [
        {
            "environment": environment.name,
            "model": cost.model,
            "what": cost.what,
            "instances": cost.instances,
            known.currency: _amount(cost.price, 8),
            "for a": cost.unit,
            f"{month}, floor": _amount(cost.floor, 2),
            f"{month}, ceiling": _amount(cost.ceiling, 2),
            f"{known.currency} a million requests": _amount(cost.million, 4),
            "prices read": read,
        }
        for cost in (*found, whole)
    ]


def _today() -> date:
    return datetime.now(UTC).date()


def _amount(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)

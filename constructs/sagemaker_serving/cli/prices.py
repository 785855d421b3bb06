"""``sagemaker-serving prices``: what environments cost by the month, at least and at most."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from local_aws.cli.options import json_option
from sagemaker_serving.cli.options import WhichAws, aws_options, must_be_region, shell_region
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.operations.prices import Cost, Prices
    from sagemaker_serving.spec import Environment


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--prices",
    "price_file",
    type=click.Path(path_type=Path),
    default=Path("prices.json"),
    show_default=True,
    envvar="SAGEMAKER_SERVING_PRICES",
    help="The price file.",
)
@click.option(
    "--refresh",
    is_flag=True,
    help="First ask AWS's Price List API for the regions of FILES or for --region, and write the "
    "answer into the price file.",
)
@json_option
@aws_options
def prices(
    files: tuple[Path, ...],
    price_file: Path,
    refresh: bool,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Print what the environment FILES cost per month, at least and at most.

    Counts the instances of endpoints for a month (730 hours) at on-demand prices, with the fewest
    and the most that scaling allows. What is paid by use is left out: batch jobs, serverless
    requests, storage, data. Prices come from the price file alone; none is guessed.

    \b
    Examples:
      sagemaker-serving prices --refresh --region eu-west-1
      sagemaker-serving prices environments/prod.yaml
      sagemaker-serving prices environments/*.yaml --json
    """
    from sagemaker_serving.operations.prices import Prices, costs, read_prices
    from sagemaker_serving.spec import read_environment

    environments = [read_environment(path).sound for path in files]
    if refresh:
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
        known.save(price_file)
        if not files:
            click.echo(f"{price_file}: prices of {', '.join(known.regions)}, {known.read}")
    elif not files:
        raise click.UsageError("name environment files, or --refresh the price file")
    if files:
        known = Prices.load(price_file)
        rows = [(environment, costs(environment, known)) for environment in environments]
        print_table(
            [row for environment, found in rows for row in _rows(environment, found, known)],
            as_json=as_json,
        )


def _rows(environment: Environment, found: list[Cost], known: Prices) -> list[dict[str, object]]:
    from sagemaker_serving.operations.prices import together

    month = f"{known.currency} a month"
    rows: list[dict[str, object]] = [
        {
            "environment": environment.name,
            "model": cost.model,
            "what": cost.what,
            "instances": cost.instances,
            f"{known.currency} an hour": _amount(cost.hourly, 4),
            f"{month}, floor": _amount(cost.floor, 2),
            f"{month}, ceiling": _amount(cost.ceiling, 2),
        }
        for cost in found
    ]
    floor, ceiling = together(found) or (None, None)
    rows.append(
        {
            "environment": environment.name,
            "model": "",
            "what": "together",
            "instances": "",
            f"{known.currency} an hour": None,
            f"{month}, floor": _amount(floor, 2),
            f"{month}, ceiling": _amount(ceiling, 2),
        }
    )
    return rows


def _amount(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)

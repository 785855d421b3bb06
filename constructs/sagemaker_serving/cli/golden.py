"""``sagemaker-serving golden``: recorded requests to an endpoint, and their answers compared."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.options import json_option
from sagemaker_serving.cli.completing import DeployedEndpoint
from sagemaker_serving.cli.options import WhichAws, aws_options
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.operations.golden import Replayed

tolerance_option = click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=1e-5,
    show_default=True,
    help="How far numbers may be apart, relative to the expected one where that is over 1.",
)


@click.command()
@click.argument("endpoint", type=DeployedEndpoint())
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--record",
    "recording",
    is_flag=True,
    help="Write the endpoint's answers into FILE, to be expected from now on.",
)
@tolerance_option
@json_option
@aws_options
def golden(
    endpoint: str,
    file: Path,
    recording: bool,
    tolerance: float,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Send the requests in FILE to ENDPOINT and compare its answers with those recorded.

    FILE has a JSON object on each line, with a body, its content_type and the expected answer;
    `docs compare` lists the keys. With --record the requests are enough. Ends with 1 when an answer
    is different. Use it as a smoke test after a deploy.

    \b
    Examples:
      sagemaker-serving golden prod-digits golden/digits.jsonl
      sagemaker-serving golden local-half-plus-three golden.jsonl --local --record
    """
    from sagemaker_serving.client import Predictor
    from sagemaker_serving.operations.golden import (
        read_golden,
        record,
        replay,
        to_endpoint,
        write_golden,
    )

    exchanges = read_golden(file)
    with (
        when_interrupted(
            lambda: f"{file} is as it was, and no answer is kept; run the command again"
        ),
        Predictor(endpoint, which.aws(of=endpoint)) as predictor,
    ):
        send = to_endpoint(predictor)
        if recording:
            recorded = list(record(exchanges, send))
            write_golden(file, recorded)
            count = len(recorded)
            told = "1 answer is" if count == 1 else f"{count} answers are"
            click.echo(f"{told} recorded in {file}")
        else:
            must_be_the_same(replay(exchanges, send, tolerance), as_json=as_json)


def must_be_the_same(replayed: Iterable[Replayed], *, as_json: bool = False) -> None:
    """Print all that is different, as it comes; raises `Failure` at the end when something is."""
    from sagemaker_serving.errors import Failure

    count = 0
    different = []
    for one in replayed:
        count += 1
        if not one.differences:
            continue
        row = {"request": str(one.exchange), "differences": [str(each) for each in one.differences]}
        different.append(row)
        if not as_json:
            click.echo(f"{one.exchange}: the answer is another")
            for difference in one.differences:
                click.echo(f"  {difference}")
    if as_json:
        print_table(different, as_json=True)
    if different:
        raise Failure(f"{len(different)} of {count} answers are not as recorded")
    if not as_json:
        click.echo(f"{count} of {count} answers are as recorded")

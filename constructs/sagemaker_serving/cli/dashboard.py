"""``sagemaker-serving dashboard``: a model's CloudWatch dashboard, here."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.options import json_option
from sagemaker_serving.catalog.ecr import domain_suffix
from sagemaker_serving.cli.completing import EnvironmentName, ModelName, environment_path
from sagemaker_serving.cli.options import WhichAws, aws_options
from sagemaker_serving.errors import Mistake

if TYPE_CHECKING:
    from sagemaker_serving.cli.graphs import Panel
    from sagemaker_serving.operations.dashboard import DashboardView, Line
    from sagemaker_serving.spec import Environment

_CONSOLES = {
    "amazonaws.com": "console.aws.amazon.com",
    "amazonaws.com.cn": "console.amazonaws.cn",
    "amazonaws-us-gov.com": "console.amazonaws-us-gov.com",
}
_OTHER_ADDRESSES = ("AWS_ENDPOINT_URL_CLOUDWATCH", "AWS_ENDPOINT_URL")


@click.command()
@click.argument("environment", metavar="ENVIRONMENT_OR_FILE", type=EnvironmentName())
@click.argument("model", type=ModelName())
@click.option("--preview", is_flag=True, help="Draw it on the terminal.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw it into this PNG file.",
)
@click.option(
    "--hours",
    type=click.FloatRange(min=0.05, max=24 * 15),
    default=3.0,
    show_default=True,
    help="The hours before now that it shows.",
)
@json_option
@aws_options
def dashboard(
    environment: str,
    model: str,
    preview: bool,
    output: Path | None,
    hours: float,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Print the address of MODEL's dashboard, or draw it from its metrics.

    ENVIRONMENT_OR_FILE is `prod` for environments/prod.yaml, or the file. It draws the deployed
    dashboard: its alarms' states and every graph, without lists of log lines. The local AWS keeps
    no percentiles, so average and maximum are drawn instead. Needs the extra `plots`, but for
    --json, which prints the alarms' states and every point.

    \b
    Examples:
      sagemaker-serving dashboard prod digits
      sagemaker-serving dashboard local digits --preview --hours 0.2 --local
      sagemaker-serving dashboard prod digits -o digits.png --hours 24
      sagemaker-serving dashboard prod digits --json
    """
    from sagemaker_serving.operations.dashboard import view_dashboard

    found = _environment(environment)
    _must_have(found, model)
    where = which.region or found.region
    name = f"{found.endpoint_name(model)}-{where}"
    if not preview and output is None and not as_json:
        click.echo(_console(name, where, local=which.local))
        return
    with when_interrupted(lambda: f"{output or 'all'} is as it was; run the command again"):
        view = view_dashboard(name, which.aws(where), over=timedelta(hours=hours))
    if as_json:
        click.echo(json.dumps(plain(view), indent=1))
    if not preview and output is None:
        return
    from sagemaker_serving.cli.graphs import show

    panels = _panels(view)
    title = f"{name}, {view.start:%Y-%m-%d %H:%M} to {view.end:%H:%M} UTC"
    show(panels, plot=False, output=output, title=title)
    if preview and not as_json:
        for alarm, state in view.alarms:
            click.echo(f"{state:<17}  {alarm}")
        show(panels, plot=True)


def plain(view: DashboardView) -> dict[str, object]:
    """The view for programs, as the schema of output has it."""
    return {
        "dashboard": view.name,
        "start": view.start.isoformat(timespec="seconds"),
        "end": view.end.isoformat(timespec="seconds"),
        "alarms": [{"alarm": alarm, "state": state} for alarm, state in view.alarms],
        "graphs": [
            {
                "title": graph.title,
                "unit": graph.unit,
                "note": graph.note,
                "lines": [
                    {
                        "label": line.label,
                        "points": [[at.isoformat(), value] for at, value in line.points],
                    }
                    for line in graph.lines
                ],
            }
            for graph in view.graphs
        ],
    }


def _panels(view: DashboardView) -> list[Panel]:
    from sagemaker_serving.cli.graphs import Panel

    return [
        Panel(
            title=graph.title,
            unit=graph.unit,
            note=graph.note,
            lines=[(line.label, list(_points(line))) for line in graph.lines],
        )
        for graph in view.graphs
    ]


def _points(line: Line) -> Iterator[tuple[float, float]]:
    """The points of a line with a gap wherever a period has none."""
    last: datetime | None = None
    for at, value in line.points:
        if last is not None and at - last > line.period:
            yield (last + (at - last) / 2).timestamp(), math.nan
        yield at.timestamp(), value
        last = at


def _environment(name: str) -> Environment:
    from sagemaker_serving.spec import read_environment

    return read_environment(environment_path(name)).sound


def _must_have(environment: Environment, model: str) -> None:
    from local_aws.suggest import nearest
    from sagemaker_serving.errors import NotFound

    if model not in environment.models:
        close = nearest(model, environment.models)
        known = f"it has {', '.join(environment.models)}"
        hint = known if close is None else f"did you mean {close}"
        raise NotFound(f"{environment.name} has no model {model!r}; {hint}")
    monitoring = environment.monitoring_of(model)
    if not environment.models[model].variants:
        raise Mistake(f"{model} has no endpoint in {environment.name}, which a dashboard is of")
    if monitoring is None or not monitoring.dashboard:
        raise Mistake(
            f"{model} has no dashboard in {environment.name}; give it `monitoring: {{}}`, in the "
            "environment or in the model, and deploy it"
        )


def _console(name: str, region: str, *, local: bool) -> str:
    """The page of CloudWatch's console; raises `Mistake` where there is none.

    Sources: AWS general reference, "AWS Management Console endpoints and quotas";
    of China and GovCloud, AWS's own console addresses. Of other partitions no
    address is known here.
    """
    elsewhere = next((name for name in _OTHER_ADDRESSES if os.environ.get(name)), None)
    if local or elsewhere is not None:
        which = "the local AWS" if local else f"the AWS of {elsewhere}"
        raise Mistake(f"{which} has no console; give --preview, or --output FILE.png")
    suffix = domain_suffix(region)
    host = _CONSOLES.get("amazonaws-us-gov.com" if region.startswith("us-gov-") else suffix)
    if host is None:
        raise Mistake(f"the console of {region} is not known here; give --preview, or --output")
    return f"https://{region}.{host}/cloudwatch/home?region={region}#dashboards/dashboard/{name}"

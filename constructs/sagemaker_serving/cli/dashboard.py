"""``sagemaker-serving dashboard``: a model's CloudWatch dashboard, here."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from local_aws.cli.options import json_option
from sagemaker_serving.catalog.ecr import domain_suffix
from sagemaker_serving.cli.completing import EnvironmentName, split_model
from sagemaker_serving.cli.options import WhichAws, aws_options
from sagemaker_serving.cli.tables import print_table
from sagemaker_serving.errors import Mistake

if TYPE_CHECKING:
    from sagemaker_serving.operations.dashboard import DashboardView, Graph, Line
    from sagemaker_serving.spec import Environment

_CONSOLES = {
    "amazonaws.com": "console.aws.amazon.com",
    "amazonaws.com.cn": "console.amazonaws.cn",
    "amazonaws-us-gov.com": "console.amazonaws-us-gov.com",
}
_OTHER_ADDRESSES = ("AWS_ENDPOINT_URL_CLOUDWATCH", "AWS_ENDPOINT_URL")


@click.command()
@click.argument("environment", metavar="ENVIRONMENT_OR_FILE", type=EnvironmentName())
@click.argument("model", required=False)
@click.option("--latest", is_flag=True, help="Print its alarms' states and its latest values.")
@click.option(
    "--hours",
    type=click.FloatRange(min=0.05, max=24 * 15),
    default=3.0,
    show_default=True,
    help="The hours before now that --latest and --json read.",
)
@json_option
@aws_options
def dashboard(
    environment: str,
    model: str | None,
    latest: bool,
    hours: float,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Print the address of MODEL's dashboard, or what its metrics are.

    ENVIRONMENT_OR_FILE is `prod` for environments/prod.yaml, or the file. --latest prints what the
    deployed dashboard has: its alarms' states, and the latest value of each line of its graphs.
    --json prints every point. The local AWS keeps no percentiles, so average and maximum stand for
    them. In a pipe a line is, between tabs, the graph, the line, its latest value and its time.

    \b
    Examples:
      sagemaker-serving dashboard prod digits
      sagemaker-serving dashboard local/digits --latest --local
      sagemaker-serving dashboard prod digits --json --hours 24
    """
    from sagemaker_serving.operations.dashboard import view_dashboard

    if model is None:
        named, model = split_model(environment)
        if named is None or model.endswith((".yaml", ".yml")):
            raise click.UsageError(f"which model of {environment}? name it after the environment")
        environment = named
    found = _environment(environment)
    _must_have(found, model)
    where = which.region or found.region
    name = f"{found.endpoint_name(model)}-{where}"
    if not latest and not as_json:
        click.echo(_console(name, where, local=which.local))
        return
    view = view_dashboard(name, which.aws(where), over=timedelta(hours=hours))
    if as_json:
        click.echo(json.dumps(plain(view), indent=1))
        return
    for alarm, state in view.alarms:
        click.echo(f"{state:<17}  {alarm}")
    print_table([_row(graph, line) for graph in view.graphs for line in graph.lines], as_json=False)


def _row(graph: Graph, line: Line) -> dict[str, object]:
    at, value = line.points[-1] if line.points else (None, None)
    return {
        "graph": f"{graph.title}, {graph.unit}" if graph.unit else graph.title,
        "line": line.label,
        "latest": "no data" if value is None else f"{value:.6g}",
        "time": "" if at is None else f"{at:%Y-%m-%d %H:%M} UTC",
    }


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


def _environment(name: str) -> Environment:
    from sagemaker_serving.spec.reading import environment_path, read_environment

    return read_environment(environment_path(name)).sound


def _must_have(environment: Environment, model: str) -> None:
    from local_aws.suggest import instead
    from sagemaker_serving.errors import NotFound

    if model not in environment.models:
        hint = instead(model, environment.models)
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
        raise Mistake(f"{which} has no console; give --latest")
    suffix = domain_suffix(region)
    host = _CONSOLES.get("amazonaws-us-gov.com" if region.startswith("us-gov-") else suffix)
    if host is None:
        raise Mistake(f"the console of {region} is not known here; give --latest")
    return f"https://{region}.{host}/cloudwatch/home?region={region}#dashboards/dashboard/{name}"

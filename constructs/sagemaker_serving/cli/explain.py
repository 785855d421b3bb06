"""``sagemaker-serving explain``: what an endpoint runs, and whether a file says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from local_aws.cli.options import json_option
from sagemaker_serving.cli.completing import DeployedEndpoint, EnvironmentPath
from sagemaker_serving.cli.options import WhichAws, aws_options
from sagemaker_serving.cli.tables import print_table, print_values

if TYPE_CHECKING:
    from sagemaker_serving.operations.explain import Deviation, Explanation, Served, StandsStill
    from sagemaker_serving.operations.explain_router import RouterExplanation
    from sagemaker_serving.spec import EnvironmentFile
    from sagemaker_serving.spec.container import Artifact


@click.command()
@click.argument("endpoint", metavar="ENDPOINT_OR_RULE", type=DeployedEndpoint())
@click.option(
    "--file",
    "path",
    type=EnvironmentPath(),
    help="An environment file: say whether the endpoint is what it says.",
)
@json_option
@aws_options
def explain(endpoint: str, path: Path | None, as_json: bool, which: WhichAws) -> None:
    """Show what an endpoint or a router runs, and where it came from, or what a rule demands.

    A rule is named as `check` prints it; its source and an example are shown, too. An endpoint is
    named as on AWS, or `prod/digits`, a model of environments/prod.yaml. Prints status, config, and
    the commit and version that deployed it. Where it scales and updates by a canary or in steps, it
    says for how long scaling stands still. For each container it prints image, variables, and
    archive or prefix with its sha256. With --file it packs the model's artifact, unless that is
    cached or sent uncompressed, and compares everything but weights and counts. What differs comes
    first, and it ends with 1 when anything does. For an inference router it prints whom it asks in
    which order, how each destination is, and what its callers need.

    \b
    Examples:
      sagemaker-serving explain instance-retired
      sagemaker-serving explain prod-digits
      sagemaker-serving explain prod-digits --file environments/prod.yaml
      sagemaker-serving explain local-digits --local --json \\
          | jq '.served[].archive_sha256'
    """
    rule = _rule(endpoint)
    if rule:
        if as_json:
            click.echo(json.dumps(rule, indent=1))
        else:
            print_values([(name, value) for name, value in rule.items() if value], column=8)
        return
    if len(endpoint.split()) != 1:
        raise click.UsageError(
            "no endpoint and no rule is called so; for a message of AWS's, search "
            "`sagemaker-serving docs troubles`"
        )
    from sagemaker_serving.errors import NotFound
    from sagemaker_serving.operations.explain import explain as ask
    from sagemaker_serving.operations.explain_router import (
        RouterExplanation,
        explain_router,
        router_deviations,
    )
    from sagemaker_serving.spec import read_environment

    file = None if path is None else read_environment(path)
    # Before AWS is asked, so that a wrong file is named at once.
    said = None if file is None else file.sound.region
    found: Explanation | RouterExplanation
    with _rule_meant(endpoint):
        aws = which.aws(which.region or said, of=endpoint)
        try:
            found = ask(endpoint, aws)
            different = None if file is None else _deviations(found, file)
        except NotFound:
            router = explain_router(endpoint, aws)
            if router is None:
                raise
            found = router
            different = None if file is None else router_deviations(router, file.sound)
    if as_json:
        shown = found.as_dict()
        if different is not None:
            shown["deviations"] = [asdict(deviation) for deviation in different]
        click.echo(json.dumps(shown, indent=1))
    elif isinstance(found, RouterExplanation):
        _print_router(found, different, path)
    else:
        _print(found, different, path)
    if different:
        raise click.exceptions.Exit(1)


@contextmanager
def _rule_meant(name: str) -> Iterator[None]:
    """Adds to a refusal that ``name`` is no rule, and which it is perhaps a misspelling of."""
    from local_aws.suggest import nearest
    from sagemaker_serving.errors import Mistake
    from sagemaker_serving.rules.registry import OTHER_FINDINGS, RULES

    try:
        yield
    except Mistake as error:
        close = nearest(name, [*(rule.id for rule in RULES), *OTHER_FINDINGS])
        if close is None:
            raise Mistake(f"{error}; a rule is not called {name!r} either") from None
        raise Mistake(f"no rule is {name!r}; is {close!r} meant? Of an endpoint: {error}") from None


def _rule(name: str) -> dict[str, str]:
    """What the rule, or another finding of that id, demands; nothing of what is neither."""
    from sagemaker_serving.rules.registry import OTHER_FINDINGS, RULES

    rule = next((each for each in RULES if name in (each.id, *each.aliases)), None)
    if rule is None:
        return {"rule": name, "demands": OTHER_FINDINGS[name]} if name in OTHER_FINDINGS else {}
    return {
        "rule": rule.id,
        "severity": str(rule.severity),
        "demands": " ".join(rule.what.split()),
        "why": " ".join(rule.why.split()),
        "silent": "; ".join(f"of {door}, {why}" for door, why in rule.silent.items()),
        "source": " ".join(rule.source.split()),
        "example": rule.example,
    }


def _print(found: Explanation, different: list[Deviation] | None, path: Path | None) -> None:
    print_values(
        (
            ("endpoint", f"{found.endpoint}, {found.status}"),
            ("config", f"{found.config}, since {found.changed}"),
            ("commit", found.commit if found.commit is not None else "not said"),
            ("deployed by", f"sagemaker-serving {found.version}" if found.version else "not said"),
            *_scaling(found.stands_still),
        )
    )
    _print_deviations(different, path)
    for served in found.served:
        click.echo()
        counted = "" if served.instances is None else f"{served.instances} of "
        place = f"{counted}{served.instance_type}" if served.instance_type else "serverless"
        click.echo(f"{served.variant}: {place}, {served.model}")
        archive = served.archive if served.archive is not None else "none"
        shown = (
            ("image", str(served.image)),
            ("made for", _made_for(served)),
            ("archive", archive),
        )
        print_values([one for one in shown if one[1]], indent=2)
        for name, value in sorted(served.environment.items()):
            click.echo(f"  {name}={value}")
    _print_agreement(different, path)


def _print_router(
    found: RouterExplanation, different: list[Deviation] | None, path: Path | None
) -> None:
    through = "where the condition sagemaker:SourceInferenceRouterArn may name the router"
    needs = f"sagemaker:InvokeInferenceRouter on {found.arn}, InvokeEndpoint on each destination"
    if any(target.asynchronous for target in found.targets):
        needs += "; InvokeInferenceRouterAsync and InvokeEndpointAsync for asynchronous requests"
    print_values(
        (
            ("router", f"{found.router}, {found.status}, since {found.changed}"),
            ("needs", f"{needs}, {through}"),
        )
    )
    _print_deviations(different, path)
    region = found.arn.split(":")[3]
    for target in found.targets:
        order = "by instance type, then by region"
        if target.preference == "LocalRegionFirst":
            order = f"those of {region} first"
        click.echo(f"\n{target.name}: {'asynchronous' if target.asynchronous else 'real-time'}")
        click.echo(f"  asks a healthy one of these in turn, {order}; another where one refuses")
        print_values(((status, arn) for arn, status in target.destinations.items()), indent=2)
    _print_agreement(different, path)


def _print_deviations(different: list[Deviation] | None, path: Path | None) -> None:
    if different:
        click.echo(f"\nit is not what {path} says:")
        print_table([asdict(deviation) for deviation in different], as_json=False)


def _print_agreement(different: list[Deviation] | None, path: Path | None) -> None:
    if different == []:
        click.echo(f"\nit is what {path} says")


def _scaling(found: StandsStill | None) -> list[tuple[str, str]]:
    """What an update blocks, where it does."""
    if found is None:
        return []
    most = "" if found.most_seconds is None else f", at most {found.most_seconds:,.0f} s in all"
    scaled = "whether any variant scales, AWS does not say to you: "
    scaled += "application-autoscaling:DescribeScalableTargets"
    if found.scaled is not None:
        scaled = f"of {', '.join(found.scaled)}"
    told = (
        f"stands still during an update, for {found.waits_seconds:,.0f} s of waits and the start "
        f"of new instances{most}; {scaled} "
        '(SageMaker developer guide, "Update endpoints that use auto scaling")'
    )
    return [("scaling", told)]


def _made_for(served: Served) -> str:
    """What an image of AWS's is for, beside what its host has; "" of other images."""
    from sagemaker_serving.catalog.instances import UnknownInstanceType, instance_type
    from sagemaker_serving.catalog.published import published_image

    image = published_image(served.image)
    if image is None or image.processor is None:
        return ""
    try:
        kind = None if served.instance_type is None else instance_type(served.instance_type)
    except UnknownInstanceType:
        return f"{image.processor.upper()}s"
    host = "serverless has no GPU" if kind is None else f"{kind.name} has {kind.devices}"
    return f"{image.processor.upper()}s; {host}"


def _deviations(found: Explanation, file: EnvironmentFile) -> list[Deviation]:
    import tempfile

    from sagemaker_serving.archive import build_archive, folder_files, parse_source
    from sagemaker_serving.errors import NotFound
    from sagemaker_serving.operations.explain import deviations
    from sagemaker_serving.spec import FolderArtifact
    from sagemaker_serving.spec.container import on_disk

    environment = file.sound.in_transition()
    models = {environment.endpoint_name(model): model for model in environment.models}
    if found.endpoint not in models:
        raise NotFound(
            f"{file.path} has no model whose endpoint is {found.endpoint!r}; "
            f"its endpoints are {', '.join(models)}"
        )

    def sha256_of(artifact: Artifact) -> str:
        if isinstance(artifact, FolderArtifact) and artifact.uncompressed:
            return folder_files(file.path.parent / artifact.folder).sha256
        sources = [parse_source(each, file.path.parent) for each in on_disk(artifact)]
        with tempfile.TemporaryDirectory() as folder:
            return build_archive(sources, lambda sha256: Path(folder, f"{sha256}.tar.gz")).sha256

    model = environment.models[models[found.endpoint]]
    return deviations(found, model, environment.region, sha256_of)

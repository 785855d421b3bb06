"""Rules on an endpoint that was there before the stack: what a deploy can give it, and to whom."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.catalog.names import is_name
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import EnvironmentFacts
from sagemaker_serving.rules.facts.kinds import KindFacts

_NAME = "botocore EndpointName"


@rule(source=_NAME, example="endpoint: {existing: my_endpoint}")
def existing_name(kind: KindFacts) -> Iterator[Finding]:
    """An endpoint that is there has a name that SageMaker takes, not an ARN.

    Without one the deploy's function could only fail.
    """
    existing = kind.model.get("endpoint").get("existing")
    if existing.text is not None and not is_name(existing.text):
        yield existing.says(
            f"is {existing.text!r}; an endpoint's name has at most 63 letters, digits and hyphens "
            "between them; use the name that `aws sagemaker list-endpoints` prints"
        )


@rule(source="this project", example="inference_components: {…}   # beside it")
def existing_parts(kind: KindFacts) -> Iterator[Finding]:
    """A deploy gives an endpoint that is there a config, and nothing that only its maker gives it.

    UpdateEndpoint takes neither tags nor components, and SageMaker has made its log group already.
    """
    endpoint, model = kind.model.get("endpoint"), kind.model
    if not endpoint.given:
        return
    if not model.get("variants").value:
        yield endpoint.says(
            "stands without variants, so there is nothing to move it to; add variants, or remove "
            "endpoint"
        )
    for fact, why in (
        (
            model.get("inference_components"),
            "they are made on an endpoint of the stack's own; remove them, or endpoint",
        ),
        (
            model.get("extra").get("endpoint"),
            "the stack has no AWS::SageMaker::Endpoint; remove it, and tag the endpoint itself",
        ),
        (
            model.get("monitoring").get("log_retention_days"),
            "its log group is SageMaker's, and is there already; remove it, and set the retention "
            "with `aws logs put-retention-policy`",
        ),
    ):
        if fact.value:
            yield fact.says(f"stands beside an endpoint that is there; {why}")


@rule(source="this project", example="name: prod   # existing: prod-digits")
def existing_not_own(environment: EnvironmentFacts) -> Iterator[Finding]:
    """An endpoint that is there is no stack's own, and is moved by one model of one file.

    A stack that made an endpoint deletes it when its file names it so. Two that move the same one
    take it from each other.
    """
    name = environment.name.text
    own = {f"{name}-{model.name}".lower(): model.name for model in environment.models}
    movers: dict[str, str] = {}
    for model, written in environment.models_fact.entries():
        existing = written.get("endpoint").get("existing")
        if existing.text is None:
            continue
        key = existing.text.lower()
        first = movers.setdefault(key, model)
        if first != model:
            yield existing.finding(
                f"{first!r} and {model!r} both move {existing.text!r}; leave it to one of them"
            )
        if key in own:
            yield existing.says(
                f"is {existing.text!r}, what this environment calls the endpoint of its own "
                f"{own[key]!r}, which CloudFormation would delete as it leaves the template; "
                "rename the environment or the model"
            )
        for other in environment.neighbours:
            theirs = {f"{other.name}-{each}".lower() for each in other.models}
            if environment.may_share_a_place_with(other) and (
                key in theirs or key in {each.lower() for each in other.existing}
            ):
                yield existing.says(
                    f"is {existing.text!r}, which {other.file} deploys to in the same region; "
                    "leave it to one of the files"
                )

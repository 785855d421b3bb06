"""docs/local-aws-limits.md: what the services of the local AWS register of themselves.

The tables are those by which the local AWS itself accepts and refuses, so that the page cannot
promise something else.
"""

from __future__ import annotations

import tempfile
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from local_aws.gateway import Gateway
from local_aws.protocol.models import service_model
from local_aws.resources.kept import REFUSED
from local_aws.schemas import schema_of
from local_aws.service import Service
from local_aws.services.lambda_.limits import NOT_FOLLOWED as NOT_OF_FUNCTIONS
from local_aws.template import FUNCTIONS
from sagemaker_serving.local_sagemaker.offered import NOT_FOLLOWED

PAGE = Path(__file__).parents[2] / "docs" / "local-aws-limits.md"
REGION = "eu-west-1"

_REFUSED = ", ".join(f"`{name}`" for name in sorted(REFUSED))

_HEAD = f"""# Limits of the local AWS

<!-- made by `make docs`: edit the services, not this page -->

What is not as on AWS, service by service, and what each resource type does with its properties.
The local AWS itself accepts and refuses by these tables. [AWS on this machine](local-aws.md) is
the guide.

An operation that is not offered is refused by name: `InvalidAction` where AWS speaks XML,
`UnknownOperationException` elsewhere. `InternalFailure` is a defect of the local AWS.

## CloudFormation's types

Functions: {", ".join(f"`{name}`" for name in sorted(FUNCTIONS))}. Custom resources (`Custom::*`,
`AWS::CloudFormation::CustomResource`) are carried out, too.

| Type | What a deploy does |
|---|---|
| one of the tables below | makes it; the service's API answers with the given values |
| any other that CloudFormation has | judges, keeps and deletes it; nothing follows from it |
| {_REFUSED} | refuses it: nothing waits for the signal, and what the policy forbids is allowed |
| one that CloudFormation does not have | refuses it, in CloudFormation's words |

`local deploy` tells at its end what was only kept, and `local up --strict` refuses it beforehand.

Three columns say what becomes of a type's properties. A property in none of them is carried out.

- **Refused**: the deploy is refused before anything is made.
- **Only kept**: the value is kept, and nothing follows from it.
- **New logical id**: a change is refused; give the resource another logical id.
"""


def page() -> str:
    """The page."""
    with tempfile.TemporaryDirectory() as folder:
        gateway = Gateway(Path(folder))
        try:
            return _HEAD + "".join(_sections(gateway))
        finally:
            gateway.stop()


def _sections(gateway: Gateway) -> Iterator[str]:
    types = _types(gateway)
    services = {_title(each.name): each for each in gateway.services()}
    more = {"sagemaker": _sagemaker, "lambda": _functions, "stepfunctions": _step_functions}
    for title, service in sorted(services.items(), key=lambda item: _sorted_as(item[0])):
        own = types.pop(_cloudformation_name(service, types), [])
        if not service.limits and not own:
            continue
        yield f"\n## {title}\n"
        if service.limits:
            yield "\n| What | Here |\n|---|---|\n"
            yield from (f"| {limit.what} | {limit.here} |\n" for limit in service.limits)
        yield from more.get(service.name, _nothing)(gateway)
        yield from _table_of(own)
    for name, rows in sorted(types.items()):
        yield f"\n## {name}\n"
        yield from _table_of(rows)


def _types(gateway: Gateway) -> dict[str, list[str]]:
    """The rows of the types that are carried out, by CloudFormation's name of their service."""
    rows: dict[str, list[str]] = {}
    for type_name, provider in sorted(gateway.resource_types.own.items()):
        schema = schema_of(type_name, REGION)
        places = [] if schema is None else schema.every_place()
        columns = (
            _names(sorted(provider.refused(gateway.context, REGION, places))),
            _names(sorted(provider.without_effect)),
            _names(sorted(provider.unchangeable)),
        )
        rows.setdefault(type_name.split("::")[1], []).append(_row(type_name, columns))
    return {service: sorted(own) for service, own in rows.items()}


def _row(type_name: str, columns: Iterable[str]) -> str:
    return f"| `{type_name}` | {' | '.join(columns)} |\n"


def _table_of(rows: Iterable[str]) -> Iterator[str]:
    if rows:
        yield "\n| Type | Refused | Only kept | New logical id |\n|---|---|---|---|\n"
        yield from rows


def _cloudformation_name(service: Service, known: Iterable[str]) -> str:
    """How CloudFormation's types spell a service, where one of them is ``service``'s."""
    own = {provider.type_name.split("::")[1] for provider in service.resource_types()}
    return next((name for name in sorted(own) if name in known and name != "CDK"), "")


_TITLES = {
    "apigateway": "API Gateway, REST APIs",
    "apigatewayv2": "API Gateway, HTTP APIs",
    "sagemaker": "SageMaker",
    "stepfunctions": "Step Functions",
}
"""Where botocore's model has no name that people use."""


def _title(service: str) -> str:
    metadata = service_model(service).metadata
    full = metadata.get("serviceAbbreviation") or metadata["serviceFullName"]
    return _TITLES.get(service) or full.removeprefix("AWS ").removeprefix("Amazon ")


def _sorted_as(title: str) -> tuple[bool, str]:
    """CloudFormation and SageMaker first: most come for these."""
    return (title not in ("CloudFormation", "SageMaker"), title.lower())


def _nothing(gateway: Gateway) -> Iterator[str]:
    yield from ()


def _sagemaker(gateway: Gateway) -> Iterator[str]:
    actions = list(gateway.service("sagemaker").actions())
    yield _block("Actions", [*actions, *gateway.service("sagemaker-runtime").actions()])
    yield "\n| Action | Is refused with |\n|---|---|\n"
    for action, parameters in NOT_FOLLOWED.items():
        refused = ", ".join(_refused(path, accepted) for path, accepted in parameters.items())
        yield f"| {action} | {refused} |\n"


def _refused(path: str, accepted: tuple[object, ...]) -> str:
    values = _names(str(value) for value in accepted)
    return f"`{path.replace('[]', '')}`" + (f" other than {values}" if values else "")


def _functions(gateway: Gateway) -> Iterator[str]:
    actions = sorted(gateway.service("lambda").actions())
    refused = ", ".join(f"{what} (`{name}`)" for name, what in NOT_OF_FUNCTIONS.items())
    yield f"{_block('Actions', actions)}\nCreateFunction is refused with {refused}.\n"


def _step_functions(gateway: Gateway) -> Iterator[str]:
    yield "\n| Integration | Actions | Waited for |\n|---|---|---|\n"
    for each in gateway.context.integrations:
        waited = [
            f"{action}.{suffix}"
            for action, suffixes in each.waits_for.items()
            for suffix in sorted(suffixes)
        ]
        listed = "all of the API" if each.actions is None else _names(sorted(each.actions))
        yield f"| `{each.name}` | {listed} | {_names(waited)} |\n"


def _block(title: str, names: Iterable[str]) -> str:
    """A list of names that nobody reads from end to end."""
    text = "\n".join(textwrap.wrap(", ".join(names), 96))
    return f"\n{title}:\n\n```text\n{text}\n```\n"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)

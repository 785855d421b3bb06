"""Measures a service curve: ever more callers, and batches of ever more examples."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sagemaker_serving.catalog import instance_type
from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.client.options import Limits
from sagemaker_serving.client.predictor import Predictor
from sagemaker_serving.client.retrying import Retries
from sagemaker_serving.errors import Failure, Mistake, NotFound
from sagemaker_serving.operations.bench import BenchInput, Send, VariantReport, load_for
from sagemaker_serving.operations.simulation.curve import BatchTime, Level, ServiceCurve
from sagemaker_serving.operations.simulation.instance import Batching, ServerLimits
from sagemaker_serving.operations.simulation.limits import limits_of_variables
from sagemaker_serving.operations.tuning.search import BETTER
from sagemaker_serving.operations.tuning.server import sender, served
from sagemaker_serving.spec import Batching as BatchingSpec
from sagemaker_serving.spec import Server, batching_variables, server_variables
from sagemaker_serving.spec.batching import BATCHING_VARIABLES, SERVER_VARIABLES

POINTS = 100
"""Into so many parts a level's times are divided."""

Blocks = Mapping[str, Mapping[str, Any]]
"""``batching`` and ``server``, as an environment file has them."""

Load = Callable[[Sequence[BenchInput], int], VariantReport]
"""Has so many callers send these inputs for a while."""

Told = Callable[[Level], None]


def curve_of_model(
    model: Path,
    inputs: Sequence[BenchInput],
    *,
    blocks: Blocks,
    container_version: str | None,
    seconds: float,
    most_callers: int,
    told: Told = lambda _: None,
) -> ServiceCurve:
    """Of a model's folder or archive, served on this machine with the settings of ``blocks``.

    Callers and model share this machine's cores. Raises `Failure` when the server does not come
    up or answers nothing.
    """
    variables = variables_of(blocks)
    limits = limits_of_variables(variables, processors=os.cpu_count() or 1)
    with served(model, variables, container_version=container_version) as place:
        return measured(
            lambda chosen, callers: load_for(
                seconds, str(callers), lambda: sender(place, chosen), callers=callers
            ),
            inputs,
            of=str(model),
            where=f"this machine, {platform.machine()} with {os.cpu_count()} cores",
            blocks=blocks,
            limits=limits,
            most_callers=most_callers,
            told=told,
        )


def curve_of_endpoint(
    aws: Aws,
    endpoint: str,
    variant: str | None,
    inputs: Sequence[BenchInput],
    *,
    seconds: float,
    most_callers: int,
    told: Told = lambda _: None,
) -> ServiceCurve:
    """Of one variant of an endpoint, by default the first; nothing of it is changed.

    Raises `NotFound` for an unknown endpoint or variant, and `Mistake` for a variant on AWS that
    has several instances, since a curve is that of one.
    """
    name, serves, variables = _variant(aws, endpoint, variant)
    local = aws.endpoint_url is not None
    processors = os.cpu_count() if local else instance_type(serves).vcpus
    with _invoking(aws, endpoint, name, most_callers) as send:
        return measured(
            lambda chosen, callers: load_for(
                seconds, str(callers), lambda: send(chosen), callers=callers
            ),
            inputs,
            of=f"{endpoint}, {name}",
            where="the local AWS" if local else serves,
            blocks=_blocks_of(variables),
            limits=limits_of_variables(variables, processors=processors or 1),
            most_callers=most_callers,
            told=told,
        )


def measured(
    load: Load,
    inputs: Sequence[BenchInput],
    *,
    of: str,
    where: str,
    blocks: Blocks,
    limits: ServerLimits,
    most_callers: int,
    told: Told = lambda _: None,
) -> ServiceCurve:
    """One caller, two, four and so on, until that gains nothing twice; then batches, if it joins.

    Each is loaded for as long as ``load`` does. Raises `Failure` when a level has no answer.
    """
    levels: list[Level] = []
    callers = 1
    while callers <= most_callers and not _is_flat(levels):
        levels.append(level_of(load(inputs, callers), callers))
        told(levels[-1])
        callers *= 2
    return ServiceCurve(
        of=of,
        where=where,
        measured=datetime.now(UTC).isoformat(timespec="seconds"),
        levels=levels,
        batches=[] if limits.batching is None else list(_batches(load, inputs, limits.batching)),
        settings=blocks,
        workers=limits.workers,
    )


def level_of(report: VariantReport, callers: int) -> Level:
    """What was measured, as a level. Raises `Failure` where nothing was answered."""
    found = [report.percentile(100 * place / POINTS) for place in range(POINTS + 1)]
    quantiles = [seconds for seconds in found if seconds is not None]
    if not quantiles:
        reason = next(iter(report.errors), "it took longer than it was measured")
        raise Failure(f"with {callers} callers nothing was answered: {reason}")
    return Level(
        callers=callers,
        per_second=report.per_second,
        quantiles=quantiles,
        errors=report.failed,
    )


def blocks_in(text: str, place: Path) -> Blocks:
    """``batching`` and ``server`` of a YAML file, as `bench --find-batching` writes it.

    Raises `Mistake` for anything else.
    """
    import yaml
    from pydantic import ValidationError

    try:
        data = yaml.safe_load(text) or {}
        types: dict[str, type[BatchingSpec] | type[Server]] = {
            "batching": BatchingSpec,
            "server": Server,
        }
        if not isinstance(data, dict) or data.keys() - types.keys():
            raise ValueError("it has the blocks batching and server, and nothing else")
        return {
            name: types[name].model_validate(block).model_dump(exclude_none=True)
            for name, block in data.items()
        }
    except (yaml.YAMLError, ValidationError, ValueError) as error:
        raise Mistake(f"{place}: these are no settings of a server: {error}") from None


def variables_of(blocks: Blocks) -> dict[str, str]:
    """The container's environment variables of ``batching`` and ``server``."""
    batching = BatchingSpec(**blocks["batching"]) if "batching" in blocks else None
    server = Server(**blocks["server"]) if "server" in blocks else None
    return {**batching_variables(batching), **server_variables(server)}


def _is_flat(levels: Sequence[Level]) -> bool:
    """Whether the last two levels answered no more than what was best before them."""
    if len(levels) < 3:
        return False
    best = max(level.per_second for level in levels[:-2])
    return all(level.per_second < BETTER * best for level in levels[-2:])


def _batches(load: Load, inputs: Sequence[BenchInput], batching: Batching) -> Iterator[BatchTime]:
    """One caller whose requests have so many examples; nothing where a body can't be made so."""
    examples = 1
    while True:
        bodies = [larger for each in inputs if (larger := _larger(each, examples)) is not None]
        if len(bodies) < len(inputs):
            return
        p50 = load(bodies, 1).percentile(50)
        if p50 is None:
            return
        waited = batching.batch_timeout_seconds if examples < batching.max_batch_size else 0.0
        yield BatchTime(examples=examples, seconds=max(p50 - waited, p50 / 10))
        if examples == batching.max_batch_size:
            return
        examples = min(examples * 2, batching.max_batch_size)


def _larger(given: BenchInput, examples: int) -> BenchInput | None:
    """The first example of a request so many times; None where it is no JSON with instances."""
    try:
        instances = json.loads(given.body)["instances"]
        body = json.dumps({"instances": [instances[0]] * examples}).encode()
    except (ValueError, TypeError, KeyError, IndexError):
        return None
    return BenchInput(name=given.name, body=body, content_type=given.content_type)


def _variant(aws: Aws, endpoint: str, name: str | None) -> tuple[str, str, Mapping[str, str]]:
    """A variant's name, its instance type, and its container's variables."""
    client = aws.client("sagemaker")
    with aws_failures():
        found = client.describe_endpoint(EndpointName=endpoint)
        config = client.describe_endpoint_config(EndpointConfigName=found["EndpointConfigName"])
        variants = {each["VariantName"]: each for each in config["ProductionVariants"]}
        chosen = next(iter(variants)) if name is None else name
        if chosen not in variants:
            raise NotFound(f"{endpoint} has no variant {chosen!r}; it has {', '.join(variants)}")
        variant = variants[chosen]
        if "InstanceType" not in variant or "ModelName" not in variant:
            raise Mistake(
                f"{endpoint}: {chosen} has no instances with a model of their own; "
                "a curve is of one instance"
            )
        counts = {
            each["VariantName"]: each.get("CurrentInstanceCount", 1)
            for each in found.get("ProductionVariants", [])
        }
        if counts.get(chosen, 1) > 1 and aws.endpoint_url is None:
            raise Mistake(
                f"{endpoint}: {chosen} has {counts[chosen]} instances; a curve is of one: "
                "measure an endpoint with one"
            )
        model = client.describe_model(ModelName=variant["ModelName"])
    container: Any = model.get("PrimaryContainer") or next(iter(model.get("Containers", [])), {})
    return chosen, variant["InstanceType"], container.get("Environment", {})


@contextmanager
def _invoking(
    aws: Aws, endpoint: str, variant: str, callers: int
) -> Iterator[Callable[[Sequence[BenchInput]], Send]]:
    # A refusal that is tried again would look like a slow answer.
    limits, once = Limits(concurrency=callers), Retries(deadline_seconds=0)
    with Predictor(endpoint, aws, limits=limits, retries=once) as predictor:

        def of(inputs: Sequence[BenchInput]) -> Send:
            def send(number: int) -> float:
                given = inputs[number % len(inputs)]
                return predictor.invoke(
                    given.body, content_type=given.content_type, target_variant=variant
                ).seconds

            return send

        yield of


def _blocks_of(variables: Mapping[str, str]) -> Blocks:
    """The blocks whose variables these are."""
    of: dict[str, tuple[Mapping[str, str], type[BatchingSpec] | type[Server]]] = {
        "batching": (BATCHING_VARIABLES, BatchingSpec),
        "server": (SERVER_VARIABLES, Server),
    }
    found = {
        name: {field: variables[known] for field, known in names.items() if known in variables}
        for name, (names, _) in of.items()
    }
    return {
        name: of[name][1].model_validate_strings(block).model_dump(exclude_unset=True)
        for name, block in found.items()
        if block and block.get("enabled") != "false"
    }

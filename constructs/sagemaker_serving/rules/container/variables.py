"""Rules on the variables that AWS's containers read, wherever they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from local_aws.suggest import did_you_mean
from sagemaker_serving.catalog.variables import (
    OF_ONE_IMAGE,
    PREFIXES,
    ContainerVariable,
    container_variable,
    container_variables,
)
from sagemaker_serving.rules.container.model_ids import frameworks_named
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ContainerFacts, Fact, TransformFacts

_SOURCE = (
    "aws/deep-learning-containers e0ecede, aws/sagemaker-inference-toolkit, pytorch/serve and "
    "awslabs/multi-model-server"
)
_TOOLKIT = ("pytorch", "huggingface", "mxnet", "sklearn")
"""Frameworks whose images have the toolkit; of others it is not known here."""


@rule("container-variable", source=_SOURCE, example='SAGEMAKER_TFS_MAX_BATCH_SIZE: "1_000"')
def container_variable_value(host: ContainerFacts | TransformFacts) -> Iterator[Finding]:
    """A variable that the container reads is of its type and in its range.

    Numbers are digits only. With another text the server ends as it starts, or silently does
    something else. Of an image of your own, what AWS's read is assumed.
    """
    for name, fact in _written(host).items():
        known = container_variable(name)
        text = fact.scalar
        if known is None or text is None or not _is_read(known, host):
            continue
        if not known.takes(text):
            usual = "" if known.default is None else f"; left out it is {known.default}"
            ports = "; use 9000-9999" if known.kind == "ports" else ""
            yield fact.says(f"is {text!r}; it must be {known.allowed}{ports}{usual}")


@rule(source=_SOURCE, example="SAGEMAKER_TS_MIN_WORKERS over MAX_WORKERS")
def container_variable_order(host: ContainerFacts | TransformFacts) -> Iterator[Finding]:
    """TorchServe's fewest workers are not more than its most, which is 1 unless it is said.

    What it does otherwise was not tried, so this warns.
    """
    written = _written(host)
    if "SAGEMAKER_TS_MIN_WORKERS" not in written:
        return
    least, most = (written.get(f"SAGEMAKER_TS_{which}_WORKERS") for which in ("MIN", "MAX"))
    fewest = None if least is None else least.scalar
    highest = "1" if most is None else most.scalar
    known = container_variable("SAGEMAKER_TS_MIN_WORKERS")
    if least is None or fewest is None or highest is None or known is None:
        return
    numbers = known.takes(fewest) and known.takes(highest)
    if "toolkit" in _servers(host) and numbers and int(fewest) > int(highest):
        yield least.says(
            f"is {fewest} and SAGEMAKER_TS_MAX_WORKERS is {highest}; the fewest are not more than "
            f"the most; use at most {highest}"
        )


@warning(source=_SOURCE, example='SAGEMAKER_TFS_MAX_BATCHSIZE: "16"')
def container_variable_unknown(host: ContainerFacts | TransformFacts) -> Iterator[Finding]:
    """A variable of a container's is one that this container reads.

    A misspelt one changes nothing, and neither does another container's: TensorFlow Serving's
    calls code/inference.py, whatever SAGEMAKER_PROGRAM says. OPTION_… is DJL's, SM_VLLM_… vLLM's.
    A variant's time to start is none of its containers' variables (examples#3432).
    """
    for name, fact in _written(host).items():
        member = _TIMES.fullmatch(name.replace("_", ""))
        if member is not None:
            yield fact.finding(
                f"no container reads {name}, which is a member of the variant; move it there"
            )
            continue
        known = container_variable(name)
        if known is not None and _is_of_another(known.server, host):
            does = "; its script is code/inference.py" if name in _SCRIPT_NAMES else ""
            yield fact.finding(f"the image's container does not read {name}{does}; remove it")
            continue
        alone = next((OF_ONE_IMAGE[start] for start in OF_ONE_IMAGE if name.startswith(start)), "")
        named = _frameworks(host)
        if alone and named and not any(alone in each for each in named):
            yield fact.finding(f"only images of {alone} read {name}; remove it")
            continue
        server = next((PREFIXES[start] for start in PREFIXES if name.startswith(start)), None)
        if server is None or container_variable(name) is not None or server not in _servers(host):
            continue
        hint = did_you_mean(name, [each.name for each in container_variables()]) or "remove it"
        yield fact.finding(f"no container of AWS's reads {name}; {hint}")


@warning(source="huggingface/text-generation-inference#479", example="HF_TOKEN: '\"hf_…\"'")
def container_variable_quotes(host: ContainerFacts | TransformFacts) -> Iterator[Finding]:
    """What names a model, or is a token, has no quotes around it: they would be part of it.

    They come from json.dumps, and from quotes within YAML's. "Repository Not Found", or 401.
    """
    for name, fact in _written(host).items():
        text = fact.scalar or ""
        if _NAMES.match(name) and text[:1] in "\"'" and text[:1] == text[-1:] != "":
            yield fact.says(f"is {text!r} with its quotes; write {text[1:-1]}")


_NAMES = re.compile("HF_|HUGGING_FACE_|(OPTION|SM_[A-Z_]+)_MODEL|SAGEMAKER_PROGRAM")


@rule(source=_SOURCE, example='SAGEMAKER_MULTI_MODEL: "true" without multi_model')
def container_multi_model(host: ContainerFacts | TransformFacts) -> Iterator[Finding]:
    """SAGEMAKER_MULTI_MODEL is left to SageMaker, which sets it on a multi-model endpoint.

    On an ordinary one the container loads no model and answers every request with 400.
    """
    container = host if isinstance(host, ContainerFacts) else host.container
    fact = _written(host).get("SAGEMAKER_MULTI_MODEL")
    if container is None or fact is None or container.is_multi_model:
        return
    if len(_servers(host)) == _OF_ONE and (fact.scalar or "").lower() == "true":
        yield fact.says(
            f"is {fact.scalar!r}, and this is no multi-model endpoint: its container would load no "
            "model; remove it, or serve many models with multi_model (in a template, Mode: "
            "MultiModel)"
        )


_OF_ONE = 2
"""How many `_servers` has of an image that is known: any, and its own."""

_TIMES = re.compile(
    "(ContainerStartupHealthCheck|ModelDataDownload)Timeout(InSeconds)?", re.IGNORECASE
)
_SCRIPT_NAMES = ("SAGEMAKER_PROGRAM", "SAGEMAKER_SUBMIT_DIRECTORY")


def is_read(name: str, container: ContainerFacts) -> bool:
    """Whether the container may read a variable: not one of AWS's that another server reads."""
    known = container_variable(name)
    return known is None or not _is_of_another(known.server, container)


def _is_of_another(server: str, host: ContainerFacts | TransformFacts) -> bool:
    container, servers = (
        host if isinstance(host, ContainerFacts) else host.container,
        _servers(host),
    )
    image = "" if container is None else container.image_uri.text or ""
    if container is None or container.compilation.given or _NEO.search(image):
        return False  # AWS's page sets the script's variables for every image of Neo's
    return len(servers) == _OF_ONE and server not in servers


_NEO = re.compile("sagemaker-(neo|inference)-")


def _written(host: ContainerFacts | TransformFacts) -> dict[str, Fact]:
    return dict(
        host.environment.items() if isinstance(host, ContainerFacts) else host.environment.entries()
    )


def _frameworks(host: ContainerFacts | TransformFacts) -> tuple[str, ...]:
    container = host if isinstance(host, ContainerFacts) else host.container
    return () if container is None else frameworks_named(container)


def _is_read(known: ContainerVariable, host: ContainerFacts | TransformFacts) -> bool:
    if known.frameworks:
        return any(each in known.frameworks for each in _frameworks(host))
    return known.server in _servers(host)


def _servers(host: ContainerFacts | TransformFacts) -> tuple[str, ...]:
    """Whose variables are read; everybody's where the image is not one of AWS's, or not told."""
    named = _frameworks(host)
    if not named:
        return ("any", "tensorflow", "toolkit")
    if "tensorflow" in named:
        return ("any", "tensorflow")
    return ("any", "toolkit") if any(each.startswith(_TOOLKIT) for each in named) else ()

"""Rules on multi-model endpoints: one container that loads many models."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.catalog.ecr import parse_ecr_uri
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ContainerFacts
from sagemaker_serving.rules.facts.kinds import KindFacts
from sagemaker_serving.rules.hardware.instance_types import known
from sagemaker_serving.spec.kinds import archive_name

_GUIDE = "AWS SageMaker developer guide of 2023, multi-model endpoints"
_TFS = "aws/deep-learning-containers, TensorFlow inference e0ecede"
_PORTS = "SAGEMAKER_SAFE_PORT_RANGE"
_RANGE = re.compile(r"([0-9]{1,5})-([0-9]{1,5})")
_TORCHSERVE = (
    "aws/sagemaker-pytorch-inference-toolkit v2.0.25, etc/mme-ts.properties, with TorchServe "
    "0.12.0; run 2026-11-23"
)
_TORCHSERVE_REPOSITORIES = (
    "pytorch-inference",
    "pytorch-inference-graviton",
    "pytorch-inference-arm64",
)
_WITHOUT_LINE_BREAK = (2, 4)
"""The first images with that toolkit (aws/deep-learning-containers c85149055d, buildspecs)."""
_MODEL_API = "TS_ENABLE_MODEL_API"
_TENSORFLOW = ("tensorflow-inference", "sagemaker-tensorflow-serving")


def models_in_ports(low: int, high: int) -> int:
    """How many models TensorFlow Serving's container loads at once with these ports.

    It keeps a tenth of the range free and gives every model two ports: for
    9000-9999 that is 449. Source: the container's code, as `_TFS` says.
    """
    return int((high - low) * 0.9) // 2


@rule(source=_GUIDE, example="Mode: MultiModel   # on ml.p3.8xlarge")
def multi_model_gpu(container: ContainerFacts) -> Iterator[Finding]:
    """A multi-model endpoint on GPUs runs Triton on a type with a single GPU; no Neuron.

    Other servers load models into the memory of CPUs only.
    """
    kind = known(container.instance_type)
    if kind is None or container.mode.text != "MultiModel":
        return
    image = parse_ecr_uri(container.image_uri.text or "")
    framework = container.framework.text if not container.image_uri.given else None
    served = image.repository if image is not None else framework
    triton = served is not None and "triton" in served
    if kind.neuron is not None:
        advice = f"it is an {kind.neuron} host, which loads one compiled model; use a CPU type"
    elif kind.gpus > 1:
        advice = f"it has {kind.gpus} GPUs; use a type with one GPU and Triton, or a CPU type"
    elif kind.gpus and served is not None and not triton:
        advice = "on GPUs only NVIDIA Triton serves many models; use its image, or a CPU type"
    else:
        return
    yield container.instance_type.says(
        f"is {kind.name!r} and the container is multi-model; {advice}"
    )


@warning(
    source=_TFS,
    example="Mode: MultiModel   # without SAGEMAKER_SAFE_PORT_RANGE",
    silent={"environment files": "there is a default"},
)
def multi_model_ports_given(container: ContainerFacts) -> Iterator[Finding]:
    """TensorFlow Serving's multi-model container has a port range for its models.

    Its code reads SAGEMAKER_SAFE_PORT_RANGE at the start and ends without it. AWS does not document
    whether SageMaker always sets the variable, so this warns.
    """
    unknown = container.environment_fact.unknown
    if _serves_tensorflow(container) and not unknown and _PORTS not in container.environment:
        yield container.mode.says(
            f"is 'MultiModel' and the environment lacks {_PORTS}, without which TensorFlow "
            f"Serving's container does not start; add {_PORTS}: 9000-9999, which holds 449 models "
            "at once"
        )


@warning(source=_TFS, example="SAGEMAKER_SAFE_PORT_RANGE: 9000-9019")
def multi_model_capacity(container: ContainerFacts) -> Iterator[Finding]:
    """The ports suffice for the models that a container is to hold at the same time.

    Each model takes two ports, of 90 % of the range: 9000-9999 suffices for 449 models, not 499.
    One more is answered with 507 until another is unloaded.
    """
    ports = container.environment.get(_PORTS) if _serves_tensorflow(container) else None
    found = None if ports is None else _RANGE.fullmatch(ports.text or "")
    if ports is None or found is None:
        return
    low, high = int(found[1]), int(found[2])
    room = models_in_ports(low, high)
    if low < high and room < 10:
        yield ports.says(
            f"is {ports.text!r}, which holds {room} models at once (two ports each, of 90 % of the "
            "range); the next is answered with 507; use 9000-9999 for 449"
        )


@rule(source=_TORCHSERVE, example="Mode: MultiModel   # with pytorch-inference:2.6.0-cpu-py312")
def multi_model_pytorch(container: ContainerFacts) -> Iterator[Finding]:
    """PyTorch's images from 2.4 load models in multi-model mode only when a variable says so.

    Their TorchServe settings end without a line break, so that POST /models is a 405, and every
    request to the endpoint fails.
    """
    version = _torchserve_version(container)
    if container.mode.text != "MultiModel" or version is None or version < _WITHOUT_LINE_BREAK:
        return
    if container.environment_fact.unknown:
        return
    given = container.environment.get(_MODEL_API)
    if given is not None and (given.text is None or given.text.lower() == "true"):
        return
    yield container.mode.says(
        f"is 'MultiModel' and the image has PyTorch {version[0]}.{version[1]}; its TorchServe "
        f"refuses to load models, since its settings lack a line break; add {_MODEL_API}: 'true' "
        "to the environment, or use an image up to 2.3"
    )


@rule(source="botocore InvokeEndpoint, TargetModel", example="archives: [old/digits, new/digits]")
def multi_model_names(kind: KindFacts) -> Iterator[Finding]:
    """In a list of archives each has a name of its own: its file's or folder's, or ``NAME=``.

    It is what requests give as TargetModel, so one of two would take the other's place.
    """
    places: dict[str, str] = {}
    for each in kind.model.get("multi_model").get("archives").items():
        if each.text is None:
            continue
        name = archive_name(each.text)
        if not name:
            yield each.finding(f"{each.text!r} has no name; give it one: NAME={each.text}")
        elif name in places:
            yield each.finding(
                f"{places[name]!r} and {each.text!r} would both be {name}.tar.gz; give one of them "
                f"another name: NAME={each.text}"
            )
        places.setdefault(name, each.text)


def _serves_tensorflow(container: ContainerFacts) -> bool:
    if container.mode.text != "MultiModel":
        return False
    if not container.image_uri.given:
        return (container.framework.text or "").lower() == "tensorflow"
    image = parse_ecr_uri(container.image_uri.text or "")
    return image is not None and any(image.repository.startswith(name) for name in _TENSORFLOW)


def _torchserve_version(container: ContainerFacts) -> tuple[int, int] | None:
    """The version of AWS's PyTorch image that a container runs; None for other images."""
    text = None
    if not container.image_uri.given:
        if (container.framework.text or "").lower() == "pytorch":
            text = container.framework_version.text
    else:
        image = parse_ecr_uri(container.image_uri.text or "")
        if image is not None and image.repository in _TORCHSERVE_REPOSITORIES:
            text = image.tag
    found = re.match(r"([0-9]+)\.([0-9]+)", text or "")
    return (int(found[1]), int(found[2])) if found is not None else None

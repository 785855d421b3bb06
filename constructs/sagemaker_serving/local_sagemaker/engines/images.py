"""Which of this machine's programs serves an image of AWS's, told by its repository and tag."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sagemaker_serving.archive import TRITON
from sagemaker_serving.catalog.images import repository_versions
from sagemaker_serving.model_server.programs import VERSIONED, Program


@dataclass(frozen=True, kw_only=True)
class Engine:
    """What serves an image.

    ``container_version`` is the framework version whose contract a `VERSIONED` program follows,
    None the newest; ``command`` is what `Program.COMMAND` runs. ``note`` is what whoever looks at
    the endpoint should know of it, "" when there is nothing.
    """

    program: Program
    container_version: str | None = None
    command: str = ""
    note: str = ""


class NoEngine(Exception):
    """This machine has nothing that serves the image; the message says so."""


def engine_of(image: str) -> Engine:
    """What serves an image of AWS's; raises `NoEngine` for all others.

    The registry does not matter, so that a copy of AWS's image under its own name is served as the
    original. A tag that tells no version, or one that AWS's tables do not have, is noted; the
    contract is the nearest then: by the tag's number, or the newest.
    """
    _, name, tag = split_image(image)
    repository = name.rpartition("/")[2]
    if _RAY_FOR_EC2.match(tag) and repository == "ray":
        raise NoEngine(f"{image} is for EC2, and answers where SageMaker does not ask")
    tag = _BEFORE_VERSION.sub("", tag)
    known = {**repository_versions(repository), **_NOT_IN_THE_TABLES.get(repository, {})}
    for framework, versions in known.items():
        if framework in _PROGRAMS:
            program, found = _PROGRAMS[framework], _VERSION.match(tag)
            return Engine(
                program=program,
                container_version=found[0] if found and program in VERSIONED else None,
                note="" if _is_among(tag, versions) else _unknown(image, versions, found),
            )
    if not known:
        raise NoEngine(f"this machine has no engine for {name}, which is no repository of AWS's")
    frameworks = " and ".join(known)
    raise NoEngine(f"this machine has no engine for {frameworks}, which {repository} serves")


def split_image(image: str) -> tuple[str, str, str]:
    """Registry, repository and tag, "" for what is not there.

    ``docker.example.com:5000/team/server:7`` is ("docker.example.com:5000", "team/server", "7").
    What comes before the first slash is a registry if it has a dot or a colon, as for Docker.
    """
    name = image.partition("@")[0]
    registry, slash, rest = name.partition("/")
    if not slash or not (re.search(r"[.:]", registry) or registry == "localhost"):
        registry, rest = "", name
    folder, slash, last = rest.rpartition("/")
    repository, _, tag = last.partition(":")
    return registry, f"{folder}{slash}{repository}", tag


SERVED = (
    "tensorflow-inference, sagemaker-tensorflow-serving, pytorch-inference, sagemaker-pytorch, "
    "sagemaker-scikit-learn, sagemaker-xgboost, huggingface-pytorch-inference, "
    "sagemaker-tritonserver, ray and what runs Neo's TensorFlow, PyTorch, ONNX and XGBoost models"
)
"""AWS's repositories whose images are served, for messages."""

_PROGRAMS = {
    "tensorflow": Program.TENSORFLOW,
    "neo-tensorflow": Program.TENSORFLOW,
    "inferentia-tensorflow": Program.TENSORFLOW,
    "pytorch": Program.PYTORCH,
    "ray-serve": Program.RAY_SERVE,
    "neo-pytorch": Program.NEO_PYTORCH,
    "inferentia-pytorch": Program.NEO_PYTORCH,
    "neo-onnx": Program.NEO_ONNX,
    "xgboost-neo": Program.NEO_XGBOOST,
    "sklearn": Program.SKLEARN,
    "xgboost": Program.XGBOOST,
    "huggingface": Program.HUGGING_FACE,
    TRITON: Program.TRITON,
}
"""By the SDK's names of frameworks, as the catalog has them."""

_NOT_IN_THE_TABLES: dict[str, dict[str, tuple[str, ...]]] = {
    **{
        f"{framework}-inference-{chip}": {framework: ()}
        for framework in ("tensorflow", "pytorch")
        for chip in ("neuron", "neuronx")
    },
    **{
        f"sagemaker-{kind}-{framework}": {f"neo-{framework}": ()}
        for kind in ("inference", "neo")
        for framework in ("onnx", "keras")
    },
}
"""Repositories that AWS names elsewhere: the Neuron SDK's guide ("Neuron Deep Learning
Containers") and SageMaker's ("Neo inference container images"). Which versions
they have is not known here."""

_VERSION = re.compile(r"\d+\.\d+(\.\d+)*")
"""What every generation of AWS's tags begins with: 1.12-cpu, 2.1.3-gpu, 2.9.2-cpu-py3,
2.19.0-gpu-py312-cu122-ubuntu22.04-sagemaker-v1.2."""


_BEFORE_VERSION = re.compile(r"^(serve-ml-sagemaker-(cpu|cuda)-v|[0-9.]+-transformers)")
"""What stands before the version in tags of Ray Serve and of Hugging Face:
serve-ml-sagemaker-cpu-v1.4, 2.6.0-transformers4.49.0-cpu-py312-ubuntu22.04."""

_RAY_FOR_EC2 = re.compile(r"serve-ml-(cpu|cuda)\b")
"""The tags of its other images, which listen on port 8000 alone (aws/deep-learning-containers
e0ecede, scripts/docker/ray/dockerd_entrypoint.sh)."""


def _is_among(tag: str, versions: Iterable[str]) -> bool:
    """Whether a tag names one of the versions, or a patch release of one."""
    releases = {_release(version) for version in versions}
    return not releases or tag in releases or _release(tag) in releases


def _release(text: str) -> str:
    """``2.19`` of a version or a tag; what has no number stays."""
    found = re.match(r"\d+\.\d+", text)
    return found[0] if found else text


def _unknown(image: str, versions: Iterable[str], found: re.Match[str] | None) -> str:
    numbered = [tuple(map(int, _release(each).split("."))) for each in versions if "." in each]
    if found is None or not numbered:
        return f"{image} names no version in its tag; it is served by the newest contract"
    wanted = tuple(map(int, _release(found[0]).split(".")))
    closest = max((each for each in numbered if each <= wanted), default=min(numbered))
    return (
        f"{image} has a version that is not known here; it is served by the contract of the "
        f"nearest, {'.'.join(map(str, closest))}"
    )

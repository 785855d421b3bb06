"""The environment variables that AWS's serving containers read: what each may be.

Sources: aws/deep-learning-containers e0ecede, scripts/docker/tensorflow/inference/
sagemaker, and TensorFlow Serving's batching parameters (64-bit numbers, at least 1);
gunicorn's settings and nginx's error_log; aws/sagemaker-inference-toolkit, environment.py, and
aws/sagemaker-pytorch-inference-toolkit, ts_environment.py; pytorch/serve and
awslabs/multi-model-server, ConfigManager.java (32-bit numbers, and anything that is not true is
false).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from sagemaker_serving.catalog.servers import TORCHSERVE_LARGEST

Kind = Literal["whole", "number", "flag", "choice", "ports", "text"]
Server = Literal["tensorflow", "toolkit", "any"]

_INT32, _INT64 = 2**31 - 1, 2**63 - 1


@dataclass(frozen=True)
class ContainerVariable:
    """A variable by its name: ``kind`` is what its text has to be.

    ``least`` and ``most`` bound numbers and ports; ``choices`` are the words of a choice.
    ``default`` is what the container takes without it, None where that depends on the host or
    there is none. ``server`` is whose it is: TensorFlow Serving's container, the toolkit of
    PyTorch, Hugging Face, MXNet and scikit-learn with its model server, or any. Where there are
    ``frameworks``, only their images ask for such a text.
    """

    name: str
    kind: Kind
    server: Server
    default: str | None = None
    least: int = 0
    most: int = _INT32
    choices: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()

    def takes(self, text: str) -> bool:
        """Whether a container that reads the variable starts, and does what the text says.

        Digits are 0 to 9: a blank, an underscore or a sign is refused.
        """
        if self.kind == "flag":
            return text.lower() in ("true", "false")
        if self.kind == "choice":
            return text.lower() in self.choices or ("." in text and self.name in _CLASSES)
        if self.kind == "ports":
            found = re.fullmatch(r"([0-9]{1,5})-([0-9]{1,5})", text)
            return found is not None and self.least <= int(found[1]) < int(found[2]) <= self.most
        if self.kind == "text":
            return bool(text)
        if self.kind == "whole":
            is_whole = re.fullmatch(r"[0-9]{1,19}", text) is not None
            return is_whole and self.least <= int(text) <= self.most
        is_number = re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE]-?[0-9]{1,2})?", text) is not None
        return is_number and self.least <= float(text) <= self.most

    @property
    def allowed(self) -> str:
        """What it may be, as the end of "it must be"."""
        if self.kind == "flag":
            return "true or false"
        if self.kind == "choice":
            return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
        if self.kind == "ports":
            bounds = f"{self.least} and {self.most}"
            return f"two ports between {bounds}, the lower first"
        if self.kind == "text":
            return "given"
        what = "a whole number" if self.kind == "whole" else "a number"
        if self.most in (_INT32, _INT64):
            bits = int(self.most).bit_length()
            return f"{what} of at least {self.least:g}, in digits, and below 2^{bits}"
        return f"{what} from {self.least:g} to {self.most:g}"


def container_variable(name: str) -> ContainerVariable | None:
    """The variable ``name``; None for one that no container of AWS's is known to read."""
    return _variables().get(name)


def container_variables() -> tuple[ContainerVariable, ...]:
    """All of them."""
    return tuple(_variables().values())


PRIVATE_PACKAGES = "CA_REPOSITORY_ARN"
"""The variable that names the CodeArtifact repository that requirements.txt is installed from."""

PRIVATE_REPOSITORY = re.compile(
    r"(arn:aws[a-z-]*:codeartifact:[a-z0-9-]+:[0-9]{12}):repository/([^/]+)/([^/]+)"
)
"""Such a repository's ARN; its groups are what comes before the resource, domain and repository."""

PREFIXES = {
    "SAGEMAKER_TFS_": "tensorflow",
    "SAGEMAKER_GUNICORN_": "tensorflow",
    "SAGEMAKER_NGINX_": "tensorflow",
    "SAGEMAKER_TS_": "toolkit",
}
"""What begins so is read by these containers only, and every such variable is known."""

OF_ONE_IMAGE = {
    "OPTION_": "djl",
    "SM_VLLM_": "vllm",
    "SM_SGLANG_": "sglang",
    "SAGEMAKER_TRITON_": "triton",
}
"""What begins so is read by images of the frameworks in whose names this is, whatever follows: they
make arguments of it (aws/deep-learning-containers, sagemaker_entrypoint.sh of vLLM and SGLang; DJL
LMI configuration; triton-inference-server/server, docker/sagemaker/serve)."""

_LEVELS = ("debug", "info", "warning", "error", "critical")
_CLASSES = ("SAGEMAKER_GUNICORN_WORKER_CLASS",)
"""Choices that may be a class of one's own, too, by its dotted path."""


@cache
def _variables() -> dict[str, ContainerVariable]:
    own = (*_tensorflow(), *_toolkit(), *_model_servers())
    return {each.name: each for each in (*own, *_OF_FRAMEWORKS)}


def _tensorflow() -> Iterator[ContainerVariable]:
    def of(
        name: str,
        kind: Kind,
        default: str | None = None,
        *,
        least: int = 0,
        most: int = _INT32,
        choices: tuple[str, ...] = (),
    ) -> ContainerVariable:
        name = f"SAGEMAKER_{name}"
        return ContainerVariable(name, kind, "tensorflow", default, least, most, choices)

    yield of("TFS_ENABLE_BATCHING", "flag", "false")
    yield of("TFS_MAX_BATCH_SIZE", "whole", "8", least=1, most=_INT64)
    yield of("TFS_BATCH_TIMEOUT_MICROS", "whole", "1000", most=_INT64)
    yield of("TFS_NUM_BATCH_THREADS", "whole", least=1, most=_INT64)
    yield of("TFS_MAX_ENQUEUED_BATCHES", "whole", least=1, most=_INT64)
    yield of("TFS_INSTANCE_COUNT", "whole", "1", least=1)
    yield of("TFS_INTER_OP_PARALLELISM", "whole", "0")
    yield of("TFS_INTRA_OP_PARALLELISM", "whole", "0")
    yield of("TFS_FRACTIONAL_GPU_MEM_MARGIN", "number", "0.2", most=1)
    yield of("TFS_WAIT_TIME_SECONDS", "whole", least=1)
    yield of("TFS_DEFAULT_MODEL_NAME", "text")
    yield of("TFS_VERSION", "text")
    yield of("NGINX_PROXY_READ_TIMEOUT_SECONDS", "whole", "60", least=1)
    for name, default in (("WORKERS", "1"), ("THREADS", "1"), ("TIMEOUT_SECONDS", "30")):
        yield of(f"GUNICORN_{name}", "whole", default, least=1)
    yield of("GUNICORN_LOGLEVEL", "choice", "info", choices=_LEVELS)
    workers = ("sync", "gevent", "gthread", "eventlet", "tornado")
    yield of("GUNICORN_WORKER_CLASS", "choice", "gevent", choices=workers)
    levels = ("debug", "info", "notice", "warn", "error", "crit", "alert", "emerg")
    yield of("TFS_NGINX_LOGLEVEL", "choice", "error", choices=levels)


def _toolkit() -> Iterator[ContainerVariable]:
    yield ContainerVariable("SAGEMAKER_BIND_TO_PORT", "whole", "any", "8080", least=1, most=65535)
    yield ContainerVariable("SAGEMAKER_SAFE_PORT_RANGE", "ports", "any", least=1024, most=65535)
    yield ContainerVariable("SAGEMAKER_MULTI_MODEL", "flag", "any", "false")
    for name, least, default in (
        ("MODEL_SERVER_TIMEOUT", 1, "60"),
        ("MODEL_SERVER_WORKERS", 1, None),
        ("TS_BATCH_SIZE", 1, "1"),
        ("TS_MAX_BATCH_DELAY", 0, "100"),
        ("TS_MIN_WORKERS", 1, "1"),
        ("TS_MAX_WORKERS", 1, "1"),
        ("TS_RESPONSE_TIMEOUT", 1, "60"),
    ):
        yield ContainerVariable(f"SAGEMAKER_{name}", "whole", "toolkit", default, least)
    yield ContainerVariable("SAGEMAKER_PROGRAM", "text", "toolkit", "inference.py")
    yield ContainerVariable("SAGEMAKER_SUBMIT_DIRECTORY", "text", "toolkit", "/opt/ml/model/code")


def _model_servers() -> Iterator[ContainerVariable]:
    """TorchServe's and the multi-model server's: the one has grown out of the other."""
    settings: dict[str, tuple[Kind, int, str | None]] = {
        "DEFAULT_WORKERS_PER_MODEL": ("whole", 0, "0"),
        "DEFAULT_RESPONSE_TIMEOUT": ("whole", 1, "120"),
        "NUMBER_OF_NETTY_THREADS": ("whole", 0, "0"),
        "NETTY_CLIENT_THREADS": ("whole", 0, "0"),
        "JOB_QUEUE_SIZE": ("whole", 1, "100"),
        "NUMBER_OF_GPU": ("whole", 0, None),
        "MAX_REQUEST_SIZE": ("whole", 1, str(TORCHSERVE_LARGEST)),
        "MAX_RESPONSE_SIZE": ("whole", 1, str(TORCHSERVE_LARGEST)),
        "UNREGISTER_MODEL_TIMEOUT": ("whole", 1, "120"),
        "ASYNC_LOGGING": ("flag", 0, "false"),
        "DECODE_INPUT_REQUEST": ("flag", 0, "true"),
        "PREFER_DIRECT_BUFFER": ("flag", 0, "false"),
        "INSTALL_PY_DEP_PER_MODEL": ("flag", 0, "false"),
    }
    for prefix in ("TS", "MMS"):
        for name, (kind, least, default) in settings.items():
            if prefix == "TS" or name not in _ONLY_TORCHSERVE:
                yield ContainerVariable(f"{prefix}_{name}", kind, "toolkit", default, least)


_OF_FRAMEWORKS = (
    ContainerVariable(
        "SAGEMAKER_CONTAINER_LOG_LEVEL", "whole", "any", "20", frameworks=("sklearn", "xgboost")
    ),
    ContainerVariable("SM_NUM_GPUS", "whole", "any", least=1, frameworks=("huggingface-llm",)),
)
"""Sources: aws/sagemaker-containers 2.8.6, _env.py, which makes an int of it;
huggingface/text-generation-inference, sagemaker-entrypoint.sh and launcher/src/main.rs, num_shard.
"""

_ONLY_TORCHSERVE = ("UNREGISTER_MODEL_TIMEOUT", "PREFER_DIRECT_BUFFER", "INSTALL_PY_DEP_PER_MODEL")

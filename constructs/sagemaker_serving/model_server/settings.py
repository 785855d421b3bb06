"""The container's environment variables, read and judged as the container does.

Source of names and defaults: aws/deep-learning-containers e0ecede (image
2.20). They are those of every generation but for the time a
model may take to load.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.variables import flag, given_integer, integer, share

DEFAULT_PORT = 8080
"""Where the container listens unless SAGEMAKER_BIND_TO_PORT says otherwise."""

BATCH_TRANSFORM_ENQUEUED_BATCHES = 100_000_000
"""SAGEMAKER_BATCH, set by batch transform to any value, lifts the queue limit to this."""

MEMORY_LIMIT = "SAGEMAKER_SERVING_MEMORY_LIMIT_MB"
"""This server's own variable: in multi-model mode, the MB that the models and TensorFlow may
take together, as the instance's memory limits them on SageMaker. Absent: no limit."""

UNIVERSAL_CODE = "SAGEMAKER_SERVING_UNIVERSAL_CODE"
"""This server's own variable: the folder that stands for ``/opt/ml/code``, where images from 2.9
have the code of all models in multi-model mode."""

NGINX_LOGLEVELS = ("debug", "info", "notice", "warn", "error", "crit", "alert", "emerg")
"""What nginx starts with (nginx.org/en/docs/ngx_core_module.html#error_log)."""

_REGIONS_WITHOUT_UNIVERSAL_CODE = ("us-iso-east-1", "us-gov-west-1")


@dataclass(frozen=True, kw_only=True)
class Batching:
    """TensorFlow Serving's batching parameters, in the order of the batching file."""

    max_batch_size: int
    batch_timeout_micros: int
    num_batch_threads: int
    max_enqueued_batches: int

    def config(self) -> str:
        """The text of the container's ``batching-config.cfg``, line by line as it writes it."""
        return "".join(f"{name} {{ value: {value} }}\n" for name, value in vars(self).items())


@dataclass(frozen=True, kw_only=True)
class Gunicorn:
    """How gunicorn runs ``inference.py``."""

    worker_class: str
    workers: int
    threads: int
    timeout_seconds: int
    loglevel: str


@dataclass(frozen=True, kw_only=True)
class UniversalCode:
    """Where code that no model brings comes from."""

    bucket: str | None
    prefix: str | None
    """Objects below them are the code folder, unless there is one."""

    folder: Path | None
    """Stands for ``/opt/ml/code`` (`UNIVERSAL_CODE`)."""

    @property
    def is_in_s3(self) -> bool:
        """Whether bucket and prefix are both given; one alone is ignored."""
        return bool(self.bucket and self.prefix)


@dataclass(frozen=True, kw_only=True)
class ModelPorts:
    """The ports that multi-model mode hands out, a pair for each engine."""

    rest: range
    grpc: range


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything the container reads from its environment."""

    multi_model: bool
    """Whether models are loaded and unloaded by requests to /models."""

    universal_code: UniversalCode
    memory_limit_mb: int | None
    """What models may take together in multi-model mode; None: no limit (`MEMORY_LIMIT`)."""

    default_model_name: str | None
    """None: the first model found."""

    batching: Batching | None
    """None: every request is one call of the model."""

    instance_count: int
    """Engine processes."""

    inter_op_parallelism: int
    intra_op_parallelism: int
    """Threads; 0 lets TensorFlow choose."""

    wait_time_seconds: int | None
    """How long the model may take to load, counted from TensorFlow's own start.

    None: the default of the image's generation (`contract`).
    """

    port_range: tuple[int, int] | None
    gunicorn: Gunicorn

    bind_to_port: int
    """Where the container would listen; whoever starts this server chooses the port."""

    nginx_loglevel: str
    nginx_read_timeout_seconds: int

    @property
    def proxy_read_timeout_seconds(self) -> int:
        """How long the front waits for an answer; never under gunicorn's own timeout."""
        return max(self.gunicorn.timeout_seconds, self.nginx_read_timeout_seconds)

    def rest_port(self, instance: int) -> int | None:
        """The REST port that SAGEMAKER_SAFE_PORT_RANGE gives an engine; None without a range."""
        return None if self.port_range is None else self.port_range[0] + 2 * instance + 1

    def grpc_port(self, instance: int) -> int:
        """The gRPC port of an engine in the container: 9000 of them all without a range."""
        return 9000 if self.port_range is None else self.port_range[0] + 2 * instance

    @property
    def model_ports(self) -> ModelPorts:
        """90 % of SAGEMAKER_SAFE_PORT_RANGE: the lower half for REST, the upper one for gRPC."""
        assert self.port_range is not None, "multi-model mode has a port range"
        low, high = self.port_range
        end = low + int((high - low) * 0.9)
        middle = (low + end) // 2
        return ModelPorts(rest=range(low, middle), grpc=range(middle, end))


def read_settings(environ: Mapping[str, str]) -> Settings:
    """The settings in ``environ``; what is absent has the container's default.

    Raises `Mistake` for the first value that the container would not start
    with.
    """
    multi_model = flag(environ, "SAGEMAKER_MULTI_MODEL")
    if multi_model and "SAGEMAKER_SAFE_PORT_RANGE" not in environ:
        raise Mistake(
            "SAGEMAKER_SAFE_PORT_RANGE must be set when SAGEMAKER_MULTI_MODEL is 'true', "
            "as SageMaker does; set two ports like '9000-9999'"
        )
    instance_count = integer(environ, "SAGEMAKER_TFS_INSTANCE_COUNT", default=1, least=1)
    share(environ, "SAGEMAKER_TFS_FRACTIONAL_GPU_MEM_MARGIN")
    name = environ.get("SAGEMAKER_TFS_DEFAULT_MODEL_NAME", "None")
    return Settings(
        multi_model=multi_model,
        universal_code=_universal_code(environ),
        memory_limit_mb=given_integer(environ, MEMORY_LIMIT, least=1),
        default_model_name=None if name == "None" else name,
        batching=_batching(environ),
        instance_count=instance_count,
        inter_op_parallelism=integer(environ, "SAGEMAKER_TFS_INTER_OP_PARALLELISM", default=0),
        intra_op_parallelism=integer(environ, "SAGEMAKER_TFS_INTRA_OP_PARALLELISM", default=0),
        wait_time_seconds=given_integer(environ, "SAGEMAKER_TFS_WAIT_TIME_SECONDS", least=1),
        port_range=_port_range(environ, instance_count),
        gunicorn=_gunicorn(environ),
        bind_to_port=bind_to_port(environ),
        nginx_loglevel=_nginx_loglevel(environ),
        nginx_read_timeout_seconds=integer(
            environ, "SAGEMAKER_NGINX_PROXY_READ_TIMEOUT_SECONDS", default=60, least=1
        ),
    )


def bind_to_port(environ: Mapping[str, str]) -> int:
    """The port that SAGEMAKER_BIND_TO_PORT names; raises `Mistake` for what is none."""
    port = integer(environ, "SAGEMAKER_BIND_TO_PORT", default=DEFAULT_PORT, least=1)
    if port > 65535:
        raise Mistake(f"SAGEMAKER_BIND_TO_PORT must be at most 65535; it is '{port}'")
    return port


def _nginx_loglevel(environ: Mapping[str, str]) -> str:
    level = environ.get("SAGEMAKER_TFS_NGINX_LOGLEVEL", "error")
    if level not in NGINX_LOGLEVELS:
        raise Mistake(
            f"SAGEMAKER_TFS_NGINX_LOGLEVEL must be one of {', '.join(NGINX_LOGLEVELS)}; "
            f"it is {level!r}"
        )
    return level


def _universal_code(environ: Mapping[str, str]) -> UniversalCode:
    folder = environ.get(UNIVERSAL_CODE)
    code = UniversalCode(
        bucket=environ.get("SAGEMAKER_MULTI_MODEL_UNIVERSAL_BUCKET"),
        prefix=environ.get("SAGEMAKER_MULTI_MODEL_UNIVERSAL_PREFIX"),
        folder=None if folder is None else Path(folder).absolute(),
    )
    if code.folder is not None and not code.folder.is_dir():
        raise Mistake(f"{UNIVERSAL_CODE} is {folder!r}, which is no folder")
    region = environ.get("AWS_REGION", environ.get("AWS_DEFAULT_REGION"))
    if code.is_in_s3 and region in _REGIONS_WITHOUT_UNIVERSAL_CODE:
        raise Mistake(
            "SAGEMAKER_MULTI_MODEL_UNIVERSAL_BUCKET: universal scripts are not supported in "
            + " or ".join(_REGIONS_WITHOUT_UNIVERSAL_CODE)
        )
    return code


def _batching(environ: Mapping[str, str]) -> Batching | None:
    if not flag(environ, "SAGEMAKER_TFS_ENABLE_BATCHING"):
        return None
    processors = os.cpu_count() or 1
    enqueued = BATCH_TRANSFORM_ENQUEUED_BATCHES if "SAGEMAKER_BATCH" in environ else processors
    return Batching(
        max_batch_size=integer(environ, "SAGEMAKER_TFS_MAX_BATCH_SIZE", default=8, least=1),
        batch_timeout_micros=integer(environ, "SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS", default=1000),
        num_batch_threads=integer(
            environ, "SAGEMAKER_TFS_NUM_BATCH_THREADS", default=processors, least=1
        ),
        max_enqueued_batches=integer(
            environ, "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES", default=enqueued, least=1
        ),
    )


def _gunicorn(environ: Mapping[str, str]) -> Gunicorn:
    return Gunicorn(
        worker_class=environ.get("SAGEMAKER_GUNICORN_WORKER_CLASS", "gevent"),
        workers=integer(environ, "SAGEMAKER_GUNICORN_WORKERS", default=1, least=1),
        threads=integer(environ, "SAGEMAKER_GUNICORN_THREADS", default=1, least=1),
        timeout_seconds=integer(environ, "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS", default=30, least=1),
        loglevel=environ.get("SAGEMAKER_GUNICORN_LOGLEVEL", "info"),
    )


def _port_range(environ: Mapping[str, str], instance_count: int) -> tuple[int, int] | None:
    text = environ.get("SAGEMAKER_SAFE_PORT_RANGE")
    if text is None:
        return None
    match = re.fullmatch(r"(\d+)-(\d+)", text)
    if match is None:
        raise Mistake(
            f"SAGEMAKER_SAFE_PORT_RANGE is {text!r}; it must be two ports like '9000-9999'"
        )
    low, high = int(match[1]), int(match[2])
    if low + 2 * instance_count > high:
        raise Mistake(
            f"not enough ports available in SAGEMAKER_SAFE_PORT_RANGE ({text}): "
            f"SAGEMAKER_TFS_INSTANCE_COUNT={instance_count} takes {2 * instance_count}"
        )
    return low, high

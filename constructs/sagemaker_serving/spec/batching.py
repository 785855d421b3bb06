"""TensorFlow Serving's batching and server settings, typed, and the variables they become.

Source of names and defaults: the container's own code in
aws/deep-learning-containers (2.20 at e0ecede; images 2.1 to 2.19 on branch
master at f06ada0e08) and aws/sagemaker-tensorflow-serving-container da19256
(images up to 2.0). Where generations differ, the field says so.
"""

from __future__ import annotations

from typing import Literal

from sagemaker_serving.spec.base import Spec, left_out

DEFAULT_CONCURRENCY = 8
"""Requests that one client of this project sends at a time unless it is told otherwise.

The client names the same number, because it does without these types."""

MAX_ENQUEUED_BATCHES = 64
"""Full batches that may wait where a ``batching`` block does not say how many.

TensorFlow Serving refuses a request, 503, that needs a batch more than max_enqueued_batches, which
are those that no thread works on yet (``Queue::ValidateBatchTaskQueueCapacity``, TensorFlow 2.21,
core/kernels/batching_util/shared_batch_scheduler.h; TensorFlow Serving 9d981c5 neither splits
requests unless told so nor tries them again: servables/tensorflow/bundle_factory_util.h). The
container's default, one for each CPU, refuses one of this project's clients on
two CPUs: two that run, two that wait, and eight that are sent. 64 hold eight such clients, and 64
batches of a second each on two CPUs are answered within the minute that SageMaker waits."""


class Batching(Spec):
    """Server-side batching: concurrent requests are joined into one call of the model.

    The block turns batching on. Each field becomes the ``SAGEMAKER_TFS_*`` variable of the same
    name.
    """

    enabled: bool = True
    """Whether requests are joined (SAGEMAKER_TFS_ENABLE_BATCHING; the container's default is
    false, this block's is true). False beside any size is an error."""

    max_batch_size: int | None = left_out(8)
    """The most examples in one batch, at least 1 (SAGEMAKER_TFS_MAX_BATCH_SIZE; default 8)."""

    batch_timeout_micros: int | None = left_out(1000)
    """How long a batch waits to fill, in microseconds, 0 or more
    (SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS; default 1000)."""

    num_batch_threads: int | None = None
    """Batches that run at the same time, at least 1 (SAGEMAKER_TFS_NUM_BATCH_THREADS; default: the
    number of CPUs)."""

    max_enqueued_batches: int | None = MAX_ENQUEUED_BATCHES
    """Batches that may wait, at least 1; more are refused with 503
    (SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES). With null the container chooses: the number of CPUs, or
    100000000 in batch transform."""


class Server(Spec):
    """Settings of the serving container: TensorFlow Serving, gunicorn, nginx."""

    instance_count: int | None = left_out(1)
    """TensorFlow Serving processes, at least 1 (SAGEMAKER_TFS_INSTANCE_COUNT; default 1;
    known to images built after 2021-03-18)."""

    inter_op_parallelism: int | None = left_out(0)
    """Threads over independent operations, 0 = TensorFlow chooses
    (SAGEMAKER_TFS_INTER_OP_PARALLELISM; default 0)."""

    intra_op_parallelism: int | None = left_out(0)
    """Threads inside one operation, 0 = TensorFlow chooses
    (SAGEMAKER_TFS_INTRA_OP_PARALLELISM; default 0)."""

    fractional_gpu_mem_margin: float | None = left_out(0.2)
    """Share of GPU memory left free, 0 to 1; used when ``instance_count`` is over 1
    (SAGEMAKER_TFS_FRACTIONAL_GPU_MEM_MARGIN; default 0.2)."""

    wait_time_seconds: int | None = None
    """Seconds that the container waits for the model to load, at least 1
    (SAGEMAKER_TFS_WAIT_TIME_SECONDS). Default by image: 300 up to 2.8, 55 divided by
    ``instance_count`` from 2.12 to 2.19 (2.9 to 2.11: either), 60 in 2.20, where it also bounds a
    handler's request. In 2.12 to 2.19 it counts attempts: 55 take about 25 s."""

    default_model_name: str | None = None
    """The model that answers when a request names none
    (SAGEMAKER_TFS_DEFAULT_MODEL_NAME; default: the first found in the archive)."""

    gunicorn_loglevel: Literal["debug", "info", "warning", "error", "critical"] | None = left_out(
        "info"
    )
    """What the server of ``inference.py`` logs (SAGEMAKER_GUNICORN_LOGLEVEL; default info)."""

    gunicorn_timeout_seconds: int | None = left_out(30)
    """Seconds after which a silent ``inference.py`` is killed, at least 1
    (SAGEMAKER_GUNICORN_TIMEOUT_SECONDS; default 30; known to images built after 2022-03-11)."""

    gunicorn_workers: int | None = left_out(1)
    """Processes that run ``inference.py``, at least 1 (SAGEMAKER_GUNICORN_WORKERS; default 1)."""

    gunicorn_threads: int | None = left_out(1)
    """Threads in each of them, at least 1 (SAGEMAKER_GUNICORN_THREADS; default 1)."""

    nginx_proxy_read_timeout_seconds: int | None = left_out(60)
    """Seconds nginx waits for an answer, at least 1; raised to ``gunicorn_timeout_seconds``
    when lower (SAGEMAKER_NGINX_PROXY_READ_TIMEOUT_SECONDS; default 60; known to images built
    after 2022-05-19)."""


BATCHING_VARIABLES = {
    field: f"SAGEMAKER_TFS_{'ENABLE_BATCHING' if field == 'enabled' else field.upper()}"
    for field in Batching.model_fields
}
"""Each field of `Batching` and the container variable it becomes."""

SERVER_VARIABLES = {
    field: f"SAGEMAKER_{'' if field.startswith(('gunicorn_', 'nginx_')) else 'TFS_'}{field.upper()}"
    for field in Server.model_fields
}
"""Each field of `Server` and the container variable it becomes."""


def batching_variables(batching: Batching | None) -> dict[str, str]:
    """The container variables of ``batching``, the switch alone where it is off.

    Fields left out stay the container's default, but for `MAX_ENQUEUED_BATCHES`.
    """
    if batching is None:
        return {}
    names = BATCHING_VARIABLES if batching.enabled else {"enabled": BATCHING_VARIABLES["enabled"]}
    return _variables(batching, names)


def server_variables(server: Server | None) -> dict[str, str]:
    """The container variables of ``server``; fields left out stay the container's default."""
    return {} if server is None else _variables(server, SERVER_VARIABLES)


def _variables(values: Spec, names: dict[str, str]) -> dict[str, str]:
    fields = values.model_dump(exclude_none=True)
    return {name: _text(fields[field]) for field, name in names.items() if field in fields}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

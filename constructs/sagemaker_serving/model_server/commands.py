"""The commands the container would run, for its log: how its variables show there."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from sagemaker_serving.model_server.settings import Settings

log = logging.getLogger("front")


BATCHING_VARIABLES = {
    "max_batch_size": "SAGEMAKER_TFS_MAX_BATCH_SIZE",
    "batch_timeout_micros": "SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS",
    "num_batch_threads": "SAGEMAKER_TFS_NUM_BATCH_THREADS",
    "max_enqueued_batches": "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES",
}
"""The parameters of the batching file and what sets them."""


def log_settings(settings: Settings, environ: Mapping[str, str]) -> None:
    """Say what the container says of its variables before it starts anything."""
    gunicorn, nginx = settings.gunicorn.timeout_seconds, settings.nginx_read_timeout_seconds
    if gunicorn > nginx:
        log.info(
            "GUnicorn timeout was higher than Nginx proxy read timeout. Setting Nginx proxy read "
            "timeout from %d seconds to %d seconds to match GUnicorn timeout.",
            nginx,
            gunicorn,
        )
    if settings.batching is not None:
        log.info("batching is enabled")
        for parameter, variable in BATCHING_VARIABLES.items():
            if variable not in environ:
                default = getattr(settings.batching, parameter)
                log.warning(
                    "%s defaulted to %s. Set %s to override default.", parameter, default, variable
                )
        log.info("batching config: \n%s\n", settings.batching.config())
    log.info(
        "nginx config: error_log %s; proxy_read_timeout %d; listen %d",
        settings.nginx_loglevel,
        settings.proxy_read_timeout_seconds,
        settings.bind_to_port,
    )


def tfs_command(settings: Settings, instance: int) -> str:
    """What starts TensorFlow Serving, with the ports it has in the container."""
    rest_port = settings.rest_port(instance)
    options = [
        f"--port={settings.grpc_port(instance)}",
        f"--rest_api_port={8501 if rest_port is None else rest_port}",
        "--model_config_file=/sagemaker/model-config.cfg",
        "--max_num_load_retries=0",
    ]
    if settings.batching is not None:
        options += [
            "--enable_batching=true",
            "--batching_parameters_file=/sagemaker/batching-config.cfg",
        ]
    if settings.intra_op_parallelism:
        options.append(f"--tensorflow_intra_op_parallelism={settings.intra_op_parallelism}")
    if settings.inter_op_parallelism:
        options.append(f"--tensorflow_inter_op_parallelism={settings.inter_op_parallelism}")
    return " ".join(["tensorflow_model_server", *options])


def gunicorn_command(settings: Settings) -> str:
    """What starts the Python service."""
    gunicorn = settings.gunicorn
    return (
        "python3 /sagemaker/python_service.py -b unix:/tmp/gunicorn.sock "
        f"-k {gunicorn.worker_class} --chdir /sagemaker --workers {gunicorn.workers} "
        f"--threads {gunicorn.threads} --log-level {gunicorn.loglevel} "
        f"--timeout {gunicorn.timeout_seconds}"
    )


def service_environment(
    settings: Settings, rest_ports: Sequence[int], default_model: str
) -> dict[str, str]:
    """What the container adds to the environment of the user's code."""
    grpc_ports = [settings.grpc_port(instance) for instance in range(len(rest_ports))]
    return {
        "TFS_REST_PORTS": ",".join(map(str, rest_ports)),
        "TFS_GRPC_PORTS": ",".join(map(str, grpc_ports)),
        "TFS_DEFAULT_MODEL_NAME": default_model,
    }

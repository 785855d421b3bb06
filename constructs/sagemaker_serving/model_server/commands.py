"""The commands the container would run, for its log: how its variables show there."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

from sagemaker_serving.model_server.settings import Settings

log = logging.getLogger("front")


_PERFORMS = "Tuning this parameter may yield better performance."
BATCHING_VARIABLES = {
    "max_batch_size": ("SAGEMAKER_TFS_MAX_BATCH_SIZE", f". {{}} {_PERFORMS}"),
    "batch_timeout_micros": ("SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS", f". {{}} {_PERFORMS}"),
    "num_batch_threads": ("SAGEMAKER_TFS_NUM_BATCH_THREADS", ",the number of CPUs. {}"),
    "max_enqueued_batches": (
        "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES",
        ". {} Tuning this parameter may be necessary to tune out-of-memory errors occur.",
    ),
}
"""The parameters of the batching file, what sets them, and what the container says of a default
(``create_batching_config`` in tfs_utils.py)."""


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
        defaulted = [
            f"{parameter} defaulted to {getattr(settings.batching, parameter)}"
            + says.format(f"Set {variable} to override default.")
            + "\n"
            for parameter, (variable, says) in BATCHING_VARIABLES.items()
            if variable not in environ
        ]
        if defaulted:
            log.warning("%s", "".join(defaulted))
        log.info("batching config: \n%s\n", settings.batching.config())


def nginx_config(
    settings: Settings, default_model: str, *, has_worker: bool, quotes_model: bool
) -> str:
    """The directives of nginx's configuration that follow from variables and the model.

    One of each line, as the container's own tests count them.
    """
    rest_ports = [settings.rest_port(instance) for instance in range(settings.instance_count)]
    ports = [8501 if port is None else port for port in rest_ports]
    upstream = " ".join(f"server localhost:{port};" for port in ports)
    model = f'"{default_model}"' if quotes_model else default_model
    to = (
        "proxy_pass http://gunicorn_upstream/{}"
        if has_worker
        else "js_content tensorflowServing.{}"
    )
    return "\n".join(
        (
            f"error_log  /dev/stderr {settings.nginx_loglevel};",
            f"proxy_read_timeout {settings.proxy_read_timeout_seconds};",
            f"upstream tfs_upstream {{ {upstream} }}",
            f"listen {settings.bind_to_port} deferred;",
            "client_max_body_size 0;",
            f"set $default_tfs_model {model};",
            f"location /ping {{ {to.format('ping')}; }}",
            f"location /invocations {{ {to.format('invocations')}; }}",
            "keepalive_timeout 3;",
        )
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
    rest_ports: Iterable[int | None], grpc_ports: Iterable[int | None], default_model: str
) -> dict[str, str]:
    """What the container adds to the environment of the user's code."""
    return {
        "TFS_REST_PORTS": ",".join(map(str, rest_ports)),
        "TFS_GRPC_PORTS": ",".join(map(str, grpc_ports)),
        "TFS_DEFAULT_MODEL_NAME": default_model,
    }

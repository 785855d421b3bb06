"""``python -m sagemaker_serving.model_server.ray_serve.cluster``: Ray with one application.

What the image's entry point does with `ray start`, `serve start` and `serve run`, by the same
code, in a cluster that ends with this process and listens on 127.0.0.1 alone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import threading
import time
import traceback

from sagemaker_serving.model_server.parent_watch import (
    add_child_arguments,
    exit_at_end_of,
    report,
)
from sagemaker_serving.model_server.ray_serve.loopback import HOOK

_PLENTY = 64
"""Processors and GPUs that Ray may hand out: an instance may have more than this machine."""

_OBJECT_STORE_BYTES = 256 << 20
_POLL_SECONDS = 0.2

_PATIENCE_SECONDS = 240
"""To start Ray anew. Its raylet gives its agents 15 seconds, and the driver the raylet 30, with no
way to say more, however busy the machine is."""

_PATIENT = {
    "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": str(_PATIENCE_SECONDS),
    "RAY_SERVE_PROXY_HEALTH_CHECK_TIMEOUT_S": str(_PATIENCE_SECONDS),
}
"""Serve kills a proxy that is not ready after 5 seconds, or not well after 10, and then ends: by
ray/serve/_private/constants.py of Ray 2.60."""


def main() -> None:
    """Start all, report ``ready`` or ``failed``, and stay."""
    parser = argparse.ArgumentParser()
    add_child_arguments(parser)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--temp-dir", required=True)
    parser.add_argument("target", nargs="+")
    told = parser.parse_args()
    exit_at_end_of(told.parent_fd)
    for name in _PATIENT:
        os.environ.setdefault(name, _PATIENT[name])
    try:
        _start(told.port, told.temp_dir, told.target)
        _wait_until_running()
    except SystemExit:  # `serve run` has written why
        report(told.report_fd, event="failed", reason="serve run ended; see the lines above")
        sys.exit(1)
    except Exception as error:
        traceback.print_exc()
        report(told.report_fd, event="failed", reason=f"Ray Serve did not start: {error}")
        sys.exit(1)
    report(told.report_fd, event="ready")
    threading.Event().wait()


def _start(port: int, temp_dir: str, target: list[str]) -> None:
    import ray
    from ray import serve
    from ray.serve import scripts

    until = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            ray.init(
                address="local",
                num_cpus=_PLENTY,
                num_gpus=_PLENTY if shutil.which("nvidia-smi") is None else None,
                object_store_memory=_OBJECT_STORE_BYTES,
                include_dashboard=False,
                runtime_env={"worker_process_setup_hook": HOOK},
                _temp_dir=temp_dir,
            )
            break
        except Exception as error:
            if time.monotonic() > until or "timed out during startup" not in str(error):
                raise
            print(f"{error} It is started again.", flush=True)
            ray.shutdown()
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    scripts.run.main(["--non-blocking", "--address=auto", *target], standalone_mode=False)


def _wait_until_running() -> None:
    """Return when every application runs; RuntimeError with what Ray says of one that cannot."""
    from ray import serve

    while True:
        applications = serve.status().applications
        for name, application in applications.items():
            if application.status == "DEPLOY_FAILED":
                print(application.message, flush=True)
                *_, why = application.message.strip().splitlines() or [""]
                raise RuntimeError(f"application {name!r} was not deployed: {why}")
        if applications and all(each.status == "RUNNING" for each in applications.values()):
            return
        time.sleep(_POLL_SECONDS)


if __name__ == "__main__":
    main()

"""Processes of functions without a local AWS around them."""

from __future__ import annotations

from pathlib import Path

from local_aws.process import ForkServer
from local_aws.services.lambda_.launches import make_runtime_folder
from local_aws.services.lambda_.sandbox import (
    Invocation,
    Launch,
    Outcome,
    Sandbox,
    forks_with_boto3,
)


def forks_in(folder: Path) -> ForkServer:
    """The process that functions are forks of, with what it imports in ``folder``."""
    make_runtime_folder(folder)
    return forks_with_boto3(folder, str(folder))


def started(
    folder: Path,
    source: str,
    *,
    memory_mb: int = 128,
    runtime: Path | None = None,
    forks: ForkServer | None = None,
) -> Sandbox:
    """A process of a function of one file, which is put into ``folder``; one of `forks_in`
    ``runtime`` with ``forks``."""
    (folder / "app.py").write_text(source)
    environment = {
        "_HANDLER": "app.handler",
        "AWS_LAMBDA_FUNCTION_NAME": "f",
        "LD_LIBRARY_PATH": "",
    }
    environment |= {f"AWS_LAMBDA_FUNCTION_{name}": "1" for name in ("VERSION", "MEMORY_SIZE")}
    environment |= {f"AWS_LAMBDA_LOG_{name}_NAME": "l" for name in ("GROUP", "STREAM")}
    launch = Launch(
        task_root=folder,
        import_path=[str(folder), *([] if runtime is None else [str(runtime)])],
        environment=environment,
        memory_mb=memory_mb,
        imports_boto3=forks is not None,
    )
    return Sandbox(launch, forks)


def invoked(sandbox: Sandbox, *, timeout_seconds: float = 60.0) -> Outcome:
    """One invocation."""
    invocation = Invocation(
        request_id="i" * 36,
        event="{}",
        invoked_function_arn="arn",
        timeout_seconds=timeout_seconds,
    )
    return sandbox.invoke(invocation)

"""Processes of functions without a local AWS around them."""

from __future__ import annotations

from pathlib import Path

from local_aws.services.lambda_.sandbox import Invocation, Launch, Outcome, Sandbox


def started(folder: Path, source: str, *, memory_mb: int = 128) -> Sandbox:
    """A process of a function of one file, which is put into ``folder``."""
    (folder / "app.py").write_text(source)
    environment = {"_HANDLER": "app.handler", "AWS_LAMBDA_FUNCTION_NAME": "f"}
    environment |= {f"AWS_LAMBDA_FUNCTION_{name}": "1" for name in ("VERSION", "MEMORY_SIZE")}
    environment |= {f"AWS_LAMBDA_LOG_{name}_NAME": "l" for name in ("GROUP", "STREAM")}
    launch = Launch(
        task_root=folder,
        import_path=[str(folder)],
        environment=environment,
        memory_mb=memory_mb,
    )
    return Sandbox(launch)


def invoked(sandbox: Sandbox, *, timeout_seconds: float = 60.0) -> Outcome:
    """One invocation."""
    invocation = Invocation(
        request_id="i" * 36,
        event="{}",
        invoked_function_arn="arn",
        timeout_seconds=timeout_seconds,
    )
    return sandbox.invoke(invocation)

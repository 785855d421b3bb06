"""What a function's process is started with: its environment, and where it may import from."""

from __future__ import annotations

import os
from pathlib import Path

from local_aws.permissions import RoleSession
from local_aws.services.lambda_.logs import Stream
from local_aws.services.lambda_.runtime_folder import make_runtime_folder
from local_aws.services.lambda_.sandbox import Launch
from local_aws.services.lambda_.store import Configuration


def launch_of(
    configuration: Configuration, stream: Stream, *, task_root: Path, runtime: Path, url: str
) -> Launch:
    """How a process of one version is started.

    Its environment is the function's variables, Lambda's own, and its role's credentials for
    the local AWS at ``url``: nothing of this process's. It imports from ``task_root`` and from
    ``runtime``, which has what AWS's runtime has.
    """
    make_runtime_folder(runtime)
    variables = (configuration.get("Environment") or {}).get("Variables") or {}
    python_path = [each for each in variables.get("PYTHONPATH", "").split(os.pathsep) if each]
    return Launch(
        task_root=task_root,
        import_path=[str(task_root), *python_path, str(runtime)],
        environment={
            **_own(variables),
            **_defined(configuration, stream),
            **_credentials(stream.session),
            "AWS_ENDPOINT_URL": url,
            "LAMBDA_TASK_ROOT": str(task_root),
            "LAMBDA_RUNTIME_DIR": str(runtime),
        },
        memory_mb=configuration["MemorySize"],
    )


def _own(variables: dict[str, str]) -> dict[str, str]:
    """The function's variables without those that would lead its calls elsewhere."""
    return {
        name: value
        for name, value in variables.items()
        if not name.startswith("AWS_ENDPOINT_URL") and name != "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"
    }


def _defined(configuration: Configuration, stream: Stream) -> dict[str, str]:
    """The variables that every function finds (AWS Lambda developer guide, "Defined runtime
    environment variables", read 2026-11-21)."""
    return {
        "_HANDLER": configuration["Handler"],
        "AWS_DEFAULT_REGION": stream.region,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_EXECUTION_ENV": f"AWS_Lambda_{configuration['Runtime']}",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(configuration["MemorySize"]),
        "AWS_LAMBDA_FUNCTION_NAME": configuration["FunctionName"],
        "AWS_LAMBDA_FUNCTION_VERSION": configuration["Version"],
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": stream.group,
        "AWS_LAMBDA_LOG_STREAM_NAME": stream.name,
        "AWS_REGION": stream.region,
        "LANG": "C.UTF-8",
        "PATH": os.defpath,
        "TZ": ":UTC",
    }


def _credentials(session: RoleSession) -> dict[str, str]:
    return {
        "AWS_ACCESS_KEY_ID": session.access_key_id,
        "AWS_SECRET_ACCESS_KEY": session.secret_access_key,
        "AWS_SESSION_TOKEN": session.session_token,
    }

"""What Lambda allows, and what of it the local AWS runs.

Figures are those of AWS's page "Lambda quotas" and of botocore's documentation of
Invoke (both read 2026-11-21).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.protocol import AwsError

SYNCHRONOUS_PAYLOAD_BYTES = 6 * 1024 * 1024
ASYNCHRONOUS_PAYLOAD_BYTES = 1024 * 1024
RESPONSE_BYTES = SYNCHRONOUS_PAYLOAD_BYTES + 100
"""AWS's own message names 6291556 bytes."""

ZIP_BYTES = 50 * 1024 * 1024
"""A zip that is sent in the request; one in S3 is bounded by its unpacked size alone."""

UNPACKED_BYTES = 250 * 1024 * 1024
ENVIRONMENT_BYTES = 4 * 1024
MOST_SECONDS = 900
MOST_MEMORY_MB = 10_240

CONCURRENT_EXECUTIONS = 100
"""Processes of functions at one time in a region; AWS's default is 1,000."""

RUNTIMES = tuple(f"python3.{minor}" for minor in range(9, 15))
"""The runtimes that are run, all by the Python that runs the local AWS."""

RESERVED_VARIABLES = frozenset(
    {
        "_HANDLER",
        "_X_AMZN_TRACE_ID",
        "AWS_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID",
        "AWS_DEFAULT_REGION",
        "AWS_EXECUTION_ENV",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
        "AWS_LAMBDA_FUNCTION_NAME",
        "AWS_LAMBDA_FUNCTION_VERSION",
        "AWS_LAMBDA_INITIALIZATION_TYPE",
        "AWS_LAMBDA_LOG_GROUP_NAME",
        "AWS_LAMBDA_LOG_STREAM_NAME",
        "AWS_LAMBDA_RUNTIME_API",
        "AWS_REGION",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SECRET_KEY",
        "AWS_SECURITY_TOKEN",
        "AWS_SESSION_TOKEN",
        "LAMBDA_RUNTIME_DIR",
        "LAMBDA_TASK_ROOT",
    }
)
"""Variables that a function may not set (AWS Lambda developer guide, "Defined runtime environment
variables", read 2026-11-21)."""

NOT_FOLLOWED: Mapping[str, str] = {
    "AcceleratorConfig": "accelerators",
    "CapacityProviderConfig": "capacity providers",
    "CodeSigningConfigArn": "code signing",
    "DurableConfig": "durable functions",
    "FileSystemConfigs": "file systems",
    "ImageConfig": "container images",
    "Layers": "layers",
    "TenancyConfig": "tenant isolation",
}
"""Parts of a function's configuration that are refused, and what they would ask for."""


def refusals(configuration: Mapping[str, Any]) -> list[str]:
    """What of a function's configuration the local AWS cannot run, each a clause of its own.

    ``configuration`` has CreateFunction's members, or CloudFormation's properties of the same
    names; values that are not text yet (a template's functions) are not judged.
    """
    found = []
    image = configuration.get("PackageType") == "Image" or "ImageUri" in (
        configuration.get("Code") or {}
    )
    runtime = configuration.get("Runtime")
    if image:
        found.append("it runs no container images; package the function as a zip of Python code")
    elif isinstance(runtime, str) and runtime not in RUNTIMES:
        found.append(
            f"Runtime is {runtime}; it runs {RUNTIMES[0]} to {RUNTIMES[-1]} only, as processes "
            "without containers"
        )
    found += [
        f"it has no {what} ({name})"
        for name, what in NOT_FOLLOWED.items()
        if configuration.get(name)
    ]
    if (configuration.get("LoggingConfig") or {}).get("LogFormat") == "JSON":
        found.append("it writes a function's log as Text only; LoggingConfig.LogFormat is JSON")
    if (configuration.get("SnapStart") or {}).get("ApplyOn") == "PublishedVersions":
        found.append("it has no SnapStart")
    return found


def check_environment(variables: Mapping[str, str]) -> None:
    """Raise `AwsError` (InvalidParameterValueException) for variables that Lambda refuses."""
    unable = (
        "Lambda was unable to configure your environment variables because the environment "
        "variables you have provided "
    )
    reserved = sorted(RESERVED_VARIABLES & variables.keys())
    if reserved:
        raise invalid(
            f"{unable}contains reserved keys that are currently not supported for modification. "
            f"Reserved keys used in this request: {', '.join(reserved)}"
        )
    size = sum(len(name.encode()) + len(value.encode()) for name, value in variables.items())
    if size > ENVIRONMENT_BYTES:
        raise invalid(f"{unable}exceeded the 4KB limit. String measured: {size} bytes")


def check_sizes(given: Mapping[str, Any]) -> None:
    """Raise `AwsError` for a timeout or memory above Lambda's most: its model names none."""
    for name, most in (("timeout", MOST_SECONDS), ("memorySize", MOST_MEMORY_MB)):
        value = given.get(name[:1].upper() + name[1:])
        if value is not None and value > most:
            raise AwsError(
                "ValidationException",
                f"1 validation error detected: Value '{value}' at '{name}' failed to satisfy "
                f"constraint: Member must have value less than or equal to {most}",
            )


def check_handler(configuration: Mapping[str, Any]) -> None:
    """Raise `AwsError` when a zip's Runtime or Handler is missing."""
    for name in ("Runtime", "Handler"):
        if not configuration.get(name):
            raise invalid(
                "Runtime and Handler are mandatory parameters for functions created with "
                "deployment packages."
            )


def invalid(message: str) -> AwsError:
    """Lambda's error for a value that it does not take."""
    return AwsError("InvalidParameterValueException", message)

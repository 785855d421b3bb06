"""What Lambda allows, and what of it the local AWS runs.

Figures are those of AWS's page "Lambda quotas" and of botocore's documentation of
Invoke.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from local_aws.protocol import AwsError
from local_aws.services.lambda_.runtimes import has_ended, runs_by

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

ACCOUNT_CONCURRENCY = 1_000
LEAST_UNRESERVED = 100
"""Of the account's concurrent executions, so many cannot be reserved ("Configuring reserved
concurrency for a function")."""

MOST_TAGS = 50
NAME_CHARACTERS = 64

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
variables")."""

NOT_FOLLOWED: Mapping[str, str] = {
    "AcceleratorConfig": "accelerators",
    "CapacityProviderConfig": "capacity providers",
    "CodeSigningConfigArn": "code signing",
    "DurableConfig": "durable functions",
    "FileSystemConfigs": "file systems",
    "ImageConfig": "container images",
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
        found.append(
            "it runs no container images; package the function as a zip of Python or Node.js code"
        )
    elif isinstance(runtime, str) and runs_by(runtime) is None and not has_ended(runtime):
        found.append(
            f"Runtime is {runtime}; it runs Python and Node.js only, as processes without "
            "containers"
        )
    found += [
        f"it has no {what} ({name})"
        for name, what in NOT_FOLLOWED.items()
        if configuration.get(name)
    ]
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
    measured = json.dumps(variables, separators=(",", ":"), ensure_ascii=False)
    if len(measured.encode()) > ENVIRONMENT_BYTES:
        raise invalid(f"{unable}exceeded the 4KB limit. String measured: {measured}")


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


def check_tags(tags: Mapping[str, str]) -> None:
    """Raise `AwsError` (InvalidParameterValueException) for more tags than a function may have."""
    if len(tags) > MOST_TAGS:
        raise invalid("Number of tags exceeds resource tag limit.")


def check_name(name: str) -> None:
    """Raise `AwsError` for a new function's name that is too long: with an ARN its model takes
    140 characters."""
    if len(name) > NAME_CHARACTERS:
        raise invalid(
            f"1 validation error detected: Value '{name}' at 'functionName' failed to satisfy "
            f"constraint: Member must have length less than or equal to {NAME_CHARACTERS}"
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

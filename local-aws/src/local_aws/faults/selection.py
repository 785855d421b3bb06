"""The names of services and operations that a fault can be about."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.protocol import models
from local_aws.suggest import nearest

_ALSO = {
    "sagemaker-runtime": "sagemaker",
    "stepfunctions": "states",
    "cloudwatch": "monitoring",
}
"""What boto3 calls a service, and what IAM or its signature does."""

_MAKES_A_PATTERN = frozenset("*?[")


def names_of(service: str) -> tuple[str, ...]:
    """Every name of a service, by boto3's: InvokeEndpoint is of ``sagemaker``, too."""
    also = _ALSO.get(service)
    return (service,) if also is None else (service, also)


def problems_of_selection(service: str, operation: str) -> Iterator[str]:
    """What is wrong with a service's and an operation's name; patterns are not judged."""
    if _MAKES_A_PATTERN & set(service):
        return
    known = sorted(models.service_names())
    meant_by = [name for name in known if service in names_of(name)]
    if not meant_by:
        meant = nearest(service, (*known, *_ALSO.values()))
        hint = f"did you mean {meant}?" if meant is not None else "take sagemaker, s3, lambda, …"
        yield f"service is '{service}'; AWS has none of this name; {hint}"
        return
    operations = [name for each in meant_by for name in models.service_model(each).operation_names]
    if not _MAKES_A_PATTERN & set(operation) and operation not in operations:
        meant = nearest(operation, operations)
        hint = f"did you mean {meant}?" if meant is not None else "patterns are allowed: 'Create*'"
        yield f"operation is '{operation}'; {service} has none of this name; {hint}"

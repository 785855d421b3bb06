"""What needs no signature, on AWS and here. The list is short, and all of it is in this file.

==================================  ==============================================================
An object that everyone may read     S3: the gate lets it through where the bucket's policy or an
                                     access control list lets everyone in, and nothing else
Operations without authentication    those that the model of STS says have none, as
                                     AssumeRoleWithWebIdentity
A custom resource's ResponseURL      PUT to a path that only the resource was told, taken once
A function's code                    GET of a path that only GetFunction tells
==================================  ==============================================================

A presigned URL is no exception: its signature is in the URL. Sources: S3 user guide, "Blocking
public access to your Amazon S3 storage"; CloudFormation user guide, "Custom resource request
objects"; botocore 1.44.5's service models (``auth``, ``authtype``).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from botocore.model import OperationNotFoundError
from moto.core.utils import get_service_model

from local_aws.protocol import is_path_of_an_api

_UNGUESSABLE = {"PUT": "/_local/callbacks/", "GET": "/_local/lambda-code/"}
"""By method: paths whose last part is a secret of its own."""


def has_unguessable_path(environ: dict[str, Any]) -> bool:
    """Whether the request's path is itself what its sender was told in confidence."""
    prefix = _UNGUESSABLE.get(environ["REQUEST_METHOD"])
    return prefix is not None and environ["PATH_INFO"].startswith(prefix)


def open_service(environ: dict[str, Any], body: bytes) -> str | None:
    """The service whose operation the request names, if that has no authentication."""
    form = f"{environ.get('QUERY_STRING', '')}&{body.decode('latin-1')}"
    operation = dict(parse_qsl(form)).get("Action", "")
    has_target = "HTTP_X_AMZ_TARGET" in environ
    return "sts" if not has_target and _is_open("sts", operation) else None


def is_meant_for_s3(environ: dict[str, Any]) -> bool:
    """Whether a request without a signature can be about an object that everyone may read."""
    path = environ["PATH_INFO"]
    return "HTTP_X_AMZ_TARGET" not in environ and path != "/" and not is_path_of_an_api(path)


def _is_open(service: str, operation: str) -> bool:
    try:
        model = get_service_model(service).operation_model(operation)
    except OperationNotFoundError:
        return False
    return bool(model.auth_type == "none" or model.auth == ["smithy.api#noAuth"])

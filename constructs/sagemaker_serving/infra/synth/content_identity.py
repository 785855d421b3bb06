"""Logical ids that carry their content, so that a change is always a replacement.

SageMaker's Model and EndpointConfig cannot be changed, and CloudFormation
replaces a resource of the same logical id by making the new one first. Under a
new logical id the same happens by plain addition and removal: the new one is
made, the endpoint moves to it, and only then is the old one deleted, on AWS
and on any emulator alike.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import aws_cdk as cdk

from sagemaker_serving.infra.synth.tokens import is_token


def identify_by_content(stack: cdk.Stack, resource: cdk.CfnResource, content: Any) -> str:
    """Gives ``resource`` of ``stack`` a logical id that ends in a hash of ``content``.

    ``content`` is whatever makes two resources different, as plain data that
    may hold tokens; they count by what they stand for in the template.
    """
    plain = _plain(content)
    if is_token(plain):
        plain = _plain(stack.resolve(content))
    digest = hashlib.sha256(plain.encode()).hexdigest()[:10]
    logical_id = f"{stack.get_logical_id(resource)}{digest}"
    resource.override_logical_id(logical_id)
    return logical_id


def _plain(content: Any) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"))

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
import re
from collections.abc import Sequence
from typing import Any

import aws_cdk as cdk

from sagemaker_serving.infra.synth.tokens import is_token


def identify_by_content(
    stack: cdk.Stack, resource: cdk.CfnResource, content: Any, *, path: Sequence[str] = ()
) -> str:
    """Gives ``resource`` of ``stack`` a logical id that ends in a hash of ``content``.

    ``content`` is whatever makes two resources different, as plain data that
    may hold tokens; they count by what they stand for in the template. ``path`` is that of the
    resource in its stack, where it is known.
    """
    plain = _plain(content)
    if is_token(plain):
        plain = _plain(stack.resolve(content))
    digest = hashlib.sha256(plain.encode()).hexdigest()[:10]
    logical_id = f"{id_by_path(stack, resource, path)}{digest}"
    resource.override_logical_id(logical_id)
    return logical_id


def id_by_path(stack: cdk.Stack, resource: cdk.CfnResource, path: Sequence[str]) -> str:
    """The logical id that CDK gives ``resource`` at ``path`` of ``stack``.

    A stack that gives ids of its own is asked, and so is any without a path. Source: aws-cdk-lib
    2.275, core/lib/private/uniqueid.ts.
    """
    kind: Any = type(stack)
    gives_own = kind._allocate_logical_id is not cdk.Stack._allocate_logical_id
    ids = [each for each in path if each != "Default"]
    if len(ids) < 2 or gives_own or kind.__jsii_type__ not in _STACKS:
        return stack.get_logical_id(resource)
    shown: list[str] = []
    for each in ids:
        if not shown or not shown[-1].endswith(each):
            shown.append(each)
    name = "".join(_OTHERS.sub("", each) for each in shown if each != "Resource")
    digest = hashlib.md5("/".join(ids).encode(), usedforsecurity=False).hexdigest()
    return f"{name[:240]}{digest[:8].upper()}"


_STACKS = ("aws-cdk-lib.Stack", "aws-cdk-lib.NestedStack")
_OTHERS = re.compile("[^A-Za-z0-9]")


def _plain(content: Any) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"))

"""Which requests may change something."""

from __future__ import annotations

import re

from werkzeug import Request

from local_aws.protocol import openai_route
from local_aws.protocol.call import RPC_PATH

_READS = re.compile(
    r"(BatchGet|BatchDescribe|Check|Describe|Detect|Estimate|Filter|Get|Head|List|Lookup|Preview|Query"
    r"|Scan|Search|Select|Simulate|Test|Validate|View)[A-Z].*|Query|Scan|Select"
)
_INVOCATION = re.compile(
    r"/\d{4}-\d\d-\d\d/functions/[^/]+/[a-z-]*invocations|/endpoints/[^/]+/[a-z-]*invocations[a-z-]*"
)


def is_read(operation: str) -> bool:
    """Whether an operation of this name changes nothing; in doubt, it does."""
    return _READS.fullmatch(operation) is not None


def may_change(request: Request) -> bool:
    """Whether a request may change what a service holds; in doubt, it does.

    An action is read off the header or the path, never off the body, which others read yet.
    Invocations keep nothing themselves; what the invoked code calls is judged by itself.
    """
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return False
    is_invocation = _INVOCATION.fullmatch(request.path) or openai_route(request.path)
    if request.method == "POST" and is_invocation:
        return False
    action = request.headers.get("X-Amz-Target", "").rpartition(".")[2]
    path = RPC_PATH.fullmatch(request.path)
    if request.method == "POST" and path is not None:
        action = path["operation"]
    return not is_read(action)


def takes_long(request: Request) -> bool:
    """Whether a request that may change something waits for other requests to end."""
    return request.headers.get("X-Amz-Target", "").endswith(".StartSyncExecution")

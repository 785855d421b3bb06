"""A line for each request, where a stage asks for it, and texts with ``$context`` in them.

Sources: API Gateway developer guide, "Set up CloudWatch logging for REST APIs", "Customize HTTP
API access logs", "Gateway response types".
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Mapping
from hashlib import md5
from threading import Thread
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.arn import Arn

_VARIABLE = re.compile(r"\$\{?(context|stageVariables)\.([\w.-]*\w)\}?")

_log = logging.getLogger(__name__)


def filled(text: str, variables: Mapping[str, Any], *, absent: str = "-") -> str:
    """``text`` with ``$context.identity.sourceIp`` and its like replaced, and no more."""

    def value(found: re.Match[str]) -> str:
        value: Any = variables.get(found[1], {})
        for name in found[2].split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        if value is None or value == "":
            return absent
        return value if isinstance(value, str) else json.dumps(value)

    return _VARIABLE.sub(value, text)


def write_line(logs: Any, group_arn: str, line: str) -> None:
    """Write a line to a log group in the background; a failure is in the local AWS's own log."""
    Thread(target=_write, args=(logs, group_arn, line), name="access log", daemon=True).start()


def _write(logs: Any, group_arn: str, line: str) -> None:
    group = Arn.parse(group_arn).resource.removeprefix("log-group:").removesuffix(":*")
    stream = md5(group.encode(), usedforsecurity=False).hexdigest()
    event = {"timestamp": int(time.time() * 1000), "message": line}
    place = {"logGroupName": group, "logStreamName": stream}
    try:
        try:
            logs.put_log_events(**place, logEvents=[event])
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceNotFoundException":
                raise
            logs.create_log_stream(**place)
            logs.put_log_events(**place, logEvents=[event])
    except (BotoCoreError, ClientError) as error:
        _log.warning("no line of an API's access log was written to %s: %s", group, error)

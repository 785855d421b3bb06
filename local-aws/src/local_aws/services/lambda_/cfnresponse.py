"""The module that CloudFormation puts beside source code that stands in a template.

Its interface is that of the AWS CloudFormation user guide, "cfn-response module".
"""

from __future__ import annotations

import json
import urllib.request
from typing import Any

SUCCESS = "SUCCESS"
FAILED = "FAILED"


def send(  # noqa: D103  (described above; it runs inside functions)
    event: dict[str, Any],
    context: Any,
    responseStatus: str,
    responseData: dict[str, Any],
    physicalResourceId: str | None = None,
    noEcho: bool = False,
    reason: str | None = None,
) -> None:
    default_reason = f"See the details in CloudWatch Log Stream: {context.log_stream_name}"
    answer = {
        "Status": responseStatus,
        "Reason": default_reason if reason is None else reason,
        "PhysicalResourceId": physicalResourceId or context.log_stream_name,
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
        "NoEcho": noEcho,
        "Data": responseData,
    }
    request = urllib.request.Request(
        event["ResponseURL"], json.dumps(answer).encode(), {"Content-Type": ""}, method="PUT"
    )
    with urllib.request.urlopen(request) as response:
        print("Status code:", response.status)

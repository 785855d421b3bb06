"""The answer that CloudFormation waits for."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

from .request import Request

_MOST_BYTES_OF_REASON = 1500  # CloudFormation takes 4,096 bytes in all, and quoting may double it
_SECONDS = 30
_open = urllib.request.urlopen


def answer(request: Request, outcome: Mapping[str, Any], physical_id: str) -> dict[str, Any]:
    """Puts ``outcome`` (``Status``, ``Reason``, ``Data``) to the request's address.

    An address that refuses has been answered, or has expired: then nobody waits any more. Returns
    what a machine's last step leaves. Raises `OSError` when the address cannot be reached.
    """
    reason = str(outcome.get("Reason", "")).encode()[:_MOST_BYTES_OF_REASON]
    body = {
        "Status": outcome["Status"],
        "Reason": reason.decode(errors="ignore"),
        "PhysicalResourceId": physical_id,
        "StackId": request.stack_id,
        "RequestId": request.request_id,
        "LogicalResourceId": request.logical_id,
        "Data": outcome.get("Data", {}),
    }
    print(json.dumps({**body, "RequestType": request.kind}))
    sent = urllib.request.Request(
        request.response_url,
        data=json.dumps(body, ensure_ascii=False).encode(),
        method="PUT",
        headers={"Content-Type": ""},  # the address is signed for none
    )
    try:
        _open(sent, timeout=_SECONDS).close()
    except urllib.error.HTTPError as refused:
        if refused.code >= 500:
            raise
        print(f"the address answers {refused.code}: nobody waits there any more")
    return {"answered": outcome["Status"]}

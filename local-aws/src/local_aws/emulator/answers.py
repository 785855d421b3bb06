"""The emulator's answers, as AWS writes them.

In JSON it writes members that it has nothing for as null. AWS leaves them out, and its clients read
null as a value: Terraform waits for a scalable target whose RoleARN is null (hashicorp/aws 5.100
with moto 5.2.5, tried 2026-11-22). In XML it writes what XML 1.0 has no way to carry.
"""

from __future__ import annotations

import json
from typing import Any

from werkzeug import Response

from local_aws.protocol.answers import carried_by_xml
from local_aws.protocol.call import Call


def as_aws_writes(call: Call | None, answer: Response) -> Response:
    """The emulator's answer to a call, changed where AWS would write another."""
    if call is None or call.model is None:
        return answer
    if call.protocol in ("json", "rest-json"):
        return _without_nulls(call.model.output_shape, answer)
    if call.protocol in ("query", "ec2"):
        answer.data = carried_by_xml(answer.get_data(as_text=True))
    return answer


def _without_nulls(shape: Any, answer: Response) -> Response:
    if shape is None or "payload" in shape.serialization:
        return answer
    body = answer.get_data()
    if body.startswith(b"{") and b"null" in body:
        answer.data = json.dumps(_present(shape, json.loads(body)))
    return answer


def _present(shape: Any, value: Any) -> Any:
    """``value`` without members that are null; what its shape does not have is left as it is."""
    if isinstance(value, dict) and shape.type_name == "structure":
        members = {
            member.serialization.get("name", name): member for name, member in shape.members.items()
        }
        return {
            name: _present(members[name], each) if name in members else each
            for name, each in value.items()
            if each is not None
        }
    if isinstance(value, dict) and shape.type_name == "map":
        return {name: _present(shape.value, each) for name, each in value.items()}
    if isinstance(value, list) and shape.type_name == "list":
        return [_present(shape.member, each) for each in value]
    return value

"""What the emulator answers in JSON, without the members that it has nothing for.

It writes them as null. AWS leaves them out, and its clients read null as a value: Terraform waits
for a scalable target whose RoleARN is null (hashicorp/aws 5.100 with moto 5.2.5, tried
2026-11-22).
"""

from __future__ import annotations

import json
from typing import Any

from werkzeug import Response

from local_aws.protocol.call import Call


def leave_out_absent(call: Call | None, answer: Response) -> Response:
    """The emulator's answer to a call, changed where it holds nulls."""
    if call is None or call.model is None or call.protocol not in ("json", "rest-json"):
        return answer
    shape = call.model.output_shape
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

"""Changes to the emulator's DynamoDB, each with its reason."""

from __future__ import annotations

from typing import Any

from moto.core.responses import BaseResponse
from moto.dynamodb.responses import DynamoHandler

_ASKED_FOR = {
    "ConsumedCapacity": "ReturnConsumedCapacity",
    "ItemCollectionMetrics": "ReturnItemCollectionMetrics",
}
"""What an answer has only when the request says so, in this parameter."""


def measure_what_is_asked_for() -> None:
    """Some of the emulator's operations tell what they consumed to whoever asks nothing."""

    def serialized(self: Any, action_result: Any) -> Any:
        found = action_result.result
        if isinstance(found, dict):
            for name, asked in _ASKED_FOR.items():
                if self.body.get(asked, "NONE") == "NONE":
                    found.pop(name, None)
        return BaseResponse.serialized(self, action_result)

    DynamoHandler.serialized = serialized

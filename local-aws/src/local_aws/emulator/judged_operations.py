"""Changes to the emulator: it does what a request was read as and judged for, and nothing else.

By itself it looks into every query and body for an Action and for parameters before it looks at
X-Amz-Target and at a JSON document, even within the document's texts: one operation would be
judged and another one done, and the text ``a&Action=b`` could not be stored.
"""

from __future__ import annotations

from typing import Any

from moto.core.responses import BaseResponse

from local_aws.emulator.replacing import Original, replaces
from local_aws.protocol.call import JUDGED, Call


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    do_the_judged_operation()
    read_documents_as_documents()


def do_the_judged_operation() -> None:
    """Its own guess is left for what nobody has read; what it finds in the path, while it guesses,
    is as it was read, too."""

    @replaces(BaseResponse, "_get_action")
    def get_action(original: Original, response: Any) -> Any:
        call = response.normalized_request.environ.get(JUDGED)
        if call is None:
            return original(response)
        if call.protocol == "rest-json":
            named = _located(call, "uri").keys() & call.parameters.keys()
            response.uri_match = {name: call.parameters[name] for name in named}
        return call.operation


def read_documents_as_documents() -> None:
    """Of a call in JSON the query has what its model places there, and the body is no form."""

    @replaces(BaseResponse, "setup_class")
    def setup_class(
        original: Original, response: Any, request: Any, *arguments: Any, **options: Any
    ) -> None:
        original(response, request, *arguments, **options)
        call = request.environ.get(JUDGED)
        if call is not None and call.protocol in ("json", "rest-json"):
            names = _located(call, "querystring").values()
            kept = {name: each for name, each in response.querystring.items() if name in names}
            response.querystring = response.data = kept


def _located(call: Call, location: str) -> dict[str, str]:
    """The members that the call's model places there, each with its name in the request."""
    shape = None if call.model is None else call.model.input_shape
    members = {} if shape is None else shape.members
    return {
        name: member.serialization.get("name", name)
        for name, member in members.items()
        if member.serialization.get("location") == location
    }

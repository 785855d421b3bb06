"""Filter, sort and page a list as SageMaker's List actions do."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from local_aws.protocol import AwsError
from local_aws.protocol.models import operation_model
from sagemaker_serving.local_sagemaker.common.store import Resource

DEFAULT_PAGE = 10
"""Items of a page when MaxResults is absent (botocore's documentation of ListEndpoints)."""


class Listing:
    """What one List action lists, by SageMaker's model: ``kind`` is what it lists (``Endpoint``).

    ``status`` is the member that StatusEquals is held against, ``EndpointStatus`` unless told.
    ``order`` is SortOrder's default: that of most, not of all.
    """

    def __init__(
        self,
        kind: str,
        *,
        status: str | None = None,
        order: Literal["Ascending", "Descending"] = "Descending",
    ) -> None:
        self._kind = kind
        self._status = f"{kind}Status" if status is None else status
        self._order = order

    def page(self, resources: Iterable[Resource], parameters: Mapping[str, Any]) -> dict[str, Any]:
        """One page of the resources that match, with NextToken when there are more.

        By CreationTime, in ``order``, unless SortBy and SortOrder say otherwise; a
        token stays valid when resources come and go.
        """
        ascending = parameters.get("SortOrder", self._order) == "Ascending"
        sort_by = parameters.get("SortBy", "CreationTime")
        matching = sorted(
            (resource for resource in resources if self._matches(resource, parameters)),
            key=lambda resource: self._position(resource, sort_by),
            reverse=not ascending,
        )
        token = parameters.get("NextToken")
        if token is not None:
            after = _read_token(token)
            matching = [
                resource
                for resource in matching
                if (self._position(resource, sort_by) > after) is ascending
                and self._position(resource, sort_by) != after
            ]
        size = parameters.get("MaxResults", DEFAULT_PAGE)
        answer: dict[str, Any] = {self._items(): [dict(found) for found in matching[:size]]}
        if len(matching) > size:
            answer["NextToken"] = _write_token(self._position(matching[size - 1], sort_by))
        return answer

    def _items(self) -> str:
        """The output's member that is a list; what of a resource is in it, the answer's writer
        knows."""
        listed = operation_model("sagemaker", f"List{self._kind}s").output_shape.members
        return next(str(name) for name, member in listed.items() if member.type_name == "list")

    def _position(self, resource: Resource, sort_by: str) -> tuple[Any, str]:
        name = resource[f"{self._kind}Name"]
        if sort_by == "Name":
            return (name, name)
        if sort_by == "Status":
            return (resource[self._status], name)
        return (resource["CreationTime"], name)

    def _matches(self, resource: Resource, parameters: Mapping[str, Any]) -> bool:
        wanted = parameters.get("StatusEquals")
        return (
            parameters.get("NameContains", "").lower() in resource[f"{self._kind}Name"].lower()
            and (wanted is None or resource[self._status] == wanted)
            and _between(resource, parameters, "CreationTime")
            and _between(resource, parameters, "LastModifiedTime")
        )


def _between(resource: Resource, parameters: Mapping[str, Any], member: str) -> bool:
    after, before = parameters.get(f"{member}After"), parameters.get(f"{member}Before")
    return (after is None or resource[member] > _seconds(after)) and (
        before is None or resource[member] < _seconds(before)
    )


def _seconds(timestamp: float | str) -> float:
    if isinstance(timestamp, str):
        return datetime.fromisoformat(timestamp).timestamp()
    return timestamp


def _write_token(position: tuple[Any, str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode()


def _read_token(token: str) -> tuple[Any, str]:
    try:
        value, name = json.loads(base64.urlsafe_b64decode(token))
    except ValueError:
        raise AwsError("ValidationException", f"the NextToken '{token}' is not one") from None
    return (value, name)

"""What callers of REST APIs have: API keys, and the plans that they count for.

Sources: API Gateway API reference, botocore's model.
"""

from __future__ import annotations

import secrets
import string
import time
from collections.abc import Callable
from typing import Any

from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.web.records import Record, Records, paged, path_of

Create = Callable[..., tuple[str, Record]]
"""Keeps what a call makes, with more members than it gave; returns its path too."""


class Keys:
    """Each public method is an action of the API."""

    def __init__(self, records: Records, create: Create) -> None:
        self._records = records
        self._create = create

    def create_api_key(self, call: Call) -> Record:
        """Keep a key."""
        now = int(time.time())
        value = call.parameters.get("value") or "".join(
            secrets.choice(string.ascii_letters + string.digits) for _ in range(40)
        )
        known = {each["value"] for each in self._records.listed(path_of(call))}
        if value in known:
            raise AwsError("ConflictException", "API Key already exists", status=409)
        more: Record = {"createdDate": now, "lastUpdatedDate": now, "value": value, "stageKeys": []}
        return self._create(call, **more)[1]

    def get_api_key(self, call: Call) -> Record:
        """A key; its value with ``includeValue``."""
        return self._key(self._records.get(path_of(call)), call.parameters.get("includeValue"))

    def get_api_keys(self, call: Call) -> Record:
        """The region's keys; their values with ``includeValues``."""
        wanted, shown = call.parameters.get("nameQuery") or "", call.parameters.get("includeValues")
        found = self._records.listed(path_of(call))
        keys = [self._key(k, shown) for k in found if str(k.get("name", "")).startswith(wanted)]
        return paged(call, "items", keys)

    def _key(self, record: Record, with_value: Any) -> Record:
        return record if with_value else {k: v for k, v in record.items() if k != "value"}

    def create_usage_plan_key(self, call: Call) -> Record:
        """Have a key count for a plan."""
        collection = path_of(call)
        self._records.get(collection.rpartition("/")[0])
        key_id = call.parameters["keyId"]
        key = self._records.get(f"{call.region}/apikeys/{key_id}")
        if self._records.find(f"{collection}/{key_id}") is not None:
            raise AwsError(
                "ConflictException",
                f"Usage Plan {collection.split('/')[2]} cannot be added because API Key {key_id} "
                "is already associated with it",
                status=409,
            )
        record = {"id": key_id, "type": call.parameters["keyType"], "value": key["value"]}
        record |= {"name": key["name"]} if "name" in key else {}
        return self._records.put(f"{collection}/{key_id}", record)

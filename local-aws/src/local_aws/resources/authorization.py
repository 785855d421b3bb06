"""AWS's service authorization reference, as cfn-lint ships it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from local_aws.resources.schemas import data_folder


def reference(service: str) -> Mapping[str, Mapping[str, Any]]:
    """``Actions`` and ``Resources`` of a service by IAM's name for it, their names in lower case;
    nothing of one that it does not have."""
    found: Mapping[str, Mapping[str, Any]] = _reference().get(service, {})
    return found


@lru_cache(maxsize=1)
def _reference() -> dict[str, Any]:
    text = (data_folder() / "AdditionalSpecs" / "Policies.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found

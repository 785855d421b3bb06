"""What SageMaker lets things be called."""

from __future__ import annotations

import re

_NAME = re.compile(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}")


def is_name(text: str) -> bool:
    """Whether endpoints, variants, models and jobs may be called so: at most 63 characters.

    Letters, digits, and hyphens between them; no underscore.
    Source: botocore EndpointName, VariantName, ModelName.
    """
    return len(text) <= 63 and _NAME.fullmatch(text) is not None

"""Changes of the sound environment file, and their places in it."""

from __future__ import annotations

from typing import Any

Change = dict[tuple[str | int, ...], Any]

DIGITS = ("models", "digits")
VARIANTS = (*DIGITS, "variants")
BLUE = (*VARIANTS, 0)
SCALING = (*DIGITS, "scaling")
UPDATE = (*DIGITS, "update")

ONE: Change = {VARIANTS: [{"name": "blue", "instance_type": "ml.c5.large"}]}
SERVERLESS: Change = {
    VARIANTS: [{"name": "all", "memory_size_in_mb": 2048, "max_concurrency": 5}],
    (*DIGITS, "batching"): None,
}

COMPONENTS: Change = {
    **ONE,
    (*DIGITS, "inference_components"): {"half": {"min_memory_required_in_mb": 512}},
}


def serverless(**change: Any) -> Change:
    variant = {**SERVERLESS[VARIANTS][0], **change}
    return {**SERVERLESS, VARIANTS: [variant]}

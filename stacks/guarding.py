"""How a model's endpoint moves to a new version: as its file says, or as production does."""

from __future__ import annotations

from sagemaker_serving.infra import Guardrails
from sagemaker_serving.rules import can_be_guarded, is_guarded
from sagemaker_serving.spec import CanaryUpdate
from stacks.serving_scope import ServingScope


def is_watched(serving: ServingScope) -> bool:
    """Whether SageMaker looks at alarms while the model's endpoint moves in this deploy."""
    return _has_guardrails(serving) and can_be_guarded(serving.spec)


def guardrails_of(serving: ServingScope) -> Guardrails | None:
    """The guardrails of the model's endpoint.

    Where the file says nothing, production moves by a canary of 10 percent, if the endpoint is
    of a kind that SageMaker has guardrails for; anything else moves at once, and so does a
    change of variants.
    """
    if not _has_guardrails(serving):
        return None
    update = serving.spec.move
    return Guardrails.of(update if update is not None else CanaryUpdate(canary_percent=10))


def _has_guardrails(serving: ServingScope) -> bool:
    spec = serving.spec
    changes_variants = spec.transition is not None and spec.transition.step == "change_variants"
    return not changes_variants and is_guarded(spec, production=serving.environment.production)

"""How a model's endpoint moves to a new version: as its file says, or as production does."""

from __future__ import annotations

from dataclasses import replace

from sagemaker_serving.infra import EndpointAlarms, Guardrails
from sagemaker_serving.rules import can_be_guarded, is_guarded
from sagemaker_serving.spec import (
    CanaryUpdate,
    LinearUpdate,
    Move,
    RollingUpdate,
)
from stacks.serving_scope import ServingScope


def guardrails_of(serving: ServingScope, alarms: EndpointAlarms | None) -> Guardrails | None:
    """The guardrails of the model's endpoint, with the alarms that take an update back.

    Where the file says nothing, production moves by a canary of 10 percent, if the endpoint is
    of a kind that SageMaker has guardrails for; anything else moves at once, and so does a
    change of variants.
    """
    spec = serving.spec
    changes_variants = spec.transition is not None and spec.transition.step == "change_variants"
    if changes_variants or not is_guarded(spec, production=serving.environment.production):
        return None
    update = spec.move if spec.move is not None else CanaryUpdate(canary_percent=10)
    names = list(update.alarms)
    if alarms is not None and can_be_guarded(spec):
        names += alarms.rollback_alarm_names
    return way(update).watching(*names[:10])


def way(update: Move) -> Guardrails:
    """The way of moving that ``update`` says, as yet without alarms."""
    return replace(
        _way(update), maximum_execution_timeout_seconds=update.maximum_execution_timeout_seconds
    )


def _way(update: Move) -> Guardrails:
    if isinstance(update, CanaryUpdate):
        return Guardrails.canary(
            percent=update.canary_percent,
            wait_seconds=update.wait_seconds,
            termination_wait_seconds=update.termination_wait_seconds,
        )
    if isinstance(update, LinearUpdate):
        return Guardrails.linear(
            percent=update.linear_percent,
            wait_seconds=update.wait_seconds,
            termination_wait_seconds=update.termination_wait_seconds,
        )
    if isinstance(update, RollingUpdate):
        return Guardrails.rolling(
            percent=update.rolling_percent,
            wait_seconds=update.wait_seconds,
            rollback_percent=update.rollback_percent,
        )
    return Guardrails.all_at_once(termination_wait_seconds=update.termination_wait_seconds)

"""A change of production that takes several deploys: which of its steps this deploy is."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sagemaker_serving.spec.base import Spec

CHANGE = "change_variants"
"""The step in which an endpoint gets other variants."""

SERVERLESS = "serverless"
"""Stands in ``keep`` for the instance type of a variant that has none."""


class Transition(Spec):
    """One step of a change that needs several deploys: another instance type of a scaled variant,
    or an added, removed or renamed variant with guardrails. `sagemaker-serving diff <file>` prints
    the next step.

    Source: SageMaker developer guide, "Update endpoints that use auto scaling", "Deployment
    guardrails", "Exclusions".
    """

    step: Literal["release_scaling", "change_variants"]
    """``release_scaling``: the variants in ``keep`` serve without scaling, with as many instances
    as it left. ``change_variants``: the endpoint moves to the file's variants without guardrails,
    all traffic at once."""

    keep: dict[str, str] = Field(default_factory=dict)
    """Of ``release_scaling`` only: each variant whose scaling is released, with the instance type
    that it keeps in this deploy, whatever ``variants`` says; ``serverless`` for a serverless
    one."""

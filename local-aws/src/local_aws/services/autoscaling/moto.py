"""Changes to the emulator's Application Auto Scaling: what of SageMaker can be scaled.

Loading it brings EC2's tables along: 90 MB.
"""

from __future__ import annotations

from enum import Enum

from moto.applicationautoscaling import models, responses

DIMENSIONS = (
    "sagemaker:variant:DesiredInstanceCount",
    "sagemaker:variant:DesiredProvisionedConcurrency",
    "sagemaker:inference-component:DesiredCopyCount",
)
"""Application Auto Scaling API reference, RegisterScalableTarget, read 2026-11-21."""


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    know_sagemakers_dimensions()


def know_sagemakers_dimensions() -> None:
    """The emulator knows the instances of variants only, and refuses the other dimensions."""
    known = [dimension.value for dimension in models.ScalableDimensionValueSet]
    if set(DIMENSIONS) <= set(known):
        return
    every = dict.fromkeys([*known, *DIMENSIONS])
    names = {value.upper().replace(":", "_").replace("-", "_"): value for value in every}
    dimensions = Enum("ScalableDimensionValueSet", names)  # type: ignore[misc]
    models.ScalableDimensionValueSet = responses.ScalableDimensionValueSet = dimensions

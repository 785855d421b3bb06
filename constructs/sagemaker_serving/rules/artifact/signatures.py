"""Rules on a model's signatures and its batching settings."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.engine.numbers import whole_number
from sagemaker_serving.rules.facts import ArtifactFacts, ContainerFacts
from sagemaker_serving.spec.batching import BATCHING_VARIABLES

_BATCHING = "tensorflow/serving batching README"
_DEFAULT_SIZE = 8


@rule("batching-signature", source=_BATCHING, example="shape (1, 8, 8) and max_batch_size: 16")
def batching_signature(facts: ArtifactFacts) -> Iterator[Finding]:
    """With batching on, every input's first dimension is open, or as large as a batch.

    The server joins requests along the first dimension; a graph whose first
    dimension is fixed refuses what was joined. Unknown ranks and empty shapes
    pass unchecked.
    """
    contents = facts.served_by("tensorflow")
    size = _largest_batch(facts.container)
    if contents is None or size is None:
        return
    for path, model in contents.saved_models.items():
        for name, signature in (model.signatures if model is not None else {}).items():
            for key, tensor in signature.inputs.items():
                first = tensor.shape[0] if tensor.shape else None
                if first is not None and first < size:
                    yield (
                        facts.artifact.where,
                        f"batching is on with max_batch_size {size}, and input {key!r} of "
                        f"signature {name!r} in {path} takes exactly {first} at a time; export "
                        f"the model with an open first dimension (None), use max_batch_size "
                        f"{first}, or turn batching off",
                    )


def _largest_batch(container: ContainerFacts) -> int | None:
    """The largest batch that the server makes; None when batching is off or not told."""
    enabled = container.batching.get("enabled")
    if container.batching:
        if enabled is not None and enabled.value is False:
            return None
        given = container.batching.get("max_batch_size")
    else:
        switch = container.environment.get(BATCHING_VARIABLES["enabled"])
        if switch is None or str(switch.value).lower() != "true":
            return None
        given = container.environment.get(BATCHING_VARIABLES["max_batch_size"])
    if given is None or given.value is None:
        return _DEFAULT_SIZE
    return whole_number(str(given.value))

"""TorchServe and AWS's toolkit around it, by the version of the image, as one table.

Which image has which: ``pytorch/inference/buildspec-*.yml`` of aws/deep-learning-containers at
c85149055d. What they do: TorchServe 0.12.0, 0.11.0, 0.8.2 and 0.6.1 with
sagemaker-pytorch-inference 2.0.25, 2.0.24, 2.0.16 and 2.0.11, run side by side and asked the same
on 2026-11-23, unless a field says otherwise. Whatever is not here is the same in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sagemaker_serving.errors import Mistake

API_VARIABLE = "TS_ENABLE_MODEL_API"
"""TorchServe takes any of its settings from a variable (``enable_envvars_config``)."""


@dataclass(frozen=True, kw_only=True)
class ToolkitContract:
    """What one span of images does its own way."""

    images: str
    server: str
    """The version of the model server, as a handler's context tells it."""

    toolkit: str
    """The version of sagemaker-pytorch-inference."""

    loads_models: bool
    """Whether POST /models and DELETE /models/NAME work; they are a 405 otherwise.

    2.0.25 asks for them in the last line of its properties file, which lacks its line break, so
    that TorchServe reads ``enable_model_api=truedefault_response_timeout=60``: no, and 120 s.
    """

    reads_timeout: bool
    """Whether SAGEMAKER_MODEL_SERVER_TIMEOUT counts, 60 s where it is absent; 120 s otherwise."""

    unwraps: bool
    """Whether a folder that is all there is in a model's folder is the model."""

    loaded: str
    """The status of a load, with the model's name and the number of its workers."""


_NEWEST = ToolkitContract(
    images="from 2.4",
    server="0.12.0",
    toolkit="2.0.25",
    loads_models=False,
    reads_timeout=False,
    unwraps=True,
    loaded='Model "{}" Version: 1.0 registered with {} initial workers',
)
_TO_2_3 = replace(
    _NEWEST,
    images="2.1 to 2.3, and 1.13",
    server="0.11.0",
    toolkit="2.0.24",
    loads_models=True,
    reads_timeout=True,
)
_TO_2_0 = replace(_TO_2_3, images="2.0", server="0.8.2", toolkit="2.0.16")
_TO_1_12 = replace(
    _TO_2_0,
    images="1.6 to 1.12",
    server="0.6.1",
    toolkit="2.0.11",
    unwraps=False,
)
_TO_1_5 = replace(
    _TO_1_12,
    images="up to 1.5",
    # Multi Model Server; by the tests of sagemaker-inference-toolkit alone, it was not run.
    server="1.0",
    toolkit="1",
    loaded="Workers scaled",
)

_SPANS: Mapping[tuple[int, int], ToolkitContract] = {
    (1, 5): _TO_1_5,
    (1, 12): _TO_1_12,
    (1, 13): _TO_2_3,
    (2, 0): _TO_2_0,
    (2, 3): _TO_2_3,
}
"""By the newest version of each span, ascending; whatever is newer is `_NEWEST`."""

MULTI_MODEL_SERVER = _TO_1_5
CONTRACTS = (_TO_1_5, _TO_1_12, _TO_2_0, _TO_2_3, _NEWEST)


def toolkit_contract(container_version: str | None) -> ToolkitContract:
    """The contract of PyTorch's image of ``container_version`` ("2.3"); None is the newest.

    Raises `Mistake` when the text is not a version.
    """
    if container_version is None:
        return _NEWEST
    parts = container_version.split(".")
    if len(parts) < 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise Mistake(
            f"container version is {container_version!r}; it must be a framework version like 2.3"
        )
    version = int(parts[0]), int(parts[1])
    return next((each for newest, each in _SPANS.items() if version <= newest), _NEWEST)


def loads_models(contract: ToolkitContract, environ: Mapping[str, str]) -> bool:
    """Whether models can be loaded and unloaded, with these variables.

    TorchServe up to 0.11.0 has no such setting.
    """
    return contract.loads_models or environ.get(API_VARIABLE, "").lower() == "true"

"""Multi-model mode's API: what the container does differently from generation to generation.

AWS's side of it: https://docs.aws.amazon.com/sagemaker/latest/dg/mms-container-apis.html. The
container's: the sources that `contract` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf
from pathlib import Path, PurePosixPath

SERVED_FOLDERS = ("/opt/ml/models", "/opt/ml/model")
"""Where the platform mounts the folder that is served here."""

NO_MEMORY = "Memory exhausted: not enough memory to start TFS instance"
NO_PORTS = "Memory exhausted: no available ports to load the model."


class Outcome(StrEnum):
    """How a load ended."""

    LOADED = "loaded"
    LOADED_ALREADY = "loaded already"
    LOADING = "loading"
    NO_PORTS = "no ports"
    NO_BASE_PATH = "no base path"
    NO_MEMORY = "no memory"
    FAILED = "failed"


class Leftover(StrEnum):
    """How long a load that failed keeps the name: a load of it is a 409, all else a 500."""

    NEVER = "never"
    UNTIL_A_LOAD_SUCCEEDS = "until a load succeeds"
    """Of any model: that one writes down which models there are, and a failed one is not."""

    FOREVER = "forever"
    """The folder of its configuration stays."""


@dataclass(frozen=True, kw_only=True)
class MultiModelRules:
    """How one generation answers below /models."""

    code_of_models: bool
    """Whether a model's own ``code/`` counts, before the universal one."""

    code_beside_models: bool
    """Whether the universal code is ``/opt/ml/models/code`` rather than ``/opt/ml/code``."""

    imports_siblings: bool
    """Whether the universal ``inference.py`` can import the files beside it."""

    keeps_keys: bool
    """Whether code from S3 keeps its keys' folders; else only the last part of a key is kept."""

    judges_names: bool
    """Whether a model name outside its pattern is a 400."""

    counts_instances: bool
    """Whether SAGEMAKER_TFS_INSTANCE_COUNT engines serve each model; else it is one."""

    tells_status: bool
    """Whether GET /models/NAME works; it is a 500 otherwise."""

    batches: bool
    """Whether models can be loaded with batching on."""

    forgets_the_dead: bool
    """Whether a model whose engine has died is a 404; its calls fail with a 500 otherwise."""

    unloads_the_dead: bool
    """Whether DELETE of such a model succeeds."""

    uncaught: bool
    """Whether a load that fails is a plain 500, with none of the statuses that say why."""

    unnamed: tuple[int, str]
    """Status and message of POST /invocations."""

    status_unknown: str
    """The message of GET for a model that is not loaded."""

    loaded_twice: str
    """The message of a 409."""

    loading_twice: str
    """The message of a 409 where the first load is under way, and nobody waits for it."""

    waits: Callable[[int], float]
    """The seconds for which all that concerns a model waits while it loads, by gunicorn's workers.

    In the images it waits for a lock on a file. Of one process the lock keeps out only others,
    until 2.19; since then it also gives up.
    """

    leftover: Leftover

    loaded: Callable[[str, Mapping[str, int], Mapping[str, int]], str]
    """The message of a load, by name and the REST and gRPC ports of all models."""


def served_path(url: str, folder: Path) -> Path | None:
    """The path that ``url`` of a load request means, ``folder`` being the one that is served.

    Paths below `SERVED_FOLDERS` lie in ``folder``. None for any that leads out of it, by its
    name or by a link: a container has no other models, and this machine's are nobody's business.
    """
    path = PurePosixPath(url)
    mounted = next((each for each in SERVED_FOLDERS if path.is_relative_to(each)), None)
    asked = Path(url) if mounted is None else folder / path.relative_to(mounted)
    return asked if asked.resolve().is_relative_to(folder.resolve()) else None


def has_versions(base_path: Path) -> bool:
    """Whether some folder below ``base_path``, however deep, is named like a version."""
    return any(path.is_dir() and path.name.isdigit() for path in base_path.rglob("*"))


_LOADED_TWICE = "Model {0} is already loaded."

RULES_TO_2_8 = MultiModelRules(
    code_of_models=False,
    code_beside_models=True,
    imports_siblings=False,
    keeps_keys=True,
    judges_names=False,
    counts_instances=False,
    tells_status=False,
    batches=False,
    forgets_the_dead=False,
    unloads_the_dead=True,
    uncaught=True,
    # The request is never read once the name is found missing.
    unnamed=(500, "local variable 'data' referenced before assignment"),
    status_unknown="Model {} is loaded yet.",
    loaded_twice=f"{_LOADED_TWICE} [Errno 17] File exists: '/sagemaker/tfs-config/{{0}}'",
    loading_twice=f"{_LOADED_TWICE} [Errno 17] File exists: '/sagemaker/tfs-config/{{0}}'",
    waits=lambda workers: 0.0,
    leftover=Leftover.FOREVER,
    # All models' ports, for want of an index.
    loaded=lambda name, rest, grpc: (
        f"Successfully loaded model {name}, listening on rest port {rest} and grpc port {grpc}."
    ),
)

RULES_TO_2_19 = replace(
    RULES_TO_2_8,
    code_of_models=True,
    code_beside_models=False,
    keeps_keys=False,
    counts_instances=True,
    unloads_the_dead=False,
    uncaught=False,
    unnamed=(400, "Invocation request does not contain model name."),
    loaded_twice=_LOADED_TWICE,
    loading_twice=f"{_LOADED_TWICE} [Errno 17] File exists: '/sagemaker/tfs-config/{{0}}/0'",
    waits=lambda workers: inf if workers > 1 else 0.0,
    leftover=Leftover.UNTIL_A_LOAD_SUCCEEDS,
    loaded=lambda name, rest, grpc: (
        f"Successfully loaded model {name}, listening on rest port {rest[name]} "
        f"and grpc port {grpc[name]}."
    ),
)

RULES_TODAY = replace(
    RULES_TO_2_19,
    imports_siblings=True,
    judges_names=True,
    tells_status=True,
    batches=True,
    forgets_the_dead=True,
    unloads_the_dead=True,
    status_unknown="Model {} is not loaded yet.",
    # multi_model_utils.py, lock(); python_service.py, _handle_load_model_post.
    waits=lambda workers: 60.0,
    leftover=Leftover.NEVER,
)

"""TensorFlow Serving's client messages, as users bring them: in ``code/lib``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from tools.own_environments.environments import environment_of


def bring(lib: Path) -> Path:
    """Fill ``lib`` with ``tensorflow_serving`` and the part of ``tensorflow`` that it imports.

    tensorflow's own ``__init__`` is left out: it takes seconds.
    """
    (api,) = (environment_of("serving_api") / "lib").glob("python*/site-packages")
    tensorflow = find_spec("tensorflow")
    assert tensorflow is not None
    assert tensorflow.origin is not None
    (lib / "tensorflow").mkdir(parents=True)
    (lib / "tensorflow" / "__init__.py").touch()
    for part in ("core", "compiler"):
        (lib / "tensorflow" / part).symlink_to(Path(tensorflow.origin).parent / part)
    (lib / "tensorflow_serving").symlink_to(api / "tensorflow_serving")
    return lib

"""Which engine stands for an image: what was declared of its repository, else what AWS's says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sagemaker_serving.local_sagemaker.engines.declarations import ALLOWED, FORGET, declared_engine
from sagemaker_serving.local_sagemaker.engines.images import (
    SERVED,
    Engine,
    NoEngine,
    engine_of,
    split_image,
)
from sagemaker_serving.local_sagemaker.engines.launch import Launch, Server

NO_ENGINES = (
    "no engine runs behind it: the local AWS was started with --without-engines; end it with "
    "`sagemaker-serving local down` and start it with `local up --with-engines`"
)


class Engines:
    """Starts what stands for an image.

    ``declared`` are engines by repository; with ``are_off`` nothing is started.
    """

    def __init__(
        self, launch: Launch, declared: Mapping[str, str], *, are_off: bool | None = None
    ) -> None:
        self._launch = launch
        self._given = (declared, are_off)
        self._declared: dict[str, str] = {}
        self.are_off = False
        self.restore({})

    def of(self, image: str) -> Engine:
        """What serves the image; raises `NoEngine`, with what to do."""
        if self.are_off:
            raise NoEngine(NO_ENGINES)
        registry, name, _ = split_image(image)
        for repository in (f"{registry}/{name}", name):
            if repository in self._declared:
                return declared_engine(repository, self._declared[repository])
        try:
            return engine_of(image)
        except NoEngine as missing:
            raise NoEngine(
                f"{missing} (image {image}); here are served {SERVED}; to say what stands in "
                f"for it, also while this runs: `local up --engine {name}=ENGINE`; {ALLOWED}"
            ) from None

    def start(
        self, engine: Engine, model_dir: Path, *, environment: Mapping[str, str], log_path: Path
    ) -> Server:
        """The engine's process over an unpacked model."""
        return self._launch(
            model_dir,
            environment=environment,
            log_path=log_path,
            container_version=engine.container_version,
            program=engine.program,
            command=engine.command,
        )

    def declare(self, given: Mapping[str, str]) -> None:
        """Say more of repositories: it holds for servers that are started from now on."""
        both = {**self._declared, **given}
        self._declared = {name: engine for name, engine in both.items() if engine != FORGET}

    def export(self) -> dict[str, object]:
        """What was declared, as JSON has it: ``declared`` by repository, and ``are_off``."""
        return {"declared": dict(self._declared), "are_off": self.are_off}

    def restore(self, kept: Mapping[str, object]) -> None:
        """Take what `export` gave before; what this process was given wins."""
        given, are_off = self._given
        before = kept.get("declared", {})
        assert isinstance(before, Mapping)
        self._declared = {}
        self.declare({**before, **given})
        self.are_off = bool(kept.get("are_off", False)) if are_off is None else are_off

"""Adapters: what a component's servers load beside its model, and unload again."""

from __future__ import annotations

import json
import shutil
import threading
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

from sagemaker_serving.local_sagemaker.common.store import Region, Resource
from sagemaker_serving.local_sagemaker.containers.container import Container, ContainerFailed
from sagemaker_serving.local_sagemaker.containers.model_client import NoAnswer
from sagemaker_serving.local_sagemaker.engines.launch import Server
from sagemaker_serving.local_sagemaker.fleets.fleets import Fleets
from sagemaker_serving.local_sagemaker.fleets.variant import Variant
from sagemaker_serving.local_sagemaker.models.archives import ArchiveRefused, ModelFiles

_LOAD_SECONDS = 360.0
_UNLOAD_SECONDS = 60.0


class Adapters:
    """Speaks the container's API: POST /adapters with a name and a folder, DELETE /adapters/<name>.

    (aws/model-hosting-container-standards, docs/sagemaker/05_lora_adapter_management.md and
    sagemaker/lora.) A server that is another than before, after a death, an update or a rest of
    its component, loads an adapter again when it is asked for it.
    """

    def __init__(self, fleets: Fleets) -> None:
        self._fleets = fleets
        self._loaded: dict[str, tuple[Server | None, str]] = {}  # by ARN
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def load(self, region: Region, adapter: Resource, variant: Variant) -> None:
        """Have it in the server of its base, unless that rests; raises `ContainerFailed`."""
        arn, container = adapter["InferenceComponentArn"], variant.host.containers[0]
        url = adapter["Specification"]["Container"]["ArtifactUrl"]
        with self._locks[arn]:
            before = self._loaded.get(arn)
            if before == (container.server, url):
                return
            folder = self._folder(region, adapter)
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(parents=True, exist_ok=True)
            try:
                container.fetch(ModelFiles(url=url), folder)
                if container.is_running():
                    if before is not None and before[0] is container.server:
                        del self._loaded[arn]
                        _unload(container, adapter)
                    _load(container, adapter, folder)
                    self._loaded[arn] = (container.server, url)
            except ArchiveRefused as refused:
                raise ContainerFailed(str(refused)) from None
            except NoAnswer as silent:
                raise ContainerFailed(f"The base did not answer: {silent}") from None

    def unload(self, region: Region, adapter: Resource, variant: Variant | None) -> None:
        """Take it out of the server of its base, where that runs, and remove its files."""
        arn = adapter["InferenceComponentArn"]
        with self._locks[arn]:
            loaded = self._loaded.pop(arn, None)
            container = None if variant is None else variant.host.containers[0]
            if loaded is not None and container is not None and container.server is loaded[0]:
                with suppress(NoAnswer):  # it is gone with the server
                    _unload(container, adapter)
            shutil.rmtree(self._folder(region, adapter), ignore_errors=True)
        self._locks.pop(arn, None)

    def _folder(self, region: Region, adapter: Resource) -> Path:
        above = self._fleets.folder(region, adapter["EndpointName"])
        return above / "adapters" / str(adapter["InferenceComponentName"])


def _load(container: Container, adapter: Resource, folder: Path) -> None:
    assert container.client is not None
    name = adapter["InferenceComponentName"]
    answer = container.client.invoke(
        json.dumps({"name": name, "src": str(folder), "preload": True}).encode(),
        {"Content-Type": "application/json"},
        timeout_seconds=_LOAD_SECONDS,
        path="/adapters",
    )
    if not 200 <= answer.status < 300:
        base = adapter["Specification"]["BaseInferenceComponentName"]
        said = answer.body.decode("utf-8", "replace")
        raise ContainerFailed(
            f"The container of {base} did not load the adapter {name}; POST /adapters was answered "
            f"with {answer.status}: {said[:500]}"
        )


def _unload(container: Container, adapter: Resource) -> None:
    assert container.client is not None
    container.client.delete(
        f"/adapters/{adapter['InferenceComponentName']}",
        timeout_seconds=_UNLOAD_SECONDS,
        container=container.plan.name,
    )

"""Many models behind one server: fetched and loaded as they are asked for, the oldest put out."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from local_aws.protocol import AwsError
from local_aws.s3_location import S3Location
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.containers.container import Container
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer, NoAnswer
from sagemaker_serving.local_sagemaker.hosting.host import Invocation, Observe
from sagemaker_serving.local_sagemaker.hosting.kept import KeptContainer
from sagemaker_serving.local_sagemaker.hosting.model_cache import LoadRefused, ModelCache, NotLoaded
from sagemaker_serving.local_sagemaker.models.archives import ArchiveRefused, ModelFiles

LOAD_SECONDS = 360.0
"""How long a model may be downloaded and loaded; the request waits for 60 s of it (SageMaker
developer guide, "Invoke a Multi-Model Endpoint")."""

CONTAINER = "model"
"""What SageMaker calls a multi-model container in its messages
(github.com/aws/sagemaker-tensorflow-serving-container/issues/109)."""

_TARGET_HEADER = "X-Amzn-SageMaker-Target-Model"
_LOADED_ALREADY = 409
_NOT_FOUND = 404


class MultiModel:
    """Speaks the container's own API: POST and DELETE /models, POST /models/<name>/invoke.

    (SageMaker developer guide, "Contract for Custom Containers to Serve
    Multiple Models"; metrics: "Monitor Amazon SageMaker with Amazon
    CloudWatch".) The names that the server is given are hashes
    of the target models, as they are opaque on AWS.
    """

    def __init__(self, container: Container, settings: Settings, observe: Observe) -> None:
        plan = container.plan
        multi = plan.container.get("MultiModelConfig", {})
        limit = settings.multi_model_memory_mb
        self._observe = observe
        self._cache = ModelCache(
            fetch=self._fetch,
            load=self._load,
            unload=self._unload,
            folder=plan.folder,
            limit_bytes=None if limit is None else limit * 1024 * 1024,
            keeps=multi.get("ModelCacheSetting", "Enabled") == "Enabled",
            patience_seconds=LOAD_SECONDS,
        )
        self._kept = KeptContainer(container, restarted=self._cache.forget)

    @property
    def containers(self) -> Sequence[Container]:
        """Its one container."""
        return [self._kept.container]

    @property
    def restarts(self) -> int:
        """Of its one server."""
        return self._kept.restarts

    @property
    def loaded(self) -> int:
        """How many models are loaded now."""
        return len(self._cache)

    def start(self, deadline_seconds: float) -> None:
        """Start the server without a model; raises `ContainerFailed`."""
        self._kept.start(deadline_seconds)

    def ask(self, invocation: Invocation) -> ModelAnswer:
        """The target model's answer, once it is loaded.

        One whose process has died in the container, which has forgotten it then, is loaded again;
        that SageMaker does so, too, is unverified. Raises `NoAnswer`; ValidationError for a target
        that cannot be fetched, ModelNotReadyException for one that is not loaded in time.
        """
        target = invocation.target_model
        assert target is not None
        try:
            answer, name = self._asked(target, invocation)
            if answer.status == _NOT_FOUND and not self._has(name, invocation):
                self._cache.lost(target)
                answer, _ = self._asked(target, invocation)
        except NotLoaded as late:
            raise AwsError("ModelNotReadyException", str(late), status=429) from None
        except LoadRefused as refused:
            return refused.answer
        return answer

    def _asked(self, target: str, invocation: Invocation) -> tuple[ModelAnswer, str]:
        """The answer, and the server's name of the model."""
        began = time.monotonic()
        with self._cache.holding(target, invocation.timeout_seconds) as held:
            waited = time.monotonic() - began if held.was_waited_for else 0.0
            self._observe("ModelCacheHit", float(not held.was_waited_for), "None")
            if held.was_waited_for:
                self._observe("ModelLoadingWaitTime", waited * 1e6, "Microseconds")
            answer = self._kept.ask(
                invocation.body,
                {**invocation.headers, _TARGET_HEADER: target},
                timeout_seconds=max(invocation.timeout_seconds - waited, 0.1),
                path=f"/models/{held.name}/invoke",
            )
        return replace(answer, waited_seconds=waited), held.name

    def _has(self, name: str, invocation: Invocation) -> bool:
        """Whether the server has the model, as the contract's Get Model API tells it."""
        answer = self._kept.client.get(
            f"/models/{name}", timeout_seconds=invocation.timeout_seconds, container=CONTAINER
        )
        return answer.status != _NOT_FOUND

    def kill(self) -> None:
        """End the server as a crash would."""
        self._kept.container.kill()

    def rest(self) -> None:
        """End the server; its models are gone with it."""
        self._kept.rest()
        self._cache.forget()

    def wake(self, deadline_seconds: float) -> None:
        """Start the server again, without a model; raises `ContainerFailed`."""
        self._kept.wake(deadline_seconds)

    def stop(self) -> None:
        """End the server for good."""
        self._kept.stop()

    def _fetch(self, target: str, folder: Path) -> None:
        began = time.monotonic()
        prefix = self._kept.container.plan.container["ModelDataUrl"]
        url = f"{prefix.rstrip('/')}/{target.lstrip('/')}"
        try:
            self._kept.container.fetch(ModelFiles(url=url), folder)
        except ArchiveRefused as refused:
            raise _not_fetched(url, refused) from None
        self._observe_since("ModelDownloadingTime", began)

    def _load(self, target: str, name: str, folder: Path) -> ModelAnswer:
        """What the server says to a model; one that it has already is loaded, too."""
        began = time.monotonic()
        body = json.dumps({"model_name": name, "url": str(folder)}).encode()
        headers = {"Content-Type": "application/json", _TARGET_HEADER: target}
        answer = self._kept.ask(body, headers, timeout_seconds=LOAD_SECONDS, path="/models")
        if answer.status == _LOADED_ALREADY:
            return replace(answer, status=200)
        if 200 <= answer.status < 300:
            self._observe_since("ModelLoadingTime", began)
        elif answer.status >= 500:
            # TorchServe keeps the name of a model that failed, and would call it loaded next time.
            # Whether SageMaker asks for this is unverified.
            self._ask_to_unload(name)
        return answer

    def _unload(self, name: str) -> None:
        began = time.monotonic()
        if self._ask_to_unload(name):
            self._observe_since("ModelUnloadingTime", began)

    def _ask_to_unload(self, name: str) -> bool:
        """Whether the server answers; one that is gone has taken the model with it."""
        try:
            self._kept.client.delete(
                f"/models/{name}", timeout_seconds=LOAD_SECONDS, container=CONTAINER
            )
        except NoAnswer:
            return False
        return True

    def _observe_since(self, metric: str, began: float) -> None:
        self._observe(metric, (time.monotonic() - began) * 1e6, "Microseconds")


def _not_fetched(url: str, refused: ArchiveRefused) -> AwsError:
    """ValidationError, as users of multi-model endpoints have met it; the words are unverified."""
    location = S3Location.parse(url)
    if "Failed to download" in str(refused):
        return AwsError(
            "ValidationError",
            f"Failed to download model data(bucket: {location.bucket}, key: {location.key}). "
            "Please ensure that there is an object located at the URL and that the role passed "
            "to CreateModel has permissions to download the model.",
        )
    return AwsError("ValidationError", str(refused))

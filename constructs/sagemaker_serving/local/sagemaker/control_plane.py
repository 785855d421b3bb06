"""SageMaker's API: which action is whose, and what all of them have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.sagemaker.container import Launch
from sagemaker_serving.local.sagemaker.endpoints import Endpoints
from sagemaker_serving.local.sagemaker.offered import refuse_what_is_not_followed
from sagemaker_serving.local.sagemaker.resources import EndpointConfigs, Models, Tags
from sagemaker_serving.local.sagemaker.runtime import Runtime
from sagemaker_serving.local.sagemaker.store import Region, Resource, Store
from sagemaker_serving.local.sagemaker.transform import TransformJobs
from sagemaker_serving.local.sagemaker.validation import is_known, validate

Action = Callable[[Region, Mapping[str, Any]], Resource]


class ControlPlane:
    """SageMaker in every region: `handle` its actions, `runtime` its endpoints.

    ``launch`` starts a model server; absent, it is the project's own
    (`sagemaker_serving.local.server`).
    """

    def __init__(self, context: LocalContext, *, launch: Launch | None = None) -> None:
        launch = launch if launch is not None else _model_server()
        self._store = Store()
        self._endpoints = Endpoints(context, launch)
        self._transform_jobs = TransformJobs(context, launch)
        self.runtime = Runtime(self._store, self._endpoints)
        models, configs, tags = Models(context), EndpointConfigs(), Tags()
        self._actions: dict[str, Action] = {
            "CreateModel": models.create,
            "DescribeModel": models.describe,
            "ListModels": models.list,
            "DeleteModel": models.delete,
            "CreateEndpointConfig": configs.create,
            "DescribeEndpointConfig": configs.describe,
            "ListEndpointConfigs": configs.list,
            "DeleteEndpointConfig": configs.delete,
            "CreateEndpoint": self._endpoints.create,
            "DescribeEndpoint": self._endpoints.describe,
            "ListEndpoints": self._endpoints.list,
            "UpdateEndpoint": self._endpoints.update,
            "UpdateEndpointWeightsAndCapacities": self._endpoints.update_weights,
            "DeleteEndpoint": self._endpoints.delete,
            "CreateTransformJob": self._transform_jobs.create,
            "DescribeTransformJob": self._transform_jobs.describe,
            "ListTransformJobs": self._transform_jobs.list,
            "StopTransformJob": self._transform_jobs.stop,
            "AddTags": tags.add,
            "ListTags": tags.list,
            "DeleteTags": tags.delete,
        }

    def handle(self, action: str, parameters: Mapping[str, Any], region: str) -> Resource:
        """Do one action of the API and return its output; times are seconds since the epoch.

        Raises `AwsError` for an unknown action, for parameters that SageMaker
        or the local AWS does not accept, and as each action says.
        """
        if is_known(action) and action not in self._actions:
            raise AwsError(
                "UnknownOperationException", f"the local AWS does not offer {action} yet"
            )
        validate(action, parameters)
        refuse_what_is_not_followed(action, parameters)
        given = {name: value for name, value in parameters.items() if value is not None}
        return self._actions[action](self._store.region(region), given)

    def status(self) -> dict[str, Any]:
        """``endpoints`` and ``transform_jobs``, and the ``processes`` of both."""
        regions = self._store.regions()
        endpoints = [found for region in regions for found in self._endpoints.summaries(region)]
        jobs = [found for region in regions for found in self._transform_jobs.summaries(region)]
        variants = [
            {**variant, "name": f"{endpoint['name']}/{variant['name']}"}
            for endpoint in endpoints
            for variant in endpoint["variants"]
        ]
        return {
            "endpoints": endpoints,
            "transform_jobs": jobs,
            "processes": [
                {name: found[name] for name in ("name", "pid", "port", "memory_bytes", "log")}
                for found in (*variants, *jobs)
                if "pid" in found
            ],
        }

    def close(self) -> None:
        """End every endpoint's and every job's process."""
        self._transform_jobs.close()
        self._endpoints.close(self._store.regions())


def _model_server() -> Launch:
    from sagemaker_serving.local.server.process import ModelServer

    return ModelServer.start

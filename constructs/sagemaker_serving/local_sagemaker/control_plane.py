"""SageMaker as a service of the local AWS: which action is whose, and what all have in common."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from local_aws import service
from local_aws.context import LocalContext
from local_aws.integration import Integration
from local_aws.permissions.deployed import key_arn
from local_aws.permissions.need import Need
from local_aws.protocol.call import Call
from local_aws.protocol.validation import validate
from sagemaker_serving.local_sagemaker.common.settings import ENGINES, Settings, declarations
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, Store
from sagemaker_serving.local_sagemaker.compilation_jobs.jobs import CompilationJobs
from sagemaker_serving.local_sagemaker.endpoints.configs import EndpointConfigs
from sagemaker_serving.local_sagemaker.endpoints.endpoints import Endpoints
from sagemaker_serving.local_sagemaker.endpoints.runtime import Runtime
from sagemaker_serving.local_sagemaker.engines.declarations import read_declarations
from sagemaker_serving.local_sagemaker.engines.engines import Engines
from sagemaker_serving.local_sagemaker.engines.launch import Launch
from sagemaker_serving.local_sagemaker.fleets.request_pipeline import RequestPipeline
from sagemaker_serving.local_sagemaker.fleets.scalable import refuse_who_may_not_deregister
from sagemaker_serving.local_sagemaker.inference_routers.routers import (
    EndpointPolicies,
    InferenceRouters,
)
from sagemaker_serving.local_sagemaker.model_registry.model_packages import (
    ModelPackageGroups,
    ModelPackages,
)
from sagemaker_serving.local_sagemaker.models.models import Models
from sagemaker_serving.local_sagemaker.observability.log_shipper import LogShipper
from sagemaker_serving.local_sagemaker.observability.metrics import Instance, Metrics, Series
from sagemaker_serving.local_sagemaker.offered import refuse_what_is_not_followed
from sagemaker_serving.local_sagemaker.policy import PERMISSIONS
from sagemaker_serving.local_sagemaker.resources import (
    Endpoint,
    EndpointConfig,
    InferenceComponent,
    Model,
    ModelPackage,
    ModelPackageGroup,
)
from sagemaker_serving.local_sagemaker.saved import export_region, restore_region
from sagemaker_serving.local_sagemaker.scaling import dimensions
from sagemaker_serving.local_sagemaker.tags import Tags
from sagemaker_serving.local_sagemaker.transform_jobs.jobs import TransformJobs
from sagemaker_serving.model_server.fork_client import ContainerForks
from sagemaker_serving.model_server.process import ModelServer

Action = Callable[[Region, Mapping[str, Any]], Resource]


class SageMaker(service.Service):
    """SageMaker in every region: its `actions`, and with `runtime` its endpoints.

    ``launch`` starts a model server; absent, it is the project's own
    (`sagemaker_serving.model_server`). ``changed`` is called when something has
    changed by itself: an endpoint that is in service now, a job that has ended.
    ``settings`` are those of the environment when absent; raises `Mistake` for
    variables that are wrong.
    """

    def __init__(
        self,
        context: LocalContext,
        *,
        launch: Launch | None = None,
        changed: Callable[[], None] = lambda: None,
        settings: Settings | None = None,
    ) -> None:
        self.settings = settings if settings is not None else Settings.from_environment(os.environ)
        self._fork_server = ContainerForks()
        self._engines = Engines(
            launch or partial(ModelServer.start, fork_server=self._fork_server),
            self.settings.engines,
            are_off=self.settings.without_engines,
        )
        faults = context.faults
        _remove_what_was_unpacked(context.state_dir)
        self._context = context
        self.store = Store(context.account_id, changed)
        policies = EndpointPolicies(self.store)
        self.routers = InferenceRouters(context, self.store)
        self.permissions = replace(
            PERMISSIONS,
            keys=lambda call: _needed_grants(context, self.store.region(call.region), call),
            document_of=policies.of,
        )
        self._changed = changed
        self._logs = LogShipper(context)
        self._metrics = Metrics(
            context,
            self._instances,
            self._published,
            gauges=self._gauges,
            settings=self.settings,
        )
        context.percentiles.append(self._metrics.latencies)
        context.scalable.update(dimensions(context, self.store))
        pipeline = RequestPipeline(self._metrics, faults)
        self._endpoints = Endpoints(
            context,
            self._engines,
            logs=self._logs,
            faults=faults,
            metrics=self._metrics,
            pipeline=pipeline,
            settings=self.settings,
        )
        self._transform_jobs = TransformJobs(
            context, self._engines, logs=self._logs, faults=faults, quotas=self.settings.quotas
        )
        self._compilation_jobs = CompilationJobs(context, logs=self._logs, faults=faults)
        self._metrics.start()
        self.runtime = Runtime(
            self.store, self._endpoints, pipeline, payload_mb=self.settings.payload_mb
        )
        components = self._endpoints.components
        kinds = {
            "Model": Models(context),
            "InferenceComponent": components,
            "ModelPackageGroup": ModelPackageGroups(),
            "ModelPackage": ModelPackages(),
            "EndpointConfig": EndpointConfigs(),
            "Endpoint": self._endpoints,
            "TransformJob": self._transform_jobs,
            "CompilationJob": self._compilation_jobs,
            "InferenceRouter": self.routers,
        }
        tags = Tags()
        self._actions: dict[str, Action] = {
            **{
                f"{verb.title()}{kind}{'s' if verb == 'list' else ''}": getattr(kept, verb)
                for kind, kept in kinds.items()
                for verb in ("create", "describe", "list", "update", "stop", "delete")
                if hasattr(kept, verb)
            },
            "UpdateInferenceComponentRuntimeConfig": components.update_runtime_config,
            "UpdateEndpointWeightsAndCapacities": self._endpoints.update_weights,
            "PutEndpointPolicy": policies.put,
            "GetEndpointPolicy": policies.get,
            "DeleteEndpointPolicy": policies.delete,
            "AddTags": tags.add,
            "ListTags": tags.list,
            "DeleteTags": tags.delete,
        }

    name = "sagemaker"
    whole = True
    limits = (
        service.Limit(
            "images",
            "none is pulled; what serves is told by the repository, or by `--engine`: see "
            "[endpoints](local-aws-endpoints.md)",
        ),
        service.Limit(
            "instances of a variant, copies of a component",
            "one process serves them all; GPU variants run on the CPU",
        ),
        service.Limit("capacity", "there is always room, unless a fault or a quota says otherwise"),
        service.Limit(
            "compilation jobs",
            "no job is Neo's: OpenVINO compiles in its place where it is installed, or the model "
            "is packed again; the job says which",
        ),
        service.Limit(
            "transform jobs",
            "one server does the work of all instances; each object is held in memory; "
            "`/execution-parameters` is not asked",
        ),
        service.Limit(
            "model packages", "nothing is validated or scanned, and approval is not asked for"
        ),
        service.Limit(
            "serial pipelines",
            "the containers before the last are sent no Accept, which AWS does not document",
        ),
        service.Limit(
            "asynchronous endpoints without MaxConcurrentInvocationsPerInstance",
            "four requests run at a time; there is no stream `data-log`",
        ),
        service.Limit(
            "serverless endpoints",
            "memory is not limited; an idle process ends after 5 minutes, which AWS does not "
            "document",
        ),
        service.Limit(
            "what a component's copy reserves, ManagedInstanceScaling, InferenceAmiVersion, "
            "AcceleratorPartitionLayouts, CapacityReservationConfig, CoreDumpConfig, "
            "EnableSSMAccess, RoutingConfig, MetricsConfig",
            "kept, without effect",
        ),
        service.Limit(
            "explainers, requests to one container of a pipeline, data capture of transform jobs",
            "refused by name",
        ),
        service.Limit(
            "refusals of requests that do not suit a kind of endpoint, the reason of a rolled "
            "back deployment",
            "in our own words, where nobody has reported AWS's",
        ),
    )
    types = (
        Endpoint(),
        EndpointConfig(),
        InferenceComponent(),
        Model(),
        ModelPackage(),
        ModelPackageGroup(),
    )
    warm_up = "list_models"
    permissions = PERMISSIONS

    def actions(self) -> Mapping[str, service.Action]:
        """Every action that is offered, by the operation's name."""
        return {name: partial(self._do, action) for name, action in self._actions.items()}

    def integrations(self) -> Iterable[Integration]:
        """Any action, and waiting for transform jobs."""
        return (INTEGRATION,)

    def check(self, call: Call) -> None:
        """Raise `AwsError` for what SageMaker does not accept, or the local AWS does not follow."""
        validate(call.model.input_shape, call.parameters)
        refuse_what_is_not_followed(call.operation, call.parameters)
        if call.operation == "DeleteEndpoint":
            refuse_who_may_not_deregister(self._context, call)

    def _do(self, action: Action, call: Call) -> Resource:
        return action(self.store.region(call.region), call.parameters)

    def status(self) -> dict[str, Any]:
        """``endpoints``, ``inference_routers``, ``transform_jobs``, ``compilation_jobs``, their
        ``processes``, the ``time_scale``, and what was said of ``engines``."""
        regions = self.store.regions()
        endpoints = [
            found for region in regions for found in self._endpoints.views.summaries(region)
        ]
        jobs = [found for region in regions for found in self._transform_jobs.summaries(region)]
        variants = [
            {**variant, "name": f"{endpoint['name']}/{variant['name']}"}
            for endpoint in endpoints
            for variant in endpoint["variants"]
        ]
        return {
            "time_scale": self.settings.time_scale,
            "engines": self._engines.export(),
            "endpoints": endpoints,
            "inference_routers": [
                found for region in regions for found in self.routers.summaries(region)
            ],
            "transform_jobs": jobs,
            "compilation_jobs": [
                found for region in regions for found in self._compilation_jobs.summaries(region)
            ],
            "processes": [
                {name: found[name] for name in ("name", "pid", "listens", "memory_bytes", "log")}
                for found in (*variants, *jobs)
                if "pid" in found
            ],
        }

    def export_state(self) -> dict[str, Any]:
        """Everything that SageMaker holds, as JSON has it; `restore_state` takes it back."""
        regions = self.store.regions()
        return {
            "engines": self._engines.export(),
            "regions": {region.name: export_region(region) for region in regions},
            "serving": {
                arn: fleet
                for region in regions
                for arn, fleet in self._endpoints.views.export_serving(region).items()
            },
        }

    def restore_state(self, state: Mapping[str, Any], /) -> None:
        """Hold what `export_state` gave.

        Endpoints that served start their servers again in the background,
        with what they served then, and are SystemUpdating until those are
        healthy; jobs that ran have failed.
        """
        self._engines.restore(state.get("engines", {}))
        for name, kept in state["regions"].items():
            region = self.store.region(name)
            restore_region(region, kept)
            self._endpoints.resume(region, state["serving"])

    def set(self, variable: str, value: str) -> bool:
        """Engines may be declared while it runs; raises `Mistake` for what is no declaration."""
        if variable != ENGINES:
            return False
        self._engines.declare(read_declarations({variable: declarations({variable: value})}))
        self._changed()
        return True

    def start(self) -> None:
        """Have what was said of engines saved, also if nothing else ever changes."""
        if self.settings.engines or self.settings.without_engines is not None:
            self._changed()

    def flush(self, *, instances: bool = True) -> None:
        """Put the metrics of all requests and every log line into CloudWatch, now.

        With ``instances``, each process is measured now, too.
        """
        self._metrics.flush(instances=instances)
        self._logs.flush()

    def stop(self) -> None:
        """Put what was logged and counted until now into CloudWatch."""
        self.flush(instances=False)

    def close(self) -> None:
        """End every endpoint's and every job's process."""
        self._metrics.close()
        self._logs.close()
        self._compilation_jobs.close()
        self._transform_jobs.close()
        self._endpoints.close()
        self._fork_server.close()

    def _published(self) -> None:
        for region in self.store.regions():
            self._endpoints.views.write_captures(region)

    def _gauges(self) -> list[tuple[Series, float]]:
        regions = self.store.regions()
        return [gauge for region in regions for gauge in self._endpoints.views.gauges(region)]

    def _instances(self) -> list[Instance]:
        regions = self.store.regions()
        serving = [found for region in regions for found in self._endpoints.views.instances(region)]
        return [*serving, *self._transform_jobs.instances()]


def _remove_what_was_unpacked(state_dir: Path) -> None:
    """A run that was killed leaves models unpacked; they are fetched anew. Logs stay."""
    for kind in ("endpoints", "transform"):
        shutil.rmtree(state_dir / kind, ignore_errors=True)


def _task() -> type:
    from sagemaker_serving.local_sagemaker.states_task import SageMakerTask

    return SageMakerTask


INTEGRATION = Integration(
    name="sagemaker",
    prefix="SageMaker",
    service="AmazonSageMaker",
    actions=None,
    waits_for={"createTransformJob": frozenset({"sync"})},
    waits_only_for="transform jobs",
    takes_token=False,
    managed_rules={
        "createTransformJob": "StepFunctionsGetEventsForSageMakerTransformJobsRule",
        "createTrainingJob": "StepFunctionsGetEventsForSageMakerTrainingJobsRule",
        "createProcessingJob": "StepFunctionsGetEventsForSageMakerProcessingJobsRule",
    },
    task=_task,
)


_GRANT = "kms:CreateGrant"


def _needed_grants(context: LocalContext, region: Region, call: Call) -> Iterator[Need]:
    """What the caller of this call needs on the key of a volume, if there is one: to make grants.

    Sources: developer guide, "API Permissions: Actions, Permissions, and Resources Reference",
    which names kms:CreateGrant for CreateEndpoint with a config that has a key, and for
    CreateTransformJob where the job's role may not; for CreateEndpointConfig it names no action of
    KMS. For UpdateEndpoint botocore alone says so, of CreateEndpointConfig's KmsKeyId: that it is
    the same action is inferred.
    """
    given, role = call.parameters, None
    if call.operation in ("CreateEndpoint", "UpdateEndpoint"):
        config = region.endpoint_configs.get(str(given.get("EndpointConfigName")))
        named = None if config is None else config.get("KmsKeyId")
    elif call.operation == "CreateTransformJob":
        named = given.get("TransformResources", {}).get("VolumeKmsKeyId")
        model = region.models.get(str(given.get("ModelName")))
        role = None if model is None else model.get("ExecutionRoleArn")
    else:
        return
    key = None if named is None else key_arn(named, call.account, call.region)
    if key is None:
        return
    known = {
        "kms:grantisforawsresource": "true",
        "kms:viaservice": f"sagemaker.{call.region}.amazonaws.com",
        "kms:calleraccount": call.account,
    }
    if role is None or not context.evaluator.allows(
        context.sessions.assume(role, "SageMaker"), _GRANT, key, known
    ):
        yield Need(_GRANT, key, known, quoted=False)

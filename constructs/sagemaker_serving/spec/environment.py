"""An environment file: what is deployed where."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sagemaker_serving.spec.aws import Aws
from sagemaker_serving.spec.base import Spec
from sagemaker_serving.spec.batch_transform import BatchTransform
from sagemaker_serving.spec.container import Container, PipelineContainer
from sagemaker_serving.spec.data_capture import DataCapture
from sagemaker_serving.spec.kinds import Asynchronous, ExistingEndpoint, ModelPackage, MultiModel
from sagemaker_serving.spec.monitoring import MetricsConfig, Monitoring
from sagemaker_serving.spec.network import Network
from sagemaker_serving.spec.organization import Organization
from sagemaker_serving.spec.overlay import overlay
from sagemaker_serving.spec.routers import Router, RouterArn
from sagemaker_serving.spec.scaling import Scaling
from sagemaker_serving.spec.transition import Transition
from sagemaker_serving.spec.update import Move, OnlyReplay, Replay, Update
from sagemaker_serving.spec.variants import Component, InstanceVariant, Variant


class Environment(Spec):
    """One environment: a region, perhaps an account, and the models that live there."""

    extends: str | None = None
    """The name of a file in the same folder that this one begins from: mappings are merged field by
    field, and everything else is replaced. A file whose name begins with ``_`` is only a base, and
    synth ignores it."""

    name: str
    """Short name ("prod"); the stage's name and the first part of every endpoint's name."""

    region: str
    """The AWS region that everything is deployed to."""

    account: str | None = None
    """The AWS account, 12 digits; left out: the account that is deployed to."""

    production: bool = False
    """Whether data and updates are protected: buckets and keys then outlive the stack, and every
    endpoint has alarms and moves to a new version by a canary. Each variant and inference component
    needs its bounds in ``scaling``."""

    tags: dict[str, str] = Field(default_factory=dict)
    """Tags on every resource that CloudFormation makes; inference routers have none of them."""

    accept_retired: list[Literal["elastic-inference"]] = Field(default_factory=list)
    """Features that AWS has ended and that you use all the same; each gives a warning."""

    acknowledge: dict[str, str] = Field(default_factory=dict)
    """Findings of ``check`` that you accept, by their rule, each with your reason. Each becomes a
    note, and stops nothing."""

    storage: Storage = Field(default_factory=lambda: Storage())
    """The environment's bucket: batches, captured data, and whatever else is stored."""

    network: Annotated[Network | None, Aws("VpcConfig")] = None
    """The VPC of the models: one that exists, or a private one that is made; left out:
    SageMaker's."""

    organization: Organization = Field(default_factory=Organization)
    """What an organization demands: a permissions boundary, existing roles, a VPC for functions,
    a bootstrap of its own names."""

    monitoring: Monitoring | None = None
    """Alarms, dashboard and log group of every endpoint; left out: all of them where ``production``
    is true, else none."""

    models: dict[str, Model]
    """The models by name; each becomes a stack and the endpoint ``<environment>-<model>``, or moves
    the one that its ``endpoint`` names."""

    routers: dict[str, Router] = Field(default_factory=dict)
    """Inference routers by name, which send each request to one of several endpoints; each becomes
    ``<environment>-<router>`` in the stack ``<environment>-Routers``."""

    def in_transition(self) -> Environment:
        """What this deploy makes of it: each model as its ``transition`` has it meanwhile."""
        models = {name: model.in_transition() for name, model in self.models.items()}
        return self.model_copy(update={"models": models})

    def stack_name(self, model: str) -> str:
        """The name of the stack of ``model``."""
        return f"{self.name}-{model}"

    def endpoint_name(self, model: str) -> str:
        """The stable name of the endpoint of ``model``: one that was there, or the stack's own."""
        existing = self.models[model].endpoint
        return self.stack_name(model) if existing is None else existing.existing

    def destination(self, name: str) -> str:
        """What a routing target's ``<model>`` or ``<model>/<component>`` is in an ARN, behind the
        account: SageMaker writes names in lower case there."""
        model, _, component = name.partition("/")
        named = self.endpoint_name(model)
        if component:
            return f"inference-component/{named}-{component}".lower()
        return f"endpoint/{named}".lower()

    def asynchronous_targets(self, model: str) -> list[str]:
        """``<router>/<target>`` of the asynchronous routing targets that may ask ``model``."""
        return [
            f"{name}/{target}"
            for name, router in self.routers.items()
            for target, spec in router.routing_targets.items()
            if spec.asynchronous and model in spec.destinations
        ]

    def monitoring_of(self, model: str) -> Monitoring | None:
        """What watches the endpoint and the batches of ``model``: its own fields over the
        environment's.

        None where nothing does.
        """
        own = self.models[model].monitoring
        if not self.models[model].variants and self.models[model].batch_transform is None:
            return None
        if self.monitoring is None and own is None and not self.production:
            return None
        return (self.monitoring if self.monitoring is not None else Monitoring()).under(own)

    @property
    def needs_alarm_topic(self) -> bool:
        """Whether any alarm tells the environment's own topic."""
        watched = [self.monitoring_of(model) for model in self.models]
        return any(
            monitoring.alarms and monitoring.alarm_topic_arn is None
            for monitoring in watched
            if monitoring is not None
        )


def parameter_name(environment: str, of: str, name: str) -> str:
    """The SSM parameter by which stacks tell one another, and commands, where things are.

    ``of`` is a model's name, or ``storage`` or ``network``.
    """
    return f"/sagemaker-serving/{environment}/{of}/{name}"


class Storage(Spec):
    """The storage stack: one bucket, encrypted."""

    kms: bool = False
    """Encrypt with a KMS key of your own, rotated yearly; otherwise with S3's key. It encrypts the
    endpoints' volumes too, except local NVMe storage, which encrypts itself. The key stays when
    you remove this field or the stack, and the environment's roles can still read what it
    encrypted."""

    at_destroy: Literal["keep", "empty", "stop"] | None = None
    """What ``cdk destroy`` does with the bucket. ``keep`` leaves it, ``empty`` deletes it with all
    that is in it, and ``stop`` fails while anything is in it. Left out: ``keep`` where
    ``production`` is true, else ``stop``."""

    expire: Expire = Field(default_factory=lambda: Expire())
    """What is deleted when it is old; left out: nothing."""


class Expire(Spec):
    """After how many days data of all models is deleted; what is left out is kept for ever.

    The bucket keeps former versions: what was deleted can be restored for 90 days more.
    """

    captured_days: int | None = None
    """Requests and answers that ``data_capture`` keeps."""

    batch_output_days: int | None = None
    """What batches have written: outputs, but no reports or quarantine."""

    async_days: int | None = None
    """Inputs, answers and failures of asynchronous endpoints."""


class Extra(Spec):
    """Properties of CloudFormation's resources that have no field of their own, by AWS's names.

    They are checked against CloudFormation's schema and laid over what the other fields make.
    Those of a variant stand in the variant's own ``extra``.
    """

    model: dict[str, Any] = Field(default_factory=dict)
    """Properties of every ``AWS::SageMaker::Model`` of this model. Entries of ``Containers`` are
    laid over the containers in their order."""

    endpoint_config: dict[str, Any] = Field(default_factory=dict)
    """Properties of the ``AWS::SageMaker::EndpointConfig``, such as ``ExplainerConfig``."""

    endpoint: dict[str, Any] = Field(default_factory=dict)
    """Properties of the ``AWS::SageMaker::Endpoint``."""


class Model(Container):
    """A model: one stack with its endpoint and, if asked for, its batch pipeline.

    ``containers``, ``multi_model`` or ``model_package`` replace ``artifact``. ``asynchronous``,
    ``shadow_variants`` or ``inference_components`` make another kind of endpoint; without them it
    is a real-time one.
    """

    variants: Annotated[list[Variant], Aws("ProductionVariants")] = Field(default_factory=list)
    """The endpoint's production variants, 1 to 10; without any there is no endpoint."""

    endpoint: ExistingEndpoint | None = None
    """An existing endpoint, ``{existing: NAME}``: the deploy moves it to these variants and never
    deletes it. Left out: the stack makes ``<environment>-<model>``."""

    shadow_variants: Annotated[list[InstanceVariant], Aws("ShadowProductionVariants")] = Field(
        default_factory=list
    )
    """One variant that gets a copy of the production variant's requests; callers never get its
    answers. Its ``weight``, divided by the production variant's, is the share of requests."""

    asynchronous: Annotated[Asynchronous | None, Aws("AsyncInferenceConfig")] = None
    """Requests wait in a queue, and answers go to S3; left out: the caller waits for the answer."""

    containers: list[PipelineContainer] = Field(default_factory=list)
    """A serial pipeline of 2 to 15 containers instead of one; each may override the model's own
    fields."""

    multi_model: MultiModel | None = None
    """Many models behind one endpoint, each loaded when it is called."""

    model_package: ModelPackage | None = None
    """A model package of the registry instead of an artifact."""

    inference_components: dict[str, Component] = Field(default_factory=dict)
    """Models by name that share the instances of the one variant; each may override the model's
    own fields. An entry with ``base_inference_component_name`` is an adapter of another one."""

    scaling: dict[str, Scaling] = Field(default_factory=dict)
    """Bounds and policies, by the name of the variant or inference component."""

    update: Annotated[Update | None, Aws("DeploymentConfig")] = None
    """How the endpoint moves to a new version; left out: all at once. Where ``production`` is true:
    by a canary of 10 percent, which alarms on the endpoint's own metrics roll back."""

    transition: Transition | None = None
    """The step of a change that takes several deploys; left out: the endpoint becomes what the file
    says."""

    allowed_routers: list[RouterArn] = Field(default_factory=list)
    """ARNs of inference routers of other accounts that may send requests to the endpoint; those of
    this account need no entry."""

    data_capture: Annotated[DataCapture | None, Aws("DataCaptureConfig")] = None
    """Which requests and answers are kept; left out: none."""

    metrics_config: MetricsConfig | None = None
    """The metrics that the endpoint publishes beside SageMaker's usual ones, and how often."""

    monitoring: Monitoring | None = None
    """Alarms, dashboard and log group of the endpoint; overrides the environment's, field by
    field."""

    batch_transform: BatchTransform | None = None
    """The batch pipeline; left out: none."""

    acknowledge: dict[str, str] = Field(default_factory=dict)
    """Findings of ``check`` on this model that you accept, by their rule, each with your reason.
    """

    extra: Extra = Field(default_factory=lambda: Extra())
    """What has no field here, by AWS's own names."""

    def in_transition(self) -> Model:
        """What this deploy makes of it: variants whose scaling is released have the instance type
        that they keep, and no scaling."""
        keep = self.transition.keep if self.transition is not None else {}
        variants = [
            variant.model_copy(update={"instance_type": keep[variant.name], "instance_types": []})
            if variant.name in keep and isinstance(variant, InstanceVariant)
            else variant
            for variant in self.variants
        ]
        scaling = {name: each for name, each in self.scaling.items() if name not in keep}
        return self.model_copy(update={"variants": variants, "scaling": scaling})

    @property
    def move(self) -> Move | None:
        """How the file says that the endpoint moves to a new version; None where it does not."""
        return None if isinstance(self.update, OnlyReplay) else self.update

    @property
    def replay(self) -> Replay | None:
        """The captured requests that are asked again before a deploy."""
        return None if self.update is None else self.update.replay

    def container(self, above: Container | None = None) -> Container:
        """What a part of the model runs: the model's own fields with the part's laid over them.

        Mappings (``environment``, ``batching``, ``server``) join field by field.
        """
        wanted = set(Container.model_fields)
        below = self.model_dump(include=wanted, exclude_unset=True)
        over = above.model_dump(include=wanted, exclude_unset=True) if above is not None else {}
        return Container.model_validate(overlay(below, over))


Environment.model_rebuild()

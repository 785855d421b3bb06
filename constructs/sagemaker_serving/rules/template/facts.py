"""Turns a template's resources into the facts that the rules judge."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from local_aws.suggest import nearest
from local_aws.template import Unknown
from sagemaker_serving.catalog.actions import action_input, action_parameters, has_shape
from sagemaker_serving.catalog.endpoint_metrics import OF_REQUESTS
from sagemaker_serving.catalog.properties import resource_properties
from sagemaker_serving.rules.facts import ABSENT, Fact, MemberFacts, TransformFacts
from sagemaker_serving.rules.facts.kinds import InferenceComponentFacts, MetricFacts
from sagemaker_serving.rules.facts.resources import (
    CompilationFacts,
    EventPatternFacts,
    IntegrationFacts,
    LocationFacts,
    LogGroupFacts,
    NameFacts,
    PropertiesFacts,
    TagsFacts,
    UpdateFacts,
    VpcEndpointFacts,
    WatchedFacts,
)
from sagemaker_serving.rules.facts.shapes import Form, ShapeFacts
from sagemaker_serving.rules.facts.state_machines import InvocationFacts
from sagemaker_serving.rules.template.definitions import SOURCES, state_machine
from sagemaker_serving.rules.template.expiring import expiring_parts
from sagemaker_serving.rules.template.marks import MARKED, text_with_marks
from sagemaker_serving.rules.template.naming import (
    OF_LOGS,
    arns_by_name,
    gone_first,
    named_by_arn,
    named_by_other,
    named_by_text,
)
from sagemaker_serving.rules.template.resources import (
    ALARM,
    COMPOSITE,
    KINDS,
    NAMED_BY,
    TARGET,
    Resource,
    Resources,
)
from sagemaker_serving.rules.template.role_needs import (
    caller_facts,
    component_needs,
    config_needs,
    endpoint_needs,
    integration_needs,
    machine_needs,
    model_needs,
)
from sagemaker_serving.rules.template.roles import policy_documents, role_trust
from sagemaker_serving.rules.template.scaling import (
    POLICY,
    SCHEDULED,
    config_of,
    event_schedules,
    policy_facts,
    scaled_variants,
    scheduled_facts,
    target_facts,
)
from sagemaker_serving.rules.template.schemas import is_whole, schema_facts, type_facts
from sagemaker_serving.rules.template.serving import (
    config_facts,
    containers,
    cut_off_callers,
    model_definition,
    network,
)
from sagemaker_serving.rules.template.state_machines import sagemaker_action, tasks
from sagemaker_serving.rules.template.watching import alarm_metrics, alarm_topics, monitor_facts
from sagemaker_serving.spec.members import COMPONENT, ENDPOINT, ENDPOINT_CONFIG, MODEL

COMPILATION = "Custom::NeoCompilation"


_NEEDS = {
    MODEL: model_needs,
    ENDPOINT_CONFIG: config_needs,
    ENDPOINT: endpoint_needs,
    COMPONENT: component_needs,
}
MADE_BY = {
    "CreateModel": MODEL,
    "CreateEndpointConfig": ENDPOINT_CONFIG,
    "CreateEndpoint": ENDPOINT,
    "UpdateEndpoint": ENDPOINT,
    "CreateInferenceComponent": COMPONENT,
    "RegisterScalableTarget": TARGET,
    "PutScalingPolicy": POLICY,
    "PutScheduledAction": SCHEDULED,
}


def resource_facts(logical_id: str, resources: Resources) -> Iterator[object]:
    """Every fact of one resource that a rule could judge, in the scenario of ``resources``.

    Of one that is not made in that scenario, there is none but its type.
    """
    yield type_facts(resources.kind(logical_id), resources)
    resource = resources.find(logical_id)
    if resource is not None:
        if resource.type in KINDS:
            yield from _of_any(resource, resources)
        yield from _of_its_kind(resource, resources)
        if resource.type in _NEEDS:
            yield from _NEEDS[resource.type](resource, resources)
        yield from role_trust(resource.type, resource.properties, resources)
        yield from policy_documents(resource.type, resource.properties)
        yield from named_by_text(resource, resources)
        yield from named_by_arn(resource, resources)
        yield from named_by_other(resource, resources)
        yield from arns_by_name(resource, resources)
        yield from gone_first(resource, resources)
        yield from event_schedules(resource)
        if is_whole(resource, resources):
            yield from _shapes(resource)
        yield from schema_facts(resource, resources)


def _shapes(resource: Resource) -> Iterator[ShapeFacts]:
    properties = resource.properties
    if has_shape(resource.type):
        yield ShapeFacts(
            shape=resource.type, value=properties, owner=resource.type, form=Form.TEMPLATE
        )
    elif resource.type == COMPILATION:
        yield ShapeFacts(shape="CreateCompilationJobRequest", value=properties)
    elif resource.type == SCHEDULED:
        yield ShapeFacts(
            shape="application-autoscaling.PutScheduledActionRequest", value=properties
        )
    for action in properties.get("ScheduledActions").items() if resource.type == TARGET else ():
        yield ShapeFacts(shape="application-autoscaling.PutScheduledActionRequest", value=action)


def _of_any(resource: Resource, resources: Resources) -> Iterator[object]:
    name = resource.properties.get(NAMED_BY[resource.type])
    taken = resource.logical_id in resources.template.same_name
    yield NameFacts(
        kind=KINDS[resource.type],
        name=name,
        taken=taken,
        parameters=resources.parameters_in(resource.logical_id, NAMED_BY[resource.type]),
    )
    yield _tags(resource.properties.get("Tags"))
    known = resource_properties(resource.type)
    if known is not None:
        yield PropertiesFacts(owner=resource.type, properties=resource.properties, known=known)


def _of_its_kind(resource: Resource, resources: Resources) -> Iterator[object]:
    if resource.type == COMPILATION:
        yield _compilation(resource.properties, resources, within_deploy=True)
    if resource.type in _AS_WRITTEN:
        yield _AS_WRITTEN[resource.type](resource.properties)
    for read in _READ_BY.get(resource.type, ()):
        yield from read(resource, resources)


def _model(resource: Resource, resources: Resources) -> Iterator[object]:
    model = model_definition(resource, resources)
    yield model
    yield network(model.vpc, resources)
    yield from model.containers
    for container in model.containers:
        for uri in (container.artifact, container.data_source.get("S3Uri")):
            yield LocationFacts(uri=uri, region=container.region)
        yield from expiring_parts(container, resources)


def _config(resource: Resource, resources: Resources) -> Iterator[object]:
    config = config_facts(resource.properties, resources)
    yield config
    for variant in (*config.variants, *config.shadows):
        yield variant
        yield from variant.containers
    asynchronous = config.asynchronous.get("OutputConfig")
    for uri in (
        config.capture.get("DestinationS3Uri"),
        asynchronous.get("S3OutputPath"),
        asynchronous.get("S3FailurePath"),
    ):
        yield LocationFacts(uri=uri, region=resources.region)


def _update(resource: Resource, resources: Resources) -> Iterator[UpdateFacts]:
    deployment = resource.properties.get("DeploymentConfig")
    policies = ("BlueGreenUpdatePolicy", "RollingUpdatePolicy")
    yield UpdateFacts(
        members=resources.numbered_in(deployment, *policies),
        config=config_of(resource, resources),
        watched=tuple(_watched(resource, resources)),
        scaled=tuple(dict.fromkeys(scaled_variants(resource, resources))),
    )


def _watched(endpoint: Resource, resources: Resources) -> Iterator[WatchedFacts]:
    """The alarms that roll an update back, with what the template says of each; those of composite
    alarms stand beside them."""
    rollback = endpoint.properties.get("DeploymentConfig").get("AutoRollbackConfiguration")
    alarms = [one.properties.get("AlarmName").text for one in resources.of_types(ALARM, COMPOSITE)]
    names = tuple(name for name in alarms if name is not None)
    waiting = [(each.get("AlarmName"), ABSENT, True) for each in rollback.get("Alarms").items()]
    seen: set[str] = set()
    while waiting:
        named, without_data, alone = waiting.pop(0)
        alarm = resources.referred(named, ALARM)
        composite = resources.referred(named, COMPOSITE)
        metrics = [] if alarm is None else list(alarm_metrics(alarm, resources))
        near = nearest(named.text or "", names)
        treats = ABSENT if alarm is None else alarm.properties.get("TreatMissingData")
        yield WatchedFacts(
            named=named,
            found=alarm is not None or composite is not None,
            # A composite alarm may watch those of other stacks: one counts that is nearly meant.
            others=names if not seen else () if near is None else (near,),
            missing_data=treats if alone else ABSENT,
            metrics=tuple(metric.name.text or "" for metric in metrics),
            both_fleets=tuple(metric.where for metric in metrics if _is_of_both_fleets(metric)),
            without_data=ABSENT if treats.given else without_data,
            elsewhere=_elsewhere(metrics, endpoint, resources),
        )
        if composite is not None and composite.logical_id not in seen:
            seen.add(composite.logical_id)
            waiting += _within(composite.properties.get("AlarmRule"))


def _within(rule: Fact) -> Iterator[tuple[Fact, Fact, bool]]:
    """Each alarm that a composite alarm's rule names, the rule where it goes off without data, and
    whether one alarm alone makes it go off."""
    text = text_with_marks(rule.value) or ""
    alone = re.search(r"\b(AND|NOT)\b", text) is None
    for negated, state, name in _STATES.findall(text):
        marked = MARKED.fullmatch(name)
        of_name = name.rpartition(":alarm:")[2]  # a rule takes a name or an ARN
        value = of_name if marked is None else Unknown(marked[1])
        lacks = (state == "INSUFFICIENT_DATA" and not negated) or (state == "OK" and negated)
        yield Fact(value, rule.where), rule if lacks else ABSENT, alone and state == "ALARM"


_STATES = re.compile(
    r"(NOT\s+)?\(*\s*(ALARM|OK|INSUFFICIENT_DATA)\s*\(\s*[\"']?([^)\"']+?)[\"']?\s*\)"
)
"""A state of an alarm in a rule (CloudWatch API, PutCompositeAlarm, AlarmRule)."""


def _elsewhere(
    metrics: Sequence[MetricFacts], endpoint: Resource, resources: Resources
) -> tuple[Fact, ...]:
    """The endpoints that metrics are of, where all are known to be others than ``endpoint``."""
    own = endpoint.properties.get("EndpointName").text
    names = []
    for metric in metrics:
        named = {dimension.text: value for dimension, value in metric.dimensions}
        name = named.get("EndpointName", ABSENT)
        other = resources.referred(name, ENDPOINT)
        of_another_stack = other is None and None not in (name.text, own)
        if not of_another_stack and (other is None or other.logical_id == endpoint.logical_id):
            return ()
        names.append(name)
    return tuple(names)


def _is_of_both_fleets(metric: MetricFacts) -> bool:
    names = {dimension.text for dimension, _ in metric.dimensions}
    is_watched = metric.name.text in OF_REQUESTS and "VariantName" in names
    return is_watched and not names & {None, "EndpointConfigName"}


def _component(resource: Resource, resources: Resources) -> Iterator[InferenceComponentFacts]:
    properties = resources.numbered(resource.properties)
    endpoint = resources.referred(properties.get("EndpointName"), ENDPOINT)
    yield InferenceComponentFacts(
        members=properties,
        specification=properties.get("Specification"),
        variant=properties.get("VariantName"),
        config=config_of(endpoint, resources),
    )


def _state_machine(resource: Resource, resources: Resources) -> Iterator[object]:
    machine = state_machine(resource.type, resource.properties)
    yield machine
    found = list(tasks(machine))
    yield from machine_needs(resource, found, resources)
    for task in found:
        yield task
        action = sagemaker_action(task)
        if action is not None:
            yield from role_trust(action, task.arguments, resources)
            yield from call_facts(action, task.arguments, resources)
        elif (job := _job_of_pipeline(task.arguments)).given:
            yield from call_facts("CreateTransformJob", job, resources)


def _job_of_pipeline(arguments: Fact) -> Fact:
    """What `BatchTransform` tells its function of every job; the rest of it an execution says."""
    job = arguments.get("Payload").get("settings").get("job")
    if not isinstance(job.value, Mapping) or "TransformResources" not in job.value:
        return ABSENT
    given = {
        part: {name: Unknown(), **job.value.get(part, {})}
        for part, name in (("TransformInput", "DataSource"), ("TransformOutput", "S3OutputPath"))
    }
    return Fact({"TransformJobName": Unknown(), **job.value, **given}, job.where)


_MONITORS = (
    *("AWS::SageMaker::MonitoringSchedule", "AWS::SageMaker::DataQualityJobDefinition"),
    *("AWS::SageMaker::ModelQualityJobDefinition", "AWS::SageMaker::ModelBiasJobDefinition"),
    "AWS::SageMaker::ModelExplainabilityJobDefinition",
)
_AS_WRITTEN: Mapping[str, type[MemberFacts]] = {
    "AWS::ApiGateway::Method": IntegrationFacts,
    **dict.fromkeys(OF_LOGS, LogGroupFacts),
    "AWS::Events::Rule": EventPatternFacts,
    "AWS::EC2::VPCEndpoint": VpcEndpointFacts,
}
_READ_BY: Mapping[str, tuple[Callable[[Resource, Resources], Iterator[object]], ...]] = {
    MODEL: (_model,),
    ENDPOINT_CONFIG: (_config,),
    ENDPOINT: (_update,),
    COMPONENT: (_component,),
    **dict.fromkeys(SOURCES, (_state_machine,)),
    TARGET: (target_facts,),
    ALARM: (alarm_metrics, alarm_topics),
    POLICY: (policy_facts,),
    SCHEDULED: (scheduled_facts,),
    **dict.fromkeys(_MONITORS, (monitor_facts,)),
    "AWS::Lambda::Function": (caller_facts, cut_off_callers),
    # Of SAM's the template's Globals may say more.
    "AWS::Serverless::Function": (cut_off_callers,),
    "AWS::ApiGateway::Method": (integration_needs,),
}
"""What is read of a resource of each type, or of the arguments of a call that makes one."""


def call_facts(action: str, arguments: Fact, resources: Resources) -> Iterator[object]:
    """What an action of SageMaker's is called with; ``resources`` are what it can name."""
    shape = action_input(action)
    if shape is not None:
        yield ShapeFacts(shape=shape, value=arguments, owner=action, form=Form.ARGUMENTS)
    known = action_parameters(action)
    if known is not None:
        yield PropertiesFacts(owner=action, properties=arguments, known=known)
    if action == "CreateTransformJob":
        model = resources.referred(arguments.get("ModelName"), MODEL)
        instance_type = arguments.get("TransformResources").get("InstanceType")
        run = containers(model.properties, resources, instance_type) if model is not None else ()
        numbers = ("MaxPayloadInMB", "MaxConcurrentTransforms")
        job = TransformFacts(
            region=resources.region,
            members=resources.numbered_in(arguments, *numbers),
            container=run[0] if len(run) == 1 else None,
        )
        yield job
        yield from run
        yield _tags(arguments.get("Tags"))
        yield NameFacts(kind="transform job", name=arguments.get("TransformJobName"))
        for uri in (job.s3_uri, job.output_path):
            yield LocationFacts(uri=uri, region=resources.region)
    elif action == "CreateCompilationJob":
        yield _compilation(arguments, resources)
        yield NameFacts(kind="compilation job", name=arguments.get("CompilationJobName"))
    elif action in ("InvokeEndpoint", "InvokeEndpointAsync"):
        endpoint = resources.referred(arguments.get("EndpointName"), ENDPOINT)
        config = config_of(endpoint, resources)
        yield InvocationFacts(
            action=action,
            arguments=arguments,
            endpoint="" if endpoint is None else endpoint.logical_id,
            asynchronous=None if config is None else config.asynchronous.given,
        )
    elif action in MADE_BY and arguments.given:
        made = Resource(logical_id="", type=MADE_BY[action], properties=arguments)
        yield from _of_its_kind(made, resources)


def _compilation(
    members: Fact, resources: Resources, *, within_deploy: bool = False
) -> CompilationFacts:
    return CompilationFacts(
        region=resources.region,
        members=resources.numbered_in(members, "StoppingCondition"),
        within_deploy=within_deploy,
    )


def _tags(tags: Fact) -> TagsFacts:
    pairs = tuple((tag.get("Key"), tag.get("Value")) for tag in tags.items())
    return TagsFacts(where=tags.where, tags=pairs)

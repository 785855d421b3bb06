"""What a template uses its roles for, and every policy that can let them do it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from local_aws.template import Unknown
from sagemaker_serving.catalog.published import is_pulled_by_sagemaker, is_repository_of_aws
from sagemaker_serving.catalog.role_needs import (
    GET_IMAGE,
    JOIN_NETWORK,
    LIST_BUCKET,
    LOOK_AT_ALARMS,
    MANAGED_POLICIES,
    OF_ONE_PURPOSE,
    OPEN_SHELL,
    PUBLISH,
    PULL_IMAGE,
    READ_OBJECT,
    WRITE_OBJECT,
    task_needs,
)
from sagemaker_serving.catalog.role_users import role_users
from sagemaker_serving.rules.facts import ABSENT, Fact
from sagemaker_serving.rules.facts.roles import CallerFacts, GivenPolicy, Need, RolePermissionFacts
from sagemaker_serving.rules.facts.state_machines import TaskFacts
from sagemaker_serving.rules.template.marks import MARK, MARKED, open_mark
from sagemaker_serving.rules.template.resources import Resource, Resources
from sagemaker_serving.rules.template.roles import ROLE, at, referred_role
from sagemaker_serving.rules.template.serving import told_endpoints, used_config
from sagemaker_serving.rules.template.state_machines import sagemaker_action
from sagemaker_serving.spec.members import ENDPOINT, ENDPOINT_CONFIG, MODEL

_BUCKET, _BUCKET_POLICY = "AWS::S3::Bucket", "AWS::S3::BucketPolicy"
_KEY = "AWS::KMS::Key"
_REPOSITORY, _TOPIC = "AWS::ECR::Repository", "AWS::SNS::Topic"
_MANAGED = "AWS::IAM::ManagedPolicy"
_ATTACHED = {"AWS::IAM::Policy": "Roles", _MANAGED: "Roles", "AWS::IAM::RolePolicy": "RoleName"}
_NAMED = (_BUCKET, _REPOSITORY, _TOPIC, ENDPOINT, ENDPOINT_CONFIG, MODEL)
"""Types whose resources are told apart by who they are."""
_TELLS_NAME = re.compile("(?i)(sagemaker_?)?endpoint_?name")
"""A function's variable that can name no other service's endpoint."""
_NAME = re.compile("[A-Za-z0-9](-*[A-Za-z0-9]){0,62}")
_OBJECT = re.compile(rf"s3://({MARKED.pattern}|[^/{MARK}]*)(/.*)?", re.DOTALL)
_IMAGE = re.compile(r"([^./]+)\.dkr\.ecr\.([^./]+)\.[^/]+/([^:@]+).*", re.DOTALL)
_OF_PARTITION = re.compile(rf"arn:(?:[^:{MARK}]*|{MARKED.pattern}):")
_MADE_ELSEWHERE = ("AWS::CloudFormation::", "AWS::Serverless::Connector", "Custom::")
"""Types of resources that may give a policy to a role which they are told of."""
_TRANSFORMS = ("AWS::LanguageExtensions", "AWS::Serverless-2016-10-31", "AWS::SecretsManager")


def machine_needs(
    machine: Resource, tasks: Sequence[TaskFacts], resources: Resources
) -> Iterator[RolePermissionFacts]:
    """What the tasks of a state machine that call SageMaker need of its role."""
    needs: list[Need] = []
    for task in tasks:
        action = sagemaker_action(task)
        if action is None or task.credentials.given:
            continue
        given = (at(task.arguments, path.split(".")) for path in role_users(action))
        passes = any(one.given for found in given for one in found)
        waits = task.text.endswith(".sync")
        known = not task.arguments.unknown
        tags = bool(task.arguments.get("Tags").size)
        named = task_needs(action, waits=waits, passes=passes and known, tags=tags)
        endpoint = task.arguments.get("EndpointName") if known else ABSENT
        (first, on), *others = named
        needs.append(Need(action=first, resource=_endpoint_arn(endpoint, resources) or on))
        needs += [Need(action=name, resource=on) for name, on in others]
    for path in role_users(machine.type):
        yield from _permissions(machine, machine.properties.get(path), needs, resources)


def model_needs(model: Resource, resources: Resources) -> Iterator[RolePermissionFacts]:
    """What a model's files, images and network need of its role."""
    properties = model.properties
    containers = (properties.get("PrimaryContainer"), *properties.get("Containers").items())
    joins = JOIN_NETWORK if isinstance(properties.get("VpcConfig").value, dict) else ()
    needs = [Need(action=action) for action in joins]
    for container in containers:
        needs += _container_needs(container, "ModelDataUrl", resources)
    yield from _permissions(model, properties.get("ExecutionRoleArn"), needs, resources)


def component_needs(component: Resource, resources: Resources) -> Iterator[RolePermissionFacts]:
    """What the container of an inference component needs of its endpoint configuration's role."""
    container = component.properties.get("Specification").get("Container")
    named = component.properties.get("EndpointName")
    config = used_config(resources.referred(named, ENDPOINT), resources)
    if config is not None and container.given:
        needs = _container_needs(container, "ArtifactUrl", resources)
        role = config.properties.get("ExecutionRoleArn")
        yield from _permissions(component, Fact(role.value, named.where), needs, resources)


def config_needs(config: Resource, resources: Resources) -> Iterator[RolePermissionFacts]:
    """What an endpoint writes to S3, and a shell in it, need of the roles of its configuration's
    models."""
    written = []
    capture = config.properties.get("DataCaptureConfig")
    if capture.get("EnableCapture").flag is True:
        written.append(capture.get("DestinationS3Uri"))
    output = config.properties.get("AsyncInferenceConfig").get("OutputConfig")
    written += [output.get("S3OutputPath"), output.get("S3FailurePath")]
    variants = [
        *config.properties.get("ProductionVariants").items(),
        *config.properties.get("ShadowProductionVariants").items(),
    ]
    written += [each.get("CoreDumpConfig").get("DestinationS3Uri") for each in variants]
    shells = any(each.get("EnableSSMAccess").flag is True for each in variants)
    needs = [Need(action=action) for action in OPEN_SHELL if shells]
    for uri in written:
        prefix = _object(uri, resources)
        bucket = _own_bucket(uri, resources)
        if prefix is not None and bucket is not None:
            needs.append(Need(action=WRITE_OBJECT, resource=f"{prefix.rstrip('/')}/*"))
            needs += _key_needs(bucket, "kms:GenerateDataKey", resources)
    for role in _roles_of(config, resources):
        yield from _permissions(config, role, needs, resources)


def endpoint_needs(endpoint: Resource, resources: Resources) -> Iterator[RolePermissionFacts]:
    """What an asynchronous endpoint's topics, and a rollback's alarms, need of the roles of its
    models.

    SageMaker looks while it creates the endpoint: "Please ensure … has \"sns:Publish\" permissions
    for topic" (aws/amazon-sagemaker-examples issue 4461).
    """
    config = used_config(endpoint, resources)
    if config is None:
        return
    output = config.properties.get("AsyncInferenceConfig").get("OutputConfig")
    topics = [topic for _, topic in output.get("NotificationConfig").entries()]
    needs = [
        Need(action=PUBLISH, resource=arn, at_once=True)
        for arn in (_arn(topic.value, resources) for topic in topics if topic.given)
        if arn is not None
    ]
    guard = endpoint.properties.get("DeploymentConfig").get("AutoRollbackConfiguration")
    if guard.get("Alarms").size:
        needs.append(Need(action=LOOK_AT_ALARMS))
    for role in _roles_of(config, resources):
        named = endpoint.properties.get("EndpointConfigName")
        yield from _permissions(endpoint, Fact(role.value, named.where), needs, resources)


def caller_facts(function: Resource, resources: Resources) -> Iterator[CallerFacts]:
    """Each endpoint that a variable of a function names: of the template, or by a text alone."""
    given = function.properties.get("Role")
    role = referred_role(given, resources)
    if role is None or _may_have_more(role, resources):
        return
    policies = tuple(_policies(role, function, resources))
    here = list(told_endpoints(function, resources))
    endpoints = resources.of_types(ENDPOINT)
    all_named = all(each.properties.get("EndpointName").text is not None for each in endpoints)
    elsewhere: list[tuple[Fact, Resource | None]] = [
        (told, None)
        for name, told in function.properties.get("Environment").get("Variables").entries()
        if _NAME.fullmatch(told.text or "") and _TELLS_NAME.fullmatch(name)
        if all_named and told not in [known for known, _ in here]
    ]
    for told, endpoint in (*elsewhere, *here):
        config = used_config(endpoint, resources)
        block = ABSENT if config is None else config.properties.get("AsyncInferenceConfig")
        unknown = config is None or block.unknown
        named = told if endpoint is None else endpoint.properties.get("EndpointName")
        yield CallerFacts(
            user=function.logical_id,
            role=role.logical_id,
            told=told,
            endpoint=None if endpoint is None else endpoint.logical_id,
            arn=_endpoint_arn(named, resources) or _ENDPOINTS + "*",
            timeout=function.properties.get("Timeout"),
            asynchronous=None if unknown else block.given,
            policies=policies,
        )


def integration_needs(method: Resource, resources: Resources) -> Iterator[RolePermissionFacts]:
    """What an API's method that hands requests to an endpoint needs of the role it is given."""
    integration = method.properties.get("Integration")
    uri = _arn(integration.get("Uri").value, resources) or ""
    found = re.search(":runtime.sagemaker:path/endpoints/([^/]*)", uri)
    if found is not None:
        needs = [Need(action="sagemaker:InvokeEndpoint", resource=f"{_ENDPOINTS}{found[1] or '*'}")]
        yield from _permissions(method, integration.get("Credentials"), needs, resources)


_ENDPOINTS = "arn:aws:sagemaker:*:*:endpoint/"


def _endpoint_arn(named: Fact, resources: Resources) -> str:
    """The ARN of the endpoint of that name; "" where none is given."""
    text = (_arn(named.value, resources) or "*").removeprefix("*")
    return f"{_ENDPOINTS}{text or '*'}" if named.given else ""


def _roles_of(config: Resource, resources: Resources) -> Iterator[Fact]:
    """The roles by which an endpoint of the configuration acts, each once."""
    seen: set[str] = set()
    named = config.properties.get("ExecutionRoleArn")
    roles = [named] if named.given else []
    for variant in config.properties.get("ProductionVariants").items():
        model = resources.referred(variant.get("ModelName"), MODEL)
        if model is not None:
            roles.append(model.properties.get("ExecutionRoleArn"))
    for given in roles:
        role = referred_role(given, resources)
        if role is not None and role.logical_id not in seen:
            seen.add(role.logical_id)
            yield given


def _container_needs(container: Fact, artifact: str, resources: Resources) -> list[Need]:
    """What a container's files and its image need.

    SageMaker looks for both while it creates the model: "Could not access model data" (aws/aws-cdk
    issue 10064), "does not have BatchGetImage permission" (philschmid/cdk-samples issue 7). For
    several models, and for one that is not packed, "please ensure that the role has s3:ListBucket
    permission" (philschmid/llm-sagemaker-sample issue 2).
    """
    needs = []
    source = container.get("ModelDataSource").get("S3DataSource").get("S3Uri")
    for uri in (container.get(artifact), source):
        found = _object(uri, resources) if uri.given else None
        if found is not None:
            bucket = _own_bucket(uri, resources)
            only_role = bucket is not None
            reads = [(READ_OBJECT, found)]
            if uri is source or container.get("Mode").text == "MultiModel":
                reads.append((LIST_BUCKET, found.partition("/")[0]))
            needs += [
                Need(action=action, resource=on, only_role=only_role, at_once=True)
                for action, on in reads
            ]
            needs += _key_needs(bucket, "kms:Decrypt", resources)
    repository = _repository(container.get("Image"), resources)
    if repository is None or is_pulled_by_sagemaker(repository):
        return needs
    own = _is_left_to_the_role(container.get("Image"), repository, resources)
    for action in PULL_IMAGE:
        on = repository if action != "ecr:GetAuthorizationToken" else "*"
        looked = action == GET_IMAGE
        needs.append(Need(action=action, resource=on or "*", only_role=own, at_once=looked))
    return needs


def _permissions(
    user: Resource, given: Fact, needs: Sequence[Need], resources: Resources
) -> Iterator[RolePermissionFacts]:
    role = referred_role(given, resources) if needs else None
    if role is not None and not _may_have_more(role, resources):
        # Policies of buckets let roles of the account do something, too.
        buckets = resources.of_types(_BUCKET_POLICY)
        documents = (one.properties.get("PolicyDocument").value for one in buckets)
        of_buckets = (GivenPolicy(document=_marked(one, resources)) for one in documents)
        yield RolePermissionFacts(
            user=user.logical_id,
            role=role.logical_id,
            given=given,
            needs=tuple(dict.fromkeys(needs)),
            policies=(*_policies(role, user, resources), *of_buckets),
        )


def _policies(role: Resource, user: Resource, resources: Resources) -> Iterator[GivenPolicy]:
    """Every policy that the role can have."""
    inline, managed = (role.properties.get(name) for name in ("Policies", "ManagedPolicyArns"))
    if inline.unknown or managed.unknown:
        yield GivenPolicy(document=None)
    for one in inline.items():
        yield GivenPolicy(document=_marked(one.get("PolicyDocument").value, resources))
    for arn in managed.items():
        policy = resources.referred(arn, _MANAGED)
        if policy is None:
            name = (_arn(arn.value, resources) or "").rpartition("/")[2]
            of_aws = name not in OF_ONE_PURPOSE
            yield GivenPolicy(document=MANAGED_POLICIES.get(name), of_aws=of_aws)
        else:
            document = policy.properties.get("PolicyDocument").value
            yield GivenPolicy(document=_marked(document, resources))
    for resource in resources.of_types(*_ATTACHED):
        named = resource.properties.get(_ATTACHED[resource.type])
        if any(_may_mean(one, role, resources) for one in named.each()):
            own = resource.logical_id
            attached = resource.properties.get("PolicyArn")
            policy = resources.referred(attached, _MANAGED)
            properties = (resource if policy is None else policy).properties
            document = properties.get("PolicyDocument").value
            name = (attached.text or "").rpartition("/")[2]
            of_aws = attached.given and policy is None
            yield GivenPolicy(
                document=MANAGED_POLICIES.get(name) if of_aws else _marked(document, resources),
                of_aws=of_aws and name not in OF_ONE_PURPOSE,
                late="" if resources.waits(user.logical_id, own) else own,
                follows=resources.waits(own, user.logical_id),
            )


def _may_have_more(role: Resource, resources: Resources) -> bool:
    """Whether something else may give the role policies: a macro, a connector, a nested stack."""
    template = resources.template
    transforms = (template.document or {}).get("Transform", [])
    several = transforms if isinstance(transforms, list) else [transforms]
    if any(not str(one).startswith(_TRANSFORMS) for one in several):
        return True
    for name, declared in template.resources.items():
        if str(name).startswith("Fn::") or not isinstance(declared, Mapping):
            return True
        kind = str(declared.get("Type"))
        told = kind.startswith(_MADE_ELSEWHERE) or "Connectors" in declared
        if told and role.logical_id in repr(declared):
            return True
    return False


def _may_mean(named: Fact, role: Resource, resources: Resources) -> bool:
    """Whether a name of a role, perhaps unknown, may be that of ``role``."""
    if named.value is None:
        return False
    found = resources.referred(named, ROLE)
    if found is not None:
        return found.logical_id == role.logical_id
    return named.text is None or role.properties.get("RoleName").unknown


def _arn(value: Any, resources: Resources) -> str | None:
    """A text or an ARN as `Need.resource` has it; None for what is neither.

    What begins with a mark is an ARN of that resource, or its name.
    """
    if isinstance(value, Unknown):
        parts: Sequence[Any] = value.pieces or (value,)
    elif isinstance(value, str):
        parts = (value,)
    else:
        return None
    text = "".join(part if isinstance(part, str) else _mark(part, resources) for part in parts)
    begins = "*" if text.startswith(MARK) else ""
    return begins + _OF_PARTITION.sub("arn:aws:", text, count=1)


def _mark(unknown: Unknown, resources: Resources) -> str:
    resource = resources.find(unknown.name or "")
    known = resource is not None and resource.type in _NAMED
    return f"{MARK}{unknown.name}{MARK}" if known else open_mark(unknown)


def _marked(document: Any, resources: Resources) -> Any:
    """A policy document whose resources are texts with marks; all else is as it was."""
    if isinstance(document, list):
        return [_marked(one, resources) for one in document]
    if not isinstance(document, Mapping):
        return document
    marked = {}
    for key, value in document.items():
        if key == "Resource":
            several = value if isinstance(value, list) else [value]
            texts = [_arn(one, resources) for one in several]
            marked[key] = [
                one if text is None else text for one, text in zip(several, texts, strict=True)
            ]
        else:
            marked[key] = _marked(value, resources) if key == "Statement" else value
    return marked


def _object(uri: Fact, resources: Resources) -> str | None:
    """The ARN of what an S3 URI names; None where it is none."""
    text = (_arn(uri.value, resources) or "").removeprefix("*")
    found = _OBJECT.fullmatch(text)
    if found is None:
        whole = MARKED.match(text)
        return None if whole is None else f"arn:aws:s3:::{text}"
    return f"arn:aws:s3:::{found[1]}{found[3] or ''}"


def _own_bucket(uri: Fact, resources: Resources) -> Resource | None:
    """The bucket of the template that an S3 URI leads into."""
    found = _OBJECT.fullmatch(_arn(uri.value, resources) or "")
    if found is None:
        return None
    bucket = found[1] if found[2] is None else Unknown(found[2])
    return resources.referred(Fact(bucket, uri.where), _BUCKET)


def _key_needs(bucket: Resource | None, action: str, resources: Resources) -> Iterator[Need]:
    """What the template's own key of a bucket needs, where its policy leaves that to roles'."""
    encryption = ABSENT if bucket is None else bucket.properties.get("BucketEncryption")
    for one in encryption.get("ServerSideEncryptionConfiguration").items():
        named = one.get("ServerSideEncryptionByDefault").get("KMSMasterKeyID")
        key = resources.referred(named, _KEY)
        statements = ABSENT if key is None else key.properties.get("KeyPolicy").get("Statement")
        if key is not None and all(map(_is_for_the_account, statements.each())):
            yield Need(action=action)


def _is_for_the_account(statement: Fact) -> bool:
    """Whether a key's statement is a service's, or the account's, so that IAM's policies decide."""
    principal = statement.get("Principal")
    of_account = principal.get("AWS").shown.endswith(":root")
    return isinstance(principal.value, Mapping) and (of_account or "AWS" not in principal.value)


def _repository(image: Fact, resources: Resources) -> str | None:
    """The ARN of the repository that an image is pulled from; None where it is none of ECR's."""
    text = (_arn(image.value, resources) or "").removeprefix("*")
    found = _IMAGE.fullmatch(text)
    if found is not None:
        return f"arn:aws:ecr:{found[2]}:{found[1]}:repository/{found[3]}"
    begins = MARKED.match(text)
    return None if begins is None else f"arn:aws:ecr:*:*:repository/{begins[0]}"


def _is_left_to_the_role(image: Fact, repository: str, resources: Resources) -> bool:
    """Whether nothing but the role's policies can let it pull an image.

    It is of a repository of the template that has no policy of its own; or of AWS's account, which
    lets others in only as far as their roles may (awslabs/aws-solutions-constructs issue 986).
    """
    if is_repository_of_aws(repository):
        return True
    for name in MARKED.findall(_arn(image.value, resources) or ""):
        found = resources.referred(Fact(Unknown(name), image.where), _REPOSITORY)
        if found is not None:
            return not found.properties.get("RepositoryPolicyText").given
    return False

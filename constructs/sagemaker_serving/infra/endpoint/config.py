"""An EndpointConfig: which variants an endpoint has, and what is said of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
import jsii
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving.catalog import instances
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.endpoint.async_inference import AsyncInference
from sagemaker_serving.infra.endpoint.variants import InstanceVariant, Variant
from sagemaker_serving.infra.network.network import connections_of, network_of
from sagemaker_serving.infra.roles.container_grants import grant_shell
from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
from sagemaker_serving.infra.synth.acknowledge import (
    NO_KEY_ON_VOLUMES,
    acknowledge,
    acknowledge_retired_property,
)
from sagemaker_serving.infra.synth.content_identity import identify_by_content
from sagemaker_serving.infra.synth.fields import (
    Unjudged,
    add_extra,
    add_unknown,
    given_fields,
    properties_of,
)
from sagemaker_serving.infra.synth.tokens import is_token, stands_in
from sagemaker_serving.spec.aws import aws_values
from sagemaker_serving.spec.data_capture import CapturedRequests
from sagemaker_serving.spec.monitoring import MetricsConfig
from sagemaker_serving.spec.provenance import ENDPOINT_TAG

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms

    from sagemaker_serving.infra.model.model import Model
    from sagemaker_serving.infra.monitoring.watches import WatchedVariant
    from sagemaker_serving.infra.network.network import Network


class DataCapture(Unjudged, CapturedRequests):
    """How much is kept, of what, and where to; encrypted with the bucket's key.

    SageMaker writes below ``<destination>/<endpoint>/<variant>/``, and the destination has no slash
    of its own at its end: a double one stops Model Monitor from finding anything. All other fields
    are what an environment file says of data capture. Source: botocore DataCaptureConfig;
    SageMaker developer guide, "Capture data from real-time endpoint".
    """

    destination: S3Prefix

    @property
    def content(self) -> list[Any]:
        """What makes two of them different, as plain data that may hold tokens."""
        place = self.destination
        return [place.uri, place.key_arn, *given_fields(self, CapturedRequests, but=4)]

    def grant(self, grantee: iam.IGrantable) -> None:
        """Lets a model's role write what is captured, and nothing else."""
        self.destination.grant_write(grantee, of="Captured requests and answers")

    @property
    def members(self) -> dict[str, Any]:
        """The configuration as SageMaker's CreateEndpointConfig takes it."""
        key = self.destination.key_arn
        return {
            **aws_values(CapturedRequests, vars(self)),
            "EnableCapture": True,
            "DestinationS3Uri": self.destination.uri,
            **({} if key is None else {"KmsKeyId": key}),
        }


@jsii.implements(ec2.IConnectable)
class EndpointConfig(Construct):
    """1 to 10 production variants, given at once or one by one.

    It has no physical name and its logical id carries its content: a change
    makes a new one, and the old one stays until the endpoint has left it. The
    roles of its models may write what is captured, and read and write what an
    asynchronous endpoint does.

    :param variants: the variants; `add_variant` adds more.
    :param shadow_variants: one variant that gets a copy of what the one production variant is
        asked; its answers reach nobody.
    :param async_inference: where requests and answers are, if they are not carried by calls.
    :param data_capture: what is kept of requests and answers.
    :param metrics_config: what is published beside SageMaker's usual metrics, and how often.
    :param encryption_key: encrypts the volumes of the instances. Local NVMe storage encrypts
        itself in hardware, and never with the key. Where every variant's type has that, the key is
        left out, and scanners are told why. Source: botocore CreateEndpointConfig.KmsKeyId.
    :param execution_role: the role of an endpoint for inference components, which SageMaker
        acts under; needed where a variant has no model. The config waits for its policy, without
        which the first creation races IAM.
    :param vpc: where the instances of the same stand; elsewhere the Model says it. This and
        ``vpc_subnets``, ``security_groups`` and ``network`` are `Model`'s.
    :param network_isolation: whether containers of the same can call nobody at all.
    :param extra: properties by CloudFormation's own names, laid over these.

    Raises `Mistake` without variants, with more than ten, with two of one
    name, and with a shadow beside anything but one production variant.
    Source: API reference, CreateEndpointConfig.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        variants: Sequence[Variant],
        shadow_variants: Sequence[InstanceVariant] = (),
        async_inference: AsyncInference | None = None,
        data_capture: DataCapture | None = None,
        metrics_config: MetricsConfig | None = None,
        encryption_key: kms.IKey | None = None,
        execution_role: iam.IRole | None = None,
        network: Network | None = None,
        vpc: ec2.IVpc | None = None,
        vpc_subnets: ec2.SubnetSelection | None = None,
        security_groups: Sequence[ec2.ISecurityGroup] = (),
        network_isolation: bool = False,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self._stack = stands_in(self, scope)
        self._variants = tuple(variants)
        self._shadows = tuple(shadow_variants)
        _must_be_variants(self, self._variants, self._shadows)
        self._async = async_inference
        self._capture = data_capture
        self._metrics = metrics_config
        self._key = encryption_key
        self._role = execution_role
        network = network_of(self, network, vpc, vpc_subnets, security_groups)
        self._network = network
        self._isolated = network_isolation
        self._extra = extra if extra is not None else {}
        self._grants: list[Callable[[iam.IRole], None]] = [
            *(what.grant for what in (async_inference, data_capture) if what is not None),
            *_grants_of((*variants, *shadow_variants)),
        ]
        self._granted: set[iam.IRole] = set()
        self._keeps = False
        self._resource = sagemaker.CfnEndpointConfig(
            self,
            "Resource",
            **properties_of(self._members()),
        )
        if network is not None and execution_role is not None:
            network.bind(self, execution_role)
        if execution_role is not None:
            # Its policy, too; a Model waits for that by itself, and a variant for its Model.
            self._resource.node.add_dependency(execution_role)
        self._settle()
        self.endpoint_config_name = self._resource.attr_endpoint_config_name
        """The EndpointConfig's generated name (a token)."""

    @property
    def content_id(self) -> str:
        """Its logical id, which ends in a hash of its content (a token)."""
        return self._resource.logical_id

    @property
    def watched_variants(self) -> list[WatchedVariant]:
        """Its production variants, and what tells which metrics each has: for alarms and graphs."""
        from sagemaker_serving.infra.monitoring.watches import WatchedVariant

        return [
            WatchedVariant(
                name=each.name,
                instance_type=each.instance_type if isinstance(each, InstanceVariant) else None,
                asynchronous=self._async is not None,
                multi_model=each.model is not None and each.model.is_multi_model,
                enhanced=self._metrics is not None
                and self._metrics.enable_enhanced_metrics is True,
            )
            for each in self._variants
        ]

    def add_variant(self, variant: Variant) -> None:
        """Adds one more variant, beside those there are."""
        _must_be_variants(self, (*self._variants, variant), self._shadows)
        self._render((*self._variants, variant))
        for grant in _grants_of([variant]):
            self.grant_to_roles(grant)

    def host(self, variant_name: str, model: Model) -> None:
        """Gives the instances of a variant what ``model`` needs of them, too, as an
        `InferenceComponent` asks that is put there: the AMI version of its image."""
        self._render(
            tuple(
                each.model_copy(update={"hosted": (*each.hosted, model)})
                if isinstance(each, InstanceVariant) and each.name == variant_name
                else each
                for each in self._variants
            )
        )

    def keep_replaced(self, endpoint_name: str) -> None:
        """Keeps it and its variants' Models when a deploy replaces them or the stack goes,
        unless that deploy fails: ``sagemaker-serving rollback`` goes back to them.

        They cost nothing. Its tag tells which endpoint it served.
        """
        self._keeps = True
        self._resource.apply_removal_policy(cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
        cdk.Tags.of(self).add(ENDPOINT_TAG, endpoint_name)
        self._keep_models()

    def _keep_models(self) -> None:
        for variant in (*self._variants, *self._shadows):
            if variant.model is not None:
                variant.model.keep_replaced()

    def _render(self, variants: tuple[Variant, ...]) -> None:
        self._variants = variants
        for name, value in properties_of(self._members()).items():
            setattr(self._resource, name, value)
        self._settle()

    @property
    def connections(self) -> ec2.Connections:
        """Who may call whom; raises `Mistake` where no VPC was given here."""
        return connections_of(self, self._network)

    @property
    def encryption_key_arn(self) -> str | None:
        """The key of the instances' volumes, where one was given and any is not local storage."""
        return None if self._key is None or self._on_local_storage() else self._key.key_arn

    @property
    def roles(self) -> tuple[iam.IRole, ...]:
        """The roles that SageMaker acts under for this endpoint, each once."""
        every = (*self._variants, *self._shadows)
        found = [variant.model.role for variant in every if variant.model is not None]
        return tuple(dict.fromkeys([*found, *([] if self._role is None else [self._role])]))

    @property
    def security_group_ids(self) -> list[str]:
        """The security groups that its containers' network interfaces are in, each once."""
        models = [each.model for each in (*self._variants, *self._shadows)]
        networks = [self._network, *(each.network for each in models if each is not None)]
        groups = [each.security_group_ids for each in networks if each is not None]
        return list(dict.fromkeys(group for ids in groups for group in ids))

    def grant_to_roles(self, grant: Callable[[iam.IRole], None]) -> None:
        """Lets each role of it do what ``grant`` does: those there are, and those that come."""
        self._grants.append(grant)
        for role in self.roles:
            grant(role)

    def _settle(self) -> None:
        """Everything that follows from the variants there are."""
        add_unknown(self._resource, self._members())
        add_extra(self._resource, self._extra)
        for kind, variants in (
            ("ProductionVariants", self._variants),
            ("ShadowProductionVariants", self._shadows),
        ):
            for index, variant in enumerate(variants):
                add_extra(self._resource, variant.extra, below=f"{kind}.{index}")
        identify_by_content(self._stack, self._resource, self._content())
        self._grant()
        if self._keeps:
            self._keep_models()
        accelerated = [
            each.name
            for each in (*self._variants, *self._shadows)
            if isinstance(each, InstanceVariant) and each.accelerator_type is not None
        ]
        if accelerated:
            acknowledge_retired_property(
                self._resource,
                f"{', '.join(accelerated)}: Elastic Inference is rendered on purpose, though AWS "
                "has ended it and CloudFormation has no AcceleratorType any more",
            )
        local = self._on_local_storage()
        if self._key is not None and local:
            acknowledge(
                self._resource,
                NO_KEY_ON_VOLUMES,
                f"There is no volume that a key encrypts: the local NVMe storage of "
                f"{', '.join(local)} encrypts itself in hardware",
            )

    def _content(self) -> list[Any]:
        metrics = {} if self._metrics is None else self._metrics.model_dump(exclude_none=True)
        return [
            self.encryption_key_arn,
            [variant.content for variant in self._variants],
            [variant.content for variant in self._shadows],
            None if self._async is None else self._async.content,
            None if self._capture is None else self._capture.content,
            None if self._network is None else self._network.content,
            self._isolated,
            *(part for part in (metrics, self._extra) if part),
        ]

    def _members(self) -> dict[str, Any]:
        """The config as SageMaker's CreateEndpointConfig takes it."""
        given = {
            "ProductionVariants": [each.members for each in self._variants],
            "ShadowProductionVariants": [each.members for each in self._shadows],
            "AsyncInferenceConfig": None if self._async is None else self._async.members,
            "DataCaptureConfig": None if self._capture is None else self._capture.members,
            "MetricsConfig": (
                None if self._metrics is None else aws_values(MetricsConfig, vars(self._metrics))
            ),
            "KmsKeyId": self.encryption_key_arn,
            "ExecutionRoleArn": None if self._role is None else self._role.role_arn,
            "VpcConfig": None if self._network is None else self._network.members,
            "EnableNetworkIsolation": True if self._isolated else None,
        }
        return {name: value for name, value in given.items() if value not in (None, [], {})}

    def _grant(self) -> None:
        """Lets each role that containers act under do what this configuration asks of it."""
        for role in self.roles:
            if role in self._granted:
                continue
            self._granted.add(role)
            for grant in self._grants:
                grant(role)

    def _on_local_storage(self) -> list[str]:
        """The types of all variants, if none of them has a volume; empty otherwise."""
        types: set[str] = set()
        for variant in (*self._variants, *self._shadows):
            if not isinstance(variant, InstanceVariant):
                return []
            types |= {*(variant.instance_types or [variant.instance_type])}
        has_volume = (is_token(each) or not instances.instance_type(each).nvme_gb for each in types)
        return [] if any(has_volume) else sorted(types)


def _grants_of(variants: Sequence[Variant]) -> Iterator[Callable[[iam.IRole], None]]:
    """What variants ask of the roles beside what their Models do."""
    for variant in variants:
        if isinstance(variant, InstanceVariant) and variant.core_dump is not None:
            yield partial(_grant_dumps, variant.core_dump)
        if isinstance(variant, InstanceVariant) and variant.enable_ssm_access:
            yield grant_shell


def _grant_dumps(place: S3Prefix, role: iam.IRole) -> None:
    place.grant_write(role, of="Core dumps")


def _must_be_variants(
    config: EndpointConfig, variants: Sequence[Variant], shadows: Sequence[InstanceVariant]
) -> None:
    names = [variant.name for variant in (*variants, *shadows)]
    if not 1 <= len(variants) <= 10:
        raise Mistake(
            f"{config.node.path}: there are {len(variants)} variants; an endpoint takes 1 to 10"
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Mistake(
            f"{config.node.path}: more than one variant is named {', '.join(twice)}; "
            "rename all but one"
        )
    for variant in (*variants, *shadows):
        if isinstance(variant, InstanceVariant) and not variant.instance_type:
            raise Mistake(
                f"{config.node.path}: variant {variant.name} has no instance type; give "
                "instance_type, or instance_types"
            )
    if shadows and (len(variants), len(shadows)) != (1, 1):
        raise Mistake(
            f"{config.node.path}: there are {len(variants)} production and {len(shadows)} shadow "
            "variants; with a shadow there is exactly one of each"
        )

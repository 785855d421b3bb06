"""A compiled model that gets no traffic before its answers are right."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving.answers.golden_file import Exchange, golden_lines, read_golden
from sagemaker_serving.catalog import instances
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.endpoint.variants import (
    InstanceVariant,
    ServerlessVariant,
    Variant,
)
from sagemaker_serving.infra.functions.machine_provider import MachineProvider
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.content_identity import identify_by_content
from sagemaker_serving.infra.synth.granting import grant, grant_key_grants
from sagemaker_serving.infra.synth.tokens import is_token, partition, stack_of, synthesizer_of
from sagemaker_serving.whole_files import write_whole

if TYPE_CHECKING:
    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_logs as logs

    from sagemaker_serving.infra.endpoint.config import EndpointConfig

STARTS = "sagemaker-serving:temporary-endpoint"
"""What the deploy starts, said at synth."""

_MOST_OF_STACK_NAME = 40


class CompiledModelJudge(Construct):
    """The custom resource's provider, once per stack; `CompiledModelGate` is what it judges.

    Its state machine starts an endpoint of one instance, asks it, and removes it whatever happens.
    The function may do that with endpoints and configs named ``<stack>-gate-…`` alone.

    :param function_role: what both functions run as; made here unless given, and so is the next.
    :param state_machine_role: what the state machine runs as.
    :param log_group: what functions and machine write to; made here, three of them, unless given.
    :param retain_logs: whether the logs made here outlive the stack.
    :param encryption_key: encrypts these logs and the temporary instances' volumes, and CloudWatch
        Logs is let use it; absent, AWS's own keys do.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        function_role: iam.IRole | None = None,
        state_machine_role: iam.IRole | None = None,
        log_group: logs.ILogGroup | None = None,
        retain_logs: bool = True,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self.encryption_key = encryption_key
        """What encrypts volumes."""
        provider = MachineProvider(
            self,
            package="compiled_gate",
            then="judge",
            when="ready",
            shares=("answers",),
            caught="remove",
            function_role=function_role,
            state_machine_role=state_machine_role,
            log_group=log_group,
            retain_logs=retain_logs,
            encryption_key=encryption_key,
        )
        self.work = provider.work
        """The function that does the steps; golden requests let it read them."""
        self.prefix = _prefix(self)
        """What the names of all that is temporary begin with."""
        self.grant = self._grant_work()
        """Leave to start, ask and remove what is temporary: gates wait for it."""
        self.given_up = provider.given_up
        """Who answers when the function that begins it fails for good; it is to be there first."""
        self.service_token: str = provider.service_token
        """What a custom resource names as its provider."""

    def _grant_work(self) -> iam.Grant:
        stack, role = stack_of(self), self.work.role
        endpoints, configs = (
            stack.format_arn(service="sagemaker", resource=kind, resource_name=f"{self.prefix}*")
            for kind in ("endpoint", "endpoint-config")
        )
        reason = "Temporary endpoints are named after what they judge"
        for resource in (endpoints, configs):
            acknowledge_wildcard(role, resource, reason)
        both = ["AddTags", "ListTags", "CreateEndpoint"]
        endpoint = [*both, "DescribeEndpoint", "DeleteEndpoint", "InvokeEndpoint"]
        config = [*both, "CreateEndpointConfig", "DescribeEndpointConfig", "DeleteEndpointConfig"]
        given = grant(role, [f"sagemaker:{action}" for action in endpoint], endpoints)
        given = given.combine(grant(role, [f"sagemaker:{action}" for action in config], configs))
        if self.encryption_key is not None:
            # Whoever calls CreateEndpoint has to be let make grants (developer guide, "API
            # Permissions"). That CreateEndpointConfig looks at the key is unverified: that page
            # names no action of KMS for it.
            given = given.combine(grant(role, ["kms:DescribeKey"], self.encryption_key.key_arn))
            given = given.combine(grant_key_grants(role, self.encryption_key.key_arn))
        return given


class CompiledModelGate(Construct):
    """A variant's Model, judged on an endpoint of its own before an endpoint may serve it.

    In a deploy it starts an endpoint with one instance of the variant's type and the same Model.
    It sends the golden requests, and holds the answers against those that are recorded. A Model
    that misses a limit fails the deploy with the figures. What was temporary is removed either way.
    The same content is judged once.

    ::

        gate = CompiledModelGate(
            self,
            "Gate",
            judge=CompiledModelJudge(self, "Judge"),
            variant=variant,
            golden="golden.jsonl",
            max_error=0.001,
            agreement=0.999,
        )
        gate.guard(EndpointConfig(self, "Config", variants=[variant]))

    :param variant: what is judged. Of its members those count that a start may need: type,
        accelerator, AMI, volume, time-outs, and the memory of a serverless one.
    :param golden: the file of golden requests, with the answers of the model that was not compiled.
    :param max_error: how far a number may be from the recorded one at most; 0 or more.
    :param agreement: the least share of rows whose first class is the same; over 0, at most 1.

    Raises `Mistake` for a variant without a Model, without a limit, and without recorded answers;
    and `ProblemsFound` with all that is wrong with the file.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        judge: CompiledModelJudge,
        variant: Variant,
        golden: str | Path,
        max_error: float | None = None,
        agreement: float | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        accept = {"max_error": max_error, "agreement": agreement}
        limits = {name: limit for name, limit in accept.items() if limit is not None}
        exchanges = read_golden(Path(golden))
        _must_be_judged(self, variant, exchanges, limits)
        assert variant.model is not None
        stack = stack_of(self)
        members = _members(variant)
        url, sha256, readable = _upload(self, judge, exchanges)
        self._resource = cdk.CustomResource(
            self,
            "Resource",
            resource_type="Custom::CompiledModelGate",
            service_token=judge.service_token,
        ).node.default_child
        assert isinstance(self._resource, cdk.CfnResource)
        key = judge.encryption_key
        if key is not None and _has_nvme(variant):
            key = None
        content = [variant.model.identity, members, sha256, limits, key is not None]
        identity = identify_by_content(stack, self._resource, content)
        self.endpoint_name = f"{judge.prefix}{identity[-10:]}"
        """The temporary endpoint's name."""
        for name, value in {
            "EndpointName": self.endpoint_name,
            "ModelName": variant.model.model_name,
            "Variant": stack.to_json_string(members),
            "GoldenUrl": url,
            "Accept": stack.to_json_string(limits),
            "Told": f"{variant.name} on {_host(variant)}",
            **({} if key is None else {"KmsKeyId": key.key_arn}),
        }.items():
            self._resource.add_property_override(name, value)
        readable.combine(judge.grant).apply_before(self._resource)
        self._resource.node.add_dependency(judge.given_up)
        cdk.Annotations.of(self).add_info_v2(
            STARTS,
            f"before {variant.name} gets traffic, the deploy starts a temporary endpoint with one "
            f"instance of {_host(variant)}, sends it the golden requests ({len(exchanges)}), and "
            "removes it",
        )

    def guard(self, config: EndpointConfig) -> None:
        """Lets the config, and so the endpoint, be made only when the Model has been accepted."""
        for made in config.node.find_all():
            if isinstance(made, sagemaker.CfnEndpointConfig):
                made.node.add_dependency(self._resource)


def _prefix(judge: CompiledModelJudge) -> str:
    """It has the stack's name, of which a region has one, or where only a deploy knows that, the
    construct's path. In lower case, as ARNs have it."""
    name = stack_of(judge).stack_name
    if is_token(name):
        name = cdk.Names.unique_resource_name(judge, max_length=_MOST_OF_STACK_NAME, separator="-")
    return f"{name[:_MOST_OF_STACK_NAME].rstrip('-').lower()}-gate-"


def _must_be_judged(
    gate: CompiledModelGate, variant: Variant, golden: Sequence[Exchange], limits: dict[str, float]
) -> None:
    path = gate.node.path
    if variant.model is None:
        raise Mistake(f"{path}: variant {variant.name} has no model; give one that has")
    if not limits:
        raise Mistake(f"{path}: nothing is demanded; give max_error, agreement, or both")
    if any(exchange.expected is None for exchange in golden):
        raise Mistake(f"{path}: golden has requests without an answer; record them first")


def _members(variant: Variant) -> dict[str, Any]:
    """CreateEndpointConfig's ProductionVariant but for names, with one instance or one worker."""
    if isinstance(variant, ServerlessVariant):
        memory = variant.members["ServerlessConfig"]["MemorySizeInMB"]
        return {"ServerlessConfig": {"MemorySizeInMB": memory, "MaxConcurrency": 1}}
    kept = {name: value for name, value in variant.members.items() if name not in _OF_A_FLEET}
    return {**kept, "InstanceType": variant.instance_type, "InitialInstanceCount": 1}


_OF_A_FLEET = {
    *("VariantName", "ModelName", "InitialVariantWeight", "InstancePools", "RoutingConfig"),
    *("CapacityReservationConfig", "CoreDumpConfig", "EnableSSMAccess", "ManagedInstanceScaling"),
    "VariantInstanceProvisionTimeoutInSeconds",
}
"""What one instance that answers a few requests does without."""


def _host(variant: Variant) -> str:
    return variant.instance_type if isinstance(variant, InstanceVariant) else "serverless"


def _has_nvme(variant: Variant) -> bool:
    """Whether it has no volume that a key encrypts; nothing is known of a token."""
    if not isinstance(variant, InstanceVariant) or is_token(variant.instance_type):
        return False
    return instances.instance_type(variant.instance_type).nvme_gb > 0


def _upload(
    gate: CompiledModelGate, judge: CompiledModelJudge, golden: Sequence[Exchange]
) -> tuple[str, str, iam.Grant]:
    """Where the requests are, what identifies them, and the function's leave to read them."""
    text = golden_lines(golden)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    stage = cdk.Stage.of(gate)
    assert stage is not None
    path = Path(stage.asset_outdir, f"asset.{sha256}.jsonl")
    write_whole(path, text)
    location = synthesizer_of(gate).add_file_asset(
        source_hash=sha256,
        file_name=os.path.relpath(path, stage.outdir),
        packaging=cdk.FileAssetPackaging.FILE,
    )
    arn = f"arn:{partition()}:s3:::{location.bucket_name}/{location.object_key}"
    return location.s3_object_url, sha256, grant(judge.work.role, ["s3:GetObject"], arn)

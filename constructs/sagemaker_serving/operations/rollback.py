"""Back to a config that served before: which there are, and the update that leads there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.errors import Failure, Mistake, NotFound
from sagemaker_serving.operations.rollout.stack import stack_intention
from sagemaker_serving.operations.rollout.state import EndpointState, endpoint_state
from sagemaker_serving.spec.provenance import ENDPOINT_TAG


@dataclass(frozen=True, kw_only=True)
class Version:
    """An EndpointConfig: ``models`` is the Model of each variant by the variant's name."""

    config: str
    created: datetime
    models: Mapping[str, str]
    instance_variants: frozenset[str] = field(repr=False)


def versions(endpoint_name: str, aws: Aws | None = None) -> Iterator[Version]:
    """The configs that are kept for an endpoint, the newest first.

    Those of this project's stacks in production and where the file says ``update``: they stay
    when a deploy replaces them, tagged with the endpoint's name. One whose deploy failed is not
    among them: CloudFormation removes it.
    """
    sagemaker = (aws if aws is not None else Aws()).client("sagemaker")
    endpoint_state(sagemaker, endpoint_name)
    return _versions(sagemaker, endpoint_name)


@dataclass(frozen=True, kw_only=True)
class Rollback:
    """A way back that was found: `begin` takes it."""

    endpoint_name: str
    serving: Version
    to: Version
    aws: Aws = field(repr=False)

    def begin(self) -> None:
        """Asks SageMaker for it; `watch` with ``config=self.to.config`` tells what becomes of it.

        All traffic moves at once as soon as the old version is healthy, without
        canary and without alarms: those that went off would take it back. The
        number of instances stays as scaling set it, weights are the config's
        own. Source: API reference, UpdateEndpoint.
        """
        kept: dict[str, Any] = {}
        if (
            self.to.instance_variants
            and self.to.instance_variants == self.serving.instance_variants
        ):
            kept = {
                "RetainAllVariantProperties": True,
                "ExcludeRetainedVariantProperties": [
                    {"VariantPropertyType": kind} for kind in ("DesiredWeight", "DataCaptureConfig")
                ],
            }
        sagemaker = self.aws.client("sagemaker")
        with aws_failures():
            sagemaker.update_endpoint(
                EndpointName=self.endpoint_name, EndpointConfigName=self.to.config, **kept
            )

    def drift(self) -> str | None:
        """The config that the endpoint's stack goes on naming, when that is another than ``to``.

        None, too, when no stack holds the endpoint, or who asks may not read it.
        """
        sagemaker = self.aws.client("sagemaker")
        state = endpoint_state(sagemaker, self.endpoint_name)
        stack = stack_intention(self.aws.client("cloudformation"), sagemaker, state)
        return stack.config if stack is not None and stack.wants_another(self.to.config) else None


def find_rollback(endpoint_name: str, aws: Aws | None = None, *, to: str | None = None) -> Rollback:
    """The way back to ``to``, or to the newest kept config that is older than the one that serves.

    Nothing is changed yet. Raises `NotFound` when there is no such endpoint or
    config, `Mistake` when the config serves already, belongs to another
    endpoint, is serverless where instances serve, or has lost a Model, or when no
    older one was kept; `Failure` when the endpoint takes no update now.
    """
    where = aws if aws is not None else Aws()
    sagemaker = where.client("sagemaker")
    state = endpoint_state(sagemaker, endpoint_name)
    _must_take_updates(state, where)
    serving = _version(sagemaker, state.config)
    target = _named(sagemaker, state, to) if to is not None else _before(sagemaker, state, serving)
    _must_be_reachable(state, serving, target)
    _must_be_whole(sagemaker, target)
    return Rollback(endpoint_name=endpoint_name, serving=serving, to=target, aws=where)


def _must_be_reachable(state: EndpointState, serving: Version, target: Version) -> None:
    """Source: developer guide, "Serverless endpoint operations", on updates."""
    if serving.instance_variants and len(target.instance_variants) < len(target.models):
        raise Mistake(
            f"config {target.config} is serverless, and {state.name} serves on instances, which "
            "SageMaker refuses to make serverless; deploy it under another name, and move its "
            "callers there"
        )


def _must_take_updates(state: EndpointState, aws: Aws) -> None:
    if state.status == "InService":
        return
    if state.is_settled:
        raise Failure(
            f"{state.name} is {state.status} and takes no update; delete it and deploy it again"
        )
    raise Failure(
        f"{state.name} is {state.status}; SageMaker takes no other update before that has ended; "
        f"`sagemaker-serving watch {state.name}{aws.option}` tells when"
    )


def _named(sagemaker: Any, state: EndpointState, config: str) -> Version:
    if config == state.config:
        raise Mistake(f"{state.name} serves {config} already")
    version = _version(sagemaker, config)
    owner = _owner(sagemaker, _described(sagemaker, config)["EndpointConfigArn"])
    if owner is not None and owner != state.name:
        raise Mistake(f"config {config} was made for the endpoint {owner}, not for {state.name}")
    return version


def _before(sagemaker: Any, state: EndpointState, serving: Version) -> Version:
    older = (
        version
        for version in _versions(sagemaker, state.name, before=serving.created)
        if version.config != serving.config
    )
    found = next(older, None)
    if found is None:
        raise Mistake(
            f"no config of {state.name} older than {serving.config} was kept: a deploy removes "
            "what it replaces, but with `production: true` or `update`; deploy the former commit "
            "again, or name a config with --to"
        )
    return found


def _must_be_whole(sagemaker: Any, version: Version) -> None:
    """The Models are still there; what they read is the role's matter, and SageMaker's to try."""
    for variant, model in version.models.items():
        try:
            with aws_failures():
                sagemaker.describe_model(ModelName=model)
        except Failure as failure:
            raise Mistake(
                f"config {version.config} cannot be served any more: the model {model} of variant "
                f"{variant} is gone ({failure}); deploy the former commit again"
            ) from None


def _versions(
    sagemaker: Any, endpoint_name: str, before: datetime | None = None
) -> Iterator[Version]:
    since = {} if before is None else {"CreationTimeBefore": before}
    with aws_failures():
        pages = sagemaker.get_paginator("list_endpoint_configs").paginate(
            SortBy="CreationTime", SortOrder="Descending", **since
        )
        for page in pages:
            for found in page["EndpointConfigs"]:
                if _owner(sagemaker, found["EndpointConfigArn"]) == endpoint_name:
                    yield _version(sagemaker, found["EndpointConfigName"])


def _version(sagemaker: Any, config: str) -> Version:
    found = _described(sagemaker, config)
    variants = [*found["ProductionVariants"], *found.get("ShadowProductionVariants", [])]
    return Version(
        config=config,
        created=found["CreationTime"],
        models={one["VariantName"]: one["ModelName"] for one in variants if "ModelName" in one},
        instance_variants=frozenset(
            one["VariantName"] for one in variants if "ServerlessConfig" not in one
        ),
    )


def _described(sagemaker: Any, config: str) -> Any:
    with aws_failures():
        try:
            return sagemaker.describe_endpoint_config(EndpointConfigName=config)
        except ClientError as error:
            if "could not find" in str(error).lower():
                raise NotFound(
                    f"there is no endpoint config {config!r} in {sagemaker.meta.region_name}; "
                    "see `sagemaker-serving rollback <endpoint> --list`"
                ) from None
            raise


def _owner(sagemaker: Any, arn: str) -> str | None:
    """The endpoint that a config was made for, as its tag says."""
    with aws_failures():
        tags = sagemaker.list_tags(ResourceArn=arn)["Tags"]
    return next((tag["Value"] for tag in tags if tag["Key"] == ENDPOINT_TAG), None)

"""Which config an endpoint is meant to serve: what the CloudFormation stack that made it says."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.operations.rollout.state import EndpointState

MOVER = "Custom::EndpointUpdate"
"""The type of what moves an endpoint that was there before its stack."""

_IS_EXECUTED_WITHIN = timedelta(seconds=60)
"""How long a change set that is ready is taken for a deploy that goes on by itself, as the CDK
CLI's does; later it waits for somebody. Our own choice: no source says how long."""


@dataclass(frozen=True, kw_only=True)
class StackIntention:
    """What a stack wants of its endpoint.

    ``config`` is None when its template does not tell, and may be in lower case:
    what is known of it is its ARN. ``reason`` is the first thing that failed,
    when the stack went back. ``change_set`` is one that a deploy makes at the
    moment, or is about to execute: until then the stack's status is the old one.
    """

    stack: str
    status: str
    config: str | None
    reason: str | None
    change_set: str | None

    def wants_another(self, config: str) -> bool:
        """Whether the template is known to name another config than this."""
        return self.config is not None and self.config.lower() != config.lower()

    @property
    def is_in_progress(self) -> bool:
        """Whether the deploy may still succeed or go back.

        Cleaning up comes after either. Source: CloudFormation user guide, "Stack status codes".
        """
        cleans_up = self.status.endswith("_COMPLETE_CLEANUP_IN_PROGRESS")
        return self.status.endswith("_IN_PROGRESS") and not cleans_up

    @property
    def went_back(self) -> bool:
        """Whether the stack's last deploy failed."""
        return "ROLLBACK" in self.status or self.status.endswith("_FAILED")


def stack_intention(
    cloudformation: Any, sagemaker: Any, endpoint: EndpointState
) -> StackIntention | None:
    """What the stack that holds the endpoint wants; None when no stack holds it.

    One that was there before its stack is found by the config that it serves, or is about to.

    None, too, for whoever may not read stacks. A resource's physical id is what
    Ref returns, for an endpoint its ARN. Source: CloudFormation template
    reference, AWS::SageMaker::Endpoint.
    """
    with aws_failures():
        try:
            resources = _resources_beside(cloudformation, sagemaker, endpoint)
            name = resources[0]["StackName"]
            (stack,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
            body = cloudformation.get_template(StackName=name)["TemplateBody"]
        except ClientError as error:
            if error.response["Error"].get("Code") in ("ValidationError", "AccessDenied"):
                return None
            raise
        return StackIntention(
            stack=name,
            status=stack["StackStatus"],
            config=_own_case(sagemaker, _config(body, resources, endpoint)),
            reason=_first_failure(cloudformation, name)
            if "ROLLBACK" in stack["StackStatus"]
            else None,
            change_set=_change_set(cloudformation, name),
        )


def _change_set(cloudformation: Any, stack: str) -> str | None:
    """The change set of a deploy that has begun; None, too, for whoever may not list them.

    Source: botocore cloudformation, ChangeSetStatus and ExecutionStatus.
    """
    try:
        summaries = cloudformation.list_change_sets(StackName=stack)["Summaries"]
    except ClientError:
        return None
    for found in summaries:
        is_made = found["Status"] in ("CREATE_PENDING", "CREATE_IN_PROGRESS")
        is_ready = found["ExecutionStatus"] == "AVAILABLE"
        is_new = datetime.now(UTC) - found["CreationTime"] < _IS_EXECUTED_WITHIN
        if is_made or (is_ready and is_new):
            return str(found["ChangeSetName"])
    return None


def _resources_beside(
    cloudformation: Any, sagemaker: Any, endpoint: EndpointState
) -> list[dict[str, Any]]:
    """Those of the stack that made the endpoint, or a config of it; raises what AWS answers where
    no stack has made any."""
    try:
        return _resources(cloudformation, endpoint.arn)
    except ClientError as error:
        if error.response["Error"].get("Code") != "ValidationError":
            raise
        configs = [one for one in (endpoint.coming_config, endpoint.config) if one is not None]
        for config in configs:
            with suppress(ClientError):
                described = sagemaker.describe_endpoint_config(EndpointConfigName=config)
                found = _resources(cloudformation, described["EndpointConfigArn"])
                if any(_moves(one, endpoint) for one in found):
                    return found
        raise


def _moves(resource: Mapping[str, Any], endpoint: EndpointState) -> bool:
    """Whether a resource is what moves the endpoint; a first move has no physical id as yet."""
    physical_id = str(resource.get("PhysicalResourceId") or f"{endpoint.name}/")
    return resource["ResourceType"] == MOVER and physical_id.startswith(f"{endpoint.name}/")


def _resources(cloudformation: Any, physical_id: str) -> list[dict[str, Any]]:
    found = cloudformation.describe_stack_resources(PhysicalResourceId=physical_id)
    return list(found["StackResources"])


def _config(body: Any, resources: list[dict[str, Any]], endpoint: EndpointState) -> str | None:
    """The name of the config that the template gives to the endpoint."""
    by_id = {found["LogicalResourceId"]: found for found in resources}
    mover = next(
        (
            found
            for found in resources
            if found.get("PhysicalResourceId") == endpoint.arn or _moves(found, endpoint)
        ),
        None,
    )
    if mover is None or not isinstance(body, Mapping):  # YAML comes as text
        return None
    wanted = body["Resources"][mover["LogicalResourceId"]]["Properties"]["EndpointConfigName"]
    if isinstance(wanted, str):
        return wanted
    target = wanted.get("Fn::GetAtt", [wanted.get("Ref")])[0]
    physical = by_id.get(target, {}).get("PhysicalResourceId")
    return None if physical is None else str(physical).rpartition("/")[2]


def _own_case(sagemaker: Any, config: str | None) -> str | None:
    """The config's name as it was given, which its ARN tells in lower case; that SageMaker finds
    it in any case is inferred, so without an answer it stays as it is."""
    if config is None:
        return None
    try:
        described = sagemaker.describe_endpoint_config(EndpointConfigName=config)
    except ClientError:
        return config
    return str(described["EndpointConfigName"])


def _first_failure(cloudformation: Any, stack: str) -> str | None:
    """Why the last deploy went back: the first failure since it began, newest event first."""
    reason = None
    pages = cloudformation.get_paginator("describe_stack_events").paginate(StackName=stack)
    for page in pages:
        for event in page["StackEvents"]:
            if event["ResourceStatus"].endswith("_FAILED"):
                reason = event.get("ResourceStatusReason", reason)
            began = event["ResourceStatus"] in ("UPDATE_IN_PROGRESS", "CREATE_IN_PROGRESS")
            if began and event.get("PhysicalResourceId") == event["StackId"]:
                return reason
    return reason

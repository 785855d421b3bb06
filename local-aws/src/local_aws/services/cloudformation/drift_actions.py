"""The API's actions on drift: compare a stack with what is there, show what was found."""

from __future__ import annotations

from uuid import uuid4

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.context import LocalContext
from local_aws.resources import ResourceTypes
from local_aws.services.cloudformation.engine.drift import Drift, drift_of
from local_aws.services.cloudformation.engine.refusals import validation_error
from local_aws.services.cloudformation.engine.stacks import Resource, Stack, Stacks, now
from local_aws.services.cloudformation.requests import Answer, Values, found
from local_aws.services.cloudformation.views import page

_CHECKED_IN = (
    "CREATE_COMPLETE",
    "IMPORT_COMPLETE",
    "UPDATE_COMPLETE",
    "UPDATE_ROLLBACK_COMPLETE",
    "UPDATE_ROLLBACK_FAILED",
)
"""The states of a stack whose drift can be detected (AWS CloudFormation user guide, "Detect drift
on an entire CloudFormation stack")."""


class DriftActions:
    """Each method is an action. A detection has ended when its id is given out."""

    def __init__(self, context: LocalContext, types: ResourceTypes, stacks: Stacks) -> None:
        self._context = context
        self._types = types
        self._stacks = stacks

    def detect_stack_drift(self, values: Values, region: str) -> Answer:
        """Compare every resource that can be read back, or those of LogicalResourceIds."""
        stack = self._checked(values, region)
        chosen = values.get("LogicalResourceIds") or list(stack.version.resources)
        drifts = [self._detected(stack, self._resource(stack, name)) for name in chosen]
        statuses = [each["StackResourceDriftStatus"] for each in drifts if each is not None]
        drifted = sum(status in ("MODIFIED", "DELETED") for status in statuses)
        unknown = "UNKNOWN" if "UNKNOWN" in statuses else "IN_SYNC"
        stack.drift = {
            "StackId": stack.stack_id,
            "StackDriftDetectionId": str(uuid4()),
            "StackDriftStatus": "DRIFTED" if drifted else unknown,
            "DetectionStatus": "DETECTION_COMPLETE",
            "DriftedStackResourceCount": drifted,
            "Timestamp": now(),
        }
        return {"StackDriftDetectionId": stack.drift["StackDriftDetectionId"]}

    def describe_stack_drift_detection_status(self, values: Values, region: str) -> Answer:
        """How a detection ended; the last one of each stack is known."""
        wanted = values["StackDriftDetectionId"]
        for stack in self._stacks.all(region):
            if stack.drift.get("StackDriftDetectionId") == wanted:
                return stack.drift
        raise validation_error(f"Drift detection {wanted} does not exist")

    def detect_stack_resource_drift(self, values: Values, region: str) -> Answer:
        """Compare one resource."""
        stack = self._checked(values, region)
        resource = self._resource(stack, values["LogicalResourceId"])
        drift = self._detected(stack, resource)
        if drift is None:
            raise validation_error(
                f"Drift detection is not supported for {resource.type} by the local AWS"
            )
        return {"StackResourceDrift": drift}

    def describe_stack_resource_drifts(self, values: Values, region: str) -> Answer:
        """What was found of the resources that were checked, one page of it."""
        stack = found(self._stacks, values, region)
        wanted = values.get("StackResourceDriftStatusFilters")
        drifts = [
            each.drift
            for each in list(stack.version.resources.values())
            if each.drift and (not wanted or each.drift["StackResourceDriftStatus"] in wanted)
        ]
        shown, token = page(drifts, values.get("NextToken"))
        return {"StackResourceDrifts": shown, "NextToken": token}

    def _checked(self, values: Values, region: str) -> Stack:
        stack = found(self._stacks, values, region)
        if stack.status not in _CHECKED_IN:
            raise validation_error(
                f"Drift detection cannot be performed on stack [{stack.stack_id}] while it is in "
                f"{stack.status} state"
            )
        return stack

    def _resource(self, stack: Stack, logical_id: str) -> Resource:
        resource = stack.version.resources.get(logical_id)
        if resource is None:
            raise validation_error(f"Resource {logical_id} does not exist for stack {stack.name}")
        return resource

    def _detected(self, stack: Stack, resource: Resource) -> Drift | None:
        try:
            drift = drift_of(self._context, self._types, stack, resource)
        except (ClientError, BotoCoreError) as error:
            drift = {
                "StackId": stack.stack_id,
                "LogicalResourceId": resource.logical_id,
                "PhysicalResourceId": resource.physical_id,
                "ResourceType": resource.type,
                "StackResourceDriftStatus": "UNKNOWN",
                "DriftStatusReason": str(error),
                "Timestamp": now(),
            }
        resource.drift = drift or {}
        return drift

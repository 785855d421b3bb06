"""Stacks that are resources of other stacks."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from typing_extensions import override

from local_aws.resources.base import (
    POLL_SECONDS,
    Attributes,
    Cancelled,
    Provider,
    Request,
    ResourceFailed,
)
from local_aws.services.cloudformation.engine.deployment import DO_NOTHING
from local_aws.services.cloudformation.engine.operations import Operations
from local_aws.services.cloudformation.engine.refusals import validation_error
from local_aws.services.cloudformation.engine.stacks import (
    STACK_TYPE,
    ChangeSet,
    Stack,
    Stacks,
    Version,
)
from local_aws.services.cloudformation.engine.submissions import Submissions
from local_aws.services.cloudformation.stack_actions import USER_INITIATED, StackActions
from local_aws.template import Unknown, as_text

RESOURCES_LIMIT = 2500
"""Resources of all nested stacks of one operation (AWS CloudFormation quotas page)."""

_TO_ROLL_BACK = ("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "UPDATE_FAILED", "UPDATE_ROLLBACK_FAILED")
"""What a nested stack is in when its own update has ended and its parent rolls back."""


class NestedStack(Provider):
    """``AWS::CloudFormation::Stack``: Ref is the nested stack's id, ``Outputs.Name`` an output.

    A nested stack that cannot be made stays for its parent's rollback to delete; one that cannot
    be updated rolls back by itself; one that was updated keeps what the update replaced until its
    parent cleans up.
    """

    type_name = STACK_TYPE

    def __init__(
        self,
        stacks: Stacks,
        operations: Operations,
        submissions: Submissions,
        actions: StackActions,
    ) -> None:
        self._stacks = stacks
        self._operations = operations
        self._submissions = submissions
        self._actions = actions

    @override
    def create(self, request: Request) -> str:
        parent = self._stack(request.stack_id)
        account_id = request.context.account_id
        stack = self._stacks.add_nested(request.logical_id, parent, account_id)
        try:
            version = self._version(stack, parent, request.properties)
        except BaseException:
            self._stacks.remove(stack)
            raise
        if "TimeoutInMinutes" in request.properties:
            stack.settings["TimeoutInMinutes"] = int(request.properties["TimeoutInMinutes"])
        stack.settings["DeploymentConfig"] = parent.settings.get("DeploymentConfig")
        planned = _planned(stack, parent)
        self._actions.begin_create(stack, version, DO_NOTHING, parent.token, planned)
        return stack.stack_id

    @override
    def complete(self, request: Request) -> Attributes:
        stack = self._stack(request.physical_id)
        minutes = stack.settings.get("TimeoutInMinutes")
        limit = None if minutes is None else request.context.seconds(minutes * 60)
        self._wait(request, stack, "CREATE_IN_PROGRESS", limit)
        if stack.status != "CREATE_COMPLETE":
            raise _failure(request, stack, "created")
        return _attributes(stack)

    @override
    def update(self, request: Request) -> Attributes:
        stack, parent = self._stack(request.physical_id), self._stack(request.stack_id)
        version = self._version(stack, parent, request.properties)
        stack.settings["DeploymentConfig"] = parent.settings.get("DeploymentConfig")
        changes = not self._submissions.plan(stack, version).empty
        if changes or stack.status.endswith("_FAILED"):
            self._actions.begin_update(
                stack,
                version,
                disable_rollback=parent.disable_rollback,
                token=parent.token,
                change_set=_planned(stack, parent),
                held=True,
            )
        self._wait(request, stack, "UPDATE_IN_PROGRESS")
        if changes and stack.status != "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS":
            raise _failure(request, stack, "updated")
        return _attributes(stack)

    @override
    def restore(self, request: Request) -> Attributes:
        stack = self._stack(request.physical_id)
        if stack.stable is not None and stack.status in _TO_ROLL_BACK:
            token = self._stack(request.stack_id).token
            skip, stack.skipped = stack.skipped, []
            self._actions.begin_rollback(stack, _TO_ROLL_BACK, token, skip, held=True)
        self._wait(request, stack, "UPDATE_ROLLBACK_IN_PROGRESS")
        if stack.status in ("UPDATE_ROLLBACK_IN_PROGRESS", "UPDATE_ROLLBACK_FAILED"):
            raise _failure(request, stack, "updated")
        return _attributes(stack)

    @override
    def finish(self, request: Request) -> None:
        stack = self._stack(request.physical_id)
        final = stack.status.removesuffix("_CLEANUP_IN_PROGRESS")
        if final != stack.status:
            self._operations.start(stack, lambda deployment: deployment.clean_up(final))
            self._wait(request, stack, stack.status)

    @override
    def delete(self, request: Request) -> None:
        stack = self._stacks.find(request.physical_id, request.region)
        if stack is None or stack.status == "DELETE_COMPLETE":
            return
        in_use = self._operations.exports.in_use(stack)
        if in_use is not None:
            raise ResourceFailed(_embedded(stack, "deleted", in_use), code=None)
        parent = self._stack(request.stack_id)
        created_now = "ROLLBACK" in parent.status
        stack.begin(parent.token)
        stack.set_status("DELETE_IN_PROGRESS")
        self._operations.start(stack, lambda deployment: deployment.delete(created_now=created_now))
        self._wait(request, stack, "DELETE_IN_PROGRESS")
        if stack.status != "DELETE_COMPLETE":
            raise _failure(request, stack, "deleted")

    def _stack(self, stack_id: str) -> Stack:
        stack = self._stacks.find_by_id(stack_id)
        if stack is None:
            raise ResourceFailed(f"Stack [{stack_id}] does not exist", code="NotFound")
        return stack

    def _version(self, stack: Stack, parent: Stack, properties: Mapping[str, Any]) -> Version:
        """What the properties ask for. Raises AwsError ``ValidationError`` as CreateStack does."""
        version = self._submissions.version(stack, asked(properties, parent.version))
        self._submissions.plan(stack, version).refuse_missing_exports()
        refuse_circle(version, [each.version for each in self._above(stack)])
        family = [each for each in self._stacks.family(stack) if each is not stack]
        nested = [each.version for each in family if each.parent_id is not None]
        count = sum(len(each.template.resources) for each in (version, *nested))
        if count > RESOURCES_LIMIT:
            raise validation_error(
                f"Number of resources in nested stacks, {count}, is greater than maximum allowed, "
                f"{RESOURCES_LIMIT}"
            )
        return version

    def _above(self, stack: Stack) -> Iterator[Stack]:
        """The stacks that it is nested in."""
        parent = self._stacks.find_by_id(stack.parent_id or "")
        if parent is not None:
            yield parent
            yield from self._above(parent)

    def _wait(
        self, request: Request, stack: Stack, status: str, limit_seconds: float | None = None
    ) -> None:
        """Return once the stack is no longer in ``status``; stop it when its parent is stopped."""
        deadline = None if limit_seconds is None else time.monotonic() + limit_seconds
        late = False
        while stack.status == status and not self._operations.wait(stack, POLL_SECONDS):
            late = late or (deadline is not None and time.monotonic() > deadline)
            if request.stop.is_set() or late:
                self._operations.cancel(stack)
        if late:
            reason = "Stack creation time exceeded the specified timeout"
            raise ResourceFailed(_embedded(stack, "created", reason), code=None)


def refuse_circle(version: Version, above: Iterable[Version]) -> None:
    """Refuse what would never end: a template that is nested in itself with the same parameters.

    Raises AwsError ``ValidationError``.
    """
    if any((each.body, each.parameters) == (version.body, version.parameters) for each in above):
        raise validation_error(
            "Circular dependency between nested stacks: the template nests itself, with the same "
            "parameters"
        )


def asked(properties: Mapping[str, Any], parent: Version) -> dict[str, Any]:
    """A nested stack's properties as a request to make or update it, in its parent's name."""
    parameters = properties.get("Parameters") or {}
    request = {
        "TemplateURL": properties["TemplateURL"],
        "Parameters": [
            {"ParameterKey": key, "ParameterValue": _parameter(value)}
            for key, value in parameters.items()
        ],
        "Tags": properties.get("Tags", []),
        "NotificationARNs": properties.get("NotificationARNs", []),
        "Capabilities": parent.capabilities,
    }
    return request if parent.role_arn is None else {**request, "RoleARN": parent.role_arn}


def _parameter(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(_parameter(item) for item in value)
    return str(value) if isinstance(value, Unknown) else as_text(value)


def _attributes(stack: Stack) -> Attributes:
    return {"Outputs": {key: each.value for key, each in stack.version.outputs.items()}}


def _planned(stack: Stack, parent: Stack) -> ChangeSet | None:
    """The change set of the nested stack that belongs to the one that its parent carries out."""
    ours = (
        each
        for each in stack.change_sets.values()
        if each.active and parent.change_set_id and each.parent_id == parent.change_set_id
    )
    return next(ours, None)


def _failure(request: Request, stack: Stack, verb: str) -> Exception:
    """Why it did not become what its parent wants, as the nested stack's own history says.

    CloudFormation's words name the resources that failed. The first one's own reason is added: the
    CDK CLI reads nested histories too late to show it, as everything here is done at once.
    """
    if request.stop.is_set():
        return Cancelled()
    said = next(
        event
        for event in reversed(stack.events)
        if event.physical_id == stack.stack_id and event.reason not in (None, USER_INITIATED)
    )
    reason = f"{said.reason}{stack.first_failure() or ''}"
    embedded = _embedded(stack, verb, reason)
    if verb == "updated":
        embedded = (
            f"Embedded stack {stack.stack_id} was not successfully updated. Currently in "
            f"{said.status} with reason: {reason}"
        )
    return ResourceFailed(embedded, code=None)


def _embedded(stack: Stack, verb: str, reason: str) -> str:
    return f"Embedded stack {stack.stack_id} was not successfully {verb}: {reason}"

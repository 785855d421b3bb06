"""CloudFormation as a service: which part of it answers which action."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any
from uuid import uuid4

from typing_extensions import override

from local_aws import service
from local_aws.context import LocalContext
from local_aws.permissions.service import PassedRole, Refusal, ServicePermissions
from local_aws.permissions.sessions import RoleSession
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.protocol.validation import require_members
from local_aws.resources import ResourceTypes
from local_aws.resources.base import Attributes, Provider, Request
from local_aws.schemas import schema_of
from local_aws.services.cloudformation.change_set_actions import ChangeSetActions
from local_aws.services.cloudformation.cloud_control import CloudControl
from local_aws.services.cloudformation.drift_actions import DriftActions
from local_aws.services.cloudformation.engine.operations import Operations
from local_aws.services.cloudformation.engine.persistence import export_stacks, restore_stacks
from local_aws.services.cloudformation.engine.recovery import Recovered, recover
from local_aws.services.cloudformation.engine.refusals import validation_error
from local_aws.services.cloudformation.engine.stacks import Resource, Stack, Stacks
from local_aws.services.cloudformation.engine.submissions import Submissions
from local_aws.services.cloudformation.imports import Imports
from local_aws.services.cloudformation.nested_stacks import NestedStack
from local_aws.services.cloudformation.queries import Queries
from local_aws.services.cloudformation.stack_actions import StackActions
from local_aws.services.cloudformation.views import stack_summary
from local_aws.template import TemplateError


class CloudFormation(service.Service):
    """The local AWS's CloudFormation: stacks, change sets and what they deploy.

    Every call that a deployment makes goes through ``context``'s clients, to the gateway
    that serves this API too. ``types`` are what can be deployed. ``on_settled`` is called, from
    any thread, whenever an operation on a stack has ended.
    """

    def __init__(
        self,
        context: LocalContext,
        types: ResourceTypes,
        on_settled: Callable[[], None] = lambda: None,
    ) -> None:
        self._recovered: list[Recovered] = []
        self._types = types
        self._stacks = Stacks()
        self.cloud_control = CloudControl(context, types, self._stacks)
        self._operations = Operations(context, types, self._stacks, on_settled)
        submissions = Submissions(context, types, self._operations.exports)
        stack_actions = StackActions(context, self._stacks, self._operations, submissions)
        self._nested = NestedStack(self._stacks, self._operations, submissions, stack_actions)
        self._actions = service.offered(
            "cloudformation",
            stack_actions,
            ChangeSetActions(
                context,
                types,
                self._stacks,
                submissions,
                stack_actions,
                Imports(types, self._stacks),
            ),
            DriftActions(context, types, self._stacks),
            Queries(context.write_lock, self._stacks, self._operations, submissions),
        )

    name = "cloudformation"
    whole = True
    limits = (
        service.Limit(
            "macros, but for AWS::LanguageExtensions",
            "refused by name; [SAM templates](local-aws-apps.md#sam-templates) says what to do",
        ),
        service.Limit(
            "stack sets, generated templates, resource scans, hooks, the type registry",
            "refused by name",
        ),
        service.Limit("stack refactors, signals by SignalResource", "refused by name"),
        service.Limit("NotificationARNs", "kept and told; no event is sent to them"),
        service.Limit(
            "UpdatePolicy, CreationPolicy, the deletion policy Snapshot",
            "kept: no signal is waited for, and nothing holds what a snapshot would save",
        ),
        service.Limit(
            "Express mode",
            "does not wait for endpoints and inference components by which nothing else is made; "
            "deletions are waited for. Which resources AWS waits for is unverified",
        ),
        service.Limit(
            "early validation",
            "judges properties, of change sets; CreateStack, UpdateStack and DisableValidation are "
            "refused at once for what AWS fails later. Names that are taken, quotas and buckets "
            "that are not empty are not looked at",
        ),
        service.Limit(
            "aliases of stacks (SetAlias)",
            "a call that names one is judged as if it were the stack's name; the words of their "
            "errors are unverified",
        ),
        service.Limit("executed change sets", "the latest 20 of a stack are found; AWS keeps all"),
        service.Limit(
            "the role that CloudFormation is given",
            "its permissions are not judged; its trust policy is",
        ),
        service.Limit(
            "a custom resource whose function fails its three attempts",
            "fails the stack after the third; AWS waits for the whole timeout",
        ),
        service.Limit(
            "a deploy that kill -9 cut off",
            "is rolled back by the next `local up`; AWS is not killed",
        ),
    )
    warm_up = "list_stacks"
    permissions = ServicePermissions(
        prefix="cloudformation",
        resources={"StackName": "stack/{}/*"},
        denied=Refusal(code="AccessDenied", status=403),
        throttled=Refusal(code="Throttling", message="Rate exceeded"),
        passed_role=PassedRole(
            principal="cloudformation.amazonaws.com",
            parameters=("RoleARN",),
            operations=("Create", "Update", "Delete", "Continue", "Rollback", "Execute"),
            refusal=lambda arn: AwsError(
                "ValidationError", f"Role {arn} is invalid or cannot be assumed"
            ),
        ),
    )

    def actions(self) -> Mapping[str, service.Action]:
        """Every action that is offered, by the operation's name."""
        actions = {name: partial(_do, action) for name, action in self._actions.items()}
        return {**actions, "DescribeStacks": self._describe_stacks}

    def _describe_stacks(self, call: Call) -> dict[str, Any]:
        """Whoever works for a stack, as a custom resource's function, is not let wait for it."""
        waits = not (isinstance(call.caller, RoleSession) and call.caller.of_service)
        return _do(partial(self._actions["DescribeStacks"], waits=waits), call)

    def resource_types(self) -> Iterable[Provider]:
        """Nested stacks, and what the CDK counts itself by."""
        return (CdkMetadata(), self._nested)

    def check(self, call: Call) -> None:
        """Raise `AwsError` ValidationError when a member that must be given is not."""
        shape = call.model.input_shape
        if shape is not None:
            require_members(shape, call.parameters, "ValidationError")

    def check_elsewhere(self, call: Call, *, is_here: bool) -> None:
        """Raise `AwsError` for a call that would need what a stack only keeps, naming that.

        Of a service that is not here, that is every call; of any other, one that names what is
        kept.
        """
        if call.service != self.name and call.model is not None:
            refuse_for_kept(self._stacks, self._types, call, is_here=is_here)

    def export_state(self) -> list[dict[str, Any]]:
        """Every stack, event, export and change set, as JSON has them."""
        return export_stacks(self._stacks)

    def restore_state(self, state: Any) -> None:
        """Hold what `export_state` gave; `recover` settles what was in progress."""
        restore_stacks(self._stacks, state)

    def recover(self, ended: str) -> None:
        """Settle the stacks that the process before left in progress, in the background.

        ``ended`` says how that process ended, for the stacks' reasons: "was killed".
        """
        self._recovered = recover(self._stacks, self._operations, ended)

    def status(self) -> dict[str, object]:
        """``stacks``, the living ones of every region, oldest first; ``recovered``, those that
        were found in progress at the start."""
        return {
            "stacks": [
                stack_summary(stack)
                for stack in self._stacks.every()
                if stack.status != "DELETE_COMPLETE"
            ],
            "recovered": [asdict(each) for each in self._recovered],
        }

    def stop(self) -> None:
        """End the operations under way and their threads; stacks stay as they are."""
        self._operations.close()


def _do(action: Callable[[Mapping[str, Any], str], dict[str, Any]], call: Call) -> dict[str, Any]:
    try:
        return action(call.parameters, call.region)
    except TemplateError as error:
        raise validation_error(str(error)) from None


def refuse_for_kept(stacks: Stacks, types: ResourceTypes, call: Call, *, is_here: bool) -> None:
    """Raise `AwsError` for a call that would need what a stack of its region only keeps.

    ``is_here``: the local AWS brings the call's service; of one that it does not, and of which no
    type is carried out, that is every call.
    """
    kept = list(_kept(stacks, call))
    if not kept:
        return
    named = set(_texts(call.parameters))
    for stack, resource in kept:
        partly = is_here or types.carries_out(resource.type.split("::")[1])
        if not partly or _names(resource, call.region) & named:
            raise AwsError(
                "InvalidAction" if call.protocol == "query" else "UnknownOperationException",
                f"the local AWS does not offer {call.operation} of {call.service}: of stack "
                f"{stack.name} it only keeps {resource.logical_id} ({resource.type}), and does "
                "nothing by it",
            )


def _kept(stacks: Stacks, call: Call) -> Iterator[tuple[Stack, Resource]]:
    """Every resource of the call's service that is nothing but kept."""
    found = [
        (stack, resource)
        for stack in stacks.living(call.region)
        for resource in list(stack.version.resources.values())
        if resource.kept and Provider.whole in resource.kept
    ]
    if not found:
        return
    metadata = call.model.service_model.metadata
    names = {call.service, metadata.get("endpointPrefix"), metadata.get("signingName")}
    for stack, resource in found:
        schema = schema_of(resource.type, call.region)
        if schema is not None and schema.service_prefix in names:
            yield stack, resource


def _names(resource: Resource, region: str) -> set[str]:
    """By what a call may name it: its ARNs and its id, but no part of that which names another.

    An ``…Id`` that a template gives is another's: a gateway's, in what associates it.
    """
    schema = schema_of(resource.type, region)
    own = {value for value in resource.attributes.values() if isinstance(value, str)}
    names = () if schema is None else schema.identifier
    if len(names) == 1 and not names[0].endswith("Id"):
        own.add(str(resource.properties.get(names[0], "")))
    ids = {resource.physical_id, *resource.physical_id.split("|")} & own
    return (ids | {text for text in own if text.startswith("arn:")}) - {""}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if _is_list(value) else ():
        yield from _texts(item)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


class CdkMetadata(Provider):
    """``AWS::CDK::Metadata``: what the CDK counts itself by."""

    type_name = "AWS::CDK::Metadata"

    @override
    def create(self, request: Request) -> str:
        return str(uuid4())

    @override
    def update(self, request: Request) -> Attributes:
        return {}

    @override
    def delete(self, request: Request) -> None:
        return None

"""The API's actions on change sets: plan a deployment, show it, carry it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from uuid import uuid4

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.resources import ResourceTypes
from local_aws.resources.base import physical_name
from local_aws.services.cloudformation.engine.changes import Change, Plan
from local_aws.services.cloudformation.engine.deployment import DO_NOTHING, ROLLBACK
from local_aws.services.cloudformation.engine.drift import as_found
from local_aws.services.cloudformation.engine.refusals import (
    PropertiesRefused,
    PropertyProblem,
    Refused,
    validation_error,
)
from local_aws.services.cloudformation.engine.stacks import (
    NAME_CHARACTERS,
    REVIEW_IN_PROGRESS,
    STACK_TYPE,
    ChangeSet,
    Stack,
    Stacks,
    Version,
    now,
)
from local_aws.services.cloudformation.engine.submissions import Submissions
from local_aws.services.cloudformation.engine.transforms import TransformFailed
from local_aws.services.cloudformation.imports import Imports
from local_aws.services.cloudformation.nested_stacks import asked, refuse_circle
from local_aws.services.cloudformation.requests import (
    Answer,
    Values,
    check_name,
    check_options,
    check_updatable,
    find_change_set,
    found,
    found_change_set,
    rollback_disabled,
    settings,
)
from local_aws.services.cloudformation.stack_actions import USER_INITIATED, StackActions
from local_aws.services.cloudformation.views import change_set_view, page
from local_aws.template import Unknown

NO_CHANGES = (
    "The submitted information didn't contain changes. "
    "Submit different information to create a change set."
)


REVERT_DRIFT = "REVERT_DRIFT"

_INVALID = (
    "The following hook(s)/validation failed: [AWS::EarlyValidation::PropertyValidation]. To "
    "troubleshoot Early Validation errors, use the DescribeEvents API for detailed failure "
    "information."
)
"""As reported of another validation (aws/aws-cdk-cli#1000)."""


class ChangeSetActions:
    """Each method is an action. A change set is planned while it is created."""

    def __init__(
        self,
        context: LocalContext,
        types: ResourceTypes,
        stacks: Stacks,
        submissions: Submissions,
        stack_actions: StackActions,
        imports: Imports,
    ) -> None:
        self._as_found = partial(as_found, context, types)
        self._imports = imports
        self._account_id = context.account_id
        self._stacks = stacks
        self._submissions = submissions
        self._stack_actions = stack_actions

    def create_change_set(self, values: Values, region: str) -> Answer:
        """Plan a deployment.

        One that would change nothing, whose transforms fail, or in whose properties early
        validation finds a fault, is kept as FAILED, as AWS does. With DisableValidation such
        properties are refused at once; AWS fails their deployment.
        """
        check_options(values)
        stack, is_new = self._target(values, region)
        try:
            change_set = self._planned(stack, values)
        except BaseException:
            if is_new:
                self._stacks.remove(stack)
            raise
        if is_new:
            _review(stack, values)
        stack.change_sets[change_set.change_set_id] = change_set
        return {"Id": change_set.change_set_id, "StackId": stack.stack_id}

    def describe_change_set(self, values: Values, region: str) -> Answer:
        """The change set and one page of its changes."""
        stack, change_set = found_change_set(self._stacks, values, region)
        changes, token = page(change_set.changes, values.get("NextToken"))
        view = change_set_view(stack, change_set)
        if not values.get("IncludePropertyValues"):
            changes = [_without_values(change) for change in changes]
        elif change_set.missing_values is not None:
            view["StatusReason"] = change_set.missing_values
        return {**view, "Changes": changes, "NextToken": token}

    def execute_change_set(self, values: Values, region: str) -> Answer:
        """Start the deployment that the change set planned."""
        stack, change_set = found_change_set(self._stacks, values, region)
        if change_set.execution_status != "AVAILABLE":
            state = f"status of [{change_set.status}]"
            if change_set.status == "CREATE_COMPLETE":
                state = f"execution status of [{change_set.execution_status}]"
            raise AwsError(
                "InvalidChangeSetStatus",
                f"ChangeSet [{change_set.change_set_id}] cannot be executed in its current {state}",
            )
        if change_set.parent_id is not None:
            raise validation_error(
                f"ChangeSet [{change_set.change_set_id}] is nested and cannot be executed by "
                f"itself; execute its root [{change_set.root_id}]"
            )
        token = values.get("ClientRequestToken")
        config = change_set.settings.get("DeploymentConfig")
        disable_rollback = rollback_disabled(values, config)
        stack.settings |= change_set.settings
        version = _apart(change_set.version)
        if change_set.type == "CREATE":
            chosen = change_set.on_failure or (DO_NOTHING if disable_rollback else ROLLBACK)
            self._stack_actions.begin_create(stack, version, chosen, token, change_set)
        elif change_set.type == "IMPORT":
            self._stack_actions.begin_import(stack, version, token, change_set)
        else:
            reverts_drift = change_set.settings.get("DeploymentMode") == REVERT_DRIFT
            self._stack_actions.begin_update(
                stack,
                version,
                disable_rollback=disable_rollback,
                token=token,
                change_set=change_set,
                drifted=self._as_found(stack) if reverts_drift else None,
            )
        return {}

    def delete_change_set(self, values: Values, region: str) -> Answer:
        """Forget a change set, with all that are nested in one another; one that does not exist
        is forgotten already."""
        known = find_change_set(self._stacks, values, region)
        if known is not None:
            stack, change_set = known
            stack.change_sets.pop(change_set.change_set_id, None)
            if change_set.include_nested:
                self._delete_nested(stack, change_set.root_id or change_set.change_set_id)
        return {}

    def _delete_nested(self, stack: Stack, root_id: str) -> None:
        for each in self._stacks.family(stack):
            for one in list(each.change_sets.values()):
                if root_id in (one.change_set_id, one.root_id):
                    del each.change_sets[one.change_set_id]
            planned = each.parent_id is not None and each.status == REVIEW_IN_PROGRESS
            if planned and not each.change_sets:
                self._stacks.remove(each)

    def list_change_sets(self, values: Values, region: str) -> Answer:
        """The stack's change sets that were not carried out, without their changes."""
        stack = found(self._stacks, values, region)
        views = [
            change_set_view(stack, each) for each in list(stack.change_sets.values()) if each.active
        ]
        summaries, token = page(views, values.get("NextToken"))
        return {"Summaries": summaries, "NextToken": token}

    def _target(self, values: Values, region: str) -> tuple[Stack, bool]:
        """The stack that the change set is for, made in review when it is to be created."""
        name = values["StackName"]
        with self._stacks.lock:
            stack = self._stacks.find(name, region)
            kind = values.get("ChangeSetType", "UPDATE")
            there = stack is not None and stack.status != REVIEW_IN_PROGRESS
            if kind == "UPDATE" or (kind == "IMPORT" and there):
                stack = found(self._stacks, values, region)
                check_updatable(stack)
                return stack, False
            if stack is None:
                check_name(name)
                return self._stacks.add(name, region, self._account_id), True
        if stack.status != REVIEW_IN_PROGRESS:
            raise validation_error(
                f"Stack [{name}] already exists and cannot be created again with the "
                f"changeSet [{values['ChangeSetName']}]."
            )
        return stack, False

    def _planned(
        self, stack: Stack, values: Values, above: tuple[ChangeSet, ...] = ()
    ) -> ChangeSet:
        """``above`` are those that it is nested in, the root first."""
        name = values["ChangeSetName"]
        if any(each.active and each.name == name for each in list(stack.change_sets.values())):
            raise AwsError("AlreadyExistsException", f"ChangeSet {name} already exists")
        kind, imported = values.get("ChangeSetType", "UPDATE"), {}
        invalid: Sequence[PropertyProblem] = ()
        now_there = stack
        if values.get("DeploymentMode") == REVERT_DRIFT:
            resources = {**stack.version.resources, **self._as_found(stack)}
            now_there = replace(stack, version=replace(stack.version, resources=resources))
        try:
            version = self._submissions.version(now_there, values)
            refuse_circle(version, [each.version for each in above])
            plan, reason = self._submissions.plan(now_there, version), None
            if kind == "IMPORT":
                imported = self._imports.identified(
                    stack, version, plan, values.get("ResourcesToImport", [])
                )
        except TransformFailed as error:
            version, plan, reason = self._submissions.asked(stack, values), Plan(), str(error)
        except PropertiesRefused as error:
            if values.get("DisableValidation"):
                raise
            version, plan, reason = self._submissions.asked(stack, values), Plan(), _INVALID
            invalid = error.problems
        except Refused as error:
            if not above:
                raise
            version, plan, reason = Version(), Plan(), str(error)
        change_set = ChangeSet(
            name,
            arn_in(stack.region, "cloudformation", self._account_id, f"changeSet/{name}/{uuid4()}"),
            kind,
            _apart(version),
            _described(plan),
            now(),
            description=values.get("Description"),
            on_failure=values.get("OnStackFailure"),
            settings=settings(values),
            missing_values=_missing_values(plan),
            include_nested=values.get("IncludeNestedStacks", False),
            imported=imported,
            invalid=list(invalid),
        )
        if above:
            change_set.parent_id = above[-1].change_set_id
            change_set.root_id = above[0].change_set_id
        if change_set.include_nested:
            reason = self._nest(stack, (*above, change_set), plan) or reason
        nothing = not (change_set.changes or plan.outputs_change or plan.settings_change)
        if nothing and kind == "UPDATE":
            reason = reason or NO_CHANGES
        if reason is not None:
            change_set.status, change_set.execution_status = "FAILED", "UNAVAILABLE"
            change_set.reason = reason
        return change_set

    def _nest(self, stack: Stack, above: tuple[ChangeSet, ...], plan: Plan) -> str | None:
        """Plan what is nested, each by a change set of its own; why that fails, or None.

        A nested stack in which nothing changes is left out; one whose template is yet to be made
        known is planned without.
        """
        failed, change_set = None, above[-1]
        for change, described in zip(plan.changes, list(change_set.changes), strict=True):
            if change.wanted is None or change.wanted.type != STACK_TYPE:
                continue
            if isinstance(change.wanted.properties["TemplateURL"], Unknown):
                continue
            child = self._child(stack, change)
            nested = self._nested(stack, child, above, change)
            if nested is None:
                if change.differs is not None and not change.differs.properties:
                    change_set.changes.remove(described)
                continue
            described["ResourceChange"]["ChangeSetId"] = nested.change_set_id
            described["ResourceChange"]["PhysicalResourceId"] = child.stack_id
            if nested.status == "FAILED" and failed is None:
                failed = (
                    f"Nested change set {nested.change_set_id} was not successfully created: "
                    "Currently in FAILED."
                )
        return failed

    def _child(self, stack: Stack, change: Change) -> Stack:
        """The nested stack that a change is of, made in review where there is none."""
        assert change.wanted is not None
        there = None
        if change.current is not None:
            there = self._stacks.find_by_id(change.current.physical_id)
        return there or self._stacks.add_nested(change.wanted.logical_id, stack, self._account_id)

    def _nested(
        self, stack: Stack, child: Stack, above: tuple[ChangeSet, ...], change: Change
    ) -> ChangeSet | None:
        """The change set of one nested stack, None where nothing changes in it."""
        assert change.wanted is not None
        is_new = child.status == REVIEW_IN_PROGRESS
        values = {
            **asked(change.wanted.properties, above[-1].version),
            "ChangeSetName": physical_name(
                above[-1].name, change.wanted.logical_id, NAME_CHARACTERS
            ),
            "ChangeSetType": "CREATE" if is_new else "UPDATE",
            "IncludeNestedStacks": True,
        }
        nested = self._planned(child, values, above)
        if nested.reason == NO_CHANGES:
            return None
        if is_new and not child.events:
            _review(child, {"ClientToken": stack.token})
        child.change_sets[nested.change_set_id] = nested
        return nested


def _review(stack: Stack, values: Values) -> None:
    stack.begin(values.get("ClientToken"))
    stack.set_status(REVIEW_IN_PROGRESS, USER_INITIATED)


def _described(plan: Plan) -> list[dict[str, object]]:
    return [change.described(with_values=True) for change in plan.changes]


def _missing_values(plan: Plan) -> str | None:
    """Why some property values are not known, in CloudFormation's words."""
    if not plan.missing_exports:
        return None
    reasons = [
        f"ChangeSet creation failed for resource [{logical_id}] because: No export named {name}"
        for logical_id, name in plan.missing_exports
    ]
    return (
        "[WARN] --include-property-values option can return incomplete ChangeSet data because: "
        + ", ".join(reasons)
    )


def _without_values(change: dict[str, object]) -> dict[str, object]:
    """A change as it is shown unless property values were asked for."""
    described = dict(change["ResourceChange"])  # type: ignore[call-overload]
    hidden = ("BeforeContext", "AfterContext")
    target_hidden = ("BeforeValue", "AfterValue", "AttributeChangeType")
    details = [
        {**detail, "Target": {k: v for k, v in detail["Target"].items() if k not in target_hidden}}
        for detail in described["Details"]
    ]
    kept = {name: value for name, value in described.items() if name not in hidden}
    return {**change, "ResourceChange": {**kept, "Details": details}}


def _apart(version: Version) -> Version:
    """The version without what belongs to the stack as it is now."""
    return Version(
        version.body,
        version.parameters,
        version.tags,
        capabilities=version.capabilities,
        notification_arns=version.notification_arns,
        role_arn=version.role_arn,
        processed=version.processed,
    )

"""The API's actions on stacks: create, update, delete, roll back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.services.cloudformation.engine.operations import Operations
from local_aws.services.cloudformation.engine.refusals import validation_error
from local_aws.services.cloudformation.engine.stacks import (
    REVIEW_IN_PROGRESS,
    STACK_TYPE,
    ChangeSet,
    Resource,
    Stack,
    Stacks,
    Version,
)
from local_aws.services.cloudformation.engine.submissions import Submissions
from local_aws.services.cloudformation.requests import (
    Answer,
    Values,
    check_name,
    check_options,
    check_updatable,
    found,
    on_failure,
    rollback_disabled,
    settings,
)

USER_INITIATED = "User Initiated"
_UNDELETABLE = "Stack [{}] cannot be deleted while in status {}"


class StackActions:
    """Each method is an action: it starts the operation and answers at once."""

    def __init__(
        self,
        context: LocalContext,
        stacks: Stacks,
        operations: Operations,
        submissions: Submissions,
    ) -> None:
        self._account_id = context.account_id
        self._stacks = stacks
        self._operations = operations
        self._submissions = submissions

    def create_stack(self, values: Values, region: str) -> Answer:
        """Judge the template, then make the stack; one that is in review is made without it."""
        name = values["StackName"]
        check_name(name)
        check_options(values)
        failing = on_failure(values)
        with self._stacks.lock:
            known = self._stacks.find(name, region)
            if known is not None and known.status != REVIEW_IN_PROGRESS:
                raise AwsError("AlreadyExistsException", f"Stack [{name}] already exists")
            stack = known or self._stacks.add(name, region, self._account_id)
        try:
            version = self._submissions.version(stack, values)
            self._submissions.plan(stack, version).refuse_missing_exports()
        except BaseException:
            if known is None:
                self._stacks.remove(stack)
            raise
        stack.termination_protection = values.get("EnableTerminationProtection", False)
        stack.settings = settings(values)
        self.begin_create(stack, version, failing, values.get("ClientRequestToken"))
        return {"StackId": stack.stack_id}

    def update_stack(self, values: Values, region: str) -> Answer:
        """Judge the template, then bring the stack to it; refuse when nothing changes."""
        check_options(values)
        stack = found(self._stacks, values, region)
        check_updatable(stack)
        version = self._submissions.version(stack, values)
        plan = self._submissions.plan(stack, version)
        plan.refuse_missing_exports()
        if plan.empty:
            raise validation_error("No updates are to be performed.")
        stack.settings |= settings(values)
        self.begin_update(
            stack,
            version,
            disable_rollback=rollback_disabled(values, values.get("DeploymentConfig")),
            token=values.get("ClientRequestToken"),
        )
        return {"StackId": stack.stack_id}

    def delete_stack(self, values: Values, region: str) -> Answer:
        """Delete the stack, in the middle of its create too; one that does not exist is deleted."""
        stack = self._stacks.find(values["StackName"], region)
        if stack is None or stack.status.startswith("DELETE_COMPLETE"):
            return {}
        root = self._stacks.find_by_id(stack.root_id or stack.stack_id) or stack
        if root.termination_protection:
            raise validation_error(
                f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled"
            )
        retain = values.get("RetainResources", [])
        creating = stack.status == "CREATE_IN_PROGRESS"
        if creating:
            self._operations.abandon(stack)
        with self._stacks.lock:
            if stack.status == "DELETE_IN_PROGRESS":
                return {}
            if stack.busy and not creating:
                raise validation_error(_UNDELETABLE.format(stack.name, stack.status))
            before = stack.status
            stack.retained = list(retain)
            stack.settings |= settings(values)
            stack.begin(values.get("ClientRequestToken"))
            stack.set_status("DELETE_IN_PROGRESS", USER_INITIATED)
        self._stacks.remove_planned(stack)
        in_use = self._operations.exports.in_use(stack)
        if in_use is not None:
            stack.set_status(before, in_use)
        elif before == REVIEW_IN_PROGRESS:
            stack.set_status("DELETE_COMPLETE")
        else:
            self._operations.start(stack, lambda deployment: deployment.delete(retain))
        return {}

    def cancel_update_stack(self, values: Values, region: str) -> Answer:
        """Stop an update; it rolls back."""
        stack = found(self._stacks, values, region)
        if stack.status != "UPDATE_IN_PROGRESS":
            raise validation_error(
                f"CancelUpdateStack cannot be called from current stack status {stack.status}"
            )
        self._operations.cancel(stack)
        return {}

    def rollback_stack(self, values: Values, region: str) -> Answer:
        """Roll back what failed with its rollback disabled; never what Express mode deployed.

        (aws/aws-cdk-cli#1970; AWS's words are not known.)
        """
        stack = found(self._stacks, values, region)
        if stack.express:
            raise validation_error(
                f"Stack:{stack.stack_id} was deployed in Express mode and can not be rolled back; "
                "update it to what was deployed before"
            )
        token = values.get("ClientRequestToken")
        if stack.status == "CREATE_FAILED":
            self._begin(stack, "ROLLBACK_IN_PROGRESS", ("CREATE_FAILED",), token)
            self._operations.start(stack, lambda deployment: deployment.rollback_create())
        else:
            self.begin_rollback(stack, ("UPDATE_FAILED",), token)
        return {"StackId": stack.stack_id}

    def continue_update_rollback(self, values: Values, region: str) -> Answer:
        """Try a failed rollback again; ResourcesToSkip are left as they are.

        Those of a nested stack are ``NestedStackName.LogicalId``. ForceRollback leaves all whose
        rollback has failed, of nested stacks, too.
        """
        stack = found(self._stacks, values, region)
        skip = values.get("ResourcesToSkip", [])
        if values.get("ForceRollback"):
            if skip:
                raise validation_error("ForceRollback and ResourcesToSkip cannot both be given")
            skip = [
                f"{each.name}.{resource.logical_id}"
                for each in self._stacks.family(stack)
                for resource in list(each.version.resources.values())
                if resource.status == "UPDATE_FAILED" and resource.type != STACK_TYPE
            ]
        resources = {
            f"{each.name}.{logical_id}": (each, logical_id)
            for each in self._stacks.family(stack)
            for logical_id in each.version.resources
        }
        named = {name: name if "." in name else f"{stack.name}.{name}" for name in skip}
        unknown = [name for name, whole in named.items() if whole not in resources]
        if unknown:
            raise validation_error(f"ResourcesToSkip names no resource: [{', '.join(unknown)}]")
        for each, logical_id in (resources[whole] for whole in named.values()):
            each.skipped.append(logical_id)
        skipped, stack.skipped = stack.skipped, []
        token = values.get("ClientRequestToken")
        self.begin_rollback(stack, ("UPDATE_ROLLBACK_FAILED",), token, skipped)
        return {}

    def update_termination_protection(self, values: Values, region: str) -> Answer:
        """Set whether DeleteStack is refused."""
        stack = found(self._stacks, values, region)
        if stack.parent_id is not None:
            raise validation_error(
                "Termination protection of a nested stack is that of its root stack "
                f"{stack.root_id}; set it there"
            )
        stack.termination_protection = values["EnableTerminationProtection"]
        return {"StackId": stack.stack_id}

    def set_alias(self, values: Values, region: str) -> Answer:
        """Give a stack another name, which is found wherever its own is."""
        name = values["AliasName"]
        check_name(name)
        with self._stacks.lock:
            stack = found(self._stacks, values, region)
            if stack.alias is not None:
                raise AwsError(
                    "LimitExceededException",
                    f"Stack [{stack.name}] has the alias [{stack.alias}]; remove it first",
                )
            if self._stacks.find(name, region) is not None:
                raise AwsError("AlreadyExistsException", f"Stack or alias [{name}] already exists")
            stack.alias = name
        return {}

    def remove_alias(self, values: Values, region: str) -> Answer:
        """Take the other name from the stack that has it."""
        name = values["AliasName"]
        with self._stacks.lock:
            stack = self._stacks.find(name, region)
            if stack is None or stack.alias != name:
                raise validation_error(f"Alias [{name}] does not exist")
            stack.alias = None
        return {}

    def begin_create(
        self,
        stack: Stack,
        version: Version,
        on_failure: str,
        token: str | None,
        change_set: ChangeSet | None = None,
    ) -> None:
        """Start making a stack whose version has been judged, by a change set or without."""
        with self._stacks.lock:
            _check_status(stack, (REVIEW_IN_PROGRESS,))
            stack.carry_out(version, change_set)
            self._begin(stack, "CREATE_IN_PROGRESS", (REVIEW_IN_PROGRESS,), token)
        stack.on_failure = on_failure
        stack.disable_rollback = on_failure == "DO_NOTHING" and stack.parent_id is None
        self._operations.start(stack, lambda deployment: deployment.create(on_failure))

    def begin_update(
        self,
        stack: Stack,
        version: Version,
        *,
        disable_rollback: bool,
        token: str | None,
        change_set: ChangeSet | None = None,
        held: bool = False,
        drifted: Mapping[str, Resource] | None = None,
    ) -> None:
        """Start bringing a stack to a version that has been judged, by a change set or without.

        ``held``: for its parent, which says when it is to clean up, and updates it in any state.
        ``drifted`` are resources as they are now; a rollback goes back to what they were to be.
        """
        self._carry_out(stack, version, "UPDATE_IN_PROGRESS", token, change_set, always=held)
        version.resources.update(drifted or {})
        stack.disable_rollback = disable_rollback
        self._operations.start(
            stack,
            lambda deployment: deployment.update(disable_rollback=disable_rollback),
            held=held,
        )

    def begin_import(
        self, stack: Stack, version: Version, token: str | None, change_set: ChangeSet
    ) -> None:
        """Start taking what a change set imports into a stack, new or not."""
        new = stack.status == REVIEW_IN_PROGRESS
        self._carry_out(stack, version, "IMPORT_IN_PROGRESS", token, change_set, always=new)
        imported = dict(change_set.imported)
        self._operations.start(stack, lambda deployment: deployment.take_in(imported))

    def _carry_out(
        self,
        stack: Stack,
        version: Version,
        status: str,
        token: str | None,
        change_set: ChangeSet | None,
        *,
        always: bool,
    ) -> None:
        """Give a stack another version; a rollback returns to the one it has.

        ``always``: whatever state it is in.
        """
        with self._stacks.lock:
            if not always:
                check_updatable(stack)
            was, old = stack.status, stack.version
            if stack.stable is None:
                stack.stable = Version() if was == "CREATE_FAILED" else old.copy()
            version.resources, version.outputs, version.imports = (
                old.resources,
                old.outputs,
                old.imports,
            )
            stack.carry_out(version, change_set)
            self._begin(stack, status, (was,), token)

    def begin_rollback(
        self,
        stack: Stack,
        from_statuses: tuple[str, ...],
        token: str | None,
        skip: Iterable[str] = (),
        *,
        held: bool = False,
    ) -> None:
        """Start bringing a stack back to its stable version; ``held`` as for an update."""
        self._begin(stack, "UPDATE_ROLLBACK_IN_PROGRESS", from_statuses, token)
        self._operations.start(
            stack, lambda deployment: deployment.rollback_update(skip), held=held
        )

    def _begin(
        self, stack: Stack, status: str, from_statuses: tuple[str, ...], token: str | None
    ) -> None:
        """Move the stack to its first state, if it is in one that allows it."""
        with self._stacks.lock:
            _check_status(stack, from_statuses)
            stack.begin(token)
            stack.set_status(status, USER_INITIATED)


def _check_status(stack: Stack, allowed: tuple[str, ...]) -> None:
    if stack.status not in allowed:
        raise validation_error(
            f"Stack:{stack.stack_id} is in {stack.status} state and can not be updated."
        )

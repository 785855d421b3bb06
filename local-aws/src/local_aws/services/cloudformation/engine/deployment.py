"""What happens to a stack: create, update, roll back, delete, each through its states.

A deployment works on ``stack.version``; ``stack.stable`` is where a rollback goes
back to. Which resources a rollback must restore or delete is read from the two,
so that a rollback can also be begun later or again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from threading import Event
from typing import Any

from local_aws.context import LocalContext
from local_aws.resources import ResourceTypes
from local_aws.resources.base import Cancelled, Provider
from local_aws.schemas import is_custom
from local_aws.services.cloudformation.engine.blueprint import Blueprint, Existing
from local_aws.services.cloudformation.engine.changes import difference
from local_aws.services.cloudformation.engine.checks import attribute_problems, only_kept
from local_aws.services.cloudformation.engine.exports import Exports
from local_aws.services.cloudformation.engine.graph import Graph, run
from local_aws.services.cloudformation.engine.names import Surroundings
from local_aws.services.cloudformation.engine.refusals import Refused
from local_aws.services.cloudformation.engine.stacks import (
    STACK_TYPE,
    Resource,
    Stack,
    Version,
    kept_of,
)
from local_aws.services.cloudformation.engine.steps import StepFailed, Steps, reason_of

DO_NOTHING, ROLLBACK, DELETE = "DO_NOTHING", "ROLLBACK", "DELETE"
"""What to do when a create fails, as CreateStack's OnFailure names it."""

_SKIPPED = "Resource skipped during UpdateRollback"

_NO_REPLACEMENT = "Replacement type updates not supported on stack with disable-rollback."
"""As users of SAM are told (aws/aws-sam-cli#4585)."""

_log = logging.getLogger(__name__)


class Deployment:
    """One operation on one stack; each public method runs it to its end.

    The caller has moved the stack to its first state already. When ``cancel`` or
    ``close`` is called from another thread, waiting steps end with ``Cancelled``; after
    ``close`` nothing more is done, and the stack stays in the state it is in. ``held``: it ends
    where the cleanup would begin, as its parent's rollback may have to bring back what that
    deletes.
    """

    def __init__(
        self,
        context: LocalContext,
        types: ResourceTypes,
        stack: Stack,
        exports: Exports,
        *,
        held: bool = False,
    ) -> None:
        self._context = context
        self._types = types
        self._stack = stack
        self._exports = exports
        self._steps = Steps(context, types, stack)
        self._held = held
        self._imported: Mapping[str, str] = {}
        self._closing = False
        self._abandoned = False

    def create(self, on_failure: str) -> None:
        """Make every resource of the stack's version."""
        reason = self._deploy("create")
        if self._abandoned:
            return
        if reason is None:
            self._stack.set_status("CREATE_COMPLETE")
        elif on_failure == ROLLBACK:
            reason = f"{reason.rstrip()} Rollback requested by user."
            self._stack.set_status("ROLLBACK_IN_PROGRESS", reason)
            self.rollback_create()
        elif on_failure == DELETE:
            reason = f"{reason.rstrip()} Delete requested by user."
            self._stack.set_status("DELETE_IN_PROGRESS", reason)
            self.delete(created_now=True)
        else:
            self._stack.set_status("CREATE_FAILED", reason)

    def rollback_create(self) -> None:
        """Delete what a failed create has made."""
        self._renew()
        reason = self._delete_all(created_now=True)
        if reason is None:
            self._stack.set_status("ROLLBACK_COMPLETE")
        else:
            self._stack.set_status("ROLLBACK_FAILED", reason)

    def update(self, *, disable_rollback: bool) -> None:
        """Bring the stack from its stable version to its version; clean up after."""
        reason = self._deploy("update")
        if reason is None:
            self._settle("UPDATE_COMPLETE")
        elif disable_rollback:
            self._stack.set_status("UPDATE_FAILED", reason)
        else:
            self._stack.set_status("UPDATE_ROLLBACK_IN_PROGRESS", reason)
            self.rollback_update()

    def take_in(self, imported: Mapping[str, str]) -> None:
        """Take resources that exist already into the stack, by their physical ids."""
        self._imported = imported
        reason = self._deploy("import")
        if reason is None:
            self._stack.stable = None
            self._stack.set_status("IMPORT_COMPLETE")
        else:
            self._stack.set_status("IMPORT_ROLLBACK_IN_PROGRESS", reason)
            self.rollback_import()

    def rollback_import(self) -> None:
        """Let go of what an import took in; it stays as it is."""
        stack = self._stack
        assert stack.stable is not None
        for logical_id in stack.version.resources.keys() - stack.stable.resources.keys():
            taken = stack.version.resources[logical_id]
            stack.set_resource_status(taken, "IMPORT_ROLLBACK_COMPLETE")
        stack.version, stack.stable = stack.stable, None
        stack.set_status("IMPORT_ROLLBACK_COMPLETE")

    def rollback_update(self, skip: Iterable[str] = ()) -> None:
        """Bring the stack back to its stable version, then delete what the update made.

        ``skip`` are logical ids that are left as they are and taken for restored.
        """
        self._renew()
        stack = self._stack
        assert stack.stable is not None
        target, current = stack.stable.copy(), dict(stack.version.resources)
        skipped = set(skip)

        def restore(logical_id: str) -> None:
            self._restore(target, current.get(logical_id), logical_id, logical_id in skipped)

        failures = self._run(_graph(target.resources.values()), restore)
        if failures:
            stack.set_status("UPDATE_ROLLBACK_FAILED", _failed("update", failures))
            return
        kept = {resource.physical_id for resource in target.resources.values()}
        made = [*stack.obsolete, *current.values()]
        stack.obsolete = [each for each in made if each.physical_id not in kept]
        stack.version = target
        self._settle("UPDATE_ROLLBACK_COMPLETE")

    def delete(self, retain: Iterable[str] = (), *, created_now: bool = False) -> None:
        """Delete every resource, then the stack; ``retain`` are logical ids to let go of."""
        self._renew()
        reason = self._delete_all(retained=frozenset(retain), created_now=created_now)
        if reason is None:
            self._stack.set_status("DELETE_COMPLETE")
        else:
            self._stack.set_status("DELETE_FAILED", reason)

    def clean_up(self, final_status: str) -> None:
        """Delete what an update or its rollback left, then ``final_status``; a failure here fails
        nothing."""
        stack = self._stack
        rolling_back = final_status != "UPDATE_COMPLETE"

        def retained(resource: Resource) -> bool:
            replaced = resource.logical_id in stack.version.resources and not rolling_back
            policy = resource.update_replace_policy if replaced else resource.deletion_policy
            return policy == "Retain" or (policy == "RetainExceptOnCreate" and not rolling_back)

        nested = [each for each in stack.version.resources.values() if each.type == STACK_TYPE]
        self._delete(stack.obsolete, retained, finish=nested)
        stack.obsolete = []
        stack.stable = None
        stack.set_status(final_status)

    def cancel(self) -> None:
        """Stop going forward: what is being waited for fails, and a rollback follows."""
        self._steps.stop.set()

    def abandon(self) -> None:
        """Stop a create, which then leaves everything to the deletion that follows it."""
        self._abandoned = True
        self._steps.stop.set()

    def close(self) -> None:
        """Stop altogether."""
        self._closing = True
        self._steps.stop.set()

    def _renew(self) -> None:
        """Let the steps that follow a cancellation wait again."""
        self._steps = Steps(self._context, self._types, self._stack)
        if self._closing:
            self._steps.stop.set()

    def _run(
        self, graph: Graph, work: Callable[[str], None], *, stop: Event | None = None
    ) -> dict[str, BaseException]:
        """Walk the graph; raises Cancelled when the engine was closed meanwhile."""

        def unless_closed(name: str) -> None:
            if self._closing:
                raise Cancelled
            work(name)

        failures = run(graph, unless_closed, stop=stop)
        if self._closing:
            raise Cancelled
        return failures

    def _deploy(self, verb: str) -> str | None:
        """Make or change every resource and set the outputs; the reason of a failure."""
        stack = self._stack
        version = stack.version
        imported: list[str] = []

        def import_value(name: str) -> Any:
            imported.append(name)
            return self._exports.value(stack.region, name)

        blueprint = Blueprint(
            version,
            surroundings_of(stack, version, self._context.account_id),
            Existing(version.resources, self._steps.refresh),
            import_value,
        )

        problems = attribute_problems(blueprint.template, stack.region)
        if problems:
            return " ".join(problems)

        self._steps.awaited = {each for needs in blueprint.graph.needs.values() for each in needs}

        def deploy(logical_id: str) -> None:
            self._bring(logical_id, blueprint)

        failures = self._run(blueprint.graph, deploy, stop=self._steps.stop)
        if failures:
            return self._failure_reason(failures)
        if self._steps.stop.is_set():
            return f"Stack {verb} cancelled"
        for logical_id in version.resources.keys() - blueprint.resources.keys():
            # In this order, so that what is saved meanwhile knows it at least once.
            stack.obsolete.append(version.resources[logical_id])
            del version.resources[logical_id]
        try:
            outputs = blueprint.outputs()
            self._exports.check(stack, outputs.values())
        except Refused as error:
            return str(error)
        version.outputs = outputs
        version.imports = sorted(set(imported))
        for kept in kept_of(stack):
            _log.warning("stack %s: only kept: %s", stack.name, kept)
        return None

    def _bring(self, logical_id: str, blueprint: Blueprint) -> None:
        """Make one resource what the blueprint says it is to be."""
        resources = self._stack.version.resources
        current = resources.get(logical_id)
        try:
            wanted = blueprint.resource(logical_id)
        except Refused as error:
            failed = current or Resource(logical_id, blueprint.resources[logical_id]["Type"])
            resources[logical_id] = failed
            verb = "UPDATE" if current is not None else "CREATE"
            self._stack.set_resource_status(failed, f"{verb}_FAILED", reason_of(error))
            raise StepFailed from error
        definition = blueprint.resources[logical_id]
        wanted.kept = only_kept(definition, self._types, self._context, self._stack.region)
        provider = self._types.provider_of(wanted.type)
        by_value = [] if provider is None else provider.kept_by_value(wanted.properties)
        wanted.kept = by_value if Provider.whole in by_value else [*wanted.kept, *by_value]
        if current is not None and (current.status == "CREATE_FAILED" or not current.physical_id):
            self._steps.delete(current)
            current = None
        if current is None:
            resources[logical_id] = wanted
            if logical_id in self._imported:
                self._steps.adopt(wanted, self._imported[logical_id])
            else:
                self._steps.create(wanted)
            return
        differs = difference(current, wanted, self._stack.region)
        if differs.replacing:
            self._replace(current, wanted)
        elif differs.to_update:
            self._steps.update(current, wanted)
        else:
            current.take(wanted)

    def _replace(self, current: Resource, wanted: Resource) -> None:
        """Make a new physical resource; the old one stays until the cleanup."""
        provider = self._types.provider_of(current.type, current.kept)
        name = None if provider is None else provider.name_property
        kept_name = None if name is None else wanted.properties.get(name)
        if kept_name is not None and kept_name == current.properties.get(str(name)):
            self._stack.set_resource_status(
                current,
                "UPDATE_FAILED",
                "CloudFormation cannot update a stack when a custom-named resource requires "
                f"replacing. Rename {kept_name} and update the stack again.",
            )
            raise StepFailed
        if self._stack.disable_rollback:
            self._stack.set_resource_status(current, "UPDATE_FAILED", _NO_REPLACEMENT)
            raise StepFailed
        self._stack.obsolete.append(current)
        self._stack.version.resources[current.logical_id] = wanted
        self._steps.create(wanted, replacing=True)

    def _restore(
        self, target: Version, current: Resource | None, logical_id: str, skip: bool
    ) -> None:
        """Bring one resource back to the stable version's."""
        old = target.resources[logical_id]
        if skip:
            self._stack.set_resource_status(old, "UPDATE_COMPLETE", _SKIPPED)
            return
        if current is None:
            return
        if current.physical_id != old.physical_id and not is_custom(old.type):
            self._stack.set_resource_status(old, "UPDATE_COMPLETE")
            return
        differs = difference(current, old, self._stack.region)
        touched = differs.automatic and current.timestamp != old.timestamp
        if differs.properties or differs.unfinished or touched:
            target.resources[logical_id] = current
            self._steps.update(current, old, restoring=True)

    def _settle(self, final_status: str) -> None:
        """Begin the cleanup, which a nested stack leaves until its parent's begins."""
        self._stack.set_status(f"{final_status}_CLEANUP_IN_PROGRESS")
        if not self._held:
            self.clean_up(final_status)

    def _delete_all(
        self, *, created_now: bool = False, retained: frozenset[str] = frozenset()
    ) -> str | None:
        """Delete every resource of the stack; the reason of a failure."""
        stack = self._stack
        everything = [*stack.obsolete, *stack.version.resources.values()]

        def is_retained(resource: Resource) -> bool:
            policy = resource.deletion_policy
            kept = policy == "Retain" or (policy == "RetainExceptOnCreate" and not created_now)
            return kept or resource.logical_id in retained

        failures = self._delete(everything, is_retained)
        stack.obsolete = [each for each in stack.obsolete if _is_left(each)]
        stack.version.resources = {
            each.logical_id: each for each in stack.version.resources.values() if _is_left(each)
        }
        return _failed("delete", failures) if failures else None

    def _delete(
        self,
        resources: list[Resource],
        retained: Callable[[Resource], bool],
        *,
        finish: Iterable[Resource] = (),
    ) -> list[str]:
        """Delete resources, users before what they use; the logical ids of the failures.

        Those to ``finish`` stay and clean up, in the same order.
        """
        finished = {f"{each.logical_id} {each.physical_id}": each for each in finish}
        by_key = {f"{each.logical_id} {each.physical_id}": each for each in resources} | finished
        needs = {
            key: {other for other, used in by_key.items() if used.logical_id in each.needs}
            for key, each in by_key.items()
        }

        def delete(key: str) -> None:
            if key in finished:
                self._steps.finish(finished[key])
            else:
                self._steps.delete(by_key[key], retain=retained(by_key[key]))

        failures = self._run(Graph(needs).reversed(), delete)
        return [by_key[key].logical_id for key in failures]

    def _failure_reason(self, failures: Iterable[str]) -> str:
        """Which resources failed to create and which to update, as AWS lists them."""
        resources = self._stack.version.resources
        failed: dict[str, list[str]] = {"create": [], "import": [], "update": []}
        for name in failures:
            verb = resources[name].status.removesuffix("_FAILED").lower()
            failed[verb if verb in failed else "update"].append(name)
        return "".join(_failed(verb, names) for verb, names in failed.items() if names)


def surroundings_of(stack: Stack, version: Version, account_id: str) -> Surroundings:
    """Where the stack's templates are evaluated."""
    return Surroundings(
        stack.name, stack.stack_id, stack.region, account_id, tuple(version.notification_arns)
    )


def _is_left(resource: Resource) -> bool:
    """Whether a resource that was to be deleted is still there."""
    gone = resource.status in ("DELETE_COMPLETE", "DELETE_SKIPPED")
    return bool(resource.physical_id) and not gone


def _graph(resources: Iterable[Resource]) -> Graph:
    return Graph({resource.logical_id: set(resource.needs) for resource in resources})


def _failed(verb: str, names: Iterable[str]) -> str:
    # With a blank at the end, as LocalStack's suite recorded it of AWS in 2023.
    return f"The following resource(s) failed to {verb}: [{', '.join(sorted(names))}]. "

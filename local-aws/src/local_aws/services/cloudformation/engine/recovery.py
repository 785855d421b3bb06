"""Stacks whose operation another process began and did not end.

AWS goes on where it was. Here the process that deployed is gone, and what it was doing is known
up to its last save: a create or an update is rolled back, as a failed one is, and a rollback,
a cleanup or a deletion goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from local_aws.services.cloudformation.engine.deployment import DELETE, DO_NOTHING, Deployment
from local_aws.services.cloudformation.engine.operations import Operations, failed_status
from local_aws.services.cloudformation.engine.stacks import Stack, Stacks

_CLEANUP = "_CLEANUP_IN_PROGRESS"


@dataclass(frozen=True, kw_only=True)
class Recovered:
    """A stack that was found in the middle of an operation, and what is done about it."""

    name: str
    region: str
    found: str
    now: str


def recover(stacks: Stacks, operations: Operations, ended: str) -> list[Recovered]:
    """Settle every stack that is in progress; ``ended`` is how the local AWS ended then.

    The work goes on in the background and makes requests, so the gateway must answer.
    """
    recovered = []
    # Nested stacks first: what is begun for their parents finds them settled.
    for stack in sorted(stacks.every(), key=lambda stack: stack.parent_id is None):
        if not stack.busy:
            continue
        found = stack.status
        reason = f"The local AWS {ended} while this stack was in {found}."
        _fail_unfinished(stack, f"The local AWS {ended} meanwhile.")
        if stack.parent_id is not None:  # its parent goes on with it
            if not found.endswith(_CLEANUP):
                stack.set_status(failed_status(found), reason)
            continue
        work = _next(stack, reason)
        recovered.append(
            Recovered(name=stack.name, region=stack.region, found=found, now=stack.status)
        )
        if work is not None:
            operations.start(stack, work)
    return recovered


def _next(stack: Stack, reason: str) -> Callable[[Deployment], None] | None:
    """Move the stack to the state that follows; what is to be done in it."""
    match stack.status:
        case "CREATE_IN_PROGRESS" if stack.on_failure == DO_NOTHING:
            stack.set_status("CREATE_FAILED", reason)
            return None
        case "CREATE_IN_PROGRESS" if stack.on_failure == DELETE:
            stack.set_status("DELETE_IN_PROGRESS", reason)
            return lambda deployment: deployment.delete(created_now=True)
        case "CREATE_IN_PROGRESS" | "ROLLBACK_IN_PROGRESS":
            stack.set_status("ROLLBACK_IN_PROGRESS", reason)
            return lambda deployment: deployment.rollback_create()
        case "UPDATE_IN_PROGRESS" if stack.disable_rollback:
            stack.set_status("UPDATE_FAILED", reason)
            return None
        case "UPDATE_IN_PROGRESS" | "UPDATE_ROLLBACK_IN_PROGRESS":
            stack.set_status("UPDATE_ROLLBACK_IN_PROGRESS", reason)
            return lambda deployment: deployment.rollback_update()
        case "IMPORT_IN_PROGRESS" | "IMPORT_ROLLBACK_IN_PROGRESS":
            stack.set_status("IMPORT_ROLLBACK_IN_PROGRESS", reason)
            return lambda deployment: deployment.rollback_import()
        case "DELETE_IN_PROGRESS":
            stack.set_status("DELETE_IN_PROGRESS", reason)
            retained = list(stack.retained)
            return lambda deployment: deployment.delete(retained)
    final = stack.status.removesuffix(_CLEANUP)
    return lambda deployment: deployment.clean_up(final)


def _fail_unfinished(stack: Stack, reason: str) -> None:
    """Resources that were being made or changed have failed; those being deleted go on."""
    for resource in list(stack.version.resources.values()):
        if resource.status in ("CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "IMPORT_IN_PROGRESS"):
            verb = resource.status.partition("_")[0]
            stack.set_resource_status(resource, f"{verb}_FAILED", reason)

"""CloudFormation as a service: which part of it answers which action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sagemaker_serving.local import service
from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.protocol.call import Call
from sagemaker_serving.local.protocol.validation import require_members

from .change_set_actions import ChangeSetActions
from .operations import Operations
from .persistence import export_stacks, restore_stacks
from .queries import Queries
from .recovery import Recovered, recover
from .stack_actions import StackActions
from .stacks import Stacks
from .submissions import Submissions
from .views import stack_summary


class CloudFormation:
    """The local AWS's CloudFormation: stacks, change sets and what they deploy.

    Every call that a deployment makes goes through ``context``'s clients, to the gateway
    that serves this API too. ``on_settled`` is called, from any thread, whenever an operation
    on a stack has ended.
    """

    def __init__(
        self, context: LocalContext, *, on_settled: Callable[[], None] = lambda: None
    ) -> None:
        self._stacks = Stacks()
        self._operations = Operations(context, self._stacks, on_settled)
        submissions = Submissions(context, self._operations.exports)
        stack_actions = StackActions(context, self._stacks, self._operations, submissions)
        self._actions = service.offered(
            "cloudformation",
            stack_actions,
            ChangeSetActions(context, self._stacks, submissions, stack_actions),
            Queries(self._stacks, self._operations, submissions),
        )

    name = "cloudformation"

    def actions(self) -> Mapping[str, service.Action]:
        """Every action that is offered, by the operation's name."""
        return {name: partial(_do, action) for name, action in self._actions.items()}

    def emulates(self, operation: str) -> bool:
        """Nothing here is the emulator's."""
        return False

    def check(self, call: Call) -> None:
        """Raise `AwsError` ValidationError when a member that must be given is not."""
        shape = call.model.input_shape
        if shape is not None:
            require_members(shape, call.parameters, "ValidationError")

    def export_state(self) -> list[dict[str, Any]]:
        """Every stack, event, export and change set, as JSON has them."""
        return export_stacks(self._stacks)

    def restore_state(self, state: Any) -> None:
        """Hold what `export_state` gave; `recover` settles what was in progress."""
        restore_stacks(self._stacks, state)

    def recover(self, ended: str) -> list[Recovered]:
        """Settle the stacks that the process before left in progress, in the background.

        ``ended`` says how that process ended, for the stacks' reasons: "was killed".
        """
        return recover(self._stacks, self._operations, ended)

    def summaries(self) -> list[dict[str, Any]]:
        """The living stacks of every region as ``local status`` shows them, oldest first."""
        return [
            stack_summary(stack)
            for stack in self._stacks.every()
            if stack.status != "DELETE_COMPLETE"
        ]

    def close(self) -> None:
        """End the operations under way and their threads; stacks stay as they are."""
        self._operations.close()


def _do(action: Callable[[Mapping[str, Any], str], dict[str, Any]], call: Call) -> dict[str, Any]:
    return action(call.parameters, call.region)

"""CloudFormation's API: a decoded query-protocol form in, an XML answer out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.protocol import AwsError

from .change_set_actions import ChangeSetActions
from .operations import Operations
from .persistence import export_stacks, restore_stacks
from .queries import Queries
from .recovery import Recovered, recover
from .stack_actions import StackActions
from .stacks import Stacks
from .submissions import Submissions
from .views import stack_summary
from .wire import read_request, write_answer


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
        self._parts = (
            stack_actions,
            ChangeSetActions(context, self._stacks, submissions, stack_actions),
            Queries(self._stacks, self._operations, submissions),
        )

    def handle(self, action: str, parameters: Mapping[str, str], region: str) -> str:
        """Answer one action with the XML body of a 200.

        Raises AwsError with CloudFormation's code and message for a request that is refused,
        and ``InvalidAction`` for an action that the local AWS does not have.
        """
        values = read_request(action, parameters)
        return write_answer(action, self._method(action)(values, region))

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

    def _method(self, action: str) -> Callable[[dict[str, Any], str], dict[str, Any]]:
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in action)
        for part in self._parts:
            if hasattr(part, name.lstrip("_")):
                method: Callable[[dict[str, Any], str], dict[str, Any]]
                method = getattr(part, name.lstrip("_"))
                return method
        raise AwsError("InvalidAction", f"the local AWS has no CloudFormation action {action}")

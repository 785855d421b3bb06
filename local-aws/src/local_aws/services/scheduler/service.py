"""EventBridge Scheduler, which the emulator answers."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.permissions.service import PassedRole, Refusal, ServicePermissions, first
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.schedules import SCALING, schedule_fault
from local_aws.service import Limit, Service


def _resources(call: Call) -> Iterator[str]:
    name, arn = first(call.parameters, "Name"), first(call.parameters, "ResourceArn")
    group = call.parameters.get("GroupName") or "default"
    if name is not None:
        yield f"schedule/{group}/{name}"
    elif arn is not None:
        yield arn


class Scheduler(Service):
    """EventBridge Scheduler, which the emulator answers."""

    name = "scheduler"
    limits = (Limit("schedules", "judged and kept; they never fire"),)
    permissions = ServicePermissions(
        prefix="scheduler",
        resources=_resources,
        denied=Refusal(code="AccessDeniedException", status=403),
        passed_role=PassedRole(
            principal="scheduler.amazonaws.com",
            parameters=("Target.RoleArn",),
            refusal=lambda arn: AwsError(
                "ValidationException",
                "The execution role you provide must allow AWS EventBridge Scheduler to assume "
                "the role.",
            ),
        ),
    )

    def check(self, call: Call) -> None:
        """Raise `AwsError`, too, for what is no schedule."""
        super().check(call)
        schedule = call.parameters.get("ScheduleExpression")
        if schedule is not None and schedule_fault(schedule, SCALING) is not None:
            raise AwsError("ValidationException", f"Invalid Schedule Expression {schedule}.")

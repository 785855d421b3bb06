"""Application Auto Scaling: what is registered is scaled, as policies and schedules ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from local_aws.context import LocalContext
from local_aws.permissions.service import ServicePermissions
from local_aws.protocol.call import Call
from local_aws.protocol.validation import validate
from local_aws.service import Action, Limit, Service, offered

from .api import Api
from .resources import ScalableTarget, ScalingPolicy
from .scaler import Scaler
from .store import Store


class ApplicationAutoScaling(Service):
    """Application Auto Scaling, in every region; ``changed`` is called when it has acted."""

    name = "application-autoscaling"
    whole = True
    limits = (
        Limit("predictive scaling", "refused by name"),
        Limit("targets of other services than SageMaker", "kept with their policies, never scaled"),
        Limit("target tracking over metric math", "kept, never acts"),
        Limit("scheduled actions that were missed", "not made up for"),
        Limit("whether the resource of a target exists", "not asked"),
        Limit("not-scaled reasons, ManagedInstanceScaling", "absent"),
    )
    permissions = ServicePermissions(
        prefix="application-autoscaling", resources={"ResourceId": "scalable-target/*"}
    )
    types = (ScalableTarget(), ScalingPolicy())

    def __init__(self, context: LocalContext, changed: Callable[[], None]) -> None:
        self._store = Store()
        self._scaler = Scaler(context, self._store, changed)
        self._actions = offered(self.name, Api(context, self._store, self._scaler))
        context.targets.add(context.account_id, "autoscaling", self._scaler.deliver)

    def actions(self) -> Mapping[str, Action]:
        """Every action but forecasts."""
        return self._actions

    def check(self, call: Call) -> None:
        """Raise `AwsError` ValidationException for what the API's model does not take."""
        validate(call.model.input_shape, call.parameters)

    def export_state(self) -> Any:
        """Targets, policies, scheduled actions, activities and cooldowns, as JSON has them."""
        return self._store.export_state()

    def restore_state(self, state: Mapping[str, Any], /) -> None:
        """Hold what `export_state` gave; activities that were under way have failed."""
        self._store.restore_state(state)

    def recover(self, ended: str) -> None:
        """Follow the schedules that were found again; what was missed is not made up for."""
        self._scaler.follow_schedules()

    def stop(self) -> None:
        """Begin nothing any more."""
        self._scaler.close()

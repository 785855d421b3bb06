"""CloudTrail: the CDK CLI looks into it after a failed deploy; there is nothing to look into."""

from __future__ import annotations

from collections.abc import Mapping

from sagemaker_serving.local.protocol.call import Call
from sagemaker_serving.local.service import Action


class CloudTrail:
    """A trail without events; every other action is the emulator's."""

    name = "cloudtrail"

    def actions(self) -> Mapping[str, Action]:
        """The one action that is not the emulator's, whose answer is an error."""
        return {"LookupEvents": lambda call: {"Events": []}}

    def emulates(self, operation: str) -> bool:
        """All else is the emulator's."""
        return True

    def check(self, call: Call) -> None:
        """Every call is accepted."""

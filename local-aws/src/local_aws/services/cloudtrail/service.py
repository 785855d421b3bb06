"""CloudTrail: the CDK CLI looks into it after a failed deploy; there is nothing to look into."""

from __future__ import annotations

from collections.abc import Mapping

from local_aws.service import Action, Service


class CloudTrail(Service):
    """A trail without events; every other action is the emulator's."""

    name = "cloudtrail"

    def actions(self) -> Mapping[str, Action]:
        """The one action that is not the emulator's, whose answer is an error."""
        return {"LookupEvents": lambda call: {"Events": []}}

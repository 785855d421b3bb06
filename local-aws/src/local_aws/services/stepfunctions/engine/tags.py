"""Tags of state machines and activities; their versions and aliases have none."""

from __future__ import annotations

from typing import Any

from local_aws.protocol import AwsError
from local_aws.services.stepfunctions.engine.machines import Machines
from local_aws.services.stepfunctions.engine.requests import Parameters, refuse_too_many


class Tags:
    """Writes, takes away and lists tags, which the emulator keeps."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines

    def tag_resource(self, asked: Parameters, region: str) -> dict[str, Any]:
        """Write tags; those of the same keys are replaced."""
        arn, tagger = asked["resourceArn"], self._tagger(asked, region)
        refuse_too_many(asked["tags"], arn, kept=tagger.get_tag_dict_for_resource(arn))
        tagger.tag_resource(arn, asked["tags"])
        return {}

    def untag_resource(self, asked: Parameters, region: str) -> dict[str, Any]:
        """Take the tags of these keys away, if there are any."""
        tagger = self._tagger(asked, region)
        tagger.untag_resource_using_names(asked["resourceArn"], asked["tagKeys"])
        return {}

    def list_tags_for_resource(self, asked: Parameters, region: str) -> dict[str, Any]:
        """All tags."""
        found: dict[str, Any] = self._tagger(asked, region).list_tags_for_resource(
            asked["resourceArn"]
        )
        return found

    def _tagger(self, asked: Parameters, region: str) -> Any:
        """Raises AwsError ResourceNotFound unless what is tagged is there."""
        arn, kept = asked["resourceArn"], self._machines.backend(region)
        if arn not in kept.activities and self._machines.machine_if_any(arn, region) is None:
            raise AwsError("ResourceNotFound", f"Resource not found: '{arn}'")
        return kept.tagger

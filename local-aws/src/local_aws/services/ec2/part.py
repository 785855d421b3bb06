"""A part of a network, as its operations make, change and delete it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from typing_extensions import override

from local_aws.resources.api import stack_tags, tag_list, tags_of
from local_aws.resources.base import Request, ResourceFailed
from local_aws.resources.declared import Declared


class Part(Declared):
    """One of EC2's types; its tags show which stack made it."""

    service = "ec2"

    @override
    def retag(self, request: Request, **target: Any) -> None:
        old, new = tags_of(request.previous), tags_of(request.properties)
        part = {"Resources": [self.tagged(request)]}
        gone = [{"Key": key} for key in old.keys() - new.keys()]
        if gone:
            self.call(request, "DeleteTags", **part, Tags=gone)
        self.call(request, "CreateTags", **part, Tags=tag_list(new | stack_tags(request)))

    def tagged(self, request: Request) -> str:
        """The id by which it is tagged."""
        return request.physical_id


def joined(*names: str) -> Callable[[Request], str]:
    """The physical id of what its properties name: the first given of each group of them, as in
    ``rtb-1|0.0.0.0/0``. Raises ResourceFailed where none is."""

    def made(request: Request) -> str:
        found = []
        for group in names:
            given = [each for each in group.split() if each in request.properties]
            if not given:
                what = f"#: exactly one of [{', '.join(group.split())}] is required"
                raise ResourceFailed(what, code="InvalidRequest")
            found.append(str(request.properties[given[0]]))
        return "|".join(found)

    return made

"""SSM parameters."""

from __future__ import annotations

from typing_extensions import override

from local_aws.resources.api import ApiProvider, tag_list, tags_of
from local_aws.resources.base import Attributes, Request


class SsmParameter(ApiProvider):
    """``AWS::SSM::Parameter``: Ref is the name."""

    type_name = "AWS::SSM::Parameter"
    name_property = "Name"
    service = "ssm"
    create_operation = "PutParameter"
    reading = "GetParameter Name Parameter"
    adopts = True
    deletes = ("DeleteParameter", "Name")
    not_carried_out = frozenset({"Policies"})
    tag_operations = ("AddTagsToResource", "RemoveTagsFromResource")

    @override
    def create(self, request: Request) -> str:
        name: str = request.properties.get("Name") or f"CFN-{request.name(200, stack=False)}"
        tags = tag_list(tags_of(request.properties))
        self.call(request, "PutParameter", {**request.properties, "Tags": tags or None}, Name=name)
        return name

    @override
    def update(self, request: Request) -> Attributes:
        self.call(
            request,
            "PutParameter",
            # What PutParameter is not given, it leaves as it was.
            {"AllowedPattern": "", "Description": "", **request.properties, "Tags": None},
            Name=request.physical_id,
            Overwrite=True,
        )
        self.retag(request, ResourceType="Parameter", ResourceId=request.physical_id)
        return {}

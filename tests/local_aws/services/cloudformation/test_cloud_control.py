"""Cloud Control changes what a stack made, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.protocol import AwsError
from local_aws.services.cloudformation.cloud_control import patched
from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import parameter, template


def test_a_resource_is_changed_and_its_stack_keeps_what_it_deployed(aws: Aws) -> None:
    aws.create("changed", template(A=parameter("1", Description="kept")))
    name = aws.physical_ids("changed")["A"]
    cloudcontrol = aws.client("cloudcontrol")
    patch = [{"op": "replace", "path": "/Value", "value": "2"}]

    answer = cloudcontrol.update_resource(
        TypeName="AWS::SSM::Parameter", Identifier=name, PatchDocument=json.dumps(patch)
    )

    assert answer["ProgressEvent"]["OperationStatus"] == "SUCCESS"
    ssm = aws.client("ssm")
    assert ssm.get_parameter(Name=name)["Parameter"]["Value"] == "2"
    assert ssm.describe_parameters()["Parameters"][0]["Description"] == "kept"
    described = cloudcontrol.get_resource(TypeName="AWS::SSM::Parameter", Identifier=name)
    properties = json.loads(described["ResourceDescription"]["Properties"])
    assert properties["Value"] == "1"


def test_what_no_stack_made_is_refused(aws: Aws) -> None:
    with pytest.raises(ClientError, match="no stack of the local AWS") as refused:
        aws.client("cloudcontrol").update_resource(
            TypeName="AWS::SSM::Parameter", Identifier="/none", PatchDocument="[]"
        )
    assert refused.value.response["Error"]["Code"] == "ResourceNotFoundException"


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"op": "add", "path": "/B", "value": 1}, {"A": [1, 2], "B": 1}),
        ({"op": "add", "path": "/A/-", "value": 3}, {"A": [1, 2, 3]}),
        ({"op": "add", "path": "/A/0", "value": 0}, {"A": [0, 1, 2]}),
        ({"op": "replace", "path": "/A/1", "value": 5}, {"A": [1, 5]}),
        ({"op": "remove", "path": "/A"}, {}),
        ({"op": "add", "path": "/x~1y", "value": 1}, {"A": [1, 2], "x/y": 1}),
    ],
)
def test_a_patch_is_applied(step: dict[str, Any], expected: dict[str, Any]) -> None:
    before = {"A": [1, 2]}

    assert patched(before, json.dumps([step])) == expected
    assert before == {"A": [1, 2]}


@pytest.mark.parametrize(
    "document", ["{", "3", '[{"op": "move", "path": "/A"}]', '[{"op": "remove", "path": "/C/D"}]']
)
def test_what_is_no_patch_is_refused(document: str) -> None:
    with pytest.raises(AwsError, match="does not fit the resource"):
        patched({"A": 1}, document)


def test_a_types_schema_is_told(aws: Aws) -> None:
    described = aws.cloudformation.describe_type(Type="RESOURCE", TypeName="AWS::SSM::Parameter")

    assert "/properties/Name" in json.loads(described["Schema"])["createOnlyProperties"]
    with pytest.raises(ClientError, match="cannot be found"):
        aws.cloudformation.describe_type(Type="RESOURCE", TypeName="AWS::SSM::Nothing")

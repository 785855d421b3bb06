"""Resources change stack and logical id by a stack refactor, and nothing happens to them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import parameter, ref, template

Place = tuple[str, str]


def refactored(
    aws: Aws,
    templates: dict[str, Any],
    mappings: dict[Place, Place] | None = None,
    *,
    new: bool = False,
) -> dict[str, Any]:
    """What a refactor is once it was created; ``mappings`` are destinations by source."""
    given = [
        {"Source": _place(source), "Destination": _place(destination)}
        for source, destination in (mappings or {}).items()
    ]
    answer = aws.cloudformation.create_stack_refactor(
        StackDefinitions=[
            {"StackName": name, "TemplateBody": json.dumps(each)}
            for name, each in templates.items()
        ],
        ResourceMappings=given,
        EnableStackCreation=new,
    )
    found: dict[str, Any] = aws.cloudformation.describe_stack_refactor(
        StackRefactorId=answer["StackRefactorId"]
    )
    return found


def execute(aws: Aws, refactor: dict[str, Any]) -> str:
    """Execute a refactor; what its execution status is then."""
    assert refactor["Status"] == "CREATE_COMPLETE", refactor
    named = {"StackRefactorId": refactor["StackRefactorId"]}
    aws.cloudformation.execute_stack_refactor(**named)
    status: str = aws.cloudformation.describe_stack_refactor(**named)["ExecutionStatus"]
    return status


def _place(place: Place) -> dict[str, str]:
    return {"StackName": place[0], "LogicalResourceId": place[1]}


def test_a_resource_moves_to_another_stack_under_another_name(aws: Aws) -> None:
    aws.create("From", template(A=parameter("a"), B=parameter("b")))
    aws.create("To", template(C=parameter("c")))
    before = aws.physical_ids("From")
    after = {"From": template(A=parameter("a")), "To": template(C=parameter("c"), D=parameter("b"))}

    refactor = refactored(aws, after, {("From", "B"): ("To", "D")})

    (action,) = aws.cloudformation.list_stack_refactor_actions(
        StackRefactorId=refactor["StackRefactorId"]
    )["StackRefactorActions"]
    assert action == {
        "Action": "MOVE",
        "Entity": "RESOURCE",
        "PhysicalResourceId": before["B"],
        "Detection": "MANUAL",
        "ResourceMapping": {"Source": _place(("From", "B")), "Destination": _place(("To", "D"))},
    }
    assert aws.physical_ids("From") == before
    assert execute(aws, refactor) == "EXECUTE_COMPLETE"
    assert aws.physical_ids("From") == {"A": before["A"]}
    assert aws.physical_ids("To")["D"] == before["B"]
    for name, wanted in after.items():
        assert aws.stack(name)["StackStatus"] == "UPDATE_COMPLETE"
        with pytest.raises(ClientError, match="No updates are to be performed"):
            aws.update(name, wanted)
    aws.delete("From")
    assert aws.client("ssm").get_parameter(Name=before["B"])["Parameter"]["Value"] == "b"
    aws.delete("To")
    with pytest.raises(ClientError, match="ParameterNotFound"):
        aws.client("ssm").get_parameter(Name=before["B"])


def test_what_referred_to_a_moved_resource_imports_it(aws: Aws) -> None:
    uses = parameter(ref("Used"))
    aws.create("User", template(Used=parameter("a"), Uses=uses, Same=parameter("s")))
    aws.create("Used", template(Other=parameter("o")))
    before = aws.physical_ids("User")
    given = template(Other=parameter("o"), Used=parameter("a"))
    given["Outputs"] = {"Used": {"Value": ref("Used"), "Export": {"Name": "used"}}}
    imports = parameter({"Fn::ImportValue": "used"})

    refactor = refactored(
        aws, {"User": template(Uses=imports, Renamed=parameter("s")), "Used": given}
    )

    assert execute(aws, refactor) == "EXECUTE_COMPLETE"
    assert aws.physical_ids("User") == {"Uses": before["Uses"], "Renamed": before["Same"]}
    assert aws.outputs("Used") == {"Used": before["Used"]}
    (importer,) = aws.cloudformation.list_imports(ExportName="used")["Imports"]
    assert importer == "User"


def test_a_refactor_makes_a_stack_where_it_may(aws: Aws) -> None:
    aws.create("Whole", template(A=parameter("a"), B=parameter("b")))
    halves = {"Whole": template(A=parameter("a")), "Half": template(B=parameter("b"))}

    refused = refactored(aws, halves)

    assert (refused["Status"], refused["ExecutionStatus"]) == ("CREATE_FAILED", "UNAVAILABLE")
    assert refused["StatusReason"] == "Stack [Half] does not exist"
    assert execute(aws, refactored(aws, halves, new=True)) == "EXECUTE_COMPLETE"
    assert aws.stack("Half")["StackStatus"] == "CREATE_COMPLETE"
    assert list(aws.physical_ids("Half")) == ["B"]
    listed = aws.cloudformation.list_stack_refactors(ExecutionStatusFilter=["UNAVAILABLE"])
    assert refused["StackRefactorId"] in [
        each["StackRefactorId"] for each in listed["StackRefactorSummaries"]
    ]


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (
            template(A=parameter("changed")),
            "Resource Judged.A: Value would change, which no refactor does",
        ),
        (
            template(A=parameter("a"), New=parameter("new")),
            "Resource Judged.New would be created, which no refactor does",
        ),
        (
            template(B=parameter("b")),
            "Stack [Judged] would have no resources; Resource Judged.B would be created, which "
            "no refactor does; Resource Judged.A would not be in exactly one stack",
        ),
    ],
    ids=["changed", "created", "deleted"],
)
def test_what_is_more_than_a_move_is_refused(aws: Aws, after: dict[str, Any], reason: str) -> None:
    if "Judged" not in [
        each["StackName"] for each in aws.cloudformation.list_stacks()["StackSummaries"]
    ]:
        aws.create("Judged", template(A=parameter("a")))
    refactor = refactored(aws, {"Judged": after})
    assert (refactor["Status"], refactor["StatusReason"]) == ("CREATE_FAILED", reason)
    with pytest.raises(ClientError, match="cannot be executed"):
        aws.cloudformation.execute_stack_refactor(StackRefactorId=refactor["StackRefactorId"])


def test_a_refactor_that_is_not_there_is_named(aws: Aws) -> None:
    with pytest.raises(ClientError) as raised:
        aws.cloudformation.describe_stack_refactor(StackRefactorId="none")
    assert raised.value.response["Error"]["Code"] == "StackRefactorNotFound"

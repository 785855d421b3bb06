from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    get_att,
    parameter,
    ref,
    resource,
    template,
)


def test_users_go_before_what_they_use(aws: Aws) -> None:
    aws.create("order", template(A=parameter(), B=parameter(ref("A")), C=parameter("x", "B")))

    stack = aws.delete("order")

    assert stack["StackStatus"] == "DELETE_COMPLETE"
    deleted = [
        name for name, status in aws.history(stack["StackId"]) if status == "DELETE_COMPLETE"
    ]
    assert deleted == ["C", "B", "A", "order"]
    with pytest.raises(ClientError, match="Stack with id order does not exist"):
        aws.stack("order")


def test_a_bucket_with_objects_stops_the_delete(aws: Aws) -> None:
    s3 = aws.client("s3")
    body = template(
        Bucket=resource("S3::Bucket", BucketName="not-empty"),
        Parameter=parameter(get_att("Bucket", "Arn")),
        Other=parameter(),
    )
    aws.create("full", body)
    s3.put_object(Bucket="not-empty", Key="k", Body=b"v")

    stack = aws.delete("full")

    assert stack["StackStatus"] == "DELETE_FAILED"
    assert stack["StackStatusReason"] == "The following resource(s) failed to delete: [Bucket]. "
    reason = aws.reason("full", "DELETE_FAILED", "Bucket")
    assert "The bucket you tried to delete is not empty" in reason
    assert list(aws.physical_ids("full")) == ["Bucket"]

    s3.delete_object(Bucket="not-empty", Key="k")
    assert aws.delete("full")["StackStatus"] == "DELETE_COMPLETE"


def test_what_could_not_be_deleted_can_be_let_go_of(aws: Aws) -> None:
    aws.create("letgo", template(Bucket=resource("S3::Bucket", BucketName="let-go")))
    aws.client("s3").put_object(Bucket="let-go", Key="k", Body=b"v")
    aws.delete("letgo")

    stack = aws.delete("letgo", RetainResources=["Bucket"])

    assert stack["StackStatus"] == "DELETE_COMPLETE"
    assert aws.client("s3").get_object(Bucket="let-go", Key="k")["Body"].read() == b"v"


@pytest.mark.parametrize("policy", ["Retain", "RetainExceptOnCreate"])
def test_a_retained_resource_outlives_its_stack(aws: Aws, policy: str) -> None:
    name = f"/kept/{policy}"
    aws.create(f"kept-{policy}", template(A={**parameter(Name=name), "DeletionPolicy": policy}))

    stack = aws.delete(f"kept-{policy}")

    assert stack["StackStatus"] == "DELETE_COMPLETE"
    assert aws.client("ssm").get_parameters(Names=[name])["Parameters"]


def test_what_is_gone_already_is_no_failure(aws: Aws) -> None:
    aws.create(
        "gone", template(A=parameter(Name="/gone"), B=resource("S3::Bucket", BucketName="b-gone"))
    )
    aws.client("ssm").delete_parameter(Name="/gone")
    aws.client("s3").delete_bucket(Bucket="b-gone")

    assert aws.delete("gone")["StackStatus"] == "DELETE_COMPLETE"


def test_a_protected_stack_is_not_deleted(aws: Aws) -> None:
    aws.create("protected", template(A=parameter()), EnableTerminationProtection=True)

    with pytest.raises(ClientError, match="cannot be deleted while TerminationProtection"):
        aws.cloudformation.delete_stack(StackName="protected")

    aws.cloudformation.update_termination_protection(
        StackName="protected", EnableTerminationProtection=False
    )
    assert aws.delete("protected")["StackStatus"] == "DELETE_COMPLETE"


def test_a_stack_that_does_not_exist_is_deleted_already(aws: Aws) -> None:
    aws.cloudformation.delete_stack(StackName="never-was")


def test_a_name_can_be_taken_again(aws: Aws) -> None:
    first = aws.create("again", template(A=parameter()))["StackId"]
    aws.delete("again")

    second = aws.create("again", template(A=parameter()))["StackId"]

    assert first != second
    assert aws.stack("again")["StackId"] == second
    assert aws.stack(first)["StackStatus"] == "DELETE_COMPLETE"


def test_an_export_in_use_keeps_its_stack(aws: Aws) -> None:
    exporting = {
        **template(A=parameter("shared")),
        "Outputs": {"V": {"Value": get_att("A", "Value"), "Export": {"Name": "the-value"}}},
    }
    aws.create("exporter", exporting)
    importing = template(B=parameter({"Fn::ImportValue": "the-value"}, Name="/imported"))
    aws.create("importer", importing)
    assert aws.value("/imported") == "shared"
    assert aws.cloudformation.list_imports(ExportName="the-value")["Imports"] == ["importer"]

    stack = aws.delete("exporter")

    reason = "Export the-value cannot be deleted as it is in use by importer"
    assert (stack["StackStatus"], stack["StackStatusReason"]) == ("CREATE_COMPLETE", reason)
    stack = aws.update("exporter", template(A=parameter("shared")))
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert reason in [event.get("ResourceStatusReason") for event in aws.events("exporter")]
    aws.delete("importer")
    assert aws.delete("exporter")["StackStatus"] == "DELETE_COMPLETE"


def test_an_export_has_one_owner(aws: Aws) -> None:
    body = {
        **template(A=parameter()),
        "Outputs": {"V": {"Value": "v", "Export": {"Name": "owned"}}},
    }
    aws.create("owner", body)

    stack = aws.create("thief", body)

    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    reasons = " ".join(event.get("ResourceStatusReason", "") for event in aws.events("thief"))
    assert "Export with name owned is already exported by stack owner" in reasons
    (export,) = aws.cloudformation.list_exports()["Exports"]
    assert (export["Name"], export["Value"]) == ("owned", "v")

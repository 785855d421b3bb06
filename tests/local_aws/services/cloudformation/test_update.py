from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import eventually
from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    TRUST,
    broken,
    endpoint,
    get_att,
    parameter,
    ref,
    resource,
    template,
)


def test_a_change_is_made_in_place(aws: Aws) -> None:
    aws.create("place", template(A=parameter("1"), B=parameter("same")))
    before = aws.physical_ids("place")

    stack = aws.update("place", template(A=parameter("2"), B=parameter("same")))

    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert aws.physical_ids("place") == before
    assert aws.value(before["A"]) == "2"
    touched = {name for name, status in aws.history("place") if status == "UPDATE_COMPLETE"}
    assert touched == {"A", "place"}


def test_nothing_to_change_is_refused(aws: Aws) -> None:
    body = template({"Out": ref("A")}, A=parameter())
    aws.create("noop", body)

    with pytest.raises(ClientError, match=r"No updates are to be performed\.$") as refusal:
        aws.update("noop", {**body, "Description": "only words"})
    assert refusal.value.response["Error"]["Code"] == "ValidationError"


@pytest.mark.parametrize(
    "changed",
    [
        template({"Out": "2"}, A=parameter()),
        template({"Out": "1"}, A={**parameter(), "Metadata": {"a": "b"}}),
        template({"Out": "1"}, A={**parameter(), "DeletionPolicy": "Retain"}),
    ],
    ids=["output", "metadata", "policy"],
)
def test_changes_that_touch_no_resource_are_updates_too(
    aws: Aws, changed: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    name = request.node.callspec.id
    aws.create(name, template({"Out": "1"}, A=parameter()))

    assert aws.update(name, changed)["StackStatus"] == "UPDATE_COMPLETE"
    assert ("A", "UPDATE_IN_PROGRESS") not in aws.history(name)


def test_stack_tags_alone_are_an_update(aws: Aws) -> None:
    body = template(A=parameter(Name="/tags-alone"))
    aws.create("tags-alone", body)

    aws.update("tags-alone", body, Tags=[{"Key": "team", "Value": "search"}])

    tags = aws.client("ssm").list_tags_for_resource(
        ResourceType="Parameter", ResourceId="/tags-alone"
    )["TagList"]
    assert tags == [{"Key": "team", "Value": "search"}]


def test_a_replaced_models_name_reaches_its_dependents_and_the_old_is_deleted_last(
    aws: Aws,
) -> None:
    aws.create("replace", endpoint(model="one"))
    before = aws.outputs("replace")

    aws.update("replace", endpoint(model="two"))

    after = aws.outputs("replace")
    sagemaker = aws.client("sagemaker")
    assert after["Model"] != before["Model"]
    assert after["Endpoint"] == before["Endpoint"] == "digits"
    config = sagemaker.describe_endpoint(EndpointName="digits")["EndpointConfigName"]
    assert config == after["Config"] != before["Config"]
    variants = sagemaker.describe_endpoint_config(EndpointConfigName=config)["ProductionVariants"]
    assert [variant["ModelName"] for variant in variants] == [after["Model"]]
    models = [model["ModelName"] for model in sagemaker.list_models()["Models"]]
    assert models == [after["Model"]]
    tail = aws.history("replace")[-6:]
    assert tail == [
        ("replace", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
        ("Config", "DELETE_IN_PROGRESS"),
        ("Config", "DELETE_COMPLETE"),
        ("Model", "DELETE_IN_PROGRESS"),
        ("Model", "DELETE_COMPLETE"),
        ("replace", "UPDATE_COMPLETE"),
    ]
    aws.delete("replace")


def test_a_failed_update_returns_to_the_old_state(aws: Aws) -> None:
    aws.create("back", endpoint(weight=1))
    before, served = aws.outputs("back"), len(aws.endpoints.updates)

    stack = aws.update("back", endpoint("BrokenConfig", weight=0, model="two"))

    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.outputs("back") == before
    sagemaker = aws.client("sagemaker")
    live = sagemaker.describe_endpoint(EndpointName="digits")
    assert (live["EndpointStatus"], live["EndpointConfigName"]) == ("InService", before["Config"])
    assert [model["ModelName"] for model in sagemaker.list_models()["Models"]] == [before["Model"]]
    configs = sagemaker.list_endpoint_configs()["EndpointConfigs"]
    assert [config["EndpointConfigName"] for config in configs] == [before["Config"]]
    assert aws.endpoints.updates[served:] == ["BrokenConfig"], "updated once, not back"
    assert "ping health check" in aws.reason("back", "UPDATE_FAILED", "Endpoint")
    assert aws.reason("back", "UPDATE_ROLLBACK_IN_PROGRESS", "back") == (
        "The following resource(s) failed to update: [Endpoint]. "
    )

    assert aws.update("back", endpoint(weight=0))["StackStatus"] == "UPDATE_COMPLETE"
    aws.delete("back")


def test_a_rollback_restores_changed_and_deletes_new_resources(aws: Aws) -> None:
    aws.create("restore", template(A=parameter("old", Name="/restore/a"), Gone=parameter()))
    before = aws.physical_ids("restore")

    stack = aws.update(
        "restore",
        template(
            A=parameter("new", Name="/restore/a"),
            B=parameter("new", "A", Name="/restore/b"),
            Role=broken("B"),
        ),
    )

    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.physical_ids("restore") == before
    assert aws.value("/restore/a") == "old"
    assert aws.client("ssm").get_parameters(Names=["/restore/b"])["Parameters"] == []


def test_what_is_removed_is_deleted_after_the_update(aws: Aws) -> None:
    aws.create("removed", template(A=parameter("1"), Old=parameter(Name="/removed/old")))

    aws.update("removed", template(A=parameter("2")))

    assert aws.client("ssm").get_parameters(Names=["/removed/old"])["Parameters"] == []
    history = aws.history("removed")
    assert history.index(("removed", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")) < history.index(
        ("Old", "DELETE_IN_PROGRESS")
    )


@pytest.mark.parametrize("attribute", ["DeletionPolicy", "UpdateReplacePolicy"])
def test_policies_keep_what_is_removed_or_replaced(aws: Aws, attribute: str) -> None:
    name = attribute.lower()
    kept = {**parameter(Name=f"/{name}/old"), attribute: "Retain"}
    aws.create(name, template(A=kept, B=parameter()))
    replaced = {**parameter(Name=f"/{name}/new"), attribute: "Retain"}
    removing = attribute == "DeletionPolicy"

    aws.update(name, template(B=parameter()) if removing else template(A=replaced, B=parameter()))

    assert aws.value(f"/{name}/old") == "1"
    assert ("A", "DELETE_SKIPPED") in aws.history(name)


def test_a_policy_that_says_the_default_is_not_one_that_is_absent(aws: Aws) -> None:
    """Taking it away is an update (LocalStack's suite)."""
    written = {**parameter(), "UpdateReplacePolicy": "Delete", "DeletionPolicy": "Delete"}
    aws.create("policies", template(A=written))
    del written["UpdateReplacePolicy"]

    assert aws.update("policies", template(A=written))["StackStatus"] == "UPDATE_COMPLETE"
    with pytest.raises(ClientError, match="No updates are to be performed"):
        aws.update("policies", template(A=written))


def test_a_named_resource_is_not_replaced_under_its_own_name(aws: Aws) -> None:
    queue = resource("SQS::Queue", QueueName="named.fifo", FifoQueue=True)
    role = resource("IAM::Role", RoleName="named", AssumeRolePolicyDocument=TRUST, Path="/a/")
    aws.create("named", template(Role=role, Queue=queue))

    stack = aws.update(
        "named", template(Role={**role, "Properties": {**role["Properties"], "Path": "/b/"}})
    )

    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    reason = aws.reason("named", "UPDATE_FAILED")
    assert "custom-named resource requires replacing. Rename named" in reason


def test_what_cannot_be_changed_in_place_fails_and_says_so(aws: Aws) -> None:
    aws.create("unchangeable", template(Key=resource("KMS::Key")))

    stack = aws.update("unchangeable", template(Key=resource("KMS::Key", KeySpec="RSA_2048")))

    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    reason = aws.reason("unchangeable", "UPDATE_FAILED")
    assert "the local AWS cannot change KeySpec of AWS::KMS::Key in place" in reason


def test_a_type_may_not_change(aws: Aws) -> None:
    aws.create("types", template(A=parameter()))

    with pytest.raises(ClientError, match=r"modifies resource type of .*: \[A\]"):
        aws.update("types", template(A=resource("SNS::Topic")))


def test_one_operation_at_a_time(aws: Aws) -> None:
    aws.create("busy", endpoint())
    with aws.endpoints.held:
        stack_id = aws.begin("update_stack", "busy", endpoint(weight=0))
        with pytest.raises(ClientError, match="UPDATE_IN_PROGRESS state and can not be updated"):
            aws.update("busy", endpoint(weight=2))
        with pytest.raises(ClientError, match="cannot be deleted while in status UPDATE_IN"):
            aws.cloudformation.delete_stack(StackName="busy")
    assert aws.done(stack_id)["StackStatus"] == "UPDATE_COMPLETE"
    aws.delete("busy")


def test_a_cancelled_update_rolls_back(aws: Aws) -> None:
    aws.create("cancel", endpoint())
    before = aws.outputs("cancel")
    with aws.endpoints.held:
        stack_id = aws.begin("update_stack", "cancel", endpoint(weight=0))
        eventually(lambda: ("Endpoint", "UPDATE_IN_PROGRESS") in aws.history("cancel"))
        aws.cloudformation.cancel_update_stack(StackName="cancel")
    assert aws.done(stack_id)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.outputs("cancel") == before
    aws.delete("cancel")


def test_a_failed_rollback_is_continued(aws: Aws) -> None:
    """The old value of A comes from a parameter that is taken away before the rollback."""
    ssm = aws.client("ssm")
    ssm.put_parameter(Name="/source", Value="old", Type="String")
    aws.create("continued", template(A=parameter("{{resolve:ssm:/source}}", Name="/continued")))
    ssm.delete_parameter(Name="/source")
    failing = template(A=parameter("new", Name="/continued"), B=broken("A"))

    stack = aws.update("continued", failing)

    assert stack["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
    assert stack["StackStatusReason"] == "The following resource(s) failed to update: [A]. "
    ssm.put_parameter(Name="/source", Value="old", Type="String")
    aws.cloudformation.continue_update_rollback(StackName="continued")
    assert aws.done(stack["StackId"])["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.value("/continued") == "old"


def test_a_resource_is_skipped_when_a_rollback_is_continued_without_it(aws: Aws) -> None:
    ssm = aws.client("ssm")
    ssm.put_parameter(Name="/skipped/source", Value="old", Type="String")
    reference = "{{resolve:ssm:/skipped/source}}"
    aws.create("skipped", template(A=parameter(reference, Name="/skipped")))
    ssm.delete_parameter(Name="/skipped/source")
    stack = aws.update("skipped", template(A=parameter("new", Name="/skipped"), B=broken("A")))

    aws.cloudformation.continue_update_rollback(StackName="skipped", ResourcesToSkip=["A"])

    assert aws.done(stack["StackId"])["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.value("/skipped") == "new"


def test_a_rollback_is_forced_past_all_that_it_could_not_restore(aws: Aws) -> None:
    ssm = aws.client("ssm")
    ssm.put_parameter(Name="/forced/source", Value="old", Type="String")
    old = parameter("{{resolve:ssm:/forced/source}}", Name="/forced")
    aws.create("forced", template(A=old, C=parameter("1", Name="/restored")))
    ssm.delete_parameter(Name="/forced/source")
    failing = template(
        A=parameter("new", Name="/forced"),
        B=broken("A", "C"),
        C=parameter("2", Name="/restored"),
    )
    stack = aws.update("forced", failing)
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
    client = aws.cloudformation
    with pytest.raises(ClientError, match="ForceRollback and ResourcesToSkip cannot both"):
        client.continue_update_rollback(
            StackName="forced", ForceRollback=True, ResourcesToSkip=["A"]
        )

    client.continue_update_rollback(StackName="forced", ForceRollback=True)

    assert aws.done(stack["StackId"])["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert (aws.value("/forced"), aws.value("/restored")) == ("new", "1")


def test_an_update_without_rollback_waits_to_be_rolled_back(aws: Aws) -> None:
    aws.create("paused", template(A=parameter("old", Name="/paused")))

    stack = aws.update(
        "paused",
        template(A=parameter("new", Name="/paused"), B=broken("A")),
        DisableRollback=True,
    )

    assert stack["StackStatus"] == "UPDATE_FAILED"
    assert aws.value("/paused") == "new"
    aws.cloudformation.rollback_stack(StackName="paused")
    assert aws.done(stack["StackId"])["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.value("/paused") == "old"


def test_an_update_without_rollback_can_be_mended(aws: Aws) -> None:
    aws.create("retried", template(A=parameter("1")))
    aws.update("retried", template(A=parameter("2"), B=broken("A")), DisableRollback=True)

    stack = aws.update(
        "retried", template({"B": get_att("B", "Value")}, A=parameter("2"), B=parameter("3"))
    )

    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert aws.outputs("retried") == {"B": "3"}


def test_nothing_is_replaced_without_rollback(aws: Aws) -> None:
    aws.create("fixed", template(A=parameter(Name="/fixed/1")))
    renamed = template(A=parameter(Name="/fixed/2"))

    stack = aws.update("fixed", renamed, DisableRollback=True)

    assert stack["StackStatus"] == "UPDATE_FAILED"
    reason = aws.reason("fixed", "UPDATE_FAILED")
    assert reason == "Replacement type updates not supported on stack with disable-rollback."
    assert aws.physical_ids("fixed") == {"A": "/fixed/1"}
    assert aws.update("fixed", renamed)["StackStatus"] == "UPDATE_COMPLETE"
    assert aws.physical_ids("fixed") == {"A": "/fixed/2"}


def test_the_previous_template_and_parameters_can_be_kept(aws: Aws) -> None:
    body = {
        "Parameters": {"Value": {"Type": "String"}, "Other": {"Type": "String", "Default": "o"}},
        **template(A=parameter({"Fn::Sub": "${Value}-${Other}"}, Name="/previous")),
    }
    given = [{"ParameterKey": "Value", "ParameterValue": "v"}]
    stack_id = aws.create("previous", body, Parameters=given)["StackId"]

    aws.cloudformation.update_stack(
        StackName="previous",
        UsePreviousTemplate=True,
        Parameters=[
            {"ParameterKey": "Value", "UsePreviousValue": True},
            {"ParameterKey": "Other", "ParameterValue": "p"},
        ],
    )

    aws.done(stack_id)
    assert aws.value("/previous") == "v-p"

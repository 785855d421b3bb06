"""A stack that is found in the middle of an operation: what becomes of it, for each state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from local_aws.gateway import Gateway
from local_aws.services.cloudformation.service import CloudFormation
from tests.local_aws.aws import REGION, running, service_in
from tests.local_aws.services.cloudformation.templates import broken, parameter, resource, template
from tests.local_aws.stand_in import StandIn
from tests.local_aws.state.killed import settled

pytestmark = pytest.mark.slow

OLD = template(Kept=parameter("old", Name="/recovery/kept"))
NEW = template(
    Kept=parameter("new", Name="/recovery/kept"), Made=parameter("1", Name="/recovery/made")
)
FAILING = template(**NEW["Resources"], Broken=broken("Kept", "Made"))


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running(tmp_path_factory.mktemp("recovery"), launch=StandIn.start) as gateway:
        yield gateway


def recovered(local: Gateway, **members: Any) -> Any:
    """Find the stack with these members, as if another process had left it so."""
    (kept,) = [
        stack
        for stack in service_in(local, CloudFormation).export_state()
        if stack["name"] == "stack" and stack["status"] != "DELETE_COMPLETE"
    ]
    service_in(local, CloudFormation).restore_state([{**kept, **members}])
    service_in(local, CloudFormation).recover("was killed")
    stack = settled(of(local, "cloudformation"), "stack")
    assert [each["found"] for each in local.status()["recovered"]] == [members["status"]]
    return stack


def of(local: Gateway, service: str) -> Any:
    return local.context.client(service, REGION)


def values(local: Gateway) -> dict[str, str]:
    found = of(local, "ssm").get_parameters_by_path(Path="/recovery")["Parameters"]
    return {parameter["Name"].rpartition("/")[2]: parameter["Value"] for parameter in found}


@pytest.fixture
def created(local: Gateway) -> Iterator[Any]:
    """A stack of the new version, whole."""
    yield from _stack(local, NEW)


@pytest.fixture
def updated(local: Gateway) -> Iterator[Any]:
    """A stack that went from the old version to the new one and failed: UPDATE_FAILED."""
    for stack in _stack(local, OLD):
        of(local, "cloudformation").update_stack(
            StackName="stack",
            TemplateBody=json.dumps(FAILING),
            DisableRollback=True,
            Capabilities=["CAPABILITY_IAM"],
        )
        assert settled(of(local, "cloudformation"), "stack")["StackStatus"] == "UPDATE_FAILED"
        yield stack


def _stack(local: Gateway, body: dict[str, Any]) -> Iterator[Any]:
    cloudformation = of(local, "cloudformation")
    cloudformation.create_stack(StackName="stack", TemplateBody=json.dumps(body))
    yield settled(cloudformation, "stack")
    cloudformation.delete_stack(StackName="stack")
    assert settled(cloudformation, "stack") is None
    assert values(local) == {}


@pytest.mark.usefixtures("created")
@pytest.mark.parametrize("status", ["CREATE_IN_PROGRESS", "ROLLBACK_IN_PROGRESS"])
def test_a_create_is_rolled_back(local: Gateway, status: str) -> None:
    assert recovered(local, status=status)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert values(local) == {}


@pytest.mark.usefixtures("created")
def test_a_create_that_was_not_to_be_rolled_back_has_failed(local: Gateway) -> None:
    stack = recovered(local, status="CREATE_IN_PROGRESS", on_failure="DO_NOTHING")
    assert stack["StackStatus"] == "CREATE_FAILED"
    assert stack["StackStatusReason"] == (
        "The local AWS was killed while this stack was in CREATE_IN_PROGRESS."
    )
    assert values(local) == {"kept": "new", "made": "1"}


@pytest.mark.usefixtures("created")
def test_a_create_that_was_to_be_deleted_is(local: Gateway) -> None:
    assert recovered(local, status="CREATE_IN_PROGRESS", on_failure="DELETE") is None
    assert values(local) == {}


@pytest.mark.usefixtures("updated")
@pytest.mark.parametrize("status", ["UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_IN_PROGRESS"])
def test_an_update_is_rolled_back(local: Gateway, status: str) -> None:
    stack = recovered(local, status=status, disable_rollback=False)
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert values(local) == {"kept": "old"}


@pytest.mark.usefixtures("updated")
def test_an_update_that_was_not_to_be_rolled_back_has_failed(local: Gateway) -> None:
    stack = recovered(local, status="UPDATE_IN_PROGRESS", disable_rollback=True)
    assert stack["StackStatus"] == "UPDATE_FAILED"
    assert values(local) == {"kept": "new", "made": "1"}


@pytest.mark.usefixtures("created")
@pytest.mark.parametrize("final", ["UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"])
def test_a_cleanup_goes_on(local: Gateway, final: str) -> None:
    (kept,) = [
        stack
        for stack in service_in(local, CloudFormation).export_state()
        if stack["status"] == "CREATE_COMPLETE"
    ]
    version = kept["version"]
    obsolete = [version["resources"].pop("Made")]
    stack = recovered(
        local, status=f"{final}_CLEANUP_IN_PROGRESS", version=version, obsolete=obsolete
    )
    assert stack["StackStatus"] == final
    assert values(local) == {"kept": "new"}


@pytest.mark.usefixtures("created")
def test_a_deletion_goes_on_and_lets_go_of_what_it_was_to(local: Gateway) -> None:
    assert recovered(local, status="DELETE_IN_PROGRESS", retained=["Kept"]) is None
    assert values(local) == {"kept": "new"}
    of(local, "ssm").delete_parameter(Name="/recovery/kept")


def test_what_is_deleted_already_does_not_stop_a_deletion(local: Gateway) -> None:
    body = template(
        Logs=resource("Logs::LogGroup", LogGroupName="gone"),
        Topic=resource("SNS::Topic"),
    )
    for _ in _stack(local, body):
        of(local, "logs").delete_log_group(logGroupName="gone")
        assert recovered(local, status="DELETE_IN_PROGRESS") is None


@pytest.mark.usefixtures("created")
def test_a_resource_that_was_being_made_says_why_it_is_not(local: Gateway) -> None:
    (kept,) = [
        stack
        for stack in service_in(local, CloudFormation).export_state()
        if stack["status"] == "CREATE_COMPLETE"
    ]
    kept["version"]["resources"]["Made"]["status"] = "CREATE_IN_PROGRESS"
    recovered(local, status="CREATE_IN_PROGRESS", version=kept["version"])
    (summary,) = local.status()["stacks"]
    assert summary["reason"] == "Made: The local AWS was killed meanwhile."

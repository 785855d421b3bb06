"""A service that another distribution brings is deployed, called, judged and kept."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws import daemon
from local_aws.errors import Mistake
from local_aws.service import SERVICES
from tools.transcripts.blocks import blocks

ROOT = Path(__file__).parents[3]
ADDED = ROOT / "tests" / "added_service"
PAGE = ROOT / "docs" / "architecture.md"
REGION = "eu-west-1"
pytestmark = pytest.mark.slow


def template(name: str) -> str:
    contact = {"Alias": "night", "DisplayName": name, "Type": "PERSONAL"}
    caller = {
        "AssumeRolePolicyDocument": {
            "Version": "2012-10-17",
            "Statement": {
                "Effect": "Allow",
                "Action": "sts:AssumeRole",
                "Principal": {"AWS": {"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:root"}},
            },
        },
        "Policies": [
            {
                "PolicyName": "calls",
                "PolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": {
                        "Effect": "Allow",
                        "Action": "ssm-contacts:StartEngagement",
                        "Resource": {"Ref": "Night"},
                    },
                },
            }
        ],
    }
    resources = {
        "Night": {"Type": "AWS::SSMContacts::Contact", "Properties": contact},
        "Caller": {"Type": "AWS::IAM::Role", "Properties": caller},
    }
    outputs = {
        "Night": {"Value": {"Fn::GetAtt": ["Night", "Arn"]}},
        "Caller": {"Value": {"Fn::GetAtt": ["Caller", "Arn"]}},
    }
    return json.dumps({"Resources": resources, "Outputs": outputs})


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The distribution on Python's path, with the metadata that pip makes of its pyproject.toml."""
    project = tomllib.loads((ADDED / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = tmp_path / "site" / f"{project['name']}-{project['version']}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    named = project["entry-points"][SERVICES]
    lines = [f"[{SERVICES}]", *(f"{name} = {place}" for name, place in named.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    (tmp_path / "site" / "contacts.py").symlink_to(ADDED / "contacts.py")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    return tmp_path / "state"


@pytest.fixture
def clients(installed: Path) -> Iterator[Any]:
    """``clients(service)`` of the local AWS that runs now, and how to start it again."""

    class Running:
        def start(self) -> None:
            environment = {"SAGEMAKER_SERVING_WITHOUT_ENGINES": "1"}
            self.address = daemon.start(installed, 0, end_with=os.getpid(), environment=environment)

        def __call__(self, service: str, **options: Any) -> Any:
            return self.address.session(REGION).client(service, **options)

    running = Running()
    running.start()
    yield running
    daemon.stop(installed)


@pytest.mark.long
def test_a_service_of_another_distribution_is_one_of_the_local_aws(
    clients: Any, installed: Path
) -> None:
    stacks = clients("cloudformation")

    def deployed(operation: str, name: str) -> dict[str, str]:
        getattr(stacks, f"{operation}_stack")(
            StackName="Nights", TemplateBody=template(name), Capabilities=["CAPABILITY_IAM"]
        )
        waiter = stacks.get_waiter(f"stack_{operation}_complete")
        waiter.wait(StackName="Nights", WaiterConfig={"Delay": 0.1, "MaxAttempts": 300})
        (stack,) = stacks.describe_stacks(StackName="Nights")["Stacks"]
        return {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}

    made = deployed("create", "Night shift")
    assert made["Night"] == f"arn:aws:ssm-contacts:{REGION}:123456789012:contact/night"
    assert deployed("update", "Late shift") == made
    contacts = clients("ssm-contacts")
    assert contacts.get_contact(ContactId=made["Night"])["DisplayName"] == "Late shift"

    keys = clients("sts").assume_role(RoleArn=made["Caller"], RoleSessionName="tests")[
        "Credentials"
    ]
    caller = clients(
        "ssm-contacts",
        aws_access_key_id=keys["AccessKeyId"],
        aws_secret_access_key=keys["SecretAccessKey"],
        aws_session_token=keys["SessionToken"],
    )
    message = {"Sender": "alarms", "Subject": "Orders", "Content": "none for an hour"}
    started = caller.start_engagement(ContactId=made["Night"], **message)
    with pytest.raises(ClientError, match="not authorized to perform: ssm-contacts:ListEngag"):
        caller.list_engagements()
    with pytest.raises(ClientError, match="the local AWS does not offer ListContacts"):
        contacts.list_contacts()

    daemon.stop(installed)
    clients.start()
    (kept,) = clients("ssm-contacts").list_engagements()["Engagements"]
    assert kept["EngagementArn"] == started["EngagementArn"]
    stacks = clients("cloudformation")
    stacks.delete_stack(StackName="Nights")
    stacks.get_waiter("stack_delete_complete").wait(
        StackName="Nights", WaiterConfig={"Delay": 0.1, "MaxAttempts": 300}
    )
    with pytest.raises(ClientError, match="does not exist"):
        clients("ssm-contacts").get_contact(ContactId=made["Night"])


def test_a_service_that_lacks_something_is_named_with_what(installed: Path) -> None:
    module = installed.parent / "site" / "contacts.py"
    module.unlink()
    module.write_text("import no_such_module")
    with pytest.raises(Mistake) as raised:
        daemon.start(installed, 0)
    assert str(raised.value) == (
        "local-aws-contacts is installed here and has the service 'contacts', which cannot be "
        "loaded: No module named 'no_such_module'; install what local-aws-contacts needs for it, "
        "or uninstall local-aws-contacts"
    )


@pytest.mark.parametrize(
    ("language", "file"), [("python", "contacts.py"), ("toml", "pyproject.toml")]
)
def test_the_page_shows_the_example(language: str, file: str) -> None:
    text = (ADDED / file).read_text(encoding="utf-8")
    shown = list(blocks(PAGE, language))
    assert shown
    in_a_class = [indent(block.text, "    ") in text for block in shown]
    assert [
        block.where
        for block, method in zip(shown, in_a_class, strict=True)
        if not method and block.text not in text
    ] == []

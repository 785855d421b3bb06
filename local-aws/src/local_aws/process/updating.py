"""Updates of stacks that are deployed, from an assembly: what ``cdk deploy`` does, without its CLI.

Roles, parameters and change sets are as aws-cdk 2.1148 has them (``deployStack`` and
``FullCloudFormationDeployment``). Whatever else it can do is left to it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any, TextIO
from uuid import uuid4

from local_aws.errors import DeployFailed
from local_aws.process.address import Address
from local_aws.process.assembly import AssembledStack, artifacts_in, stacks_of
from local_aws.s3_location import S3Location
from local_aws.template.regions import region_names

_UPDATABLE = ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE")
_NO_CHANGES = ("The submitted information didn't contain changes", "No updates are to be performed")
_CHANGE_SET = "cdk-deploy-change-set"
_CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"]


class LeftToTheCli(Exception):
    """It takes more than an update of stacks, or cannot begin; says why. No stack has failed."""


def update_stacks(
    assembly: Path,
    address_in: Callable[[str, str], Address],
    region: str,
    log: TextIO | None = None,
) -> None:
    """Update every stack of ``assembly``, independent ones at once, after it has put its assets.

    ``address_in`` gives the local AWS of an account and a region; ``region`` is that of stacks
    that name none. What happens is written to ``log``, by default to standard error, much as the
    CDK CLI does. Raises `LeftToTheCli`, and `DeployFailed` with the first reason when a stack does
    not reach its wanted state.
    """
    clients = cache(lambda *place: _Clients(address_in(*place).session(place[1])))
    with _left_to_the_cli():
        _look_for_more(assembly)
        waiting = {
            stack.id: _Update(stack, assembly, stack.region or region, clients, log or sys.stderr)
            for stack in stacks_of(assembly)
        }
        for update in waiting.values():
            update.put_assets()
    while waiting:
        wave = [name for name in waiting if waiting.keys().isdisjoint(waiting[name].after)]
        with _left_to_the_cli():
            begun = [waiting[name] for name in wave if waiting[name].begin()]
        failed = [reason for update in begun for reason in update.end()]
        if failed:
            raise DeployFailed(f"cdk deploy failed: {failed[0]}")
        for name in wave:
            del waiting[name]


def failures_in(events: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Every resource that failed, oldest first: reason by event id."""
    return {
        event["EventId"]: f"{event['StackName']}: {event['LogicalResourceId']}: "
        f"{event['ResourceStatusReason']}"
        for event in sorted(events, key=lambda event: str(event["Timestamp"]))
        if event["ResourceStatus"].endswith("_FAILED")
        and "cancelled" not in event.get("ResourceStatusReason", "cancelled")
    }


@contextmanager
def _left_to_the_cli() -> Iterator[None]:
    """What is refused before a stack is begun is tried, and told, by the CLI."""
    from botocore.exceptions import ClientError

    try:
        yield
    except ClientError as error:
        raise LeftToTheCli(error.response["Error"]["Message"]) from None


def _look_for_more(assembly: Path) -> None:
    manifest = json.loads((assembly / "manifest.json").read_text(encoding="utf-8"))
    if manifest.get("missing"):
        raise LeftToTheCli("the app has something looked up")
    for nested in artifacts_in(assembly, "cdk:cloud-assembly"):
        raise LeftToTheCli(f"{nested['displayName']} is a Stage")


class _Clients:
    """boto3's clients in an account and a region, with the roles that an assembly names."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._keys: dict[str | None, dict[str, str]] = {None: {}}
        self._made: dict[tuple[str, str | None], Any] = {}

    def get(self, service: str, role: str | None) -> Any:
        if role not in self._keys:
            taken = self.get("sts", None).assume_role(RoleArn=role, RoleSessionName="local-deploy")[
                "Credentials"
            ]
            self._keys[role] = {
                "aws_access_key_id": taken["AccessKeyId"],
                "aws_secret_access_key": taken["SecretAccessKey"],
                "aws_session_token": taken["SessionToken"],
            }
        key = (service, role)
        if key not in self._made:
            self._made[key] = self._session.client(service, **self._keys[role])
        return self._made[key]


class _Update:
    """The update of one stack. Making it changes nothing."""

    def __init__(
        self,
        stack: AssembledStack,
        assembly: Path,
        region: str,
        clients: Callable[[str, str], _Clients],
        say: TextIO,
    ) -> None:
        self.after = stack.dependencies
        self._stack, self._assembly, self._region, self._say = stack, assembly, region, say
        self._clients = clients(stack.account, region)
        properties = self._filled(stack.properties)
        self._cloudformation = self._clients.get("cloudformation", None)
        (found,) = self._described(stack.name)  # before a role is taken that may not be there yet
        self._id = found["StackId"]
        if found["StackStatus"] not in _UPDATABLE:
            raise LeftToTheCli(f"{stack.name} is {found['StackStatus']}")
        if found["EnableTerminationProtection"] != properties.get("terminationProtection", False):
            raise LeftToTheCli(f"the termination protection of {stack.name} changes")
        template = json.loads((assembly / properties["templateFile"]).read_text(encoding="utf-8"))
        self._cloudformation = self._clients.get("cloudformation", properties.get("assumeRoleArn"))
        known = {each["ParameterKey"] for each in found.get("Parameters", ())}
        put = S3Location.find(properties.get("stackTemplateAssetObjectUrl", ""))
        if put is None:
            raise LeftToTheCli(f"the template of {stack.name} is no asset")
        role = properties.get("cloudFormationExecutionRoleArn")
        self._asked = {
            "TemplateURL": f"https://s3.{region}.amazonaws.com/{put.bucket}/{put.key}",
            "Parameters": [
                {"ParameterKey": name, "UsePreviousValue": True}
                for name in template.get("Parameters", ())
                if name in known
            ],
            "Tags": [
                {"Key": key, "Value": each} for key, each in properties.get("tags", {}).items()
            ],
            "NotificationARNs": properties.get("notificationArns", []),
            **({} if role is None else {"RoleARN": role}),
        }

    def put_assets(self) -> None:
        """Upload what is not in its bucket yet."""
        for artifact in artifacts_in(self._assembly, "cdk:asset-manifest"):
            if artifact["id"] not in self.after:
                continue
            manifest = self._assembly / artifact["properties"]["file"]
            assets = self._filled(json.loads(manifest.read_text(encoding="utf-8")))
            if assets.get("dockerImages"):
                raise LeftToTheCli(f"{self._stack.name} has images")
            for name, asset in assets.get("files", {}).items():
                for place in asset["destinations"].values():
                    self._put(asset.get("displayName", name), asset["source"], place)

    def _put(self, name: str, source: Mapping[str, Any], place: Mapping[str, Any]) -> None:
        from botocore.exceptions import ClientError

        if place.get("region", self._region) != self._region:
            raise LeftToTheCli(f"{name} is for another region")
        s3 = self._clients.get("s3", place.get("assumeRoleArn"))
        try:
            s3.head_object(Bucket=place["bucketName"], Key=place["objectKey"])
        except ClientError as error:
            if error.response["Error"]["Code"] != "404":
                raise
            if source.get("packaging") != "file":
                raise LeftToTheCli(f"{name} has changed, which is to be zipped") from None
            file = str(self._assembly / source["path"])
            s3.upload_file(file, place["bucketName"], place["objectKey"])

    def begin(self) -> bool:
        """Whether there is anything to do, which has begun then."""
        cloudformation = self._cloudformation
        named = {"StackName": self._id, "ChangeSetName": _CHANGE_SET}
        self._before = next(self._events(), {}).get("EventId")
        cloudformation.delete_change_set(**named)
        cloudformation.create_change_set(
            **named,
            **self._asked,
            ChangeSetType="UPDATE",
            Description=f"CDK Changeset for execution {uuid4()}",
            IncludeNestedStacks=True,
            Capabilities=_CAPABILITIES,
            DeploymentConfig={"Mode": "STANDARD"},
        )
        made = cloudformation.describe_change_set(**named)
        if made["Status"] == "CREATE_COMPLETE":
            cloudformation.execute_change_set(**named)
            return True
        cloudformation.delete_change_set(**named)
        reason = made.get("StatusReason", made["Status"])
        if not reason.startswith(_NO_CHANGES):
            raise LeftToTheCli(f"{self._stack.name}: {reason}")
        self._tell(self._described(self._id)[0], " (no changes)")
        return False

    def end(self) -> list[str]:
        """Wait for it; gives why it failed, where it did."""
        told: list[dict[str, Any]] = []
        while True:
            (found,) = self._described(self._id)  # by its id, which is answered at the end
            new = [*takewhile(lambda event: event["EventId"] != self._before, self._events())]
            new.reverse()
            for event in new[len(told) :]:
                self._print(
                    f"{event['StackName']} | | {event['Timestamp']:%H:%M:%S} | "
                    f"{event['ResourceStatus']} | {event['ResourceType']} | "
                    f"{event['LogicalResourceId']} {event.get('ResourceStatusReason', '')}"
                )
            told = new
            if not found["StackStatus"].endswith("_IN_PROGRESS"):
                break
        if found["StackStatus"] == "UPDATE_COMPLETE":
            self._tell(found)
            return []
        return [*failures_in(told).values(), f"{self._stack.name} is {found['StackStatus']}"][:1]

    def _described(self, name: str) -> list[dict[str, Any]]:
        return list(self._cloudformation.describe_stacks(StackName=name)["Stacks"])

    def _events(self) -> Iterator[dict[str, Any]]:
        """The stack's, the newest first."""
        pages = self._cloudformation.get_paginator("describe_stack_events")
        for page in pages.paginate(StackName=self._id):
            yield from page["StackEvents"]

    def _filled(self, written: Any) -> Any:
        """With the names of the place in which the stack is."""
        text = json.dumps(written)
        names = {**region_names(self._region), "AWS::AccountId": self._stack.account}
        for name, value in names.items():
            text = text.replace(f"${{{name}}}", str(value))
        return json.loads(text)

    def _tell(self, found: Mapping[str, Any], what: str = "") -> None:
        self._print(f"✅  {self._stack.path} ({self._stack.name}){what}")
        outputs = found.get("Outputs", ())
        if outputs:
            self._print("Outputs:")
        for each in outputs:
            self._print(f"{self._stack.id}.{each['OutputKey']} = {each['OutputValue']}")

    def _print(self, line: str) -> None:
        print(line, file=self._say, flush=True)

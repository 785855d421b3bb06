"""A CDK app, deployed for a test and destroyed after it."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from local_aws.credentials import ACCOUNT_ID
from local_aws.errors import DeployFailed, LocalAwsEnded, Mistake
from local_aws.process.address import Address
from local_aws.process.assembly import AssembledStack, stacks_of
from local_aws.process.cdk import CdkCli
from local_aws.suggest import nearest
from local_aws.testing.report import Report, failed_events

_DELETE_SECONDS, _LOOK_SECONDS = 600, 0.1


Place = tuple[str, str]
"""An account and a region."""


class Outputs(dict[str, str]):
    """Outputs of stacks by their keys; one that is not there is named with those that are."""

    def __missing__(self, key: str) -> str:
        meant = nearest(key, self)
        hint = f"did you mean {meant}?" if meant is not None else f"there are {', '.join(self)}"
        raise KeyError(f"no stack has an output {key}, or several have; {hint}")


@dataclass(frozen=True, kw_only=True)
class DeployedStack:
    """A stack as it was deployed: ``resources`` are physical ids by logical ids."""

    name: str
    stack_id: str
    region: str
    account: str
    outputs: Mapping[str, str]
    resources: Mapping[str, str]


class DeployedApp:
    """An app that is deployed.

    ``stacks`` are its stacks by name. ``outputs`` are those of all of them; of several stacks that
    have one of the same key, ask the stack.
    """

    def __init__(
        self,
        address: Address,
        report: Report,
        folder: Path,
        *,
        stacks: Sequence[str],
        context: Mapping[str, str],
        env: Mapping[str, str],
        region: str,
    ) -> None:
        self.stacks: dict[str, DeployedStack] = {}
        self._cdk = CdkCli(folder, address, region)
        self._folder = folder
        self._report = report
        self._patterns = stacks
        self._context = dict(context)
        self._env = dict(env)
        self._region = region
        self._own: dict[str, Place] = {}

    @property
    def outputs(self) -> Outputs:
        """Those of all stacks."""
        pairs = [pair for stack in self.stacks.values() for pair in stack.outputs.items()]
        keys = [key for key, _ in pairs]
        return Outputs((key, value) for key, value in pairs if keys.count(key) == 1)

    def deploy(self, *, context: Mapping[str, str] | None = None) -> None:
        """Deploy it again, as it is now: an update of its stacks.

        ``context`` are values that are others than before. Raises `DeployFailed`, after the
        rollback.
        """
        self._context |= context or {}
        began = datetime.now(UTC)
        with TemporaryDirectory() as folder:
            assembly = Path(folder) / "cdk.out"
            with _without_lookups(self._folder / "cdk.context.json"):
                self._cdk.synth(assembly, self._context, self._env)
            assembled = stacks_of(assembly)
            places = {self._place(each) for each in assembled} or {(ACCOUNT_ID, self._region)}
            self._refuse_stacks_of_others(stacks_of(assembly, self._patterns))
            self._cdk.bootstrap(assembly)
            before = self._deployed(places)
            try:
                self._cdk.deploy(assembly, self._patterns)
            except LocalAwsEnded:
                self._own.clear()
                raise
            except BaseException:
                self._take(places, before)
                for place in sorted(places):
                    self._tell_failures(place, began)
                raise
            self._take(places, before)
        names = {each.name for each in assembled}
        self.stacks = {
            stack.name: stack
            for place in sorted(places)
            for stack in self._described(place)
            if stack.name in names
        }

    def destroy(self) -> None:
        """Delete its stacks, the newest first, as ``cdk destroy`` does.

        What the app shares with one that was deployed before stays. Raises `DeployFailed` for a
        stack that cannot be deleted whole, with the first reason.
        """
        while self._own:
            stack_id, place = next(reversed(self._own.items()))
            self._delete(stack_id, place)
            del self._own[stack_id]
        self.stacks = {}

    def destroy_anyway(self) -> None:
        """`destroy`, where what cannot be deleted is left and warned of."""
        for stack_id, place in self._own.items():
            self._client(place).update_termination_protection(
                StackName=stack_id, EnableTerminationProtection=False
            )
        while self._own:
            try:
                self.destroy()
            except DeployFailed as failed:
                warnings.warn(f"{failed}; it stays until the tests end", stacklevel=2)
                stack_id, place = self._own.popitem()
                self._delete(stack_id, place, retain=self._undeletable(stack_id, place))

    def _delete(self, stack_id: str, place: Place, retain: Sequence[str] = ()) -> None:
        from botocore.exceptions import WaiterError

        began = datetime.now(UTC)
        client = self._client(place)
        client.delete_stack(StackName=stack_id, **({"RetainResources": retain} if retain else {}))
        attempts = int(_DELETE_SECONDS / _LOOK_SECONDS)
        config = {"Delay": _LOOK_SECONDS, "MaxAttempts": attempts}
        try:
            client.get_waiter("stack_delete_complete").wait(StackName=stack_id, WaiterConfig=config)
        except WaiterError:
            self._tell_failures(place, began)
            (stack,) = client.describe_stacks(StackName=stack_id)["Stacks"]
            raise DeployFailed(
                f"stack {stack['StackName']} could not be deleted: "
                f"{stack.get('StackStatusReason', stack['StackStatus'])}"
            ) from None

    def _undeletable(self, stack_id: str, place: Place) -> list[str]:
        client = self._client(place)
        return [
            each["LogicalResourceId"]
            for each in client.describe_stack_resources(StackName=stack_id)["StackResources"]
            if each["ResourceStatus"] == "DELETE_FAILED"
        ]

    def _refuse_stacks_of_others(self, assembled: Sequence[AssembledStack]) -> None:
        for stack in assembled:
            place = self._place(stack)
            if any(
                each["StackName"] == stack.name and each["StackId"] not in self._own
                for each in self._roots(place)
            ):
                raise Mistake(
                    f"stack {stack.name} is deployed already in {place[1]}, by a fixture of a "
                    "wider scope or by this test; ask for that one, give this one another name by "
                    "the app's context, or deploy it to another region: deploy_app(…, "
                    'region="us-east-2")'
                )

    def _place(self, stack: AssembledStack) -> Place:
        return stack.account, stack.region or self._region

    def _tell_failures(self, place: Place, since: datetime) -> None:
        text = failed_events(self._client(place), since)
        if text:
            self._report.add(text)

    def _take(self, places: set[Place], before: Mapping[str, Place]) -> None:
        """Those stacks are the app's own that are new."""
        now = self._deployed(places)
        self._own |= {stack: place for stack, place in now.items() if stack not in before}

    def _deployed(self, places: set[Place]) -> dict[str, Place]:
        """The places of all stacks by their ids, the oldest first."""
        found = [(each, place) for place in places for each in self._roots(place)]
        found.sort(key=lambda pair: str(pair[0]["CreationTime"]))
        return {each["StackId"]: place for each, place in found}

    def _client(self, place: Place) -> Any:
        return self._cdk.address_in(*place).client("cloudformation", place[1])

    def _roots(self, place: Place) -> list[dict[str, Any]]:
        """The stacks that are no other's resource, but the CDK's own."""
        client = self._client(place)
        pages = client.get_paginator("describe_stacks").paginate()
        return [
            stack
            for page in pages
            for stack in page["Stacks"]
            if "ParentId" not in stack and stack["StackName"] != "CDKToolkit"
        ]

    def _described(self, place: Place) -> Iterator[DeployedStack]:
        client = self._client(place)
        for stack in self._roots(place):
            pages = client.get_paginator("list_stack_resources").paginate(
                StackName=stack["StackId"]
            )
            yield DeployedStack(
                name=stack["StackName"],
                stack_id=stack["StackId"],
                account=place[0],
                region=place[1],
                outputs=Outputs(
                    (each["OutputKey"], each["OutputValue"]) for each in stack.get("Outputs", ())
                ),
                resources={
                    each["LogicalResourceId"]: each["PhysicalResourceId"]
                    for page in pages
                    for each in page["StackResourceSummaries"]
                    if "PhysicalResourceId" in each
                },
            )


class DeployApp(Protocol):
    """What the fixture ``deploy_app`` gives: as `LocalAws.deployed`, until the test ends."""

    def __call__(
        self,
        path: str | os.PathLike[str],
        *,
        stacks: Sequence[str] = ...,
        context: Mapping[str, str] = ...,
        env: Mapping[str, str] = ...,
        region: str | None = ...,
    ) -> DeployedApp:
        """Deploy the app in the folder ``path``."""


@contextmanager
def deployed(
    address: Address,
    report: Report,
    folder: Path,
    *,
    stacks: Sequence[str],
    context: Mapping[str, str],
    env: Mapping[str, str],
    region: str,
) -> Iterator[DeployedApp]:
    """The app in ``folder``, deployed to ``address`` until the end of the block.

    What fails goes into ``report``. Raises what `DeployedApp.deploy` does.
    """
    app = DeployedApp(
        address, report, folder, stacks=stacks, context=context, env=env, region=region
    )
    try:
        app.deploy()
        yield app
    finally:
        app.destroy_anyway()


@contextmanager
def _without_lookups(context: Path) -> Iterator[None]:
    """What the CLI has looked up in a local AWS holds for that one: it is read by no other, and
    nothing of it stays in the app's folder."""
    _forget_lookups(context)
    try:
        yield
    finally:
        _forget_lookups(context)


def _forget_lookups(context: Path) -> None:
    known = json.loads(context.read_text(encoding="utf-8")) if context.is_file() else {}
    kept = {key: value for key, value in known.items() if f"account={ACCOUNT_ID}" not in key}
    if kept:
        if kept != known:
            context.write_text(f"{json.dumps(kept, indent=2)}\n", encoding="utf-8")
    elif known:
        context.unlink()

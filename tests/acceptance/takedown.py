"""Takes down whatever of the scenario is there, in whatever state it was left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from botocore import xform_name
from botocore.exceptions import BotoCoreError, ClientError

from tests.acceptance.project import PREFIX, TAG, TOOLKIT
from tests.acceptance.site import Site

_LAST = (f"{PREFIX}-Storage", TOOLKIT)
"""The others hold on to the storage; the toolkit's bucket has what all are made of."""

_ATTEMPTS = 3
"""How often a stack is deleted: an endpoint that is updated cannot be, at first."""

_DELETABLE = ("CREATE_IN_PROGRESS", "REVIEW_IN_PROGRESS")
"""What need not come to an end before; a stack in review would not by itself."""


class Takedown:
    """Of all that is tagged as the scenario's, on ``site``; ``tell`` hears what is being done."""

    def __init__(self, site: Site, tell: Callable[[str], None]) -> None:
        self._site = site
        self._tell = tell
        self._stacks = site.aws.client("cloudformation")
        self._s3 = site.aws.client("s3")
        self._left: list[str] = []

    def take_down(self) -> list[str]:
        """What is left all the same, each with the reason; nothing when all is gone."""
        done: set[str] = set()
        while stacks := self._attempt("the stacks", lambda: self._found_but(done), []):
            for stack in sorted(stacks, key=_turn):  # a CLI that was killed may have asked for more
                self._tell(f"taking down {stack['StackName']}")
                self._attempt(stack["StackName"], partial(self._delete, stack["StackId"]), None)
                done.add(stack["StackId"])
        self._attempt("kept versions", self._delete_kept, None)
        self._attempt("log groups", self._delete_log_groups, None)
        return self._left

    def found(self) -> Iterator[Any]:
        """The scenario's stacks: by name and by tag, so that nobody else's are taken."""
        for page in self._stacks.get_paginator("describe_stacks").paginate():
            for stack in page["Stacks"]:
                named = stack["StackName"].startswith(f"{PREFIX}-")
                if named and {"Key": TAG[0], "Value": TAG[1]} in self._tags(stack):
                    yield stack

    def _found_but(self, done: set[str]) -> list[Any]:
        return [each for each in self.found() if each["StackId"] not in done]

    def _tags(self, stack: Any) -> list[Any]:
        """A stack in review has none yet; those that it is to have are its change set's."""
        tags = list(stack.get("Tags", []))
        if stack["StackStatus"] == "REVIEW_IN_PROGRESS":
            for each in self._stacks.list_change_sets(StackName=stack["StackId"])["Summaries"]:
                planned = self._stacks.describe_change_set(ChangeSetName=each["ChangeSetId"])
                tags += planned.get("Tags", [])
        return tags

    def _delete(self, stack: str) -> None:
        buckets = list(self._buckets(stack))
        self._settled(stack)
        for _ in range(_ATTEMPTS):
            for bucket in buckets:
                with suppress(self._s3.exceptions.NoSuchBucket):
                    empty_bucket(self._s3, bucket)
            self._stacks.delete_stack(StackName=stack)
            if (status := self._settled(stack)) == "DELETE_COMPLETE":
                break
        else:
            self._left.append(f"{stack}: it is {status} after {_ATTEMPTS} attempts")
        for bucket in buckets:  # the toolkit's is kept by its template
            with suppress(self._s3.exceptions.NoSuchBucket):
                self._s3.delete_bucket(Bucket=bucket)

    def _settled(self, stack: str) -> str:
        end = time.monotonic() + self._site.patience_seconds
        while True:
            (found,) = self._stacks.describe_stacks(StackName=stack)["Stacks"]
            status = str(found["StackStatus"])
            settled = not status.endswith("_IN_PROGRESS") or status in _DELETABLE
            if settled or time.monotonic() > end:
                return status
            time.sleep(self._site.poll_seconds)

    def _buckets(self, stack: str) -> Iterator[str]:
        pages = self._stacks.get_paginator("list_stack_resources").paginate(StackName=stack)
        for page in pages:
            for resource in page["StackResourceSummaries"]:
                if resource["ResourceType"] == "AWS::S3::Bucket":
                    yield resource.get("PhysicalResourceId", "")

    def _delete_kept(self) -> None:
        """The versions that deploys have kept for the way back, which no stack has any more."""
        sagemaker = self._site.aws.client("sagemaker")
        for kind in ("EndpointConfig", "Model"):
            operation = f"list_{xform_name(kind)}s"
            for page in sagemaker.get_paginator(operation).paginate():
                for each in page[f"{kind}s"]:
                    tags = sagemaker.list_tags(ResourceArn=each[f"{kind}Arn"])["Tags"]
                    if {"Key": TAG[0], "Value": TAG[1]} in tags:
                        delete = getattr(sagemaker, f"delete_{xform_name(kind)}")
                        delete(**{f"{kind}Name": each[f"{kind}Name"]})

    def _delete_log_groups(self) -> None:
        """Those that SageMaker, Lambda and Step Functions made by themselves."""
        logs = self._site.aws.client("logs")
        for place in ("sagemaker/Endpoints", "sagemaker/InferenceComponents", "lambda"):
            pages = logs.get_paginator("describe_log_groups").paginate(
                logGroupNamePrefix=f"/aws/{place}/{PREFIX}-"
            )
            for page in pages:
                for group in page["logGroups"]:
                    logs.delete_log_group(logGroupName=group["logGroupName"])

    def _attempt(self, what: str, do: Callable[[], Any], otherwise: Any) -> Any:
        try:
            return do()
        except (ClientError, BotoCoreError) as error:
            self._left.append(f"{what}: {error}")
            return otherwise


def _turn(stack: Any) -> int:
    name = stack["StackName"]
    return _LAST.index(name) + 1 if name in _LAST else 0


def empty_bucket(s3: Any, bucket: str) -> None:
    """As on AWS, a bucket that holds data is not deleted."""
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
        versions = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
        if versions:
            keys = [{"Key": each["Key"], "VersionId": each["VersionId"]} for each in versions]
            s3.delete_objects(Bucket=bucket, Delete={"Objects": keys})

"""What CloudFormation calls: the log group of an endpoint gets an end, and perhaps a key.

SageMaker makes that group as the first container writes, and CloudFormation's own type fails where
a group is there. So this makes it unless it is there. aws-cdk came to the same for the groups that
Lambda makes (issues 248 and 667, `LogRetention`). Unlike that, a group that
something else made outlives the stack: a tag says who made it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from sagemaker_serving.functions.custom_resource.answer import answer
from sagemaker_serving.functions.custom_resource.clients import client, code_of
from sagemaker_serving.functions.custom_resource.request import Request


def handler(event: Mapping[str, Any], context: object) -> None:
    """Does what the request asks, and tells CloudFormation how that went."""
    request = Request.of(event)
    outcome = {"Status": "SUCCESS"}
    try:
        if request.kind == "Delete":
            give_up(request)
        else:
            keep(request)
    except (ClientError, BotoCoreError) as error:
        outcome = {"Status": "FAILED", "Reason": str(error)}
    except Exception as error:  # unanswered, CloudFormation would wait for an hour
        outcome = {"Status": "FAILED", "Reason": repr(error)}
    answer(request, outcome, request.properties["LogGroupName"])


def keep(request: Request) -> None:
    """Makes the group where there is none, and sets ``RetentionInDays``, ``KmsKeyId`` and ``Tags``.

    A key and tags that somebody else gave it stay. Raises what CloudWatch Logs answers.
    """
    logs, wanted = client("logs"), request.properties
    previous = request.previous if request.previous is not None else {}
    name, key, tags = wanted["LogGroupName"], wanted.get("KmsKeyId"), wanted.get("Tags", {})
    ours = {tag["Key"]: tag["Value"] for tag in request.tags}
    try:
        logs.create_log_group(logGroupName=name, tags=ours)
    except ClientError as error:
        if code_of(error) != "ResourceAlreadyExistsException":
            raise
    if key is not None:
        logs.associate_kms_key(logGroupName=name, kmsKeyId=key)
    elif "KmsKeyId" in previous:
        logs.disassociate_kms_key(logGroupName=name)
    logs.put_retention_policy(logGroupName=name, retentionInDays=int(wanted["RetentionInDays"]))
    if tags:
        logs.tag_resource(resourceArn=wanted["LogGroupArn"], tags=dict(tags))
    gone = sorted(previous.get("Tags", {}).keys() - tags.keys())
    if gone:
        logs.untag_resource(resourceArn=wanted["LogGroupArn"], tagKeys=gone)


def give_up(request: Request) -> None:
    """Deletes a group that this resource has made, unless ``Retain`` says otherwise."""
    logs, given = client("logs"), request.properties
    if given["Retain"] == "true":
        return
    try:
        tags = logs.list_tags_for_resource(resourceArn=given["LogGroupArn"])["tags"]
        if request.owns(tags):
            logs.delete_log_group(logGroupName=given["LogGroupName"])
    except ClientError as error:
        if code_of(error) != "ResourceNotFoundException":
            raise

"""CloudWatch Logs: groups, streams and policies, which the emulator keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.arn import Arn, arn_in
from local_aws.context import LocalContext
from local_aws.permissions import deployed
from local_aws.permissions.service import ServicePermissions, first
from local_aws.policies.documents import MalformedPolicy, Policy
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.service import Action, Limit, Service
from local_aws.template.regions import region_names

from .resources import LogGroup, ResourcePolicy

_ABOUT_STREAMS = frozenset(
    {
        "CreateLogStream",
        "DeleteLogStream",
        "DescribeLogStreams",
        "FilterLogEvents",
        "GetLogEvents",
        "PutLogEvents",
    }
)

_KEY_ACTIONS = ("kms:GenerateDataKey", "kms:Decrypt")
"""What CloudWatch Logs does with a group's key; which of it AWS tries at once is not documented."""

RETENTION_DAYS = (
    *(1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731),
    *(1096, 1827, 2192, 2557, 2922, 3288, 3653),
)
"""As botocore's model of CloudWatch Logs says (``Days``). aws-cdk's issue 1343 has
what is answered to others."""


def _groups(call: Call) -> Iterator[str]:
    named = first(call.parameters, "logGroupIdentifier", "resourceArn")
    group = first(call.parameters, "logGroupName")
    if group is None:
        if named is not None and named.startswith("arn:"):
            yield named
            return
        group = named
    if group is None:
        return
    stream = f":log-stream:{call.parameters.get('logStreamName', '')}"
    yield f"log-group:{group}{stream if call.operation in _ABOUT_STREAMS else ''}"


class Logs(Service):
    """CloudWatch Logs: groups, streams and resource policies, which the emulator keeps."""

    name = "logs"
    limits = (
        Limit("resource policies of one log group", "refused by name"),
        Limit("subscription filters", "kept of a stack, refused of a call"),
    )
    invalid = "InvalidParameterException"
    permissions = ServicePermissions(
        prefix="logs",
        resources=_groups,
    )
    warm_up = "describe_log_groups"
    types = (LogGroup(), ResourcePolicy())

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def check(self, call: Call) -> None:
        """Raise `AwsError`, too, for a key that CloudWatch Logs may not use, for days that it does
        not keep, and for a resource policy that is none, or that would hold for one group."""
        super().check(call)
        key = call.parameters.get("kmsKeyId")
        if key and call.operation in ("CreateLogGroup", "AssociateKmsKey"):
            self._refuse_unusable(key, call)
        if call.operation == "PutRetentionPolicy":
            days = call.parameters.get("retentionInDays")
            if days not in RETENTION_DAYS:
                allowed = ", ".join(map(str, RETENTION_DAYS))
                raise AwsError(
                    self.invalid, f"Invalid retention value. Valid values are: [{allowed}]"
                )
        if call.operation == "PutSubscriptionFilter":
            what = "the local AWS sends what is logged nowhere else (PutSubscriptionFilter)"
            raise AwsError(self.invalid, what)
        if call.operation in _ABOUT_POLICIES and call.parameters.get("resourceArn"):
            what = "resource policies of one log group; leave resourceArn out for the account's"
            raise AwsError(self.invalid, f"the local AWS does not keep {what}")
        if call.operation == "PutResourcePolicy":
            try:
                Policy.parse(call.parameters.get("policyDocument", ""), name="policyDocument")
            except MalformedPolicy as malformed:
                raise AwsError(self.invalid, str(malformed)) from None

    def actions(self) -> Mapping[str, Action]:
        """What the emulator does not carry out."""
        return {
            "AssociateKmsKey": self._set_key,
            "DisassociateKmsKey": self._set_key,
        }

    def _set_key(self, call: Call) -> dict[str, Any]:
        """The key of a group that is there: the emulator takes one only as it makes the group."""
        from moto.logs.models import logs_backends  # loading the emulator takes long

        given = call.parameters
        name = given.get("logGroupName")
        if name is None:
            arn = Arn.parse(given.get("resourceIdentifier", ""))
            name = arn.resource.removeprefix("log-group:")
        group = logs_backends[call.account][call.region].groups.get(name)
        if group is None:
            raise AwsError("ResourceNotFoundException", "The specified log group does not exist.")
        group.kms_key_id = given.get("kmsKeyId")
        return {}

    def _refuse_unusable(self, key: str, call: Call) -> None:
        """Raise `AwsError` unless the key's policy lets the service in, for this group.

        The account's own statement is not enough. Its principal is ``logs.<region>`` and the
        partition's suffix, ``amazonaws.com.cn`` in China. Sources: CloudWatch Logs user guide,
        "Encrypt log data in CloudWatch Logs using AWS KMS"; aws-cdk-lib 2.275, region-info; the
        refusal is quoted in github.com/hashicorp/terraform-provider-aws/issues/29282 and
        github.com/aws/aws-cdk/issues/28304.
        """
        parameters, account = call.parameters, call.account
        named = first(parameters, "logGroupName", "resourceIdentifier") or ""
        group = (
            named
            if named.startswith("arn:")
            else arn_in(call.region, "logs", account, f"log-group:{named}")
        )
        service = f"logs.{call.region}.{region_names(call.region)['AWS::URLSuffix']}"
        given = {
            "kms:EncryptionContext:aws:logs:arn": group,
            "aws:SourceAccount": account,
            "aws:SourceArn": group,
        }
        arn = deployed.key_arn(key, call.account, call.region)
        if arn is None or not all(
            self._context.evaluator.lets_service(service, action, arn, given)
            for action in _KEY_ACTIONS
        ):
            what = "The specified KMS key does not exist or is not allowed to be used with Arn"
            raise AwsError("AccessDeniedException", f"{what} '{group}'")


_ABOUT_POLICIES = frozenset({"PutResourcePolicy", "DeleteResourcePolicy"})

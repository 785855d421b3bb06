"""Findings of scanners that are meant to stay, each with the reason that an auditor gets.

One finding at a time: cdk-nag and checkov go on reporting the same elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct, IConstruct

from sagemaker_serving.infra.synth.tokens import as_text, remembered, stack_of

_COMPLIANCE_PACKS = ("NIST.800.53.R5", "PCI.DSS.321", "HIPAA.Security")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What the scanners say of one and the same thing, each in its own words.

    ``compliance`` is a rule of cdk-nag's NIST 800-53 R5, PCI DSS and HIPAA
    packs, ``solutions`` one of AwsSolutions, ``serverless`` one of Serverless,
    ``checkov`` a check of checkov's.
    """

    compliance: str | None = None
    solutions: str | None = None
    serverless: str | None = None
    checkov: str | None = None


NO_ACCESS_LOGS = Finding(
    compliance="S3BucketLoggingEnabled", solutions="AwsSolutions-S1", checkov="CKV_AWS_18"
)
NO_REPLICATION = Finding(compliance="S3BucketReplicationEnabled")
NO_KEY_ON_BUCKET = Finding(compliance="S3DefaultEncryptionKMS")
NO_KEY_ON_LOGS = Finding(compliance="CloudWatchLogGroupEncrypted", checkov="CKV_AWS_158")
NO_KEY_ON_VOLUMES = Finding(compliance="SageMakerEndpointConfigurationKMSKeyConfigured")
NO_RESERVED_CONCURRENCY = Finding(compliance="LambdaConcurrency", checkov="CKV_AWS_115")
NO_DEAD_LETTERS = Finding(
    compliance="LambdaDLQ", serverless="Serverless-LambdaDLQ", checkov="CKV_AWS_116"
)
NO_DEAD_EVENTS = Finding(serverless="Serverless-EventBusDLQ")
NOT_IN_A_VPC = Finding(compliance="LambdaInsideVPC", checkov="CKV_AWS_117")
NO_KEY_ON_VARIABLES = Finding(compliance="LambdaEnvironmentEncrypted", checkov="CKV_AWS_173")
DEFAULT_GROUP_OPEN = Finding(compliance="VPCDefaultSecurityGroupClosed", checkov="CKV_AWS_148")
NO_ALARM_ACTION = Finding(compliance="CloudWatchAlarmAction")
ANYBODY_IN_A_KEY = Finding(checkov="CKV_AWS_33")
NO_KEY_ON_TOPIC = Finding(compliance="SNSEncryptedKMS", checkov="CKV_AWS_26")


def acknowledge(construct: Construct, finding: Finding, reason: str) -> None:
    """Tells every scanner why ``finding`` is right on ``construct``, a resource or its L2."""
    own = finding.compliance
    ids = [] if own is None else [f"{pack}-{own}" for pack in _COMPLIANCE_PACKS]
    ids += [named for named in (finding.solutions, finding.serverless) if named is not None]
    _acknowledge(construct, dict.fromkeys(ids, reason))
    if finding.checkov is not None:
        is_resource = isinstance(construct, cdk.CfnResource)
        resource = construct if is_resource else construct.node.default_child
        assert isinstance(resource, cdk.CfnResource)
        known = resource.get_metadata("checkov")
        skipped = [] if known is None else known["skip"]
        added = {"id": finding.checkov, "comment": reason}
        resource.add_metadata("checkov", {"skip": [*skipped, added]})


def acknowledge_retired_property(construct: Construct, reason: str) -> None:
    """Tells CDK's own validator why ``construct`` has a property that its schema lost."""
    _acknowledge(construct, {"CloudFormation-Validate::F3002": reason})


def acknowledge_own_policy(construct: Construct) -> None:
    """Tells every scanner why the role of ``construct``, or what it is, has an inline policy."""
    inline = Finding(compliance="IAMNoInlinePolicy")
    acknowledge(construct, inline, "It is of use to this role only, and comes and goes with it")


def acknowledged(construct: IConstruct) -> Iterator[tuple[str, str]]:
    """The findings that are acknowledged on ``construct`` itself, of any scanner, with reasons."""
    for entry in construct.node.metadata:
        if entry.type == cdk.Validations.ACKNOWLEDGED_RULES_METADATA_KEY:
            for finding, reason in entry.data.items():
                yield finding.removeprefix("Annotation::"), reason
    if isinstance(construct, cdk.CfnResource):
        for skipped in (construct.get_metadata("checkov") or {}).get("skip", []):
            yield skipped["id"], skipped["comment"]


def acknowledge_wildcard(grantee: IConstruct | iam.IGrantable, resource: str, reason: str) -> None:
    """Tells cdk-nag why policies below ``grantee`` name ``resource``, which has a wildcard.

    Another wildcard on the same role is still reported. What is granted to no construct of the app
    is in no policy of it.
    """
    acknowledge_wildcards(grantee, {resource: reason})


def acknowledge_wildcards(grantee: IConstruct | iam.IGrantable, reasons: Mapping[str, str]) -> None:
    """As `acknowledge_wildcard`, of several resources in one message to Node."""
    if not isinstance(grantee, Construct) and not hasattr(grantee, "node"):
        return
    construct: Any = grantee
    stack = stack_of(construct)

    def shown(token: re.Match[str]) -> str:
        return str(remembered(stack, token[0], lambda: _shown(stack.resolve(token[0]))))

    _acknowledge(
        construct,
        {
            f"AwsSolutions-IAM5[Resource::{_TOKEN.sub(shown, resource)}]": reason
            for resource, reason in reasons.items()
        },
    )


def _shown(value: Any) -> str:
    """A resolved value as finding ids spell it: references in angle brackets."""
    return as_text(value, lambda name: f"<{name}>")


_TOKEN = re.compile(r"\$\{Token\[[^]]*\]\}")
"""How CDK writes into text what only a deploy knows."""


def _acknowledge(construct: IConstruct, reasons: Mapping[str, str]) -> None:
    validations: cdk.Validations = remembered(
        construct, "validations", lambda: cdk.Validations.of(construct)
    )
    validations.acknowledge(*(cdk.Acknowledgment(id=id_, reason=r) for id_, r in reasons.items()))

"""Keys of KMS that services use in an app's name, each as its policy or a role's has to let it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving.infra.synth.granting import add_to_policy_of
from sagemaker_serving.infra.synth.tokens import colon_arn, stack_of

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_sns as sns


def let_logs_use(key: kms.IKey, scope: Construct) -> None:
    """Lets CloudWatch Logs encrypt the log groups of the account, in the region of ``scope``.

    Source: CloudWatch Logs user guide, "Encrypt log data". That this service
    alone has the partition's suffix in its name, ``amazonaws.com.cn`` in China, is how
    aws-cdk-lib 2.275 knows it (region-info, ``default.js``); not tried there.
    """
    stack = stack_of(scope)
    groups = colon_arn(scope, "logs", "log-group", "*")
    add_to_policy_of(
        key,
        scope,
        iam.PolicyStatement(
            principals=[iam.ServicePrincipal(f"logs.{stack.region}.{stack.url_suffix}")],
            actions=[
                "kms:Decrypt",
                "kms:Describe*",
                "kms:Encrypt",
                "kms:GenerateDataKey*",
                "kms:ReEncrypt*",
            ],
            resources=["*"],
            conditions={"ArnLike": {"kms:EncryptionContext:aws:logs:arn": groups}},
        ),
    )


def keys_of_topics(topics: Sequence[sns.ITopic], given: kms.IKey | None) -> list[str]:
    """The ARNs of the keys that who publishes to the topics has to be let use.

    ``given`` is that of topics that were made elsewhere, which don't tell theirs. SNS's own key,
    which is known by its alias, needs no permission.
    """
    own = [topic.master_key for topic in topics]
    keys = [given] if given is not None else [key for key in own if not _is_alias(key)]
    return list(dict.fromkeys(key.key_arn for key in keys if key is not None))


def _is_alias(key: kms.IKey | None) -> bool:
    return hasattr(key, "alias_name")

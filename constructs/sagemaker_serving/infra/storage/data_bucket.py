"""The bucket for what models read and write: batch inputs, outputs, captured data."""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from constructs import Construct

from sagemaker_serving.infra.storage.keys import let_logs_use
from sagemaker_serving.infra.synth.acknowledge import (
    NO_ACCESS_LOGS,
    NO_KEY_ON_BUCKET,
    NO_REPLICATION,
    acknowledge,
)


class DataBucket(Construct):
    """A private, versioned, encrypted bucket that takes TLS only.

    :param retain: whether the data outlives the stack. If so, who touches it
        is logged into a bucket that is retained too. If not, an emptied bucket goes with the stack,
        and a filled one stops its deletion. Access is not logged then, since logs that arrive late
        would fill a bucket that is to go.
    :param empty: whether all that is in it goes with the stack, if it is not retained: CDK's own
        ``auto_delete_objects``.
    :param customer_key: encrypt with a KMS key made here, rotated yearly, which CloudWatch Logs
        may use, too; otherwise with S3's managed key. It is always retained, since endpoints and
        volumes that it encrypts may outlive this. A key that is to be deleted decrypts nothing
        more (KMS developer guide, "Deleting AWS KMS keys").
    :param encryption_key: a key of one's own, which encrypts it instead.
    :param server_access_logs_bucket: takes the log of who touches the data, below ``data/``,
        whether the data is retained or not; made here unless given.
    :param expires: after how many days what lies below each of these prefixes is deleted.
    :param tells_of_objects: whether EventBridge hears of every object that arrives.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        retain: bool = True,
        empty: bool = False,
        customer_key: bool = False,
        encryption_key: kms.IKey | None = None,
        server_access_logs_bucket: s3.IBucket | None = None,
        expires: Mapping[str, int] | None = None,
        tells_of_objects: bool = False,
    ) -> None:
        super().__init__(scope, construct_id)
        # By policy instead of by ACL, whatever flags the app has: ACLs are off on these buckets.
        self.node.set_context("@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy", True)
        removal = cdk.RemovalPolicy.RETAIN if retain else cdk.RemovalPolicy.DESTROY
        self.key: kms.IKey | None = encryption_key
        """The KMS key, or None where S3's managed key is used."""
        if encryption_key is None and customer_key:
            kept = cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
            self.key = kms.Key(
                self, "Key", enable_key_rotation=True, removal_policy=removal if retain else kept
            )
            let_logs_use(self.key, self)
        access_logs = server_access_logs_bucket
        if access_logs is None and retain:
            access_logs = self._access_logs()
        self.bucket = s3.Bucket(
            self,
            "Resource",
            encryption=s3.BucketEncryption.KMS if self.key else s3.BucketEncryption.S3_MANAGED,
            encryption_key=self.key,
            bucket_key_enabled=True if self.key else None,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=True,
            versioned=True,
            server_access_logs_bucket=access_logs,
            server_access_logs_prefix=None if access_logs is None else "data/",
            removal_policy=removal,
            auto_delete_objects=empty and not retain,
            lifecycle_rules=[
                s3.LifecycleRule(
                    abort_incomplete_multipart_upload_after=cdk.Duration.days(7),
                    noncurrent_version_expiration=cdk.Duration.days(90),
                ),
                *(
                    s3.LifecycleRule(prefix=prefix, expiration=cdk.Duration.days(days))
                    for prefix, days in (expires or {}).items()
                ),
            ],
        )
        """The bucket itself."""
        if tells_of_objects:
            self.tell_of_objects()
        acknowledge(
            self.bucket,
            NO_REPLICATION,
            "Inputs are copies and outputs can be computed again; versions undo overwriting",
        )
        if self.key is None:
            acknowledge(
                self.bucket, NO_KEY_ON_BUCKET, "No key was asked for; S3 encrypts with its own"
            )
        if access_logs is None:
            acknowledge(
                self.bucket,
                NO_ACCESS_LOGS,
                "Disposable data; its late access logs would outlive their bucket",
            )

    def tell_of_objects(self) -> None:
        """Lets EventBridge hear of every object that arrives. By the resource's own property: CDK's
        way would add a function with a managed policy."""
        resource = self.bucket.node.default_child
        assert isinstance(resource, s3.CfnBucket)
        resource.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
            event_bridge_configuration=s3.CfnBucket.EventBridgeConfigurationProperty(
                event_bridge_enabled=True
            )
        )

    def _access_logs(self) -> s3.Bucket:
        logs = s3.Bucket(
            self,
            "AccessLogs",
            encryption=s3.BucketEncryption.S3_MANAGED,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=True,
            versioned=True,
            removal_policy=cdk.RemovalPolicy.RETAIN,
            lifecycle_rules=[
                s3.LifecycleRule(
                    expiration=cdk.Duration.days(365),
                    noncurrent_version_expiration=cdk.Duration.days(90),
                )
            ],
        )
        acknowledge(
            logs,
            NO_ACCESS_LOGS,
            "This bucket receives the access logs; logging it into itself would loop",
        )
        acknowledge(
            logs, NO_KEY_ON_BUCKET, "S3 delivers access logs into buckets with its own key only"
        )
        acknowledge(
            logs, NO_REPLICATION, "A second record of who touched the data, beside CloudTrail's own"
        )
        return logs

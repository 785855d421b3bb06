"""What S3's operations need: their actions, their resources, and the keys of encrypted objects.

Source: S3 user guide, "Required permissions for Amazon S3 API operations" and
"Using server-side encryption with AWS KMS keys".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, unquote
from xml.etree import ElementTree

from local_aws.arn import Arn, arn_in
from local_aws.permissions import deployed
from local_aws.permissions.need import Need
from local_aws.permissions.service import ServicePermissions
from local_aws.protocol.call import Call

_ACTIONS = {
    "HeadBucket": "ListBucket",
    "ListBuckets": "ListAllMyBuckets",
    "ListObjects": "ListBucket",
    "ListObjectsV2": "ListBucket",
    "ListObjectVersions": "ListBucketVersions",
    "ListMultipartUploads": "ListBucketMultipartUploads",
    "ListParts": "ListMultipartUploadParts",
    "HeadObject": "GetObject",
    "SelectObjectContent": "GetObject",
    "CreateMultipartUpload": "PutObject",
    "UploadPart": "PutObject",
    "CompleteMultipartUpload": "PutObject",
    "UploadPartCopy": "PutObject",
    "CopyObject": "PutObject",
    "DeleteObjects": "DeleteObject",
    "DeleteBucketEncryption": "PutEncryptionConfiguration",
    "GetBucketEncryption": "GetEncryptionConfiguration",
    "PutBucketEncryption": "PutEncryptionConfiguration",
    "DeleteBucketLifecycle": "PutLifecycleConfiguration",
    "GetBucketLifecycleConfiguration": "GetLifecycleConfiguration",
    "PutBucketLifecycleConfiguration": "PutLifecycleConfiguration",
    "DeleteBucketCors": "PutBucketCORS",
    "GetBucketCors": "GetBucketCORS",
    "PutBucketCors": "PutBucketCORS",
    "DeleteBucketTagging": "PutBucketTagging",
    "DeletePublicAccessBlock": "PutBucketPublicAccessBlock",
    "GetPublicAccessBlock": "GetBucketPublicAccessBlock",
    "PutPublicAccessBlock": "PutBucketPublicAccessBlock",
    "DeleteBucketOwnershipControls": "PutBucketOwnershipControls",
    "GetBucketNotificationConfiguration": "GetBucketNotification",
    "PutBucketNotificationConfiguration": "PutBucketNotification",
    "GetBucketReplication": "GetReplicationConfiguration",
    "PutBucketReplication": "PutReplicationConfiguration",
    "DeleteBucketReplication": "PutReplicationConfiguration",
}
"""Operations whose action has another name than they have."""

_OF_A_VERSION = {
    "GetObject": "GetObjectVersion",
    "HeadObject": "GetObjectVersion",
    "DeleteObject": "DeleteObjectVersion",
    "GetObjectAcl": "GetObjectVersionAcl",
    "GetObjectTagging": "GetObjectVersionTagging",
    "PutObjectTagging": "PutObjectVersionTagging",
}
_WRITES_AN_OBJECT = ("PutObject", "CopyObject", "CreateMultipartUpload")
_WITH_HEADERS = {
    "x-amz-tagging": "PutObjectTagging",
    "x-amz-acl": "PutObjectAcl",
    "x-amz-object-lock-mode": "PutObjectRetention",
    "x-amz-object-lock-legal-hold": "PutObjectLegalHold",
}
"""Headers of a write that need an action of their own."""


class S3Permissions(ServicePermissions):
    """S3's, whose calls need several things at once."""

    def needs(self, call: Call) -> Sequence[Need]:
        """Everything that a call of S3 needs; DeleteObjects is refused whole for any one object."""
        return _needs(call)

    def owner(self, call: Call) -> str:
        """The bucket's owner; a bucket that is made is the caller's."""
        if call.operation == "CreateBucket":
            return ""
        return deployed.owner_of(_arn(call, call.parameters.get("Bucket", "")))

    def needs_if_absent(self, call: Call) -> Sequence[Need]:
        """``s3:ListBucket`` where an object that is asked for is not there."""
        absent = _missing_object(call)
        return () if absent is None else (absent,)


def bucket_policy(arn: Arn) -> str | None:
    """A bucket's policy, by the ARN of it or of an object in it."""
    bucket = deployed.bucket_of(arn.resource.partition("/")[0])
    return None if bucket is None or bucket.policy is None else bucket.policy.decode()


def _needs(call: Call) -> Sequence[Need]:
    bucket, key = call.parameters.get("Bucket", ""), call.parameters.get("Key")
    arn = _arn(call, bucket) if bucket else "*"
    context = _context(call)
    if call.operation == "DeleteObjects":
        return [Need(*each, context) for each in _deletions(call, arn)]
    name = _ACTIONS.get(call.operation, call.operation)
    if "versionid" in call.query:
        name = _OF_A_VERSION.get(call.operation, name)
    place = arn if key is None else f"{arn}/{key}"
    found = [Need(f"s3:{name}", place, context)]
    if call.operation in _WRITES_AN_OBJECT:
        found += [
            Need(f"s3:{action}", place, context)
            for header, action in _WITH_HEADERS.items()
            if header in call.headers
        ]
    if "x-amz-copy-source" in call.headers:
        found += _of_the_source(call, place)
    return [*found, *_of_the_key(call, bucket, key)]


def _missing_object(call: Call) -> Need | None:
    """What one needs to be told that an object is not there, instead of being refused."""
    bucket = deployed.bucket_of(call.parameters.get("Bucket", ""))
    if call.operation not in ("GetObject", "HeadObject") or bucket is None:
        return None
    if bucket.keys.get(call.parameters.get("Key")) is not None:
        return None
    return Need("s3:ListBucket", bucket.arn, {})


def _arn(call: Call, bucket: str) -> str:
    found = deployed.bucket_of(bucket)
    return arn_in(call.region, "s3", "", bucket) if found is None else str(found.arn)


def _context(call: Call) -> Mapping[str, str]:
    """S3's own condition keys, as far as the request has them."""
    given = {
        f"s3:{name}": call.query[name]
        for name in ("prefix", "delimiter", "max-keys", "versionid")
        if name in call.query
    }
    given |= {
        f"s3:{name}": value for name, value in call.headers.items() if name.startswith("x-amz-")
    }
    return given


def _deletions(call: Call, arn: str) -> Sequence[tuple[str, str]]:
    try:
        document = ElementTree.fromstring(call.read_body())
    except ElementTree.ParseError:
        return [("s3:DeleteObject", f"{arn}/*")]
    found = []
    for entry in document.iterfind("{*}Object"):
        version = entry.findtext("{*}VersionId")
        action = "s3:DeleteObject" if version is None else "s3:DeleteObjectVersion"
        found.append((action, f"{arn}/{entry.findtext('{*}Key')}"))
    return found


def _of_the_source(call: Call, target: str) -> Sequence[Need]:
    """What is copied has to be readable; tags go along unless the call says otherwise.

    Source of the latter: AWS's knowledge center, "s3-troubleshoot-copy-between-buckets", as
    Seagate/cortx-prvsnr#3033 quotes it.
    """
    source, _, query = call.headers["x-amz-copy-source"].partition("?")
    version = dict(parse_qsl(query)).get("versionId")
    bucket, _, key = unquote(source).lstrip("/").partition("/")
    action = "s3:GetObject" if version is None else "s3:GetObjectVersion"
    place = f"{_arn(call, bucket)}/{key}"
    needs = [Need(action, place, {}), *_decryption(call, bucket, key)]
    replaced = call.headers.get("x-amz-tagging-directive") == "REPLACE"
    if call.operation == "CopyObject" and not replaced and deployed.tags_of_object(bucket, key):
        needs += [Need("s3:GetObjectTagging", place, {}), Need("s3:PutObjectTagging", target, {})]
    return needs


def _of_the_key(call: Call, bucket: str, key: str | None) -> Sequence[Need]:
    """What reading or writing needs of the KMS key that an object is encrypted with."""
    if key is None:
        return []
    if call.operation == "GetObject":
        return _decryption(call, bucket, key)
    if call.operation in _WRITES_AN_OBJECT:
        asked = call.headers.get("x-amz-server-side-encryption")
        named = call.headers.get("x-amz-server-side-encryption-aws-kms-key-id")
        chosen = _default_key(bucket) if asked is None else named
        return _use_key(call, bucket, key, chosen, ["kms:GenerateDataKey"])
    if call.operation in ("UploadPart", "UploadPartCopy", "CompleteMultipartUpload"):
        chosen = _default_key(bucket)
        return _use_key(call, bucket, key, chosen, ["kms:Decrypt"])
    return []


def _decryption(call: Call, bucket: str, key: str) -> Sequence[Need]:
    found = deployed.bucket_of(bucket)
    stored = None if found is None else found.keys.get(key)
    chosen = getattr(stored, "kms_key_id", None)
    if not str(getattr(stored, "encryption", "")).startswith("aws:kms"):
        return []
    return _use_key(call, bucket, key, chosen, ["kms:Decrypt"])


def _default_key(bucket: str) -> str | None:
    found = deployed.bucket_of(bucket)
    rule = {} if found is None or found.encryption is None else found.encryption["Rule"]
    default: dict[str, Any] = rule.get("ApplyServerSideEncryptionByDefault", {})
    return default.get("KMSMasterKeyID") if default.get("SSEAlgorithm") != "AES256" else None


def _use_key(
    call: Call, bucket: str, key: str, kms_key: str | None, actions: Sequence[str]
) -> Sequence[Need]:
    """None for AWS's own key ``aws/s3``, whose policy lets everyone in who comes by way of S3."""
    if kms_key is None:
        return []
    arn = deployed.key_arn(kms_key, deployed.owner_of(_arn(call, bucket)), call.region)
    context = {
        "kms:viaservice": f"s3.{call.region}.amazonaws.com",
        "kms:calleraccount": call.account,
        "kms:encryptioncontext:aws:s3:arn": f"{_arn(call, bucket)}/{key}",
    }
    place = kms_key if arn is None else arn
    return [Need(action, place, context, quoted=False) for action in actions]

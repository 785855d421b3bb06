"""S3 buckets, with each of their configurations, and bucket policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from local_aws.permissions.deployed import bucket_of
from local_aws.resources.api import ApiProvider, PutProvider, tag_list, tags_of
from local_aws.resources.base import Attributes, Properties, Provider, Request, ResourceFailed
from local_aws.schemas import Place
from local_aws.template import region_names


@dataclass(frozen=True)
class _Setting:
    """One configuration of a bucket: its property, the calls that set and end it.

    ``argument`` is the put call's; ``translate`` makes it of the property; without a
    ``delete`` call, ``absent`` is put instead.
    """

    property: str
    put: str
    argument: str
    translate: Callable[[Any], Any] = lambda value: value
    delete: str | None = None
    absent: Mapping[str, Any] | None = None


class Bucket(ApiProvider):
    """``AWS::S3::Bucket``: Ref is the name; deleting one that holds objects fails."""

    type_name = "AWS::S3::Bucket"
    name_property = "BucketName"
    service = "s3"
    create_operation = "CreateBucket"
    deletes = ("DeleteBucket", "Bucket")
    adopts = True
    not_carried_out = frozenset(
        {
            "BucketEncryption.ServerSideEncryptionConfiguration.BlockedEncryptionTypes",
            "LifecycleConfiguration.Rules.NoncurrentVersionExpiration.NewerNoncurrentVersions",
            "LifecycleConfiguration.Rules.ObjectSizeGreaterThan",
            "LifecycleConfiguration.Rules.ObjectSizeLessThan",
            "LifecycleConfiguration.TransitionDefaultMinimumObjectSize",
            "LoggingConfiguration.TargetObjectKeyFormat",
        }
    )
    without_effect = frozenset({"WebsiteConfiguration"})
    unchangeable = frozenset({"ObjectLockEnabled"})

    @override
    def supports(self, context: LocalContext, region: str, place: Place) -> bool:
        """Whether there are calls for this configuration below."""
        settings = {setting.property for setting in _SETTINGS}
        return Provider.supports(self, context, region, place) and place[0] in {
            *("AccessControl", "BucketName", "ObjectLockEnabled"),
            *settings,
        }

    @override
    def create(self, request: Request) -> str:
        name = request.properties.get("BucketName") or request.name(63, lower=True)
        if bucket_of(name) is not None:  # in whichever account
            raise ResourceFailed(f"{name} already exists", code="AlreadyExists")
        self.call(
            request,
            "CreateBucket",
            Bucket=name,
            ObjectLockEnabledForBucket=request.properties.get("ObjectLockEnabled"),
            CreateBucketConfiguration=(
                {"LocationConstraint": request.region} if request.region != "us-east-1" else None
            ),
        )
        return str(name)

    @override
    def complete(self, request: Request) -> Attributes:
        self._configure(request)
        name, region = request.physical_id, request.region
        suffix = region_names(region)["AWS::URLSuffix"]
        return {
            "Arn": arn_in(region, "s3", "", name),
            "DomainName": f"{name}.s3.{suffix}",
            "DualStackDomainName": f"{name}.s3.dualstack.{region}.{suffix}",
            "RegionalDomainName": f"{name}.s3.{region}.{suffix}",
            "WebsiteURL": f"http://{name}.s3-website-{region}.{suffix}",
        }

    @override
    def adopt(self, request: Request) -> Attributes:
        self.call(request, "HeadBucket", Bucket=request.physical_id)
        return self.complete(request)

    @override
    def update(self, request: Request) -> Attributes:
        self._configure(request)
        return dict(request.attributes)

    def _configure(self, request: Request) -> None:
        bucket = request.physical_id
        if request.changed("AccessControl"):
            self.call(request, "PutBucketAcl", Bucket=bucket, ACL=_canned_acl(request.properties))
        for setting in _SETTINGS:
            if not request.changed(setting.property):
                continue
            wanted = request.properties.get(setting.property)
            if wanted is None and setting.delete is not None:
                self.discard(request, setting.delete, Bucket=bucket)
            else:
                value = setting.absent if wanted is None else setting.translate(wanted)
                self.call(request, setting.put, Bucket=bucket, **{setting.argument: value})


class BucketPolicy(PutProvider):
    """``AWS::S3::BucketPolicy``: Ref is the bucket's name."""

    type_name = "AWS::S3::BucketPolicy"
    service = "s3"
    create_operation = "PutBucketPolicy"
    deletes = ("DeleteBucketPolicy", "Bucket")
    also_supported = frozenset({"PolicyDocument"})

    @override
    def create(self, request: Request) -> str:
        bucket, policy = request.properties["Bucket"], request.properties["PolicyDocument"]
        self.call(request, "PutBucketPolicy", Bucket=bucket, Policy=policy)
        return str(bucket)


def _canned_acl(properties: Properties) -> str:
    """``BucketOwnerFullControl`` as the API has it: ``bucket-owner-full-control``."""
    canned = properties.get("AccessControl", "Private")
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in canned)[1:]


def _encryption(value: Any) -> dict[str, Any]:
    return {
        "Rules": [
            _renamed(rule, {"ServerSideEncryptionByDefault": "ApplyServerSideEncryptionByDefault"})
            for rule in value["ServerSideEncryptionConfiguration"]
        ]
    }


def _cors(value: Any) -> dict[str, Any]:
    names = {"ExposedHeaders": "ExposeHeaders", "MaxAge": "MaxAgeSeconds"}
    return {"CORSRules": [_renamed(rule, names) for rule in value["CorsRules"]]}


def _logging(value: Any) -> dict[str, Any]:
    names = {"DestinationBucketName": "TargetBucket", "LogFilePrefix": "TargetPrefix"}
    return {"LoggingEnabled": {"TargetPrefix": "", **_renamed(value, names)}}


def _lifecycle(value: Any) -> dict[str, Any]:
    return {"Rules": [_lifecycle_rule(rule) for rule in value["Rules"]]}


def _lifecycle_rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    """A lifecycle rule in the API's nesting: Expiration, Filter and lists of transitions."""
    kept = ("AbortIncompleteMultipartUpload", "Id", "NoncurrentVersionExpiration", "Status")
    translated = {name: rule[name] for name in kept if name in rule}
    expiration = _renamed(
        {name: rule[name] for name in rule if name.startswith("Expir")},
        {"ExpirationInDays": "Days", "ExpirationDate": "Date"},
    )
    if expiration:
        translated["Expiration"] = expiration
    if "NoncurrentVersionExpirationInDays" in rule:
        translated["NoncurrentVersionExpiration"] = {
            "NoncurrentDays": rule["NoncurrentVersionExpirationInDays"]
        }
    for single, several, days in (
        ("Transition", "Transitions", "Days"),
        ("NoncurrentVersionTransition", "NoncurrentVersionTransitions", "NoncurrentDays"),
    ):
        moves = [*rule.get(several, []), *([rule[single]] if single in rule else [])]
        if moves:
            names = {"TransitionInDays": days, "TransitionDate": "Date"}
            translated[several] = [_renamed(move, names) for move in moves]
    return {**translated, "Filter": _lifecycle_filter(rule)}


def _lifecycle_filter(rule: Mapping[str, Any]) -> dict[str, Any]:
    names = ("Prefix", "ObjectSizeGreaterThan", "ObjectSizeLessThan")
    parts: dict[str, Any] = {name: rule[name] for name in names if name in rule}
    tags = rule.get("TagFilters", [])
    if len(parts) + len(tags) > 1:
        return {"And": {**parts, **({"Tags": tags} if tags else {})}}
    if tags:
        return {"Tag": tags[0]}
    return parts or {"Prefix": ""}


def _website(value: Mapping[str, Any]) -> dict[str, Any]:
    documents = {"IndexDocument": "Suffix", "ErrorDocument": "Key"}
    rules = {"RedirectRule": "Redirect", "RoutingRuleCondition": "Condition"}
    told = {
        name: {documents[name]: each} if name in documents else each for name, each in value.items()
    }
    if "RoutingRules" in value:
        told["RoutingRules"] = [_renamed(each, rules) for each in value["RoutingRules"]]
    return told


def _renamed(value: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): item for name, item in value.items()}


_SETTINGS = (
    _Setting(
        "BucketEncryption",
        "PutBucketEncryption",
        "ServerSideEncryptionConfiguration",
        _encryption,
        delete="DeleteBucketEncryption",
    ),
    _Setting(
        "VersioningConfiguration",
        "PutBucketVersioning",
        "VersioningConfiguration",
        absent={"Status": "Suspended"},
    ),
    _Setting(
        "PublicAccessBlockConfiguration",
        "PutPublicAccessBlock",
        "PublicAccessBlockConfiguration",
        delete="DeletePublicAccessBlock",
    ),
    _Setting(
        "OwnershipControls",
        "PutBucketOwnershipControls",
        "OwnershipControls",
        delete="DeleteBucketOwnershipControls",
    ),
    _Setting(
        "LifecycleConfiguration",
        "PutBucketLifecycleConfiguration",
        "LifecycleConfiguration",
        _lifecycle,
        delete="DeleteBucketLifecycle",
    ),
    _Setting(
        "CorsConfiguration",
        "PutBucketCors",
        "CORSConfiguration",
        _cors,
        delete="DeleteBucketCors",
    ),
    _Setting(
        "LoggingConfiguration", "PutBucketLogging", "BucketLoggingStatus", _logging, absent={}
    ),
    _Setting(
        "WebsiteConfiguration",
        "PutBucketWebsite",
        "WebsiteConfiguration",
        _website,
        delete="DeleteBucketWebsite",
    ),
    _Setting(
        "Tags",
        "PutBucketTagging",
        "Tagging",
        lambda tags: {"TagSet": tag_list(tags_of({"Tags": tags}))},
        delete="DeleteBucketTagging",
    ),
)

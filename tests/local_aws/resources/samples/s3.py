"""Samples of S3."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import TAGS, Sample, document

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::S3::Bucket": (
        Sample(
            tuple(
                f"s3 Get{what} Bucket={{Ref}}"
                for what in (
                    *("BucketCors", "BucketEncryption", "BucketLifecycleConfiguration"),
                    *("BucketLogging", "BucketOwnershipControls", "BucketTagging"),
                    *("BucketVersioning", "ObjectLockConfiguration", "PublicAccessBlock"),
                )
            ),
            {
                "BucketName": "lost",
                "BucketEncryption": {
                    "ServerSideEncryptionConfiguration": [
                        {
                            "BucketKeyEnabled": True,
                            "ServerSideEncryptionByDefault": {
                                "KMSMasterKeyID": "$Key.Arn",
                                "SSEAlgorithm": "aws:kms",
                            },
                        }
                    ]
                },
                "CorsConfiguration": {
                    "CorsRules": [
                        {
                            "AllowedHeaders": ["x-lost"],
                            "AllowedMethods": ["PUT"],
                            "AllowedOrigins": ["https://lost.example"],
                            "ExposedHeaders": ["x-found"],
                            "Id": "cors",
                            "MaxAge": 61,
                        }
                    ]
                },
                "LifecycleConfiguration": {
                    "Rules": [
                        {
                            "Id": "days",
                            "Status": "Enabled",
                            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 3},
                            "ExpirationInDays": 401,
                            "NoncurrentVersionExpiration": {
                                "NoncurrentDays": 402,
                            },
                            "NoncurrentVersionTransitions": [
                                {
                                    "NewerNoncurrentVersions": 5,
                                    "StorageClass": "GLACIER",
                                    "TransitionInDays": 44,
                                }
                            ],
                            "Prefix": "lost/",
                            "TagFilters": TAGS,
                            "Transitions": [
                                {"StorageClass": "STANDARD_IA", "TransitionInDays": 45},
                            ],
                        },
                        {
                            "Id": "dates",
                            "Status": "Disabled",
                            "ExpirationDate": "2031-01-01T00:00:00Z",
                            "NoncurrentVersionExpirationInDays": 403,
                            "NoncurrentVersionTransition": {
                                "NewerNoncurrentVersions": 8,
                                "StorageClass": "ONEZONE_IA",
                                "TransitionInDays": 46,
                            },
                            "Transition": {
                                "StorageClass": "DEEP_ARCHIVE",
                                "TransitionDate": "2030-01-01T00:00:00Z",
                            },
                        },
                        {
                            "Id": "the other way",
                            "Status": "Disabled",
                            "Transition": {
                                "StorageClass": "INTELLIGENT_TIERING",
                                "TransitionInDays": 47,
                            },
                        },
                        {
                            "Id": "and again",
                            "Status": "Disabled",
                            "Transitions": [
                                {
                                    "StorageClass": "GLACIER_IR",
                                    "TransitionDate": "2029-01-01T00:00:00Z",
                                }
                            ],
                        },
                        {"Id": "markers", "Status": "Enabled", "ExpiredObjectDeleteMarker": True},
                    ],
                },
                "LoggingConfiguration": {
                    "DestinationBucketName": "texts",
                    "LogFilePrefix": "logs/",
                },
                "ObjectLockEnabled": True,
                "OwnershipControls": {"Rules": [{"ObjectOwnership": "ObjectWriter"}]},
                "PublicAccessBlockConfiguration": {
                    "BlockPublicAcls": True,
                    "BlockPublicPolicy": True,
                    "IgnorePublicAcls": True,
                    "RestrictPublicBuckets": True,
                },
                "Tags": TAGS,
                "VersioningConfiguration": {"Status": "Enabled"},
            },
        ),
        Sample(
            ("s3 GetBucketAcl Bucket={Ref}",),
            {"AccessControl": "PublicRead"},
            told={"AccessControl": ["READ", "http://acs.amazonaws.com/groups/global/AllUsers"]},
        ),
    ),
    "AWS::S3::BucketPolicy": (
        Sample(
            ("s3 GetBucketPolicy Bucket=policed",),
            {
                "Bucket": "policed",
                "PolicyDocument": document(
                    Action="s3:GetObject", Resource="arn:aws:s3:::policed/*", Principal={"AWS": "*"}
                ),
            },
        ),
    ),
}

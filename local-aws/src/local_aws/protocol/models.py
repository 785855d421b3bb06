"""botocore's models of AWS's APIs, each read once."""

from __future__ import annotations

import threading
from functools import cache, lru_cache
from typing import Any

from botocore.session import get_session
from moto.core.utils import get_service_model

_session = get_session()
_models: dict[str, Any] = {}
_reading = threading.Lock()

_BY_SCOPE = {
    "access-analyzer": "accessanalyzer",
    "airflow": "mwaa",
    "aoss": "opensearchserverless",
    "aps": "amp",
    "cassandra": "keyspaces",
    "cloudcontrolapi": "cloudcontrol",
    "codeguru-profiler": "codeguruprofiler",
    "elasticfilesystem": "efs",
    "elasticloadbalancing": "elbv2",
    "elasticmapreduce": "emr",
    "email": "ses",
    "geo": "location",
    "iotdata": "iot-data",
    "mobiletargeting": "pinpoint",
    "monitoring": "cloudwatch",
    "profile": "customer-profiles",
    "servicequotas": "service-quotas",
    "sso": "sso-admin",
    "states": "stepfunctions",
    "tagging": "resourcegroupstaggingapi",
}
"""Services that are signed for by another name than boto3's, which no other shares."""


_BY_PATH: dict[str, dict[str, tuple[str, ...]]] = {
    "apigateway": {"apigatewayv2": ("/v2/",)},
    "appconfig": {"appconfigdata": ("/configuration",)},
    "bedrock": {
        "bedrock-runtime": ("/async-invoke", "/guardrail/", "/guardrail-checks", "/model/")
    },
    "es": {"opensearch": ("/2021-01-01/",)},
    "execute-api": {"apigatewaymanagementapi": ("/@connections/",)},
    "personalize": {
        "personalize-events": ("/action-interactions", "/actions", "/events", "/items", "/users"),
        "personalize-runtime": ("/action-recommendations", "/personalize-", "/recommendations"),
    },
    "sagemaker": {
        "sagemaker-a2i-runtime": ("/human-loops",),
        "sagemaker-featurestore-runtime": ("/BatchGetRecord", "/BatchWriteRecord", "/FeatureGroup"),
        "sagemaker-inference-router-runtime": ("/inference-routers/",),
        "sagemaker-metrics": ("/BatchGetMetrics", "/BatchPutMetrics"),
        "sagemaker-runtime": ("/endpoints/",),
    },
    "ses": {"sesv2": ("/v2/",)},
}
"""Services that share a scope with another, by boto3's names: how all their paths begin, and none
of the other's."""

_BY_TARGET: dict[str, dict[str, tuple[str, ...]]] = {
    "dynamodb": {"dynamodbstreams": ("DynamoDBStreams_",)},
    "kinesisanalytics": {"kinesisanalyticsv2": ("KinesisAnalytics_20180523",)},
}
"""The same by the X-Amz-Target header."""


def service_of(scope: str, path: str = "/", target: str = "") -> str:
    """boto3's name of the service that a request to ``path`` is signed for, as ``scope`` says;
    ``target`` is its X-Amz-Target header."""
    for told, others in ((path, _BY_PATH), (target, _BY_TARGET)):
        for other, beginnings in others.get(scope, {}).items():
            if told.startswith(beginnings):
                return other
    return _BY_SCOPE.get(scope, scope)


def service_model(service: str) -> Any:
    """botocore's model of a service, by boto3's name for it (``stepfunctions``).

    With what the emulator's parsers and serializers ask of it beside.
    """
    known = _models.get(service)
    if known is None:
        with _reading:  # threads that ask at once would each read it
            known = _models[service] = get_service_model(service)
    return known


@cache
def service_names() -> frozenset[str]:
    """boto3's names of every service of AWS."""
    return frozenset(_session.get_available_services())


def operation(service: str, action: str) -> Any:
    """The model of ``service``'s ``action`` (``s3``, ``putObject``); None when it has none.

    None, too, when AWS has no such service.
    """
    if service not in service_names():
        return None
    return operation_model(service, action[:1].upper() + action[1:])


@lru_cache(maxsize=4096)
def operation_model(service: str, name: str) -> Any:
    """The model of the operation of this very name; None when the service has none."""
    model = service_model(service)
    return model.operation_model(name) if name in model.operation_names else None

"""Step Functions' optimized integrations: what a task names without ``aws-sdk``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

_EKS = ("Cluster.sync", "Nodegroup.sync", "FargateProfile.sync")
_APPLICATION = ("create", "start", "stop", "delete")
_ACTIONS: Mapping[str, tuple[str, ...]] = {
    "apigateway": ("invoke",),
    "athena": (
        *("startQueryExecution.sync", "stopQueryExecution"),
        *("getQueryExecution", "getQueryResults"),
    ),
    "batch": ("submitJob.sync",),
    "bedrock": ("invokeModel", "createModelCustomizationJob.sync"),
    "codebuild": (
        *("startBuild.sync", "stopBuild", "batchDeleteBuilds", "batchGetReports"),
        *("startBuildBatch.sync", "stopBuildBatch", "retryBuildBatch.sync", "deleteBuildBatch"),
    ),
    "databrew": ("startJobRun.sync",),
    "dynamodb": ("getItem", "putItem", "updateItem", "deleteItem"),
    "ecs": ("runTask.sync",),
    "eks": (
        *(f"{verb}{kind}" for verb in ("create", "delete") for kind in _EKS),
        *("call", "runJob.sync"),
    ),
    "elasticmapreduce": (
        *("createCluster.sync", "terminateCluster.sync", "addStep.sync", "cancelStep"),
        *("setClusterTerminationProtection", "modifyInstanceFleetByName"),
        "modifyInstanceGroupByName",
    ),
    "emr-containers": ("createVirtualCluster", "deleteVirtualCluster.sync", "startJobRun.sync"),
    "emr-serverless": (
        *(f"{verb}Application.sync" for verb in _APPLICATION),
        *("startJobRun.sync", "cancelJobRun.sync"),
    ),
    "events": ("putEvents",),
    "glue": ("startJobRun.sync",),
    "http": ("invoke",),
    "lambda": ("invoke",),
    "mediaconvert": ("createJob.sync",),
    "sagemaker": (
        *("createEndpoint", "createEndpointConfig", "createModel", "updateEndpoint"),
        *("createHyperParameterTuningJob.sync", "createLabelingJob.sync"),
        *("createProcessingJob.sync", "createTrainingJob.sync", "createTransformJob.sync"),
    ),
    "sns": ("publish",),
    "sqs": ("sendMessage",),
    "states": ("startExecution.sync",),
}
_WITH_TOKEN = frozenset(
    {"apigateway", "bedrock", "ecs", "eks", "events", "lambda", "sns", "sqs", "states"}
)


@dataclass(frozen=True, kw_only=True)
class Integration:
    """What tasks can do with one service.

    ``waits`` has the actions whose end a task can wait for, by ``.sync``; ``takes_token`` is
    whether one can wait for a token.
    """

    actions: tuple[str, ...]
    waits: frozenset[str]
    takes_token: bool


@cache
def integrations() -> Mapping[str, Integration]:
    """Every optimized integration, by its name in a task's Resource.

    Source: AWS Step Functions developer guide, "Integrating optimized services" and the page of
    each.
    """
    return {
        name: Integration(
            actions=tuple(action.removesuffix(".sync") for action in actions),
            waits=frozenset(
                action.removesuffix(".sync") for action in actions if action.endswith(".sync")
            ),
            takes_token=name in _WITH_TOKEN,
        )
        for name, actions in _ACTIONS.items()
    }

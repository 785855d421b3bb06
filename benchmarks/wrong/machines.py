"""State machines that Step Functions refuses, or whose task its service does.

Sources: States Language specification; Step Functions developer guide, SageMaker integration;
botocore sagemaker CreateTransformJob.
"""

from __future__ import annotations

import random
from typing import Any

from benchmarks.wrong.changes import GONE, Pair, Place
from benchmarks.wrong.templates import pair


def machine(dice: random.Random) -> Pair:
    """A state machine that Step Functions refuses, or whose task its service does."""
    rest, wrong = dice.choice(_MACHINES)
    place = ("Resources", "Machine", "Properties", "Definition", *rest)
    return pair("pipeline", {place: wrong})


_S, _T = "States", ("States", "Transform", "Parameters")
_MACHINES: list[tuple[Place, Any]] = [
    (("StartAt",), "Nowhere"),
    (("StartAt",), GONE),
    (("startAt",), "Plan"),
    (("TimeoutSeconds",), "60"),
    ((_S,), {}),
    ((_S, "Plan", "Next"), "Nowhere"),
    ((_S, "Plan", "Next"), GONE),
    ((_S, "Plan", "End"), True),
    ((_S, "Plan", "Type"), "task"),
    ((_S, "Plan", "Type"), GONE),
    ((_S, "Plan", "Resource"), GONE),
    ((_S, "Plan", "Resources"), "a"),
    ((_S, "Plan", "ResultPath"), "result"),
    ((_S, "Plan", "InputPath"), "$["),
    ((_S, "Plan", "TimeoutSeconds"), 0),
    ((_S, "Plan", "TimeoutSeconds"), "60"),
    ((_S, "Plan", "HeartbeatSeconds"), 99999999999),
    ((_S, "Plan", "Retry", 0, "MaxAttempts"), -1),
    ((_S, "Plan", "Retry", 0, "MaxAttempts"), "three"),
    ((_S, "Plan", "Retry", 0, "BackoffRate"), 0.5),
    ((_S, "Plan", "Retry", 0, "IntervalSeconds"), 0),
    ((_S, "Plan", "Retry", 0, "ErrorEquals"), []),
    ((_S, "Plan", "Retry", 0, "ErrorEquals"), ["States.Unknown"]),
    ((_S, "Plan", "Retry", 0, "ErrorEqual"), ["States.ALL"]),
    ((_S, "Any", "Default"), "Nowhere"),
    ((_S, "Any", "Choices"), []),
    ((_S, "Any", "Choices", 0, "Next"), "Nowhere"),
    ((_S, "Any", "Choices", 0, "Next"), GONE),
    ((_S, "Any", "Choices", 0, "Variable"), "count"),
    ((_S, "Any", "Choices", 0, "NumericGreaterThan"), "0"),
    ((_S, "Any", "Choices", 0, "NumericGreaterThen"), 0),
    ((_S, "Any", "Choices", 0, "StringEquals"), "a"),
    ((_S, "Any", "Next"), "Done"),
    ((_S, "Pause", "Seconds"), "5"),
    ((_S, "Pause", "Seconds"), -5),
    ((_S, "Pause", "SecondsPath"), "$.wait"),
    ((_S, "Pause", "Timestamp"), "tomorrow"),
    ((_S, "Done", "Next"), "Plan"),
    ((_S, "Done", "End"), True),
    ((_S, "Failed", "Next"), "Plan"),
    ((_S, "Unreached"), {"Type": "Pass", "End": True}),
    ((_S, "Transform", "Catch", 0, "Next"), "Nowhere"),
    ((_S, "Transform", "Catch", 0, "ErrorEquals"), GONE),
    ((_S, "Transform", "Resource"), "arn:aws:states:::sagemaker:createTransformJobs.sync"),
    ((_S, "Transform", "Resource"), "arn:aws:states:::sagemaker:createTransformJob.sink"),
    ((_S, "Transform", "Resource"), "arn:aws:states:::sagemakr:createTransformJob.sync"),
    ((_S, "Transform", "Resource"), "createTransformJob"),
    ((*_T, "ModelName"), "$.model"),
    ((*_T, "ModelName"), GONE),
    ((*_T, "ModelNames"), "a"),
    ((*_T, "modelName.$"), "$.model"),
    ((*_T, "Environment.$"), "model"),
    ((*_T, "BatchStrategy"), "Multi"),
    ((*_T, "MaxPayloadInMB"), "six"),
    ((*_T, "MaxPayloadInMB"), 101),
    ((*_T, "MaxConcurrentTransforms"), -1),
    ((*_T, "TransformInput", "SplitType"), "Lines"),
    ((*_T, "TransformInput", "CompressionType"), "Zip"),
    ((*_T, "TransformInput", "DataSource"), GONE),
    ((*_T, "TransformInput", "DataSource", "S3DataSource", "S3DataType"), "Prefix"),
    ((*_T, "TransformInput", "DataSource", "S3DataSource", "S3Uri"), "data/in"),
    ((*_T, "TransformOutput"), GONE),
    ((*_T, "TransformOutput", "AssembleWith"), "Lines"),
    ((*_T, "TransformResources", "InstanceCount"), 0),
    ((*_T, "TransformResources", "InstanceCount"), "one"),
    ((*_T, "TransformResources", "InstanceType"), "m5.large"),
    ((*_T, "TransformResources", "InstanceType"), "ml.m5.huge"),
    ((*_T, "TransformResources", "VolumeSizeInGB"), 30),
    ((*_T, "DataProcessing"), {"JoinSource": "Inputs"}),
]

"""Environment files and templates with one thing wrong in an endpoint's kind."""

from __future__ import annotations

from typing import Any

from tests.rules.changes import DIGITS, ONE, SERVERLESS, VARIANTS, Change
from tests.rules.template_cases import CAPTURE, IMAGE, Case

TOPIC = "arn:aws:sns:eu-west-1:111122223333:answers"

ENVIRONMENTS: list[tuple[str, Change, str, Change]] = [
    ("serverless-network", {**SERVERLESS, (*DIGITS, "network_isolation"): True},
     "network_isolation is given on the model of a serverless variant",
     {**SERVERLESS, (*DIGITS, "network_isolation"): False}),
    ("endpoint-instance-type",
     {**ONE, (*DIGITS, "shadow_variants"): [{"name": "next", "instance_type": "ml.t3.large"}]},
     "instance_type is 'ml.t3.large'; endpoints do not take it",
     {**ONE, (*DIGITS, "shadow_variants"): [{"name": "next", "instance_type": "ml.t2.large"}]}),
    ("container-variable", {(*DIGITS, "multi_model"): {"safe_port_range": "9999-9000"}},
     "safe_port_range is '9999-9000'; it must be two ports",
     {(*DIGITS, "multi_model"): {"safe_port_range": "9000-9999"}}),
    ("multi-model-capacity", {(*DIGITS, "multi_model"): {"safe_port_range": "9000-9019"}},
     "safe_port_range is '9000-9019', which holds 8 models at once",
     {(*DIGITS, "multi_model"): {}}),
    ("async-topic", {(*DIGITS, "asynchronous"): {"success_topic": "answers"}},
     "success_topic is 'answers'; it must be new, or the ARN of an SNS topic",
     {(*DIGITS, "asynchronous"): {"success_topic": "new", "error_topic": TOPIC}}),
    ("async-topic",
     {(*DIGITS, "asynchronous"): {"error_topic": TOPIC.replace("eu-west-1", "us-east-1")}},
     "error_topic is in us-east-1; an endpoint in eu-west-1 sends to topics of eu-west-1",
     {(*DIGITS, "asynchronous"): {"error_topic": TOPIC}}),
    ("shadow-excludes",
     {**ONE, (*DIGITS, "shadow_variants"): [{"name": "next", "instance_type": "ml.inf1.xlarge"}]},
     "instance_type is ml.inf1.xlarge, an Inf1 host, and the endpoint has a shadow variant",
     {**ONE, (*DIGITS, "shadow_variants"): [{"name": "next", "instance_type": "ml.inf2.xlarge"}]}),
    ("async-variants", {(*DIGITS, "asynchronous"): {}},
     "asynchronous stands beside 2 variants; SageMaker took one in 2022",
     {**ONE, (*DIGITS, "asynchronous"): {}}),
    ("kind-answers",
     {VARIANTS: [{"name": "blue", "instance_type": "ml.inf1.xlarge"}], (*DIGITS,
      "asynchronous"): {}},
     "asynchronous stands beside Inf1 instances, which answer at once; use others",
     {**ONE, (*DIGITS, "asynchronous"): {}}),
    ("capture-ranges", {(*DIGITS, "data_capture"): {"sampling_percent": 5, "capture": []}},
     "capture has 0 entries; it takes 1 to 32",
     {(*DIGITS, "data_capture"): {"sampling_percent": 5, "capture": ["Input"]}}),
    ("capture-prefix",
     {(*DIGITS, "data_capture"): {"sampling_percent": 5, "prefix": "digits/captured/"}},
     "prefix is 'digits/captured/'; with a slash at its end",
     {(*DIGITS, "data_capture"): {"sampling_percent": 5, "prefix": "digits/captured"}}),
    ("capture-sampling", {(*DIGITS, "data_capture"): {"sampling_percent": 0}},
     "sampling_percent is 0, so that nothing is captured; give 1 to 100",
     {(*DIGITS, "data_capture"): {"sampling_percent": 1}}),
]  # fmt: skip


def notified(topic: str) -> dict[str, Any]:
    output = {"S3OutputPath": "s3://b/o/", "NotificationConfig": {"SuccessTopic": topic}}
    return {"Config.AsyncInferenceConfig": {"OutputConfig": output}}


TEMPLATES: list[Case] = [
    ("capture-prefix", {"Config.DataCaptureConfig": CAPTURE},
     "DestinationS3Uri is 's3://bucket/captured/'; with a slash at its end",
     {"Config.DataCaptureConfig": {**CAPTURE, "DestinationS3Uri": "s3://bucket/captured"}}),
    ("async-topic", notified("new"), "SuccessTopic is 'new'; it must be the ARN", notified(TOPIC)),
    ("container-hostname",
     {"Model.PrimaryContainer": None, "Model.Containers": [{"Image": IMAGE,
      "ContainerHostname": "a_b"}]}, "ContainerHostname is 'a_b'; it must be 1 to 63 letters",
     {"Model.PrimaryContainer": None, "Model.Containers": [{"Image": IMAGE,
      "ContainerHostname": "a-b"}]}),
    *(
        (
            "container-hostname",
            {
                "Model.PrimaryContainer": None,
                "Model.Containers": [{"Image": IMAGE}, {"Image": IMAGE}],
                "Model.InferenceExecutionConfig": {"Mode": "Direct"},
            },
            "ContainerHostname is missing, and requests name the container by it; give each one",
            {
                "Model.PrimaryContainer": None,
                "Model.Containers": [{"Image": IMAGE, **name} for name in names],
                "Model.InferenceExecutionConfig": {"Mode": mode},
            },
        )
        for mode, names in (
            ("Serial", [{}, {}]),
            ("Direct", [{"ContainerHostname": "a"}, {"ContainerHostname": "b"}]),
        )
    ),
]  # fmt: skip

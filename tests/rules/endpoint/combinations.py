"""Parts of an endpoint that SageMaker refuses together, and the nearest that it takes.

What each of them is, is in CreateModel's and CreateEndpointConfig's own words, which are those of
templates, too. So `check` and the local AWS are asked about the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Members = dict[str, Any]

ROLE = "arn:aws:iam::123456789012:role/model"
ASYNC = {"OutputConfig": {"S3OutputPath": "s3://models/out/"}}
MANAGED = {"Status": "ENABLED", "MinInstanceCount": 1, "MaxInstanceCount": 2}
MULTI: Members = {"Mode": "MultiModel", "ModelDataUrl": "s3://models/"}

SHADOWED: Members = {"ShadowProductionVariants": [{"VariantName": "s"}]}
SERVERLESS: Members = {
    "InstanceType": None,
    "InitialInstanceCount": None,
    "ServerlessConfig": {"MemorySizeInMB": 2048, "MaxConcurrency": 5},
}
BARE: Members = {"ModelName": None}


def pools(*instance_types: str) -> Members:
    """A variant on the first of these types that is to be had."""
    ranked = enumerate(instance_types, start=1)
    listed = [{"InstanceType": each, "Priority": priority} for priority, each in ranked]
    return {"InstanceType": None, "InstancePools": listed}


@dataclass(frozen=True)
class Parts:
    """A model's containers, each as it differs from a sound one, and so a config's variant.

    ``components`` are the inference components on its endpoint: the number of copies of each.
    """

    containers: list[Members] = field(default_factory=lambda: [{}])
    variant: Members = field(default_factory=dict)
    config: Members = field(default_factory=dict)
    components: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Combination:
    """``wrong`` is named by ``rule``, and refused by the operation ``by``.

    ``said`` are SageMaker's words where somebody has reported them.
    """

    rule: str
    wrong: Parts
    right: Parts
    by: str
    said: str = ""


COMPONENTS = {"ExecutionRoleArn": ROLE}

COMBINATIONS = [
    Combination("component-scaling", Parts(variant={"ManagedInstanceScaling": MANAGED}),
     Parts(variant={"ManagedInstanceScaling": MANAGED, **BARE}, config=COMPONENTS),
     "CreateEndpointConfig",
     "ManagedInstanceScaling is only supported for inference component endpoints."),
    Combination("component-role", Parts(variant=BARE), Parts(variant=BARE, config=COMPONENTS),
     "CreateEndpointConfig"),
    Combination("component-place", Parts(components={"half": 1}),
     Parts(variant=BARE, config=COMPONENTS, components={"half": 1}), "CreateInferenceComponent",
     "Inference Components are not supported in this Endpoint"),
    Combination("component-start", Parts(variant=BARE, config=COMPONENTS, components={"half": 0}),
     Parts(variant=BARE, config=COMPONENTS, components={"half": 1}), "CreateInferenceComponent",
     "Inference components copy count an integer larger than 0"),
    Combination("kind-answers", Parts(variant=SERVERLESS, config={"AsyncInferenceConfig": ASYNC}),
     Parts(variant=SERVERLESS), "CreateEndpointConfig"),
    Combination("kind-answers",
     Parts(variant=BARE, config={**COMPONENTS, "AsyncInferenceConfig": ASYNC}),
     Parts(config={"AsyncInferenceConfig": ASYNC}), "CreateEndpointConfig"),
    Combination("kind-answers", Parts([MULTI], config={"AsyncInferenceConfig": ASYNC}),
     Parts([MULTI]), "CreateEndpointConfig"),
    Combination("kind-answers",
     Parts(variant={"InstanceType": "ml.inf1.xlarge"}, config={"AsyncInferenceConfig": ASYNC}),
     Parts(variant={"InstanceType": "ml.inf2.xlarge"}, config={"AsyncInferenceConfig": ASYNC}),
     "CreateEndpointConfig"),
    Combination("kind-answers",
     Parts(variant=pools("ml.inf1.2xlarge", "ml.inf1.xlarge"),
      config={"AsyncInferenceConfig": ASYNC}),
     Parts(variant=pools("ml.inf2.8xlarge", "ml.inf2.xlarge"),
      config={"AsyncInferenceConfig": ASYNC}), "CreateEndpointConfig"),
    Combination("serverless-excludes",
     Parts(variant=SERVERLESS, config={"DataCaptureConfig": {"InitialSamplingPercentage": 10,
      "DestinationS3Uri": "s3://models/captured", "CaptureOptions": [{"CaptureMode": "Input"}]}}),
     Parts(variant=SERVERLESS), "CreateEndpointConfig"),
    Combination("serverless-model", Parts([MULTI], variant=SERVERLESS), Parts(variant=SERVERLESS),
     "CreateEndpointConfig"),
    Combination("variant-complete", Parts(variant={**SERVERLESS, **BARE}),
     Parts(variant=SERVERLESS), "CreateEndpointConfig"),
    Combination("shadow-excludes", Parts([MULTI], config=SHADOWED), Parts(config=SHADOWED),
     "CreateEndpointConfig"),
    Combination("shadow-excludes", Parts([{}, {}], config=SHADOWED), Parts([{}, {}]),
     "CreateEndpointConfig"),
    Combination("shadow-excludes",
     Parts(variant={"InstanceType": "ml.inf1.xlarge"}, config=SHADOWED),
     Parts(variant={"InstanceType": "ml.inf2.xlarge"}, config=SHADOWED), "CreateEndpointConfig"),
    Combination("shadow-excludes", Parts(config={**SHADOWED, "AsyncInferenceConfig": ASYNC}),
     Parts(config=SHADOWED), "CreateEndpointConfig"),
    Combination("model-multi-model", Parts([MULTI, MULTI]), Parts([MULTI]), "CreateModel",
     "More than one container in MultiModel mode is not supported with inference pipeline."),
]  # fmt: skip


def containers_of(parts: Parts, image: str) -> list[Members]:
    """CreateModel's Containers."""
    sound = {"Image": image, "ModelDataUrl": "s3://models/model.tar.gz"}
    return [{**sound, **container} for container in parts.containers]


def config_of(parts: Parts, model: Any) -> Members:
    """CreateEndpointConfig's members but its name, with ``model`` where a model is named."""
    sound = {
        "VariantName": "v",
        "ModelName": model,
        "InstanceType": "ml.m5.large",
        "InitialInstanceCount": 1,
    }
    config: Members = {"ProductionVariants": [parts.variant], **parts.config}
    for name in ("ProductionVariants", "ShadowProductionVariants"):
        if name in config:
            variants = ({**sound, **variant} for variant in config[name])
            config[name] = [
                {member: value for member, value in variant.items() if value is not None}
                for variant in variants
            ]
    return config

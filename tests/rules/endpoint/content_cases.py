"""Environment files with one thing wrong in what a model is made of."""

from __future__ import annotations

from typing import Any

from tests.rules.changes import (
    BLUE,
    COMPONENTS,
    DIGITS,
    ONE,
    SCALING,
    SERVERLESS,
    UPDATE,
    VARIANTS,
    Change,
)

ON_GPU: Change = {VARIANTS: [{"name": "blue", "instance_type": "ml.g4dn.xlarge"}]}
LATER: Change = {**ONE, (*DIGITS, "asynchronous"): {}}

KEY = "arn:aws:kms:eu-west-1:111122223333:key/models"
PACKAGE = "arn:aws:sagemaker:eu-west-1:111122223333:model-package/digits/3"

READS = {
    "model_data": "s3://models/digits.tar.gz",
    "image_uri": "111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1",
}
PACKAGED: Change = {
    **{(*DIGITS, name): None for name in ("artifact", "framework", "framework_version")},
    (*DIGITS, "model_package"): {"name": PACKAGE, **READS},
}


def component(**change: Any) -> Change:
    sized = {"half": {"min_memory_required_in_mb": 512, **change}}
    return {**COMPONENTS, (*DIGITS, "inference_components"): sized}


def adapted(base: str) -> dict[str, Any]:
    adapter = {"base_inference_component_name": base, "artifact": "s3://models/polite.tar.gz"}
    return {"half": {"min_memory_required_in_mb": 512}, "polite": adapter}


ENVIRONMENTS: list[tuple[str, Change, str, Change]] = [
    # rule, what is wrong, what is said, the nearest that passes
    ("model-key", {(*DIGITS, "artifact"): None, (*DIGITS, "multi_model"): {"kms_key_arn": KEY}},
     "kms_key_arn stands without s3_prefix, which it is the key of; name the place",
     {(*DIGITS, "artifact"): None, (*DIGITS, "multi_model"): {"kms_key_arn": KEY,
      "s3_prefix": "s3://models/many/"}}),
    ("kind-content",
     {(*DIGITS, "artifact"): None, (*DIGITS, "multi_model"): {}, (*DIGITS, "containers"): [{}]},
     "multi_model stands beside containers; a model is one of them; remove the other",
     {(*DIGITS, "artifact"): None, (*DIGITS, "multi_model"): {}}),
    ("kind-content", {**PACKAGED, (*DIGITS, "image_uri"): READS["image_uri"]},
     "image_uri stands beside model_package, which says itself what is run; remove it", PACKAGED),
    ("kind-answers", {**SERVERLESS, (*DIGITS, "asynchronous"): {}},
     "asynchronous stands beside a serverless variant, which answers at once",
     {(*DIGITS, "asynchronous"): {}}),
    ("kind-answers",
     {(*DIGITS, "artifact"): None, (*DIGITS, "multi_model"): {}, (*DIGITS, "asynchronous"): {}},
     "asynchronous stands beside a multi-model container, and names no model of it",
     {(*DIGITS, "artifact"): None, (*DIGITS, "multi_model"): {}}),
    ("kind-answers", {**COMPONENTS, (*DIGITS, "asynchronous"): {}},
     "asynchronous stands beside inference components, which answer at once", COMPONENTS),
    *(
        (
            "alarm-unmade",
            {**made, (*DIGITS, "monitoring"): {"thresholds": {field: 90}}},
            f"{field} makes no alarm: it is of {of}; remove it",
            {**well, (*DIGITS, "monitoring"): {"thresholds": {field: 90}}},
        )
        for field, of, made, well in (
            ("gpu_utilization_percent", "instance types with a GPU", ONE, ON_GPU),
            ("serverless_concurrency_percent", "serverless variants", ONE, SERVERLESS),
            ("cpu_utilization_percent", "variants on instances", SERVERLESS, ONE),
            ("oldest_request_seconds", "asynchronous endpoints", ONE, LATER),
            ("model_latency_p99_milliseconds", "endpoints that answer at once", LATER, ONE),
            (
                "overhead_latency_p99_milliseconds",
                "variants on instances that answer at once",
                SERVERLESS,
                ONE,
            ),
        )
    ),
    ("component-base", {**COMPONENTS, (*DIGITS, "inference_components"): adapted("hal")},
     "base_inference_component_name is 'hal'; the components that run a model are half",
     {**COMPONENTS, (*DIGITS, "inference_components"): adapted("half")}),
    ("component-base",
     {**COMPONENTS, (*DIGITS, "inference_components"): adapted("half"),
      SCALING: {"polite": {"min": 1, "max": 4}}},
     "polite is an adapter, which has no copies of its own; scale its base, half",
     {**COMPONENTS, (*DIGITS, "inference_components"): adapted("half"),
      SCALING: {"half": {"min": 1, "max": 4}}}),
    ("component-copies", {**component(copy_count=3), SCALING: {"half": {"min": 1, "max": 4}}},
     "copy_count is 3, and half is scaled; leave copy_count out, and let min of its scaling",
     {**component(), SCALING: {"half": {"min": 3, "max": 4}}}),
    ("variant-override",
     {(*DIGITS, "containers"): [{}, {}], (*BLUE, "framework_version"): "2.20.0"},
     "framework_version of a variant is ignored beside containers; say it there",
     {(*DIGITS, "containers"): [{"framework_version": "2.18"}, {}]}),
    ("variant-override",
     {(*DIGITS, "multi_model"): {"archives": {"half": "model"}}, (*DIGITS, "artifact"): None,
      (*BLUE, "artifact"): "model"},
     "artifact of a variant is ignored beside multi_model; give it a name in archives",
     {(*DIGITS, "multi_model"): {"archives": {"half": "model"}}, (*DIGITS, "artifact"): None}),
    ("part-isolation", component(network_isolation=True),
     "network_isolation of an inference component is ignored; say it of the model",
     {**COMPONENTS, (*DIGITS, "network_isolation"): True}),
    ("component-host",
     {**COMPONENTS, VARIANTS: [{"name": "blue", "instance_type": "ml.c5.large", "weight": 0.5}]},
     "weight shares requests among variants, and inference components have one; remove it",
     COMPONENTS),
    ("component-host",
     {(*DIGITS, "inference_components"): {"half": {"min_memory_required_in_mb": 512}}},
     "there are 2 variants; inference components share the instances of exactly one", COMPONENTS),
    ("component-scaling", {(*BLUE, "managed_instance_scaling"): {"max_instance_count": 2}},
     "managed_instance_scaling is of inference components, and the variant runs a model of its "
     "own; use scaling, or inference_components",
     {**COMPONENTS, VARIANTS: [{"name": "blue", "instance_type": "ml.c5.large",
      "managed_instance_scaling": {"max_instance_count": 2}}]}),
    ("component-update", {**COMPONENTS, UPDATE: {"canary_percent": 10}},
     "update is not a rolling one; inference components are replaced in batches",
     {**COMPONENTS, UPDATE: {"rolling_percent": 10}}),
    ("component-start", component(copy_count=0),
     "copy_count is 0; SageMaker makes no component without a copy", component(copy_count=1)),
    ("component-size", component(min_memory_required_in_mb=127),
     "min_memory_required_in_mb is 127; it must be at least 128",
     component(min_memory_required_in_mb=128)),
    ("component-size", component(max_memory_required_in_mb=511),
     "max_memory_required_in_mb is 511 and min_memory_required_in_mb is 512",
     component(max_memory_required_in_mb=512)),
    ("component-fits", component(number_of_accelerator_devices_required=1),
     "number_of_accelerator_devices_required is 1 and ml.c5.large has 0 GPUs",
     component(number_of_cpu_cores_required=2)),
    ("model-package-name",
     {(*DIGITS, "model_package"): {"name": "digits", **READS}, (*DIGITS, "artifact"): None},
     "name is 'digits'; it must be arn:aws:sagemaker:<region>:<account>:model-package/",
     {(*DIGITS, "model_package"): {"name": PACKAGE, **READS}, (*DIGITS, "artifact"): None}),
    ("model-package-name",
     {(*DIGITS, "model_package"): {"name": PACKAGE.replace("eu-west-1", "us-east-1")}},
     "name is of us-east-1; an endpoint in eu-west-1 takes packages of eu-west-1",
     {(*DIGITS, "model_package"): {"name": PACKAGE}}),
    ("model-package-access", {(*DIGITS, "model_package"): {"name": PACKAGE}},
     "model_data and image_uri are missing, so the role may not read it",
     {(*DIGITS, "model_package"): {"name": PACKAGE, **READS}}),
    ("container-hostname", {(*DIGITS, "containers"): [{"container_hostname": "pre_process"}, {}]},
     "container_hostname is 'pre_process'; it must be 1 to 63 letters",
     {(*DIGITS, "containers"): [{"container_hostname": "pre-process"},
      {"container_hostname": "b"}]}),
    ("container-hostname",
     {(*DIGITS, "containers"): [{"container_hostname": "a"}, {"container_hostname": "a"}]},
     "a container named 'a' stands above; rename one of them",
     {(*DIGITS, "containers"): [{"container_hostname": "a"}, {"container_hostname": "b"}]}),
]  # fmt: skip

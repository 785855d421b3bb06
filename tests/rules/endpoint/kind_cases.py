"""Environment files and templates with one thing wrong in an endpoint's kind, scaling or update."""

from __future__ import annotations

from typing import Any

from tests.rules.template_cases import CAPTURE, Case

Change = dict[tuple[str | int, ...], Any]

DIGITS = ("models", "digits")
VARIANTS = (*DIGITS, "variants")
BLUE = (*VARIANTS, 0)
SCALING = (*DIGITS, "scaling")
UPDATE = (*DIGITS, "update")
PRODUCTION = ("production",)
TRANSITION = (*DIGITS, "transition")
ONE: Change = {VARIANTS: [{"name": "blue", "instance_type": "ml.c5.large"}]}
SERVERLESS: Change = {
    VARIANTS: [{"name": "all", "memory_size_in_mb": 2048, "max_concurrency": 5}],
    (*DIGITS, "batching"): None,
}
ON_GPU: Change = {VARIANTS: [{"name": "blue", "instance_type": "ml.g4dn.xlarge"}]}
LATER: Change = {**ONE, (*DIGITS, "asynchronous"): {}}
COMPONENTS: Change = {
    **ONE,
    (*DIGITS, "inference_components"): {"half": {"min_memory_required_in_mb": 512}},
}
PACKAGE = "arn:aws:sagemaker:eu-west-1:111122223333:model-package/digits/3"
TOPIC = "arn:aws:sns:eu-west-1:111122223333:answers"
READS = {
    "model_data": "s3://models/digits.tar.gz",
    "image_uri": "111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1",
}
PACKAGED: Change = {
    **{(*DIGITS, name): None for name in ("artifact", "framework", "framework_version")},
    (*DIGITS, "model_package"): {"name": PACKAGE, **READS},
}
SAFE: Change = {
    PRODUCTION: True,
    VARIANTS: [{"name": "blue", "instance_type": "ml.c5.large", "initial_instance_count": 2}],
    SCALING: {"blue": {"min": 2, "max": 2}},
}


def serverless(**change: Any) -> Change:
    variant = {**SERVERLESS[VARIANTS][0], **change}
    return {**SERVERLESS, VARIANTS: [variant]}


def component(**change: Any) -> Change:
    sized = {"half": {"min_memory_required_in_mb": 512, **change}}
    return {**COMPONENTS, (*DIGITS, "inference_components"): sized}


def scaled(**change: Any) -> Change:
    return {SCALING: {"blue": {"min": 1, "max": 4, "invocations_per_instance": 70, **change}}}


def releasing(**keep: str) -> Change:
    """`SAFE` in the step that releases the scaling of these variants."""
    return {**SAFE, TRANSITION: {"step": "release_scaling", "keep": keep}}


def queue(**change: Any) -> Change:
    return {**ONE, (*DIGITS, "asynchronous"): {}, **scaled(**change)}


def steps(*each: dict[str, Any]) -> Change:
    return scaled(step_policies=[{"metric_name": "Invocations", "steps": list(each)}])


def schedule(**change: Any) -> Change:
    return scaled(schedules=[{"name": "n", "schedule": "rate(1 day)", "max": 2, **change}])


ENVIRONMENTS: list[tuple[str, Change, str, Change]] = [
    # rule, what is wrong, what is said, the nearest that passes
    (
        "kind-content",
        {(*DIGITS, "artifact"): None, (*DIGITS, "multi_model"): {}, (*DIGITS, "containers"): [{}]},
        "multi_model stands beside containers; a model is one of them; remove the other",
        {(*DIGITS, "artifact"): None, (*DIGITS, "multi_model"): {}},
    ),
    (
        "kind-content",
        {(*DIGITS, "multi_model"): {}},
        "artifact stands beside multi_model, which says itself what is run; remove it",
        {(*DIGITS, "multi_model"): {}, (*DIGITS, "artifact"): None},
    ),
    (
        "kind-content",
        {**PACKAGED, (*DIGITS, "framework"): "tensorflow"},
        "framework stands beside model_package, which says itself what is run; remove it",
        PACKAGED,
    ),
    (
        "kind-content",
        {**PACKAGED, (*DIGITS, "image_uri"): READS["image_uri"]},
        "image_uri stands beside model_package, which says itself what is run; remove it",
        PACKAGED,
    ),
    (
        "kind-answers",
        {**SERVERLESS, (*DIGITS, "asynchronous"): {}},
        "asynchronous stands beside a serverless variant, which answers at once",
        {(*DIGITS, "asynchronous"): {}},
    ),
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
    (
        "component-copies",
        {**component(copy_count=3), SCALING: {"half": {"min": 1, "max": 4}}},
        "copy_count is 3, and half is scaled; leave copy_count out, and let min of its scaling",
        {**component(), SCALING: {"half": {"min": 3, "max": 4}}},
    ),
    (
        "variant-override",
        {(*DIGITS, "containers"): [{}, {}], (*BLUE, "framework_version"): "2.18"},
        "framework_version of a variant is passed over beside containers; say it there",
        {(*DIGITS, "containers"): [{"framework_version": "2.18"}, {}]},
    ),
    (
        "variant-override",
        {
            (*DIGITS, "multi_model"): {"archives": {"half": "model"}},
            (*DIGITS, "artifact"): None,
            (*BLUE, "artifact"): "model",
        },
        "artifact of a variant is passed over beside multi_model; give it a name in archives",
        {(*DIGITS, "multi_model"): {"archives": {"half": "model"}}, (*DIGITS, "artifact"): None},
    ),
    (
        "part-isolation",
        {(*DIGITS, "containers"): [{"network_isolation": True}, {}]},
        "network_isolation of a container is passed over; say it of the model",
        {(*DIGITS, "containers"): [{}, {}], (*DIGITS, "network_isolation"): True},
    ),
    (
        "part-isolation",
        component(network_isolation=True),
        "network_isolation of an inference component is passed over; say it of the model",
        {**COMPONENTS, (*DIGITS, "network_isolation"): True},
    ),
    (
        "component-host",
        {
            **COMPONENTS,
            VARIANTS: [{"name": "blue", "instance_type": "ml.c5.large", "weight": 0.5}],
        },
        "weight shares requests among variants, and inference components have one; remove it",
        COMPONENTS,
    ),
    (
        "component-host",
        {(*DIGITS, "inference_components"): {"half": {"min_memory_required_in_mb": 512}}},
        "there are 2 variants; inference components share the instances of exactly one",
        COMPONENTS,
    ),
    (
        "component-host",
        {(*BLUE, "managed_instance_scaling"): {"max_instance_count": 2}},
        "managed_instance_scaling is of inference_components, and there are none",
        {
            **COMPONENTS,
            VARIANTS: [
                {
                    "name": "blue",
                    "instance_type": "ml.c5.large",
                    "managed_instance_scaling": {"max_instance_count": 2},
                }
            ],
        },
    ),
    (
        "component-update",
        {**COMPONENTS, UPDATE: {"canary_percent": 10}},
        "update is no rolling one; inference components are replaced in batches",
        {**COMPONENTS, UPDATE: {"rolling_percent": 10}},
    ),
    (
        "component-size",
        component(min_memory_required_in_mb=127),
        "min_memory_required_in_mb is 127; it must be at least 128",
        component(min_memory_required_in_mb=128),
    ),
    (
        "component-size",
        component(max_memory_required_in_mb=511),
        "max_memory_required_in_mb is 511 and min_memory_required_in_mb is 512",
        component(max_memory_required_in_mb=512),
    ),
    (
        "component-fits",
        component(number_of_accelerator_devices_required=1),
        "number_of_accelerator_devices_required is 1 and ml.c5.large has 0 GPUs",
        component(number_of_cpu_cores_required=2),
    ),
    (
        "model-package-name",
        {(*DIGITS, "model_package"): {"name": "digits", **READS}, (*DIGITS, "artifact"): None},
        "name is 'digits'; it must be arn:aws:sagemaker:<region>:<account>:model-package/",
        {(*DIGITS, "model_package"): {"name": PACKAGE, **READS}, (*DIGITS, "artifact"): None},
    ),
    (
        "model-package-name",
        {(*DIGITS, "model_package"): {"name": PACKAGE.replace("eu-west-1", "us-east-1")}},
        "name is of us-east-1; an endpoint in eu-west-1 takes packages of eu-west-1",
        {(*DIGITS, "model_package"): {"name": PACKAGE}},
    ),
    (
        "model-package-access",
        {(*DIGITS, "model_package"): {"name": PACKAGE}},
        "model_data and image_uri are missing, so the role is let to read no such thing",
        {(*DIGITS, "model_package"): {"name": PACKAGE, **READS}},
    ),
    (
        "container-hostname",
        {(*DIGITS, "containers"): [{"container_hostname": "pre_process"}, {}]},
        "container_hostname is 'pre_process'; hostnames take 1 to 63 letters",
        {(*DIGITS, "containers"): [{"container_hostname": "pre-process"}, {}]},
    ),
    (
        "container-hostname",
        {(*DIGITS, "containers"): [{"container_hostname": "a"}, {"container_hostname": "a"}]},
        "a container named 'a' stands above; rename one of them",
        {(*DIGITS, "containers"): [{"container_hostname": "a"}, {"container_hostname": "b"}]},
    ),
    (
        "model-containers",
        {(*DIGITS, "containers"): [{}] * 16},
        "there are 16 containers; a model takes 1 to 15",
        {(*DIGITS, "containers"): [{}] * 15},
    ),
    (
        "serverless-memory",
        serverless(memory_size_in_mb=1500),
        "memory_size_in_mb is 1500; serverless endpoints accept 1024, 2048, 3072, 4096, 5120 or "
        "6144; use 2048, the next size up",
        serverless(memory_size_in_mb=2048),
    ),
    (
        "serverless-concurrency",
        serverless(provisioned_concurrency=6),
        "provisioned_concurrency is 6 and max_concurrency is 5",
        serverless(provisioned_concurrency=5),
    ),
    (
        "serverless-alone",
        {VARIANTS: [*SERVERLESS[VARIANTS], *ONE[VARIANTS]]},
        "the variant is serverless and the endpoint has others",
        SERVERLESS,
    ),
    (
        "serverless-excludes",
        {**SERVERLESS, (*DIGITS, "data_capture"): {"sampling_percent": 5}},
        "data_capture is given, but no serverless endpoint captures data",
        {(*DIGITS, "data_capture"): {"sampling_percent": 5}},
    ),
    (
        "serverless-network",
        {**SERVERLESS, (*DIGITS, "network_isolation"): True},
        "network_isolation is given on the model of a serverless variant",
        {**SERVERLESS, (*DIGITS, "network_isolation"): False},
    ),
    (
        "serverless-model",
        {**SERVERLESS, (*DIGITS, "containers"): [{}, {}]},
        "the variant is serverless and its model has 2 containers",
        {(*DIGITS, "containers"): [{}, {}]},
    ),
    (
        "variant-mixed",
        serverless(instance_type="ml.c5.large"),
        "instance_type is given on a serverless variant",
        SERVERLESS,
    ),
    (
        "shadow-variants",
        {(*DIGITS, "shadow_variants"): [{"name": "next", "instance_type": "ml.c5.large"}]},
        "variants has 2 variants; with a shadow there is exactly one production",
        {**ONE, (*DIGITS, "shadow_variants"): [{"name": "next", "instance_type": "ml.c5.large"}]},
    ),
    (
        "endpoint-instance-type",
        {**ONE, (*DIGITS, "shadow_variants"): [{"name": "next", "instance_type": "ml.t3.large"}]},
        "instance_type is 'ml.t3.large'; endpoints do not take it",
        {**ONE, (*DIGITS, "shadow_variants"): [{"name": "next", "instance_type": "ml.t2.large"}]},
    ),
    (
        "multi-model-ports",
        {(*DIGITS, "multi_model"): {"safe_port_range": "9999-9000"}},
        "safe_port_range is '9999-9000'; it must be two ports",
        {(*DIGITS, "multi_model"): {"safe_port_range": "9000-9999"}},
    ),
    (
        "multi-model-capacity",
        {(*DIGITS, "multi_model"): {"safe_port_range": "9000-9019"}},
        "safe_port_range is '9000-9019', which holds 8 models at once",
        {(*DIGITS, "multi_model"): {}},
    ),
    (
        "model-data-form",
        {(*DIGITS, "multi_model"): {"s3_prefix": "s3://bucket/digits.tar.gz"}},
        "s3_prefix is 's3://bucket/digits.tar.gz' and the container is multi-model",
        {(*DIGITS, "multi_model"): {"s3_prefix": "s3://bucket/models/"}},
    ),
    (
        "async-ranges",
        {(*DIGITS, "asynchronous"): {"max_concurrent_invocations_per_instance": 0}},
        "max_concurrent_invocations_per_instance is 0; it must be 1 to 1000",
        {(*DIGITS, "asynchronous"): {"max_concurrent_invocations_per_instance": 1}},
    ),
    (
        "async-topic",
        {(*DIGITS, "asynchronous"): {"success_topic": "answers"}},
        "success_topic is 'answers'; it must be new, or the ARN of an SNS topic",
        {(*DIGITS, "asynchronous"): {"success_topic": "new", "error_topic": TOPIC}},
    ),
    (
        "async-topic",
        {(*DIGITS, "asynchronous"): {"error_topic": TOPIC.replace("eu-west-1", "us-east-1")}},
        "error_topic is in us-east-1; an endpoint in eu-west-1 tells topics of eu-west-1",
        {(*DIGITS, "asynchronous"): {"error_topic": TOPIC}},
    ),
    (
        "async-shadow",
        {
            **ONE,
            (*DIGITS, "asynchronous"): {},
            (*DIGITS, "shadow_variants"): [{"name": "next", "instance_type": "ml.c5.large"}],
        },
        "shadow_variants stands beside asynchronous; shadow tests are of real-time endpoints",
        {**ONE, (*DIGITS, "asynchronous"): {}},
    ),
    (
        "capture-ranges",
        {(*DIGITS, "data_capture"): {"sampling_percent": 101}},
        "sampling_percent is 101; it must be 0 to 100; use 100",
        {(*DIGITS, "data_capture"): {"sampling_percent": 0}},
    ),
    (
        "capture-ranges",
        {(*DIGITS, "data_capture"): {"sampling_percent": 5, "capture": []}},
        "capture has 0 entries; capture takes 1 to 32",
        {(*DIGITS, "data_capture"): {"sampling_percent": 5, "capture": ["Input"]}},
    ),
    (
        "capture-prefix",
        {(*DIGITS, "data_capture"): {"sampling_percent": 5, "prefix": "digits/captured/"}},
        "prefix is 'digits/captured/'; with a slash at its end",
        {(*DIGITS, "data_capture"): {"sampling_percent": 5, "prefix": "digits/captured"}},
    ),
    (
        "guardrail-step",
        {UPDATE: {"canary_percent": 90}},
        "canary_percent is 90 percent; it must be 1 to 50; use 50",
        {UPDATE: {"canary_percent": 50}},
    ),
    (
        "guardrail-step",
        {UPDATE: {"linear_percent": 5}},
        "linear_percent is 5 percent; it must be 10 to 50; use 10",
        {UPDATE: {"linear_percent": 10}},
    ),
    (
        "guardrail-waits",
        {UPDATE: {"canary_percent": 10, "wait_seconds": 3601}},
        "wait_seconds is 3601; it must be 0 to 3600; use 3600",
        {UPDATE: {"canary_percent": 10, "wait_seconds": 3600}},
    ),
    (
        "guardrail-time",
        {UPDATE: {"linear_percent": 25, "maximum_execution_timeout_seconds": 1300}},
        "maximum_execution_timeout_seconds is 1300, but the update waits 1320 seconds in all",
        {UPDATE: {"linear_percent": 25, "maximum_execution_timeout_seconds": 1321}},
    ),
    (
        "guardrail-alarms",
        {UPDATE: {"canary_percent": 10, "alarms": [f"a{n}" for n in range(11)]}},
        "alarms has 11 entries; a rollback watches 1 to 10 alarms",
        {UPDATE: {"canary_percent": 10, "alarms": [f"a{n}" for n in range(10)]}},
    ),
    (
        "guardrail-excluded",
        {**SERVERLESS, UPDATE: {"canary_percent": 10}},
        "the endpoint is serverless; there SageMaker moves all traffic at once",
        {**SERVERLESS, UPDATE: {"all_at_once": True}},
    ),
    (
        "guardrail-rolling-excluded",
        {UPDATE: {"rolling_percent": 10}},
        "the endpoint has 2 variants; a rolling update is of one; use blue/green",
        {**ONE, UPDATE: {"rolling_percent": 10}},
    ),
    (
        "guardrail-none",
        {**SERVERLESS, PRODUCTION: True},
        "SageMaker has no guardrails for this endpoint",
        SAFE,
    ),
    (
        "production-scaling",
        {PRODUCTION: True},
        "'blue' has no scaling, which production demands; add scaling: {blue: {min: 2, max: 4",
        SAFE,
    ),
    (
        "production-scaling",
        {**SAFE, SCALING: None, TRANSITION: {"step": "change_variants"}},
        "'blue' has no scaling, which production demands",
        {**releasing(blue="ml.m5.large"), SCALING: None},
    ),
    (
        "transition-keep",
        releasing(),
        "keep is missing; name each variant whose scaling is released",
        releasing(blue="ml.m5.large"),
    ),
    (
        "transition-keep",
        releasing(green="ml.m5.large"),
        "'green' is no variant of the file, and SageMaker refuses to remove a scalable target; "
        "put its entry back for this deploy, and remove it after",
        releasing(blue="ml.m5.large"),
    ),
    (
        "transition-keep",
        releasing(blue="m5.large"),
        "blue is 'm5.large'; it must be an instance type; use the one that is deployed",
        releasing(blue="ml.m5.large"),
    ),
    (
        "transition-keep",
        {**SERVERLESS, TRANSITION: {"step": "release_scaling", "keep": {"all": "ml.m5.large"}}},
        "all is 'ml.m5.large'; the variant is serverless; use serverless",
        {**SERVERLESS, TRANSITION: {"step": "release_scaling", "keep": {"all": "serverless"}}},
    ),
    (
        "transition-keep",
        {**COMPONENTS, TRANSITION: {"step": "release_scaling", "keep": {"blue": "ml.m5.large"}}},
        "here inference components are scaled, which do not hinder an update; remove transition",
        releasing(blue="ml.m5.large"),
    ),
    (
        "transition-keep",
        {**SAFE, TRANSITION: {"step": "change_variants", "keep": {"blue": "ml.m5.large"}}},
        "keep is of release_scaling; take that step first, or remove keep",
        {**SAFE, TRANSITION: {"step": "change_variants"}},
    ),
    (
        "transition-left",
        releasing(blue="ml.m5.large"),
        "this deploy releases the scaling of blue on ml.m5.large, which serves on meanwhile; after "
        "it, `sagemaker-serving diff ",
        SAFE,
    ),
    (
        "transition-left",
        {**SAFE, TRANSITION: {"step": "change_variants"}},
        "this deploy moves the endpoint to the variants of the file without guardrails, all "
        "traffic at once; after it, `sagemaker-serving diff ",
        SAFE,
    ),
    (
        "production-update",
        {**SAFE, UPDATE: {"all_at_once": True}},
        "update is all_at_once, and production demands guardrails; use canary_percent",
        {**SAFE, UPDATE: {"linear_percent": 20}},
    ),
    (
        "production-alarms",
        {**SAFE, ("monitoring",): {"alarms": False}},
        "alarms are off, and production demands some to take an update back",
        {**SAFE, ("monitoring",): {"alarms": False}, (*DIGITS, "monitoring"): {"alarms": True}},
    ),
    (
        "production-instances",
        {**SAFE, (*BLUE, "initial_instance_count"): 1},
        "the variant starts with 1 instance; in production use at least 2",
        {**SAFE, (*BLUE, "weight"): 0, (*BLUE, "initial_instance_count"): 1},
    ),
    (
        "scaling-named",
        {SCALING: {"bluu": {"min": 1, "max": 1}}},
        "'bluu' is nothing that scales here; did you mean blue",
        {SCALING: {"blue": {"min": 1, "max": 1}}},
    ),
    (
        "scaling-moves",
        {SCALING: {"blue": {"min": 1, "max": 4}}},
        "min is 1 and max is 4, and nothing moves it between",
        {SCALING: {"blue": {"min": 4, "max": 4}}},
    ),
    ("scaling-bounds", scaled(max=0), "max is 0 and min is 1", scaled(max=1)),
    ("scaling-zero", scaled(min=0), "min is 0; a real-time variant keeps", queue(min=0)),
    (
        "scaling-burstable",
        {**scaled(), (*BLUE, "instance_type"): "ml.t2.medium"},
        "the variant runs on ml.t2.medium; burstable types can't be scaled",
        scaled(),
    ),
    (
        "scaling-cooldown",
        scaled(scale_in_cooldown_seconds=-1),
        "scale_in_cooldown_seconds is -1; it must be at least 0",
        scaled(scale_in_cooldown_seconds=0),
    ),
    (
        "scaling-target",
        scaled(invocations_per_instance=0),
        "invocations_per_instance is 0; it must be over 0",
        scaled(invocations_per_instance=0.5),
    ),
    (
        "scaling-metric",
        scaled(backlog_per_instance=5),
        "backlog_per_instance follows ApproximateBacklogSizePerInstance, which a real-time "
        "variant does not have; use SageMakerVariantInvocationsPerInstance",
        queue(invocations_per_instance=None, backlog_per_instance=5),
    ),
    (
        "scaling-metric",
        {**SERVERLESS, SCALING: {"all": {"min": 1, "max": 2, "concurrent_requests": 5}}},
        "concurrent_requests follows SageMakerVariantConcurrentRequestsPerModelHighResolution, "
        "which a serverless variant does not have",
        {
            **serverless(provisioned_concurrency=1),
            SCALING: {"all": {"min": 1, "max": 2, "provisioned_concurrency_utilization": 0.7}},
        },
    ),
    (
        "scaling-metric-published",
        queue(),
        "which asynchronous endpoints do not publish; use backlog_per_instance",
        queue(invocations_per_instance=None, backlog_per_instance=5),
    ),
    (
        "scaling-utilization",
        {
            **serverless(provisioned_concurrency=1),
            SCALING: {"all": {"min": 1, "max": 2, "provisioned_concurrency_utilization": 70}},
        },
        "provisioned_concurrency_utilization is 70; it must be over 0 and up to 1; use 0.7",
        {
            **serverless(provisioned_concurrency=1),
            SCALING: {"all": {"min": 1, "max": 2, "provisioned_concurrency_utilization": 1}},
        },
    ),
    (
        "scaling-steps",
        steps({"lower": 5, "upper": 5, "change": 1}),
        "upper is 5 and lower is 5; a step rises from its lower to its upper bound",
        steps({"lower": 5, "upper": 6, "change": 1}),
    ),
    (
        "scaling-steps",
        steps({"lower": 5, "change": 1}, {"lower": 9, "change": 2}),
        "the step overlaps another one",
        steps({"lower": 5, "upper": 9, "change": 1}, {"lower": 9, "change": 2}),
    ),
    (
        "scaling-steps",
        steps({"lower": 5, "change": 1}, {"upper": 5, "change": -1}),
        "some steps add and others remove; write two policies",
        steps({"upper": 5, "change": -1}),
    ),
    (
        "scaling-steps",
        steps({"upper": 5, "change": 1}),
        "no step has lower, so nothing tells when the first one is taken",
        steps({"lower": 5, "change": 1}),
    ),
    (
        "scaling-schedule",
        schedule(schedule="0 8 * * *"),
        "schedule is '0 8 * * *'; it must be cron(<minutes> <hours>",
        schedule(schedule="cron(0 8 * * ? *)"),
    ),
    (
        "scaling-schedule",
        schedule(max=None),
        "neither min nor max is given; give one of them",
        schedule(max=None, min=1),
    ),
]

POLICY = "Policy.TargetTrackingScalingPolicyConfiguration"
PREDEFINED = f"{POLICY}.PredefinedMetricSpecification"
NOTIFY = {"OutputConfig": {"S3OutputPath": "s3://b/o/"}}


def stepwise(*each: dict[str, Any]) -> dict[str, Any]:
    return {
        POLICY: None,
        "Policy.StepScalingPolicyConfiguration": {"StepAdjustments": list(each)},
    }


def notified(topic: str) -> dict[str, Any]:
    output = {"S3OutputPath": "s3://b/o/", "NotificationConfig": {"SuccessTopic": topic}}
    return {"Config.AsyncInferenceConfig": {"OutputConfig": output}}


def metric(name: str) -> dict[str, Any]:
    return {"PredefinedMetricType": name}


TEMPLATES: list[Case] = [
    (
        "scaling-metric",
        {PREDEFINED: metric("SageMakerInferenceComponentInvocationsPerCopy")},
        "which a real-time variant does not have",
        {PREDEFINED: metric("SageMakerVariantInvocationsPerInstance")},
    ),
    (
        "scaling-metric-published",
        {
            "Config.AsyncInferenceConfig": NOTIFY,
            PREDEFINED: metric("SageMakerVariantInvocationsPerInstance"),
        },
        "which asynchronous endpoints do not publish",
        {PREDEFINED: metric("SageMakerVariantInvocationsPerInstance")},
    ),
    (
        "scaling-utilization",
        {
            "Target.ScalableDimension": "sagemaker:variant:DesiredProvisionedConcurrency",
            PREDEFINED: metric("SageMakerVariantProvisionedConcurrencyUtilization"),
        },
        "TargetValue is 70; it must be over 0 and up to 1; use 0.7",
        {
            "Target.ScalableDimension": "sagemaker:variant:DesiredProvisionedConcurrency",
            PREDEFINED: metric("SageMakerVariantProvisionedConcurrencyUtilization"),
            f"{POLICY}.TargetValue": 0.7,
        },
    ),
    (
        "scaling-steps",
        stepwise(
            {"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1},
            {"MetricIntervalLowerBound": 5, "ScalingAdjustment": 2},
        ),
        "the step overlaps another one",
        stepwise(
            {"MetricIntervalUpperBound": 0, "ScalingAdjustment": -1},
            {"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1},
        ),
    ),
    (
        "scaling-schedule",
        {
            "Target.ScheduledActions": [
                {"Schedule": "0 8 * * *", "ScalableTargetAction": {"MinCapacity": 1}}
            ]
        },
        "Schedule is '0 8 * * *'; it must be cron(",
        {
            "Target.ScheduledActions": [
                {"Schedule": "cron(0 8 * * ? *)", "ScalableTargetAction": {"MinCapacity": "1"}}
            ]
        },
    ),
    (
        "capture-prefix",
        {"Config.DataCaptureConfig": CAPTURE},
        "DestinationS3Uri is 's3://bucket/captured/'; with a slash at its end",
        {"Config.DataCaptureConfig": {**CAPTURE, "DestinationS3Uri": "s3://bucket/captured"}},
    ),
    ("async-topic", notified("new"), "SuccessTopic is 'new'; it must be the ARN", notified(TOPIC)),
    (
        "container-hostname",
        {
            "Model.PrimaryContainer": None,
            "Model.Containers": [{"Image": "i", "ContainerHostname": "a_b"}],
        },
        "ContainerHostname is 'a_b'; hostnames take",
        {
            "Model.PrimaryContainer": None,
            "Model.Containers": [{"Image": "i", "ContainerHostname": "a-b"}],
        },
    ),
]
